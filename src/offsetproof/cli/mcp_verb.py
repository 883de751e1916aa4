"""`offsetproof mcp`: the same answers for assistants, over the Model Context Protocol on stdin and stdout."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from offsetproof.cli import signals
from offsetproof.cli.options import parse_seconds
from offsetproof.cli.streams import STDOUT, warn
from offsetproof.verdict.exits import Exit

_SECONDS = 300.0


def mcp(
    allow_models: Annotated[
        bool,
        typer.Option("--allow-models", help="Let assistants name models and classes of your own, whose code is run."),
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout",
            metavar="SECONDS",
            min=1.0,
            callback=parse_seconds,
            help="End a call after this time, with what is known by then.",
        ),
    ] = _SECONDS,
) -> int:
    """Answer assistants, over the Model Context Protocol."""
    from offsetproof.engines.spark.session import require_library
    from offsetproof.verdict.prerequisite import MCP

    require_library("mcp.server", part=MCP)
    from offsetproof.assistants.server import Assistants, serve  # the SDK is only loaded where it is needed

    if STDOUT.descriptor is None:
        raise typer.BadParameter("stdout is closed; an assistant starts this program with pipes")
    if sys.stdin is not None and sys.stdin.isatty():
        warn("offsetproof: an assistant starts this program; on a terminal it waits for messages as JSON")
    stdin = open(0, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115 - for the process's life
    stdout = os.fdopen(os.dup(STDOUT.descriptor), "w", encoding="utf-8", newline="\n")
    serve(Assistants(allow_models, timeout), stdin, stdout, lambda number: signals.end(128 + number))
    return Exit.AS_EXPECTED

"""`offsetproof explain`: all distinct causes of a refuted claim, each with its story and what removes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from offsetproof.check.catalogue import DEFAULT
from offsetproof.check.subject import load_subject
from offsetproof.cli import options
from offsetproof.cli.output import coloured, deliver, width, writable
from offsetproof.cli.progress import Progress
from offsetproof.cli.signals import Working
from offsetproof.verdict.exits import exit_of, worst
from offsetproof.verdict.question import Limits

if TYPE_CHECKING:
    from offsetproof.check.explaining import Explained


class ExplainFormat(StrEnum):
    """How the explanation is written."""

    TEXT = "text"
    JSON = "json"


def explain(
    property: Annotated[str, typer.Argument(help="The claim, by id or name.")],
    subject: options.Subject = DEFAULT,
    release: options.Release = None,
    fix: options.Fix = None,
    assume: options.Assume = None,
    listener: options.Listener = None,
    scope: Annotated[
        list[str] | None, typer.Option("--scope", help="Explain in this scope instead of the claim's own.")
    ] = None,
    bound: options.BoundOption = None,
    max_causes: Annotated[int, typer.Option("--max-causes", min=1, help="Stop in a scope after so many causes.")] = 20,
    max_states: options.MaxStates = None,
    max_memory: options.MaxMemory = None,
    timeout: options.Timeout = None,
    format: Annotated[ExplainFormat, typer.Option("--format", help="How to write it.")] = ExplainFormat.TEXT,
    output: options.Output = None,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> int:
    """Find all distinct causes of a refuted claim, each with what removes it."""
    from offsetproof.check.explaining import explained  # the engine is only loaded for the verb that needs it

    writable(output, reads=[subject])
    found = load_subject(subject)
    progress = Progress(on=not (quiet or no_progress))
    progress.naming(f"explaining {property}")
    request = options.request(
        found,
        property=[property],
        release=release,
        fix=fix,
        assume=assume,
        listener=listener,
        bound=bound,
        limits=Limits(max_states, options.parse_memory(max_memory), timeout),
        progress=progress,
    )
    done: list[Explained] = []
    with Working(progress) as stop:
        scopes: list[str | None] = [*dict.fromkeys(scope or ())]
        for name in scopes or [None]:
            done.extend(explained(replace(request, scope=name), max_causes))
    codes = [exit_of(one.first) for one in done]
    if not quiet or output is not None:
        codes.append(deliver(_report(format, found.name, done, colour=coloured(output)), output))
    return stop.code or worst(codes)


def _report(format: ExplainFormat, name: str, done: Sequence[Explained], *, colour: bool) -> str:
    from offsetproof.check.explain_report import explain_json, explain_text

    if format is ExplainFormat.JSON:
        return explain_json(name, done)
    return explain_text(name, done, width(), colour=colour)

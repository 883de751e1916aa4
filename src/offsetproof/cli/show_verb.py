"""`offsetproof show`: prints, converts or compares recorded traces."""

from __future__ import annotations

from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from offsetproof.cli import options
from offsetproof.cli.output import deliver, width, writable
from offsetproof.lang.scope import UnknownNameError
from offsetproof.traces.beside import side_by_side
from offsetproof.traces.formats import FORMATS
from offsetproof.traces.store import read_record, read_record_file
from offsetproof.traces.text import to_text
from offsetproof.traces.trace import Trace


class ShowFormat(StrEnum):
    """How a trace is written."""

    TEXT = "text"
    JSON = "json"
    ITF = "itf"
    DOT = "dot"
    GRAPHML = "graphml"
    MERMAID = "mermaid"


def show(
    trace: Annotated[list[str], typer.Argument(help="A trace file, or the name of a recorded one; two to compare.")],
    format: Annotated[ShowFormat, typer.Option("--format", help="How to write it.")] = ShowFormat.TEXT,
    output: options.Output = None,
) -> int:
    """Print, convert or compare recorded traces."""
    writable(output)
    if len(trace) > 2:
        raise typer.BadParameter("one trace is shown, two are compared; more are too many", param_hint="TRACE")
    found = [_load(name) for name in trace]
    if len(found) == 2:
        if format is not ShowFormat.TEXT:
            raise typer.BadParameter("two traces are compared as text only", param_hint="--format")
        return deliver(side_by_side(found[0], found[1], width()), output)
    if format is ShowFormat.TEXT:
        return deliver(to_text(found[0], width()), output)
    return deliver(FORMATS[format](found[0]), output)


def _load(name: str) -> Trace:
    """A trace by file, or by the name of one that came with the program."""
    path = Path(name)
    if path.exists() or path.suffix or "/" in name:
        return read_record_file(path).trace
    folder = files("offsetproof.traces") / "recorded"
    recorded = {entry.name.removesuffix(".json"): entry for entry in folder.iterdir() if entry.name.endswith(".json")}
    if name not in recorded:
        raise UnknownNameError("recorded trace or file", name, recorded)
    return read_record(recorded[name].read_text(encoding="utf-8"), name).trace

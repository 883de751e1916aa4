"""`offsetproof show`: prints, converts or compares recorded traces, and says whether the model still does that."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from offsetproof.checking.replaying import OtherSubjectError, Replayed, replay_trace
from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, width, writable
from offsetproof.cli.streams import warn
from offsetproof.lang.scope import UnknownNameError
from offsetproof.traces.named_files import SIZE_MAX
from offsetproof.traces.store import read_record, read_record_file, recorded_traces
from offsetproof.traces.text import to_text, wrap_lines
from offsetproof.traces.trace import Trace
from offsetproof.traces.two_traces import side_by_side
from offsetproof.verdict.exits import Exit, worst


def show(
    trace: Annotated[
        list[str], typer.Argument(metavar="TRACE", help="A trace file, or the name of a recorded one; two to compare.")
    ],
    subject: Annotated[
        str | None,
        typer.Option(
            "--subject", metavar="SUBJECT", help="The model to replay it on: path/to/file.py[:Name] or a module."
        ),
    ] = None,
    format: Annotated[str, format_option("show", "How to write it.")] = TEXT,
    output: options.Output = None,
    max_input: options.MaxInput = None,
) -> int:
    """Print, convert or compare recorded traces. Each is replayed on its model, if that is at hand."""
    writable(output, reads=[*trace, *filter(None, [subject])])
    if len(trace) > 2:
        raise typer.BadParameter("one trace is shown, two are compared; more are too many", param_hint="TRACE")
    if len(trace) == 2 and format != TEXT:
        raise typer.BadParameter("two traces are compared as text only", param_hint="--format")
    size_max = options.parse_size(max_input, "--max-input") if max_input else SIZE_MAX
    traces = [_load(name, size_max) for name in trace]
    try:
        outcomes = [replay_trace(each, subject) for each in traces]
    except OtherSubjectError as error:
        raise typer.BadParameter(str(error), param_hint="--subject") from error
    codes = [Exit.DIFFERS for outcome in outcomes if outcome.agrees is False]
    if format != TEXT:
        codes += [
            _warn_of_difference(name, outcome)
            for name, outcome in zip(trace, outcomes, strict=True)
            if not outcome.agrees
        ]
    return worst([*codes, deliver(_written(traces, outcomes, format), output)])


def _written(traces: list[Trace], outcomes: list[Replayed], format: str) -> str:
    if len(traces) == 2:
        lines = wrap_lines((f"{side}: {each}" for side, each in zip(("left", "right"), outcomes, strict=True)), width())
        return "\n".join([*lines, "", side_by_side(traces[0], traces[1], width())])
    if format == TEXT:
        first, rest = to_text(traces[0], width()).split("\n", 1)
        return "\n".join([first, *wrap_lines(iter([f"  {outcomes[0]}"]), width()), rest])
    return writer_of("show", format)(traces[0], outcomes[0])


def _warn_of_difference(name: str, outcome: Replayed) -> Exit:
    """Says on stderr what the format has no place for."""
    warn(f"offsetproof: {name}: {outcome}")
    return Exit.AS_EXPECTED


def _load(name: str, size_max: int) -> Trace:
    """A trace by file, or by the name of one that came with the program."""
    path = Path(name)
    if os.path.exists(path) or path.suffix or "/" in name:  # noqa: PTH110 - Path.exists raises where it is too long
        return read_record_file(path, size_max).trace
    recorded = recorded_traces()
    if name not in recorded:
        raise UnknownNameError("recorded trace or file", name, recorded)
    return read_record(recorded[name].read_text(encoding="utf-8"), name).trace

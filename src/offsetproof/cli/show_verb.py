"""`offsetproof show`: prints, converts or compares recorded traces, and says whether the model still does that."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from offsetproof.checking.catalogue import BUILT_INS, DEFAULT, SINGLES
from offsetproof.checking.replaying import OtherSubjectError, Replayed, replay_trace
from offsetproof.checking.subject import load_subject
from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, width, writable
from offsetproof.cli.streams import warn
from offsetproof.lang.scope import UnknownNameError
from offsetproof.reports.recorded import stories_json, stories_text
from offsetproof.traces.named_files import SIZE_MAX
from offsetproof.traces.store import (
    read_record,
    read_record_file,
    recorded_stories,
    recorded_traces,
    stories_about,
    stories_of,
)
from offsetproof.traces.text import to_text, wrap_lines
from offsetproof.traces.trace import Trace
from offsetproof.traces.two_traces import side_by_side
from offsetproof.verdict.exits import Exit, worst


def show(
    named: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TRACE|CLAIM",
            help="A trace file, a recorded story, or a claim that has one; two to compare. Without any: all stories.",
        ),
    ] = None,
    subject: Annotated[
        str | None,
        typer.Option(
            "--subject",
            metavar="SUBJECT",
            help="The model to replay it on, or whose claim is meant: built in, path/to/file.py[:Name] or module.",
        ),
    ] = None,
    format: Annotated[str, format_option("show", "How to write it.")] = TEXT,
    output: options.Output = None,
    max_input: options.MaxInput = None,
) -> int:
    """Print, convert or compare recorded traces. Each is replayed on its model, if that is at hand."""
    names = named or []
    writable(output, reads=[*names, *filter(None, [subject])])
    if len(names) > 2:
        raise typer.BadParameter("one trace is shown, two are compared; more are too many", param_hint="TRACE")
    if len(names) == 2 and format != TEXT:
        raise typer.BadParameter("two traces are compared as text only", param_hint="--format")
    size_max = options.parse_size(max_input, "--max-input") if max_input else SIZE_MAX
    found = [_find(name, subject, size_max) for name in names]
    if not names:
        return deliver(_list(_all_stories(subject), format, ""), output)
    if len(names) == 1 and not isinstance(found[0], Trace):
        return deliver(_list(found[0], format, names[0]), output)
    traces = [_one(name, each) for name, each in zip(names, found, strict=True)]
    try:
        outcomes = [replay_trace(each, subject) for each in traces]
    except OtherSubjectError as error:
        raise typer.BadParameter(str(error), param_hint="--subject") from error
    codes = [Exit.DIFFERS for outcome in outcomes if outcome.agrees is False]
    if format != TEXT:
        codes += [
            _warn_of_difference(name, outcome)
            for name, outcome in zip(names, outcomes, strict=True)
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


def _all_stories(subject: str | None) -> Mapping[str, Trace]:
    """Those of the built-in subject that is named, or all."""
    stories = recorded_stories()
    if subject is None or subject not in BUILT_INS:
        return stories
    own = stories_about(stories, subject)
    if not own:
        raise typer.BadParameter(f"no story of {subject} is recorded", param_hint="--subject")
    return own


def _find(name: str, subject: str | None, size_max: int) -> Trace | Mapping[str, Trace]:
    """A trace by file, or by the name of one that came with the program; of a claim its story, or all that it has."""
    path = Path(name)
    if os.path.exists(path) or path.suffix or "/" in name:  # noqa: PTH110 - Path.exists raises where it is too long
        return read_record_file(path, size_max).trace
    recorded = recorded_traces()
    if name in recorded:
        return read_record(recorded[name].read_text(encoding="utf-8"), name).trace
    stories = recorded_stories()
    own = _of_claim(stories, name, subject)
    if not own:
        _refuse_unknown(name, subject, stories)
    return own if len(own) > 1 else next(iter(own.values()))


def _of_claim(stories: Mapping[str, Trace], claim: str, subject: str | None) -> Mapping[str, Trace]:
    """Those of a claim: of the subject that is named, else of the first built-in one that has such a claim."""
    subjects = [subject] if subject is not None and subject in BUILT_INS else [DEFAULT, *BUILT_INS]
    return next(filter(None, (stories_of(stories_about(stories, each), claim) for each in subjects)), {})


def _refuse_unknown(name: str, subject: str | None, stories: Mapping[str, Trace]) -> NoReturn:
    """Says that a claim has no story, or that there is nothing of this name."""
    for each in [subject] if subject is not None and subject in SINGLES else SINGLES:
        loaded = load_subject(each)
        if loaded.knows(name):
            title, whose = ", ".join(prop.title for prop in loaded.named(name)), "" if each == DEFAULT else f"{each} "
            raise typer.BadParameter(
                f"no story of {title} is recorded; `offsetproof check {whose}{name}` decides it", param_hint="CLAIM"
            )
    claims = [known for trace in stories.values() for known in (trace.property.id, trace.property.name)]
    raise UnknownNameError("recorded trace, claim or file", name, [*dict.fromkeys([*stories, *claims])])


def _one(name: str, found: Trace | Mapping[str, Trace]) -> Trace:
    """What is compared; a claim with several stories is refused."""
    if isinstance(found, Trace):
        return found
    raise typer.BadParameter(f"{name} has {len(found)} stories ({', '.join(found)}); name one", param_hint="TRACE")


def _list(stories: Mapping[str, Trace], format: str, claim: str) -> str:
    """Several stories as a list."""
    if format == TEXT:
        return stories_text(stories, width())
    if format == "json":
        return stories_json(DEFAULT, stories)
    several = f"{claim} has several: {', '.join(stories)}; name one" if claim else "name one; `show` alone lists all"
    raise typer.BadParameter(f"one story is written as {format}; {several}", param_hint="TRACE")

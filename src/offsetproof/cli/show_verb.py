"""`offsetproof show`: prints, converts or compares recorded traces, and says whether the model still does that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from offsetproof.checking.catalogue import BUILT_INS, DEFAULT
from offsetproof.checking.replaying import Replayed, replay_trace
from offsetproof.checking.subject import load_subject
from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.named_traces import only_trace, traces_named
from offsetproof.cli.output import deliver, width, writable
from offsetproof.cli.streams import warn
from offsetproof.lang.subject import Subject
from offsetproof.reading.files import SIZE_MAX
from offsetproof.reports.recorded import stories_json, stories_text
from offsetproof.reports.shown import outline_shown
from offsetproof.reports.stories import Stories, brief_story, headline
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.traces.text import heading, to_text, wrap_lines
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
    stories: Annotated[
        Stories, typer.Option("--stories", help="How the text tells one trace; without a model to ask, in full.")
    ] = Stories.BRIEF,
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
    found = [traces_named(name, subject, size_max) for name in names]
    if not names:
        return deliver(_list(_all_stories(subject), format, ""), output)
    if len(names) == 1 and len(found[0]) > 1:
        return deliver(_list(found[0], format, names[0]), output)
    traces = [only_trace(name, each, "TRACE") for name, each in zip(names, found, strict=True)]
    model = None if subject is None else load_subject(subject)
    outcomes = [_replay(each, model) for each in traces]
    codes = [Exit.DIFFERS for outcome in outcomes if outcome.agrees is False]
    if format != TEXT:
        codes += [
            _warn_of_difference(name, outcome)
            for name, outcome in zip(names, outcomes, strict=True)
            if not outcome.agrees
        ]
    return worst([*codes, deliver(_text_of(traces, outcomes, format, stories), output)])


def _replay(trace: Trace, model: Subject | None) -> Replayed:
    """The replay of a trace on the model that is named, else on its own."""
    if model is not None and trace.subject not in (None, model.name):
        raise typer.BadParameter(f"the trace is of {trace.subject}, not of {model.name}", param_hint="--subject")
    return replay_trace(trace, model)


def _text_of(traces: list[Trace], outcomes: list[Replayed], format: str, form: Stories) -> str:
    if len(traces) == 2:
        lines = wrap_lines((f"{side}: {each}" for side, each in zip(("left", "right"), outcomes, strict=True)), width())
        return "\n".join([*lines, "", side_by_side(traces[0], traces[1], width())])
    if format == TEXT:
        return _one_as_text(traces[0], outcomes[0], form)
    return writer_of("show", format)(traces[0], outcomes[0])


def _one_as_text(trace: Trace, outcome: Replayed, form: Stories) -> str:
    """One trace as text: in brief, by what its claim read, where it has been replayed; else in full."""
    outline = outline_shown(outcome) if form is Stories.BRIEF else None
    first = next(heading(trace))
    if form is Stories.NONE:
        text = "\n".join(wrap_lines(heading(trace), width())) + "\n"
    elif outline is None:
        text = to_text(trace, width())
    else:
        of_release = trace.world.release is not None
        first = headline(trace.story, of_release=of_release)
        text, _ = brief_story(trace.story, outline, width(), of_release=of_release)
    lines, above = text.split("\n"), len([*wrap_lines([first], width())])
    return "\n".join([*lines[:above], *wrap_lines([f"  {outcome}"], width()), *lines[above:]])


def _warn_of_difference(name: str, outcome: Replayed) -> Exit:
    """Says on stderr what the format has no place for."""
    warn(f"offsetproof: {name}: {outcome}")
    return Exit.AS_EXPECTED


def _all_stories(subject: str | None) -> Mapping[str, Trace]:
    """Those of the built-in subject that is named, or all."""
    stories = recorded_stories()
    if subject is None or subject not in BUILT_INS:
        return stories
    own = stories.about(subject)
    if not own:
        raise typer.BadParameter(f"no story of {subject} is recorded", param_hint="--subject")
    return own


def _list(stories: Mapping[str, Trace], format: str, claim: str) -> str:
    """Several stories as a list."""
    if format == TEXT:
        return stories_text(stories, width())
    if format == "json":
        return stories_json(DEFAULT, stories)
    several = f"{claim} has several: {', '.join(stories)}; name one" if claim else "name one; `show` alone lists all"
    raise typer.BadParameter(f"one story is written as {format}; {several}", param_hint="TRACE")

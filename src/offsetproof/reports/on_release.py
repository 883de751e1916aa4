"""What became of traces on the classes of a release: a line each, and where one differs, how."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from msgspec import Meta

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.conformance.on_release import ReplayOnRelease, StepOnBoth, Values
from offsetproof.escaping import visible
from offsetproof.reading.typed_json import (
    NULL,
    TEXT,
    Count,
    JsonObject,
    Name,
    Names,
    Seconds,
    rule,
    write_json,
)
from offsetproof.real.own_classes import classes_of
from offsetproof.real.replay import OutcomeKind, ReplayOutcome
from offsetproof.real.sidecar import Gates
from offsetproof.reports.conformance import ShownValue
from offsetproof.reports.json import DocumentJson, envelope
from offsetproof.reports.markdown import row
from offsetproof.traces.text import wrap_lines
from offsetproof.traces.trace import show_value
from offsetproof.verdict.phrases import quantity

_HELD = {
    Gates.DEBUGGER: "held at their lines by the JVM's debugger",
    Gates.WOVEN: "gates woven into the classes",
}


class EndJson(JsonObject):
    """A field that is another in the end."""

    field: str
    model: ShownValue
    real: ShownValue


class ReplayJson(JsonObject):
    """The outcome of a trace on the classes of a release."""

    RULES = (
        rule(
            {"outcome": {"const": "reproduced"}},
            {"step": NULL, "field": NULL, "reason": NULL, "end": NULL},
            {"reason": TEXT},
        ),
    )
    trace: Name
    subject: str
    property: str
    name: str
    release: str
    classpath: Annotated[Names | None, Meta(description="Classes of one's own in front of the release's.")]
    gates: Annotated[Gates, Meta(description="How threads are held.")]
    outcome: OutcomeKind
    length: Count
    silent: Annotated[tuple[Count, ...], Meta(description="Steps that have no line of their own and change nothing.")]
    step: Annotated[Count | None, Meta(description="The step after which the two part; 0: before the first.")]
    action: str | None
    place: str | None
    field: str | None
    model: ShownValue
    real: ShownValue
    reason: str | None
    end: Annotated[EndJson | None, Meta(description="A field in which the classes come to another end.")]
    seconds: Seconds


class ReplaysJson(DocumentJson):
    """Version 1 of the outcomes of traces on real classes."""

    replays: tuple[ReplayJson, ...]


def replays_text(replays: Sequence[ReplayOnRelease], width: int, *, steps: bool = False) -> str:
    """A line for each trace, below it where it differs and, if they are wanted, its steps; then how many there were."""
    room = max((len(each.name) for each in replays), default=0)
    lines: list[str] = []
    for each in replays:
        counted, silent = in_words(each), silent_in_words(each)
        lines.append(f"{each.name:<{room}}  {each.outcome.kind:<13}  {counted}{silent}, {each.seconds:.2f} s")
        if each.outcome.kind is not OutcomeKind.REPRODUCED:
            lines += wrap_lines((f"    {line}" for line in differs(each)), width)
        if steps:
            lines += ["", *(line for step in each.steps for line in _step_lines(step, each.release, width)), ""]
    return visible("\n".join([*lines, *([""] if lines else []), *wrap_lines(iter(_summary(replays)), width)])) + "\n"


def replays_json(replays: Sequence[ReplayOnRelease]) -> str:
    """One document, with every replay in the order in which they were asked for."""
    subjects = {each.prepared.subject.name for each in replays}
    subject = subjects.pop() if len(subjects) == 1 else DEFAULT
    return write_json(ReplaysJson(**envelope(subject), replays=tuple(map(replay_json, replays))))


def replays_markdown(replays: Sequence[ReplayOnRelease]) -> str:
    """A table for a pull request."""
    lines = ["| trace | claim | release | outcome | steps | |", "|---|---|---|---|---|---|"]
    for each in replays:
        counted = f"{in_words(each)}{silent_in_words(each)}"
        cells = (each.name, each.trace.property.title, each.release, str(each.outcome.kind), counted)
        lines.append(row(*cells, "; ".join(differs(each))))
    return "\n".join([*lines, "", *_summary(replays)]) + "\n"


def in_words(each: ReplayOnRelease) -> str:
    """How many steps were done: `24 steps`, `4 of 10 steps`."""
    outcome, length = each.outcome, each.trace.length
    done = length if outcome.kind is OutcomeKind.REPRODUCED else max(outcome.steps - 1, 0)
    return quantity(length, "step") if done == length else f"{done} of {length} steps"


def silent_in_words(each: ReplayOnRelease) -> str:
    """`, 2 of them silent`; nothing where none is."""
    return f", {len(each.outcome.silent)} of them silent" if each.outcome.silent else ""


def differs(each: ReplayOnRelease) -> Iterator[str]:
    """Where the two part: the step, with its place in the release, the field with both values, and why."""
    outcome = each.outcome
    if (step := each.parted) is not None:
        place = each.place_of(step)
        yield f"step {step.number}, {step.name}" + (f", {place}" if place else "")
    if outcome.field is not None:
        where = each.release if each.own is None else "your classes"
        yield f"{outcome.field}: {_show(outcome.model)} in the model, {_show(outcome.real)} on {where}"
    if outcome.reason:
        yield outcome.reason
    if outcome.end:
        field, story, real = outcome.end
        yield f"in the end {field} is {_show(real)}, and {_show(story)} in the story"
    elif outcome.end == ():
        yield "in the end all is as in the story"


def _step_lines(step: StepOnBoth, release: str, width: int) -> Iterator[str]:
    silent = " (silent)" if step.silent else ""
    yield from wrap_lines(iter([f"  {step.step.number:>3}  {step.step.name}{silent}"]), width)
    if step.place:
        yield from wrap_lines(iter([f"       {step.place}"]), width)
    for field, (model, real) in step.changes.items():
        mark = " " if model == real else "!"
        yield from wrap_lines(iter([f"     {mark} {field}: {_change(model)}  |  {release}: {_change(real)}"]), width)


def _change(values: Values | None) -> str:
    return "as it was" if values is None else " -> ".join(map(_show, values))


def _show(value: Any) -> str:
    return show_value(frozenset(value)) if isinstance(value, frozenset) else str(value)


def _summary(replays: Sequence[ReplayOnRelease]) -> list[str]:
    """A line for each release."""
    lines = []
    for release in dict.fromkeys(each.release for each in replays):
        own = [each for each in replays if each.release == release]
        reproduced = [each for each in own if each.outcome.kind is OutcomeKind.REPRODUCED]
        how, classes = _HELD[own[0].gates], classes_of(release, own[0].own)
        lines.append(f"{len(reproduced)} of {len(own)} reproduced on {classes} ({how})")
    return lines


def replay_json(each: ReplayOnRelease) -> ReplayJson:
    """A replay as one row of a document."""
    outcome, parted = each.outcome, each.parted
    return ReplayJson(
        trace=each.name,
        subject=each.prepared.subject.name,
        property=each.trace.property.id,
        name=each.trace.property.name,
        release=each.release,
        classpath=each.own.paths if each.own else None,
        gates=each.gates,
        outcome=outcome.kind,
        length=each.trace.length,
        silent=outcome.silent,
        step=outcome.step,
        action=parted.name if parted else None,
        place=each.place_of(parted) if parted else None,
        field=outcome.field,
        model=_plain(outcome.model),
        real=_plain(outcome.real),
        reason=outcome.reason or None,
        end=_end_json(outcome),
        seconds=round(each.seconds, 3),
    )


def _end_json(outcome: ReplayOutcome) -> EndJson | None:
    """In which field the classes came to another end than the trace; None where they did not, or nobody looked."""
    if not outcome.end:
        return None
    field, story, real = outcome.end
    return EndJson(field=field, model=_plain(story), real=_plain(real))


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value

"""A trace as text for readers who have the Java sources beside them: who did what where, and only what it changed.

Every step shows its number, its actor and thread, the action with its arguments, the Java places that it stands for,
its place in the model, and each changed field. A claim shows where it is false and where its truth changes. Nothing is
grouped or omitted, except initial values of fields that never change (they are counted), and the middle of a very
long trace in a report.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import TextWrapper

from offsetproof.escaping import one_line
from offsetproof.lang.claim import WALK
from offsetproof.traces.trace import Trace, TraceStep, Value, show_value

WIDTH_MIN = 30
"""Narrower than this no trace can be read; such a width counts as this one."""


STEPS_MAX = 200
"""A trace of more steps than this is told in part where it is only a part of a report."""

ENDS = 50
"""How many steps of its beginning, and of its end, are told then."""


def to_text(trace: Trace, width: int | None = None) -> str:
    """The trace as text, at most `width` columns wide (at least 30); without a width lines are as long as they are."""
    story = trace.story
    lines = [*_head(story), *_step_paragraphs(story, 0, story.length), *_ending(story)]
    return "\n".join(wrap_lines(lines, width)) + "\n"


def in_report(trace: Trace, width: int | None = None) -> str:
    """The trace as a report tells it: whole, but for the middle of one that has more than `STEPS_MAX` steps."""
    if trace.length <= STEPS_MAX:
        return to_text(trace, width)
    trace, start, end = trace.story, ENDS, trace.length - ENDS
    lines = [
        *_head(trace),
        *_step_paragraphs(trace, 0, start),
        *_gap(trace, start, end),
        *_step_paragraphs(trace, end, trace.length),
        *_ending(trace),
    ]
    return "\n".join(wrap_lines(lines, width)) + "\n"


def _gap(trace: Trace, start: int, end: int) -> Iterator[str]:
    """What stands for the steps after `start` up to `end`: how to see them, and what they changed."""
    changed: dict[str, Value] = {}
    for step in trace.steps[start:end]:
        changed |= {path: after for path, (_, after) in step.changed.items()}
    yield ""
    yield f"...  steps {start + 1} to {end} are left out here; --out-dir and --format json have the whole trace"
    yield from (f"       {path} = {show_value(value)}" for path, value in changed.items())


def _head(trace: Trace) -> Iterator[str]:
    yield from heading(trace)
    yield ""
    yield "  0  the initial state"
    paths = {path for step in trace.steps for path in step.changed} | {*trace.chosen}
    yield from (f"       {path} = {show_value(value)}" for path, value in trace.initial.items() if path in paths)
    still = len(trace.initial.keys() - paths)
    if still:
        yield f"       ({still} other field{'s' * (still > 1)} never change{'s' * (still == 1)})"
    yield from (f"       {text}" for text in claims_shown(trace.initial_claims, {}))


def _step_paragraphs(trace: Trace, start: int, end: int) -> Iterator[str]:
    """The steps after `start` up to `end`."""
    for step, before in zip(trace.steps[start:end], trace.truths[start:end], strict=True):
        yield ""
        time = time_of_step(trace, step.number - 1)
        yield from (
            f"       {line}" if i else f"{step.number:>3}  {line}{time}"
            for i, line in enumerate(step_lines(step, before))
        )


def _ending(trace: Trace) -> list[str]:
    """How a run without an end goes on."""
    return ["", f"...  {trace.goes_on}"] if trace.goes_on else []


def heading(trace: Trace) -> Iterator[str]:
    """What the trace shows, where, and why: the lines above the first step."""
    world, prop = trace.world, trace.property
    shows = "is shown" if prop.kind == "sometimes" else "fails"
    faults = ("", ", 1 of them a fault")[trace.faults] if trace.faults < 2 else f", {trace.faults} of them faults"
    known_as = prop.kind if prop.id == prop.name else f"{prop.id}, {prop.kind}"
    steps = f"{trace.length} step{'s' * (trace.length != 1)}{faults}"
    after = f"in the end: {steps}, {trace.goes_on}" if trace.goes_on else f"after {steps}"
    yield f"a run of {steps}" if prop.id == WALK.id else f"{prop.name} ({known_as}) {shows} {after}"
    words = (trace.subject, world.release, *world.fixes, *world.assumptions, world.listener)
    names = ("subject", "release", *["fix"] * len(world.fixes), *["assuming"] * len(world.assumptions), "listener")
    yield from (f"  {name}: {word}" for name, word in zip(names, words, strict=True) if word is not None)
    bounds = world.scope.describe()
    yield f"  scope: {world.scope.name}" + (f" ({bounds})" if bounds else "")
    if trace.cause:
        yield f"  cause: {', '.join(trace.cause)}"
    if trace.effect:
        yield f"  effect: {trace.effect}"
    if trace.timing:
        yield f"  timing: {trace.timing}"


def step_lines(step: TraceStep, before: Mapping[str, bool]) -> Iterator[str]:
    """One step, its heading first; `before` holds the claims' truths before it."""
    fault = f" (fault: {step.fault})" if step.fault else ""
    yield f"{step.actor}, {step.thread}: {step.name}{fault}"
    yield from (f"stands for {anchor}" for anchor in step.stands_for)
    if step.logs:
        yield f"may log {step.logs!r}"
    yield f"at {step.file}:{step.line}"
    yield from changes_shown(step)
    yield from claims_shown(step.claims, before)


def changes_shown(step: TraceStep) -> list[str]:
    """What a step changed, a line per field."""
    return [f"{path}: {show_value(old)} -> {show_value(new)}" for path, (old, new) in step.changed.items()]


def changes_by_actor(step: TraceStep) -> list[str]:
    """The same where it is told who took the step: its own fields by what it calls them (`cell: 0 -> 1`)."""
    return [line.removeprefix(f"{step.actor}.") for line in changes_shown(step)]


def time_of_step(story: Trace, index: int) -> str:
    """When a story's step happens, counted from 0, as it is put behind the step: ` (t = 2.0 s)`; empty if not known."""
    return f" (t = {story.timing.times[index]:.1f} s)" if story.timing else ""


def claims_shown(now: Mapping[str, bool], before: Mapping[str, bool]) -> list[str]:
    """The claims that are false, and those whose truth changed."""
    return [
        f"claim {claim} is {'' if before.get(claim, truth) is truth else 'now '}{str(truth).lower()}"
        for claim, truth in now.items()
        if claim != WALK.id  # which nobody asks for: it is true at the end of any run
        if not truth or before.get(claim, truth) is not truth
    ]


def wrap_lines(lines: Iterable[str], width: int | None) -> Iterator[str]:
    """Lines broken at a width, what is carried over indented below them; whatever would not be seen is shown."""
    for line in map(one_line, lines):
        if width is None or len(line) <= width:
            yield line
            continue
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        wide = TextWrapper(width=max(width, WIDTH_MIN), subsequent_indent=indent, break_on_hyphens=False)
        yield from wide.wrap(line)

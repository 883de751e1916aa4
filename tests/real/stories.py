"""Recorded stories on the real classes, as they are and changed on purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from offsetproof.conformance.on_release import Prepared, of_release, prepare
from offsetproof.ir.system import Label
from offsetproof.lang.reference import Reference
from offsetproof.real.replay import Replayer, ReplayOutcome
from offsetproof.real.schedule import RigSchedule
from offsetproof.real.sidecar import Sidecar
from offsetproof.traces.reads import budget_fields
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.traces.trace import Trace, TraceStep, Value, plain

RELEASE = "4.9.4"
STORIES = of_release(recorded_stories(), [RELEASE])
"""Every recorded story of a subject with a rigging."""


@cache
def story(name: str) -> Prepared:
    """A story that its model still does."""
    return prepare(name, STORIES[name])


def on_real(sidecar: Sidecar, told: Prepared, trace: Trace | None = None) -> ReplayOutcome:
    """What becomes of a story, or of another trace in its setting."""
    return Replayer(sidecar, _schedule(told.name)).replay(trace or told.trace)


@cache
def _schedule(name: str) -> RigSchedule:
    return story(name).schedule(RELEASE)


def along(told: Prepared, labels: Sequence[Label]) -> Trace:
    """The trace of other steps of the same model, which need not break any claim; each label is one of the story's."""
    question = told.question
    reference = Reference(question.model, question.setting)
    known = {step.label: step for step in told.trace.steps}
    states = [_start(reference, told.trace)]
    for label in labels:
        after = reference.take(states[-1], label)
        assert isinstance(after, tuple), f"{label} is {after}"
        states.append(after)
    budgets = budget_fields(question.setting)
    shown = [{path: plain(v) for path, v in reference.show(each).items() if path not in budgets} for each in states]
    return with_states(told.trace, [known[label] for label in labels], shown)


def _start(reference: Reference, trace: Trace) -> tuple[int, ...]:
    """The first state of a trace, as the reference has it."""
    state = reference.first()
    shown = {path: plain(value) for path, value in reference.show(state).items()}
    assert {path: shown[path] for path in trace.initial} == trace.initial
    return state


def with_states(trace: Trace, steps: Sequence[TraceStep], states: Sequence[Mapping[str, Value]]) -> Trace:
    """A trace with these steps, which lead through these states."""
    told = [
        replace(step, number=number, changed={path: (old[path], new[path]) for path in old if old[path] != new[path]})
        for number, (step, (old, new)) in enumerate(zip(steps, pairwise(states), strict=True), 1)
    ]
    return replace(trace, initial=dict(states[0]), steps=tuple(told), timing=None)

"""A wrong model, or a wrong order, is noticed: the real classes do not go along with it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from real.stories import on_real, story, with_states
from systems.samples import one_in

from offsetproof.conformance.on_release import Prepared
from offsetproof.ir.node import evaluate
from offsetproof.lang.rigging import ThreadStep
from offsetproof.lang.stage import Staged
from offsetproof.mutation.mutants import mutants
from offsetproof.mutation.workshop import Mutant, Operator
from offsetproof.real.replay import OutcomeKind
from offsetproof.real.sidecar import Sidecar
from offsetproof.traces.reads import budget_fields
from offsetproof.traces.trace import Trace, Value, plain

STORY = "I5-late-poll"
ASSIGNMENTS = (Operator.UPDATE, Operator.OFF_BY_ONE)


@cache
def staged(name: str) -> Staged:
    question = story(name).question
    return Staged(question.model, question.setting)


def told_by(mutant: Mutant, name: str) -> Trace:
    """A story's steps as a broken model does them, up to the first that it cannot do."""
    told, model = story(name).trace, staged(name)
    instances = {inst.label: mutant.changed.get(number, inst) for number, inst in enumerate(model.instances)}
    domains = {leaf.path: leaf.domain for leaf in model.leaves}
    budgets = budget_fields(model.setting)

    def shown(values: dict[str, Any]) -> dict[str, Value]:
        return {path: plain(domains[path].decode(value)) for path, value in values.items() if path not in budgets}

    values = {leaf.path: leaf.initial[0] for leaf in model.leaves}
    assert shown(values) == told.initial
    states, steps = [shown(values)], []
    for step in told.steps:
        inst = instances[step.label]
        possible, *after = evaluate([inst.enabled, *inst.updates.values()], values)
        if not possible:
            break
        values = {**values, **dict(zip(inst.updates, after, strict=True))}
        steps.append(step)
        states.append(shown(values))
    return with_states(told, steps, states)


def visibly_broken(name: str) -> Iterator[tuple[Mutant, int]]:
    """Mutants of one assignment, and the first step of a story at which the rig's fields are other than they were.

    Left out are actions that the rig only plays: the real classes do what these say, whatever that is.
    """
    seen, known = story(name).rigging.fields_in_rig, story(name).rigging.steps
    right = [seen(state) for state in story(name).trace.states]
    done = {step.action for step in story(name).trace.steps if isinstance(known[step.action], ThreadStep)}
    for mutant in mutants(staged(name)):
        if mutant.operator in ASSIGNMENTS and mutant.action in done:
            wrong = [seen(state) for state in told_by(mutant, name).states]
            first = next((n for n, (a, b) in enumerate(zip(wrong, right, strict=False)) if a != b), None)
            if first is not None:
                yield mutant, first


@pytest.mark.parametrize(
    "name", one_in(2, ["I12-loads-two-threads-torn-file", STORY, "I15-broadcast-restart-row-left-out"])
)
def test_model_with_one_wrong_assignment_diverges_at_the_step_that_shows_it(woven: Sidecar, name: str) -> None:
    assert on_real(woven, story(name)).kind is OutcomeKind.REPRODUCED
    broken = visibly_broken(name)
    outcomes = {str(mutant): (on_real(woven, story(name), told_by(mutant, name)), step) for mutant, step in broken}
    missed = [text for text, (outcome, _) in outcomes.items() if outcome.kind is not OutcomeKind.DIVERGED]
    assert missed == []
    assert len(outcomes) >= 10
    assert len({outcome.field for outcome, _ in outcomes.values()}) >= 5
    late = {text for text, (outcome, step) in outcomes.items() if outcome.step is not None and outcome.step > step}
    assert late == set()


def swapped(told: Prepared) -> Iterator[Trace]:
    """The story with two neighbouring steps of one thread in the other order, each of which changes what is seen."""
    trace, seen = told.trace, told.rigging.fields_in_rig
    states = [*trace.states]
    moved = [seen(old) != seen(new) for old, new in pairwise(states)]
    for at, (one, other) in enumerate(pairwise(trace.steps)):
        if (one.actor, one.thread) == (other.actor, other.thread) and moved[at] and moved[at + 1]:
            between = states[at] | {path: after for path, (_, after) in other.changed.items()}
            order = [*trace.steps[:at], other, one, *trace.steps[at + 2 :]]
            yield with_states(trace, order, [*states[: at + 1], between, *states[at + 2 :]])


def test_two_steps_in_the_wrong_order_diverge_there(woven: Sidecar) -> None:
    count = 0
    for name in (STORY, "I5-stalled-task", "I8-two-owners", "I5-late-pull", "I1-group-cleared-cache"):
        for trace in swapped(story(name)):
            outcome = on_real(woven, story(name), trace)
            assert outcome.kind is OutcomeKind.DIVERGED, (name, [step.name for step in trace.steps])
            count += 1
    assert count >= 10

"""Recorded stories happen on the real classes: the same fields, step by step, by the debugger and by woven gates."""

from __future__ import annotations

from dataclasses import replace

import pytest
from real.stories import STORIES, along, on_real, story

from offsetproof.conformance.on_release import replay_on
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.replay import OutcomeKind, ReplayOutcome
from offsetproof.real.sidecar import Gates, Sidecar

BY_DEBUGGER = ("I5-late-poll", "I12-loads-two-threads-torn-file")
BY_WEAVING = (
    "I2-running-info-late-answer", "I3-overtaken-by-pull", "I4-ack-at-failure", "I5-orphan", "I11-row-put-twice",
    "I18-orphan", "I12-second-broker-older-table", "I16-client-late-listener", "I20-broadcast-route-late-listener",
    "I23-broadcast-orderly-never-locked", "I5-several-late-poll", "I26-added-after-its-set",
)  # fmt: skip
"""Of each kind one; all of them, by both, are slow below."""


def replayed(rig: CompiledRig, names: tuple[str, ...], gates: Gates) -> dict[str, ReplayOutcome]:
    """What becomes of some stories."""
    return {each.name: each.outcome for each in replay_on(rig, [*map(story, names)], gates)}


@pytest.mark.parametrize(("gates", "names"), [(Gates.DEBUGGER, BY_DEBUGGER), (Gates.WOVEN, BY_WEAVING)])
def test_stories_happen_on_the_real_classes(rig: CompiledRig, gates: Gates, names: tuple[str, ...]) -> None:
    outcomes = replayed(rig, names, gates)
    assert {name: (each.kind, each.steps) for name, each in outcomes.items()} == {
        name: (OutcomeKind.REPRODUCED, STORIES[name].length) for name in names
    }


def test_same_trace_gives_the_same_outcome_again(woven: Sidecar) -> None:
    told = story("I5-late-poll")
    first = on_real(woven, told)
    on_real(woven, story("I8-two-owners"))
    again = on_real(woven, told)
    assert (first, first.real_states) == (again, again.real_states)
    assert again.kind is OutcomeKind.REPRODUCED


def test_beginning_of_a_story_is_what_the_model_does_as_well(woven: Sidecar) -> None:
    told = story("I5-late-poll")
    labels = [step.label for step in told.trace.steps[:9]]
    assert along(told, labels).steps[8].changed == told.trace.steps[8].changed
    assert on_real(woven, told, along(told, labels)).kind is OutcomeKind.REPRODUCED


def test_steps_have_the_same_changes_on_both_sides(rig: CompiledRig) -> None:
    (each,) = replay_on(rig, [story("I5-late-poll")], Gates.WOVEN)
    assert len(each.steps) == 24
    assert all(model == real for step in each.steps for model, real in step.changes.values())
    late = each.steps[22]
    place = "RebalancePushImpl.removeUnnecessaryMessageQueue:86 (persist)"
    assert (late.step.name, late.place, late.silent) == ("reset_persists(c=0)", place, False)
    assert late.changes == {"consumer[0].commits": (([], [1]), ([], [1]))}


def test_fix_that_the_release_does_not_have_is_the_reason(rig: CompiledRig) -> None:
    (outcome,) = replayed(rig, ("I4-new-group-stored-killed-at-start",), Gates.WOVEN).values()
    assert (outcome.kind, outcome.step, outcome.field, outcome.model, outcome.real) == (
        OutcomeKind.NOT_FORCEABLE, 10, "consumer[0].cell", 2, None,
    )  # fmt: skip
    assert outcome.reason.startswith("rests on start-stored, which the release does not have: ")


@pytest.mark.slow
def test_step_of_a_thread_that_the_rig_does_not_hold_is_not_forceable(rig: CompiledRig) -> None:
    (outcome,) = replayed(rig, ("I15-merged-older-file",), Gates.WOVEN).values()
    why = "the thread that rebalances writes the file then, and the rig holds only the timer and main there"
    said = f"client_loses_queue(p=0, q=0): {why}"
    assert (outcome.kind, outcome.step, outcome.reason) == (OutcomeKind.NOT_FORCEABLE, 5, said)


def test_step_that_cannot_be_enforced_at_its_moment_ends_the_replay_there(rig: CompiledRig) -> None:
    told = story("I5-late-poll")
    polling = next(step for step in told.trace.steps if step.action == "poll_finds_messages")
    moved = replace(told.rigging.steps[polling.action], unforceable=lambda moment: "has no place in this rig")
    changed = replace(told.rigging, steps={**told.rigging.steps, polling.action: moved})
    (found,) = replay_on(rig, [replace(told, rigging=changed)], Gates.WOVEN)
    outcome = found.outcome
    assert (outcome.kind, outcome.steps) == (OutcomeKind.NOT_FORCEABLE, polling.number - 1)
    assert outcome.step == polling.number
    assert outcome.reason.endswith("has no place in this rig")


def test_difference_before_a_fix_matters_is_not_put_down_to_it() -> None:
    told = story("I4-new-group-stored-killed-at-start")
    assert [told.rests_on_fixes(step) for step in (0, 9, 10, 11)] == [False, False, True, True]
    late = story("I5-stalled-task")
    first = next(step.number for step in late.trace.steps if late.rests_on_fixes(step.number))
    assert late.trace.steps[first - 1].action == "poll_checks_dropped"


@pytest.mark.slow
def test_all_stories_end_the_same_by_debugger_and_by_woven_gates(rig: CompiledRig) -> None:
    names = tuple(STORIES)
    by_debugger, by_weaving = (replayed(rig, names, gates) for gates in Gates)
    assert by_debugger == by_weaving
    assert {name: len(each.real_states) for name, each in by_debugger.items()} == {
        name: len(each.real_states) for name, each in by_weaving.items()
    }


@pytest.mark.parametrize(("end", "has_failed", "happens"), [((), False, True), ((), True, False), (None, False, False)])
def test_story_does_not_happen_where_a_step_failed_on_the_way(
    end: tuple[object, ...] | None, has_failed: bool, happens: bool
) -> None:
    """A thread that a lock keeps from its step leaves the end as it was: nobody knows what would have come of it."""
    assert ReplayOutcome(OutcomeKind.DIVERGED, 3, step=3, end=end, has_failed=has_failed).happens is happens

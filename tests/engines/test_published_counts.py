"""Counts that other tools confirm: the design sketch's systems, which SPIN, TLC and Stateright explored too."""

from __future__ import annotations

import pytest
from systems.sketch_reset import SketchReset

from bench.two_phase_commit import TwoPhaseCommit
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.examples.toy_queue import ToyQueue
from offsetproof.lang import ClaimKind, Model, Property, Scope, case
from offsetproof.lang.setting import Setting
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Counts, Verdict

NEVER = Property("never", ClaimKind.SOMETIMES, lambda model: False, case("never", None), __file__, 0)
"""A witness that is nowhere, so that the whole scope is seen."""


def explored(model: type[Model], scope: Scope, claim: Property = NEVER) -> Counts:
    question = Question(model, Setting(scope), claim, reductions=Reductions(slicing=False, dead=False))
    result = Explicit().decide(question)
    assert result.verdict is (Verdict.REFUTED if claim is NEVER else Verdict.HOLDS)
    assert result.exhaustive
    return result.counts


def test_plain_reset_sketch_has_its_published_counts() -> None:
    counts = explored(SketchReset, SketchReset.scopes[0])
    assert (counts.states, counts.transitions, counts.depth + 1) == (921_698, 6_094_867, 57)


def test_timely_reset_sketch_has_its_published_counts() -> None:
    counts = explored(SketchReset, SketchReset.scopes[1])
    assert (counts.states, counts.transitions, counts.depth + 1) == (746_106, 4_453_468, 57)


def test_toy_queue_has_its_published_counts_and_its_claim_holds() -> None:
    counts = explored(ToyQueue, ToyQueue.scopes[0], ToyQueue.claims[0])
    assert (counts.states, counts.transitions, counts.depth + 1) == (1_563_324, 10_678_582, 48)


@pytest.mark.parametrize(("managers", "states"), [(3, 288), (5, 8_832), (7, 296_448)])
def test_two_phase_commit_has_its_published_counts_and_its_claim_holds(managers: int, states: int) -> None:
    scope = next(scope for scope in TwoPhaseCommit.scopes if scope.bounds["managers"] == managers)
    assert explored(TwoPhaseCommit, scope, TwoPhaseCommit.claims[0]).states == states


@pytest.mark.slow
def test_larger_toy_queue_has_its_published_counts_and_its_claim_holds() -> None:
    counts = explored(ToyQueue, ToyQueue.scopes[1], ToyQueue.claims[0])
    assert (counts.states, counts.transitions, counts.depth + 1) == (20_321_726, 162_689_288, 57)


@pytest.mark.slow
def test_claim_of_the_toy_queue_holds_with_a_reset_as_well() -> None:
    assert explored(ToyQueue, ToyQueue.scopes[2], ToyQueue.claims[0]).states == 8_487_924


@pytest.mark.parametrize(("scope", "steps"), [(0, 21), (1, 23)])
def test_reset_sketch_breaks_in_as_many_steps_as_published(scope: int, steps: int) -> None:
    question = Question(SketchReset, Setting(SketchReset.scopes[scope]), SketchReset.claims[0])
    result = Explicit().decide(question)
    assert result.replay is not None
    assert len(result.replay.labels) == steps

"""The explicit engine against brute force, on the toys and on random models."""

from __future__ import annotations

from dataclasses import replace

import pytest
from engines.naive import Answer, Naive, TooManyStatesError
from hypothesis import assume, given
from systems.random_models import Drawn, models
from systems.reproducible import reproducible

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.examples.toys import TOYS, Toy
from offsetproof.lang.cases import HOLDS, REFUTED, Expectation
from offsetproof.lang.claim import NO_DEADLOCK, Property
from offsetproof.lang.model import Model
from offsetproof.lang.setting import Setting
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Reason, Result, Verdict

ALL, NONE = Reductions(), Reductions(slicing=False, dead=False)


def decided(engine: Explicit, model: type[Model], setting: Setting, prop: Property, reductions: Reductions) -> Result:
    return engine.decide(Question(model, setting, prop, reductions=reductions))


def expecting(prop: Property, verdict: Expectation) -> Property:
    """The claim, with every case of it expected to be as told, in all scopes."""
    return replace(prop, case=replace(prop.case, expected=verdict, elsewhere={}, scopes=()))


def answer_of(result: Result) -> Answer:
    counts, replay = result.counts, result.replay
    return Answer(
        result.verdict.value,
        counts.states,
        counts.transitions,
        counts.depth,
        counts.initial,
        counts.bound_cuts,
        None if replay is None else len(replay.labels),
        replay.faults if replay else 0,
    )


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
def test_brute_force_gives_the_hand_counted_answer(toy: Toy) -> None:
    expected = Answer(
        toy.verdict.value, toy.states, toy.transitions, toy.depth, toy.initial, toy.cuts, toy.length, toy.faults
    )
    assert Naive(toy.model, toy.setting).decide(toy.prop) == expected


@reproducible(60)
@given(models())
def test_explicit_and_brute_force_agree_on_random_models(drawn: Drawn) -> None:
    engine, naive = Explicit(), Naive(drawn.model, drawn.setting, 300)
    for prop in (*drawn.claims, NO_DEADLOCK):
        try:
            expected = naive.decide(prop)
        except TooManyStatesError:
            assume(False)
        result = decided(engine, drawn.model, drawn.setting, prop, NONE)
        assert answer_of(result) == expected, prop.name
        assert (result.reason is Reason.OVERFLOW) == (expected.verdict == "UNKNOWN")


@reproducible(30)
@given(models())
def test_what_is_expected_changes_nothing_but_the_order_of_searches(drawn: Drawn) -> None:
    engine = Explicit()
    for prop in drawn.claims:
        whole_first, fewest_first = (
            decided(engine, drawn.model, drawn.setting, expecting(prop, verdict), ALL) for verdict in (HOLDS, REFUTED)
        )
        assert answer_of(fewest_first) == answer_of(whole_first), prop.name
        assert (fewest_first.replay and fewest_first.replay.labels) == (
            whole_first.replay and whole_first.replay.labels
        )


@pytest.mark.parametrize("states", range(1, 16))
def test_search_of_fewer_faults_that_meets_a_limit_leaves_the_answer_to_the_whole_budget(states: int) -> None:
    slips = next(toy for toy in TOYS if toy.name == "Slips-never_arrives-slippery")
    whole_first, fewest_first = (
        Explicit().decide(
            Question(slips.model, slips.setting, expecting(slips.prop, verdict), limits=Limits(states=states))
        )
        for verdict in (HOLDS, REFUTED)
    )
    if whole_first.verdict is Verdict.REFUTED:
        assert answer_of(fewest_first) == answer_of(whole_first)
        assert fewest_first.notes == whole_first.notes
    else:
        assert fewest_first.verdict is Verdict.UNKNOWN or answer_of(fewest_first).faults == slips.faults


@reproducible(60)
@given(models())
def test_reductions_keep_verdict_faults_and_length_on_random_models(drawn: Drawn) -> None:
    engine = Explicit()
    for prop in drawn.claims:
        try:
            expected = Naive(drawn.model, drawn.setting, 300).decide(prop)
        except TooManyStatesError:
            assume(False)
        found = answer_of(decided(engine, drawn.model, drawn.setting, prop, ALL))
        assert (found.verdict, found.length, found.faults) == (expected.verdict, expected.length, expected.faults)
        assert found.states <= expected.states

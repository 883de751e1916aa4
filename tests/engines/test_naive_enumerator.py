"""The explicit engine against brute force, on the toys and on random models."""

from __future__ import annotations

import pytest
from engines.naive import Answer, Naive, TooManyStatesError
from hypothesis import assume, given
from systems.random_models import Drawn, models
from systems.reproducible import reproducible

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.examples.toys import TOYS, Toy
from offsetproof.lang.claim import NO_DEADLOCK, Property
from offsetproof.lang.model import Model
from offsetproof.lang.setting import Setting
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Reason, Result

ALL, NONE = Reductions(), Reductions(slicing=False, dead=False)


def decided(engine: Explicit, model: type[Model], setting: Setting, prop: Property, reductions: Reductions) -> Result:
    return engine.decide(Question(model, setting, prop, reductions=reductions))


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

"""Claims about orderly consumption get the verdicts that the catalogue expects, and what is refuted has a remedy."""

from __future__ import annotations

import pytest
from systems.answered import ENGINES
from systems.sizes import is_small, large_are_slow

from offsetproof.checking.request import Request, question_with_remedy, questions_of
from offsetproof.lang import REFUTED, ClaimKind, Property
from offsetproof.properties.orderly.catalogue import ORDERLY, PROPERTIES
from offsetproof.verdict.question import Limits, Question
from offsetproof.verdict.result import Verdict

ASKED = questions_of(Request(ORDERLY))
REMEDIES = [question_with_remedy(ORDERLY, prop, remedy, Limits()) for prop in PROPERTIES for remedy in prop.remedies]

SMALLEST = {
    "I9": (0, 52),
    "I9-lease": (1, 32),
    "I9-locked-reset": (0, 30),
    "I10-recorded": (0, 40),
    "I14": (0, 21),
}
"""Faults and steps of counterexamples."""


def _id(question: Question) -> str:
    return f"{question.prop.id}-{question.setting.scope.name}"


def _is_quick(question: Question) -> bool:
    """Is it in one of the two smallest scopes, where no remedy makes many states?"""
    return question.setting.scope.name in ("orderly", "orderly-unsubscribe")


@pytest.mark.parametrize("question", large_are_slow(ASKED, lambda question: question), ids=_id)
def test_verdict_is_the_expected_one(question: Question) -> None:
    result = ENGINES.only.decide(question)
    assert result.expected is not None
    assert str(result.verdict) == str(result.expected)
    if question.prop.id in SMALLEST:
        assert result.replay is not None
        assert (result.replay.faults, len(result.replay.labels)) == SMALLEST[question.prop.id]


@pytest.mark.parametrize(
    "question",
    [pytest.param(each, marks=() if _is_quick(each) else pytest.mark.slow) for each in REMEDIES],
    ids=_id,
)
def test_refuted_case_holds_with_its_remedy(question: Question) -> None:
    assert ENGINES.only.decide(question).verdict is Verdict.HOLDS


@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda prop: prop.id)
def test_case_has_a_remedy_or_the_reason_for_none_if_and_only_if_it_is_refuted(prop: Property) -> None:
    assert bool(prop.remedies) + bool(prop.case.no_remedy) == (prop.case.expected is REFUTED)
    assert {remedy.scope for remedy in prop.remedies} <= set(prop.scopes)
    assert bool(prop.case.why) or prop.case.expected is not REFUTED


def test_every_claim_is_asked_in_every_scope_that_it_names() -> None:
    named = [(prop.id, scope) for prop in PROPERTIES for scope in prop.scopes]
    assert [_id(question) for question in ASKED] == [f"{id}-{scope}" for id, scope in named]


def test_every_needed_witness_is_a_witness_of_the_catalogue() -> None:
    for prop in PROPERTIES:
        assert [ORDERLY.find(id).kind for id in prop.needs] == [ClaimKind.SOMETIMES] * len(prop.needs)


def test_fast_suite_has_some_of_both_verdicts() -> None:
    assert {str(question.prop.case.expected) for question in ASKED if is_small(question)} >= {"HOLDS", "REFUTED"}

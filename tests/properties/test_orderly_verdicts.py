"""Claims about orderly consumption get the verdicts that the catalogue expects, and what is refuted has a remedy."""

from __future__ import annotations

import pytest
from systems.answered import ENGINES
from systems.sizes import is_small, large_are_slow

from offsetproof.checking.request import Request, question_with_remedy, questions_of
from offsetproof.properties.orderly.catalogue import ORDERLY, PROPERTIES
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
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


def test_fast_suite_has_some_of_both_verdicts() -> None:
    assert {str(question.prop.case.expected) for question in ASKED if is_small(question)} >= {"HOLDS", "REFUTED"}

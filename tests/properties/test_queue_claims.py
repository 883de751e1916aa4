"""Claims about several queues get the verdicts that are expected, remedies repair them, actions have their times."""

from __future__ import annotations

import pytest
from systems.answered import ENGINES
from systems.sizes import is_small, large_are_slow

from offsetproof.checking.request import Request, question_with_remedy, questions_of
from offsetproof.lang import REFUTED, ClaimKind, Property
from offsetproof.properties.queues.catalogue import PROPERTIES, QUEUES
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict

ASKED = questions_of(Request(QUEUES))
REMEDIES = [question_with_remedy(QUEUES, prop, remedy, Limits()) for prop in PROPERTIES for remedy in prop.remedies]

SMALLEST = {
    ("I6-twice", "twice"): (0, 46), ("I6-half-way", "half-way"): (0, 60), ("I5", "held-polls"): (0, 14),
    ("I21", "half-way"): (1, 20), ("I8", "averagely"): (0, 5), ("I26", "persist-moving"): (0, 9),
    ("I27", "persist-moving"): (0, 15), ("I5-one-cpu", "one-cpu"): (0, 23), ("I6-moving", "moving-reset"): (0, 28),
}  # fmt: skip
"""Faults and steps of some smallest stories."""


def _id(question: Question) -> str:
    return f"{question.prop.id}-{question.setting.scope.name}"


@pytest.mark.parametrize("question", large_are_slow(ASKED, lambda question: question), ids=_id)
def test_verdict_is_the_expected_one(question: Question) -> None:
    result = ENGINES.only.decide(question)
    assert str(result.verdict) == str(question.prop.required(question.setting))
    name = (question.prop.id, question.setting.scope.name)
    if name in SMALLEST:
        assert result.replay is not None
        assert (result.replay.faults, len(result.replay.labels)) == SMALLEST[name]


@pytest.mark.parametrize("question", large_are_slow(REMEDIES, lambda question: question), ids=_id)
def test_refuted_case_holds_with_its_remedy(question: Question) -> None:
    assert ENGINES.only.decide(question).verdict is Verdict.HOLDS


@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda prop: prop.id)
def test_case_that_holds_by_itself_needs_a_witness(prop: Property) -> None:
    by_itself = prop.case.expected is not REFUTED and not prop.case.assumptions and not prop.case.fixes
    if by_itself and prop.kind is not ClaimKind.SOMETIMES:
        assert prop.case.needs


def test_fast_suite_has_some_of_both_verdicts() -> None:
    assert {str(question.prop.case.expected) for question in ASKED if is_small(question)} >= {"HOLDS", "REFUTED"}

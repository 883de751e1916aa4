"""The RocketMQ model broken on purpose: every claim that holds can fail, and most changes are noticed by some claim."""

from __future__ import annotations

import pytest

from offsetproof.check.mutating import chosen, judged, made_for
from offsetproof.check.request import Request, questions
from offsetproof.lang import HOLDS, ClaimKind
from offsetproof.mutation.judging import Outcome
from offsetproof.mutation.refuting import refuting
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.question import Limits, Question

HOLDING = [
    question
    for question in questions(Request(ROCKETMQ))
    if question.prop.kind is not ClaimKind.SOMETIMES and question.prop.expects(question.setting) is HOLDS
]


@pytest.mark.slow
@pytest.mark.parametrize("question", HOLDING, ids=lambda each: f"{each.prop.id}-{each.setting.scope.name}")
def test_every_claim_that_holds_is_refuted_by_some_mutant(question: Question) -> None:
    found = refuting(question)
    assert found is not None
    mutant, steps = found
    assert mutant.changed
    assert steps > 0


@pytest.mark.slow
def test_at_least_a_hundred_mutants_are_made_and_most_are_noticed() -> None:
    matrix = made_for(Request(ROCKETMQ, limits=Limits(states=1_000_000)))
    assert len(matrix.mutations) >= 100
    tried = list(judged(matrix, chosen(matrix.mutations, 60)))
    outcomes = [each.notice.outcome for each in tried]
    able = [outcome for outcome in outcomes if not outcome.hidden]
    assert sum(outcome.noticed for outcome in able) >= 0.6 * len(able)
    assert {Outcome.CLAIM, Outcome.STORY, Outcome.WITNESS, Outcome.ERROR} <= set(outcomes)

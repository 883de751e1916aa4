"""The RocketMQ model broken on purpose: most changes are noticed by some claim."""

from __future__ import annotations

import pytest

from offsetproof.checking.mutating import judge_mutants, made_for, sample_of
from offsetproof.checking.request import Request
from offsetproof.mutation.judging import Outcome
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.limits import Limits


@pytest.mark.slow
def test_at_least_a_hundred_mutants_are_made_and_most_are_noticed() -> None:
    matrix = made_for(Request(ROCKETMQ, limits=Limits(states=1_000_000)))
    assert len(matrix.mutations) >= 100
    tried = list(judge_mutants(matrix, sample_of(matrix.mutations, 60)))
    outcomes = [each.notice.outcome for each in tried]
    able = [outcome for outcome in outcomes if not outcome.hidden]
    assert sum(outcome.noticed for outcome in able) > 0.5 * len(able)
    assert {Outcome.CLAIM, Outcome.STORY, Outcome.WITNESS, Outcome.ERROR} <= set(outcomes)

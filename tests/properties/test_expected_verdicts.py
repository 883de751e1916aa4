"""Every claim about RocketMQ 4.9.4 gets the verdict that the catalogue expects, in each of its scopes."""

from __future__ import annotations

import pytest
from systems.answered import Answered
from systems.recordings import FILES, question_of
from systems.sizes import large_are_slow

from offsetproof.checking.request import Request, questions_of
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.question import Question

ASKED = questions_of(Request(ROCKETMQ))


def _id(question: Question) -> str:
    return f"{question.prop.id}-{question.setting.scope.name}"


RECORDED = {(q.prop.id, q.setting.key) for q in map(question_of, FILES)}
"""What recorded traces are about; `traces/test_recorded.py` decides it, and holds the verdict to the expected one."""

SMALLEST = {
    ("I5", "reset"): (0, 24),
    ("I5", "reset-two"): (0, 24),
    ("I5-forward", "reset-two"): (0, 21),
}
"""Faults and steps of counterexamples that are not recorded."""

EXHAUSTED = {
    ("I1", "come-back"): (2_893_378, 16_286_244, 61),
    ("I5-forward-calm", "calm-reset"): (122_353, 577_414, 52),
    ("I7-no-stalled-task", "reset"): (1_261_559, 6_071_631, 55),
}
"""States, transitions and depth of some scopes that are exhausted."""


NOT_RECORDED = [q for q in ASKED if (q.prop.id, q.setting.key) not in RECORDED]


@pytest.mark.parametrize("question", large_are_slow(NOT_RECORDED, lambda question: question), ids=_id)
def test_verdict_is_the_expected_one(question: Question, answered: Answered) -> None:
    result = answered.result(question)
    assert result.expected is not None
    assert str(result.verdict) == str(result.expected)
    name, counts = (question.prop.id, question.setting.scope.name), result.counts
    if name in SMALLEST:
        assert result.replay is not None
        assert (result.replay.faults, len(result.replay.labels)) == SMALLEST[name]
    if name in EXHAUSTED:
        assert result.exhaustive
        assert (counts.states, counts.transitions, counts.depth) == EXHAUSTED[name]


def test_what_is_known_of_sizes_is_asked() -> None:
    decided = {(q.prop.id, q.setting.scope.name) for q in NOT_RECORDED}
    assert SMALLEST.keys() | EXHAUSTED.keys() <= decided

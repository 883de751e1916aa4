"""Every claim about RocketMQ 4.9.4 gets the verdict that the catalogue expects, in each of its scopes."""

from __future__ import annotations

import pytest

from offsetproof.check.request import Request, questions
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang import ClaimKind
from offsetproof.properties.catalogue import PROPERTIES, ROCKETMQ
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict

ENGINE = Explicit()
ASKED = questions(Request(ROCKETMQ))


def _id(question: Question) -> str:
    return f"{question.prop.id}-{question.setting.scope.name}"


def _decide(id: str, scope: str) -> Result:
    asked = questions(Request(ROCKETMQ, properties=(id,), scope=scope))
    return ENGINE.decide(asked[0])


@pytest.mark.parametrize("question", ASKED, ids=_id)
def test_verdict_is_the_expected_one(question: Question) -> None:
    result = ENGINE.decide(question)
    assert result.expected is not None
    assert str(result.verdict) == str(result.expected)


def test_every_claim_is_asked_in_every_scope_that_it_names() -> None:
    named = [(prop.id, scope) for prop in PROPERTIES for scope in prop.scopes]
    assert [(q.prop.id, q.setting.scope.name) for q in ASKED] == named


def test_every_id_and_name_is_used_once() -> None:
    ids = [prop.id for prop in PROPERTIES]
    names = [prop.name for prop in PROPERTIES]
    assert len(set(ids)) == len(ids)
    assert len(set(names)) == len(names)


def test_every_needed_witness_is_a_witness_of_the_catalogue() -> None:
    for prop in PROPERTIES:
        assert [ROCKETMQ.find(id).kind for id in prop.needs] == [ClaimKind.SOMETIMES] * len(prop.needs)


@pytest.mark.parametrize(
    ("id", "scope", "faults", "steps"),
    [
        ("I1-group", "calm-reset", 0, 16),
        ("I5", "calm-reset", 0, 24),
        ("I5", "reset", 0, 24),
        ("I5", "reset-two", 0, 24),
        ("I5-forward", "reset", 1, 17),
        ("I5-forward", "reset-two", 0, 21),
        ("I7", "reset", 1, 20),
        ("I8", "hand-over", 0, 9),
        ("I17", "calm-reset", 0, 16),
        ("I18", "moving-reset", 0, 23),
    ],
)
def test_smallest_counterexample_has_these_faults_and_steps(id: str, scope: str, faults: int, steps: int) -> None:
    result = _decide(id, scope)
    assert result.verdict is Verdict.REFUTED
    assert result.replay is not None
    assert (result.replay.faults, len(result.replay.labels)) == (faults, steps)


@pytest.mark.parametrize(
    ("id", "scope", "states", "transitions", "depth"),
    [
        ("I1", "come-back", 2_229_864, 12_620_305, 61),
        ("I5-forward-calm", "calm-reset", 802_662, 4_201_764, 61),
        ("I7-no-stalled-task", "reset", 11_176_150, 62_514_319, 69),
    ],
)
def test_exhausted_scope_has_these_counts(id: str, scope: str, states: int, transitions: int, depth: int) -> None:
    result = _decide(id, scope)
    assert result.exhaustive
    assert (result.counts.states, result.counts.transitions, result.counts.depth) == (states, transitions, depth)

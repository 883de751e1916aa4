"""Questions about RocketMQ, and what two engines must agree on about one."""

from __future__ import annotations

from offsetproof.checking.request import Request, questions_of
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result


def asked(id: str, scope: str) -> Question:
    """A claim in one of its scopes."""
    (question,) = questions_of(Request(ROCKETMQ, (id,), scope=scope))
    return question


def told(result: Result) -> tuple[object, ...]:
    """Everything that two engines must agree on."""
    counts = result.counts
    totals = (counts.initial, counts.states, counts.transitions, counts.depth, counts.bound_cuts, dict(counts.fired))
    trace = None if result.replay is None else (result.replay.labels, result.replay.faults)
    return result.verdict, result.reason, result.detail, totals, trace, dict(result.witnesses), result.digest

"""I5, the stability of a backward reset: each cause alone breaks it, and without all of them one consumer is safe."""

from __future__ import annotations

import pytest
from systems.answered import ENGINES

from offsetproof.checking.request import Request, questions_of
from offsetproof.ir.system import show_label
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.variants import POLL_CHECKS_DROPPED
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.result import Result, Verdict

FIX = POLL_CHECKS_DROPPED.name
ALL = tuple(assumption.name for assumption in RocketMQ.assumptions)


def _ask(scope: str, fixes: tuple[str, ...], assumptions: tuple[str, ...], id: str = "I5") -> Result:
    request = Request(ROCKETMQ, properties=(id,), scope=scope, fixes=fixes, assumptions=assumptions)
    return ENGINES.only.decide(questions_of(request)[0])


def _story(result: Result) -> list[str]:
    assert result.verdict is Verdict.REFUTED
    assert result.replay is not None
    return [show_label(label) for label in result.replay.labels]


@pytest.mark.parametrize(
    ("left_open", "telling_step", "steps"),
    [
        ("commits-in-order", "broker_executes_newer_commit_first(c=0, p=1)", 25),
        ("queries-in-order", "broker_answers_query_before_commits(c=0, r=0)", 32),
        ("pulls-timely", "reset_wakes_before_pull_arrives(c=0)", 25),
        ("no-stalled-task", "reset_wakes_before_stalled_task(c=0)", 27),
        ("no-stalled-callback", "reset_wakes_before_stalled_callback(c=0)", 26),
    ],
)
def test_each_fault_alone_undoes_a_reset_in_spite_of_the_fix(left_open: str, telling_step: str, steps: int) -> None:
    result = _ask("reset", (FIX,), tuple(name for name in ALL if name != left_open))
    story = _story(result)
    assert telling_step in story
    assert len(story) == steps
    assert result.replay is not None
    assert result.replay.faults == 1


def test_late_poll_undoes_a_reset_without_any_fault() -> None:
    story = _story(_ask("reset", (), ALL))
    assert story.index("reset_clears_queue(c=0)") < story.index("poll_ends_without_news(c=0, pq_id=0)")
    assert story.index("reset_updates_cell(c=0)") < story.index("poll_corrects_offset(c=0, pq_id=0)")


def test_with_the_fix_and_every_assumption_one_consumer_that_keeps_the_queue_is_safe() -> None:
    result = _ask("reset", (FIX,), ALL)
    assert result.verdict is Verdict.HOLDS
    assert result.counts.states == 91_590


@pytest.mark.slow
def test_another_owner_undoes_a_reset_in_spite_of_fix_and_assumptions() -> None:
    story = _story(_ask("reset-two", (FIX,), ALL))
    assert {"broker_executes_commit(c=1)", "broker_receives_pull(c=0, pq_id=0)"} <= set(story[-2:])
    assert "reset_suspends(c=0)" not in story


def test_orphan_of_an_overlapping_rebalance_undoes_a_reset_in_spite_of_fix_and_assumptions() -> None:
    story = _story(_ask("moving-reset", (FIX,), ALL))
    assert story.index("reset_drops_queue(c=0)") < len(story) - 1 - story[::-1].index("rebalance_adds_queue(c=0, r=0)")
    assert story[-1] == "broker_receives_pull(c=0, pq_id=1)"


def test_assumptions_keep_every_witness_of_their_scope() -> None:
    for id in ("W-reset-landed", "W-forward-reset-landed", "W-redone", "W-late-poll", "W-listening-when-dropped"):
        assert _ask("reset", (), ALL, id).verdict is Verdict.HOLDS
    assert _ask("reset", (FIX,), ALL, "W-redone").verdict is Verdict.HOLDS

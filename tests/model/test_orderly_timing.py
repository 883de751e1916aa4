"""The times of orderly consumption speak of every action, and a story has the delays that its timers make."""

from __future__ import annotations

from offsetproof.lang.step import any_time_in
from offsetproof.model.orderly.rocketmq import RocketMQOrderly
from offsetproof.model.orderly.timing import timing

TIMING = timing(lambda timer: timer.seconds)
ENDED = {name for wait in TIMING.waits for name in wait.ends}


def test_every_action_either_ends_a_wait_or_says_why_it_has_none() -> None:
    told = any_time_in(RocketMQOrderly.actions).keys()
    assert told | ENDED == set(RocketMQOrderly.actions)


def test_every_wait_says_where_rocketmq_says_so() -> None:
    assert [wait for wait in TIMING.waits if not wait.source] == []


def test_queue_is_taken_by_a_request_for_its_lock() -> None:
    late = [wait for wait in TIMING.waits if wait.who == "a rebalance is late"]
    ends = {name for wait in late for name in wait.ends}
    assert "broker_answers_lock" in ends
    assert "rebalance_removes_dirty_offset" not in ends
    assert all(any("rebalance_hears_of_lock" in group for group in wait.begins) for wait in late)


def test_first_pull_is_sent_by_another_step() -> None:
    held = next(wait for wait in TIMING.waits if wait.who == "the broker holds a poll too long")
    assert held.begins == (("consumer_pulls", "broker_receives_pull", "pull_is_sent_with_new_start"),)

"""The times of orderly consumption: a story has the delays that its timers make."""

from __future__ import annotations

from offsetproof.lang.step import waits_in
from offsetproof.model.orderly.rocketmq import RocketMQOrderly

WAITS = [*waits_in(RocketMQOrderly.actions, lambda timer: timer.seconds)]


def test_queue_is_taken_by_a_request_for_its_lock() -> None:
    late = [wait for wait in WAITS if wait.who == "a rebalance is late"]
    ends = {name for wait in late for name in wait.ends}
    assert "broker_answers_lock" in ends
    assert "rebalance_removes_dirty_offset" not in ends
    assert all(any("rebalance_hears_of_lock" in group for group in wait.begins) for wait in late)


def test_first_pull_is_sent_by_another_step() -> None:
    held = next(wait for wait in WAITS if wait.who == "the broker holds a poll too long")
    assert held.begins == (("consumer_pulls", "broker_receives_pull", "pull_is_sent_with_new_start"),)

"""The times of orderly consumption: a story has the delays that its timers make."""

from __future__ import annotations

import pytest

from offsetproof.lang import Release
from offsetproof.lang.changes import with_all_changes
from offsetproof.lang.step import waits_in
from offsetproof.model.orderly.rocketmq import RocketMQOrderly
from offsetproof.model.orderly.timers import LOCK_BELIEVED, LOCK_EVERY
from offsetproof.model.releases import R_4_9_4, R_5_3_3
from offsetproof.model.timers import BELIEF_LEFT, LEASE, LEASE_LEFT

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


def _waits_of(action: str, release: Release) -> list[tuple[tuple[tuple[str, ...], ...], float, float | None]]:
    """What a step waits for: what begins it, and how long."""
    actions = with_all_changes(RocketMQOrderly).actions
    return [(wait.begins, wait.least, wait.most) for wait in waits_in(actions, release.seconds) if action in wait.ends]


def test_lock_of_a_queue_that_leaves_the_table_was_renewed_until_then() -> None:
    """Renewals are 20 s apart: a belief of 30 s lasts for 10 s then, and a lease of 60 s for 40 s."""
    assert LOCK_BELIEVED.seconds - LOCK_EVERY.seconds == BELIEF_LEFT.seconds
    assert LEASE.seconds - LOCK_EVERY.seconds == LEASE_LEFT.seconds
    begun = {"reset_removes_queue", "rebalance_truncates_table", "consumer_is_killed"}
    for action, rest in (("lock_expires", 10.0), ("lease_expires", 40.0)):
        left = [least for begins, least, most in _waits_of(action, R_4_9_4) if begun <= {*begins[0]} and most is None]
        assert left == [rest]
        assert not any(begun <= {*begins[0]} for begins, _, _ in _waits_of(action, R_5_3_3))


@pytest.mark.parametrize("who", ["rebalance", "reset"])
def test_unlock_is_forced_at_once_where_the_lock_is_old(who: str) -> None:
    waits = _waits_of(f"{who}_forces_unlock", R_5_3_3)
    assert (((f"{who}_persists",),), 0.0, 0.0) in waits
    assert [(least, most) for begins, least, most in waits if "client_hears_of_renewal" in begins[0]] == [(20.0, None)]


@pytest.mark.parametrize(("release", "seconds"), [(R_4_9_4, None), (R_5_3_3, 3.0)])
def test_repair_is_followed_by_a_run_soon_in_later_releases(release: Release, seconds: float | None) -> None:
    waits = waits_in(with_all_changes(RocketMQOrderly).actions, release.seconds)
    late = next(wait for wait in waits if wait.who == "a rebalance is late")
    assert late.most == 20.0
    assert dict(late.sooner).get("repair_removes_queue") == seconds

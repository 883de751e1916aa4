"""The broker's locks: who gets one, what a client hears of it, and how it is given back, or lost."""

from __future__ import annotations

from typing import Any

import pytest
from systems.stepped import QUEUE, World, offsets

from offsetproof.ir.system import State
from offsetproof.model.orderly.variants import BATCHES_SHORT, RENEWAL
from offsetproof.model.orderly.vocabulary import RequestStep
from offsetproof.model.releases import UNLOCKED_AT_ONCE
from offsetproof.model.variants import BROKER_KILL, OVERTAKE
from offsetproof.model.vocabulary import LockStep, RebalanceStep, StopStep

TWO = {"consumers": 2, "messages": 1}


def asked(world: World, state: State) -> Any:
    """What the broker answers the first client's renewal."""
    return world.show(world.take(state, "broker_answers_renewal", c=0))["consumer[0].locking.at"]


@pytest.mark.parametrize(("owner", "left", "answer", "has_it"), [
    (None, False, LockStep.GRANTED, 0),
    (0, False, LockStep.GRANTED, 0),
    (0, True, LockStep.REFUSED, 0),
    (1, False, LockStep.REFUSED, 1),
])  # fmt: skip
def test_lock_is_granted_where_it_is_free_or_the_client_s_own(
    owner: int | None, left: bool, answer: LockStep, has_it: int
) -> None:
    world = World(bounds=TWO)
    expired = answer is LockStep.GRANTED
    state = world.changed(
        world.with_queue(lock_expired=expired), {"broker.lock_owner": owner, "consumer[0].left_lock": left}
    )
    assert asked(world, state) is answer
    assert world.show(world.take(state, "broker_answers_renewal", c=0))["broker.lock_owner"] == has_it


def test_renewal_that_would_change_nothing_is_no_step() -> None:
    assert not World(bounds=TWO).can_take(World(bounds=TWO).with_queue(), "broker_answers_renewal", c=0)


@pytest.mark.parametrize(("answer", "locked"), [(LockStep.GRANTED, True), (LockStep.REFUSED, False)])
def test_renewal_marks_the_process_queue_in_the_table_as_it_is_then(answer: LockStep, locked: bool) -> None:
    world = World()
    state = world.changed(
        world.with_queue(locked=not locked),
        {"consumer[0].locking.at": answer, "consumer[0].process_queue_table": 1, "consumer[0].process_queues_made": 2},
    )
    after = world.show(world.take(state, "client_hears_of_renewal", c=0))
    assert after["consumer[0].process_queue[1].locked"] is locked
    assert after[f"{QUEUE}.locked"] is not locked
    assert after["consumer[0].locking.at"] is LockStep.IDLE


@pytest.mark.parametrize(("answer", "locked"), [(LockStep.GRANTED, True), (LockStep.REFUSED, False)])
def test_refused_lock_of_a_request_leaves_the_mark_and_submits_it_again(answer: LockStep, locked: bool) -> None:
    world = World()
    state = world.changed(
        world.with_queue(**{"locked": False, "request.at": RequestStep.LOCKING}),
        {"consumer[0].locking.at": answer, "consumer[0].locking.pq_id": 0},
    )
    after = world.show(world.take(state, "client_hears_of_lock", c=0))
    assert after[f"{QUEUE}.locked"] is locked
    assert after[f"{QUEUE}.request.at"] is RequestStep.SUBMITTED


def test_refused_rebalance_leaves_the_queue_for_the_next_run() -> None:
    world = World(bounds=TWO)
    state = world.changed(world.state(), {"broker.lock_owner": 1})
    refused = world.take(state, "broker_answers_lock", c=0, r=0)
    after = world.show(world.take(refused, "rebalance_hears_of_lock", c=0, r=0))
    assert after["consumer[0].rebalance[0].lock"] is LockStep.IDLE
    assert not world.can_take(refused, "rebalance_removes_dirty_offset", c=0, r=0)


def test_added_queue_is_not_marked_locked_although_it_is() -> None:
    world = World()
    state = world.state()
    for action in ("broker_answers_lock", "rebalance_hears_of_lock", "rebalance_removes_dirty_offset"):
        state = world.take(state, action, c=0, r=0)
    for action in ("broker_answers_query", "rebalance_stores_start", "rebalance_adds_queue"):
        state = world.take(state, action, c=0, r=0)
    after = world.show(state)
    assert after["broker.lock_owner"] == 0
    assert after["consumer[0].process_queue_table"] == 0
    assert after[f"{QUEUE}.locked"] is False
    assert not world.can_take(state, "consumer_pulls", c=0, pq_id=0)
    assert not world.can_take(state, "pull_asks_for_start", c=0, pq_id=0)


def given_up(world: World, **fields: Any) -> State:
    """A rebalance has dropped the ProcessQueue and removed its cell."""
    run = {"consumer[0].rebalance[0].at": RebalanceStep.OFFSET_REMOVED, "consumer[0].rebalance[0].pq_id": 0}
    return world.changed(world.with_queue(dropped=True, **fields), run)


@pytest.mark.parametrize(("cached", "fixes", "now", "later"), [
    (offsets(), [], 1, 0),
    (offsets(0), [], 0, 1),
    (offsets(0), [UNLOCKED_AT_ONCE], 1, 0),
])  # fmt: skip
def test_queue_is_unlocked_now_or_with_cached_messages_later(cached: Any, fixes: Any, now: int, later: int) -> None:
    world = World(fixes=fixes)
    state = world.take(given_up(world, msg_tree_map=cached), "rebalance_unlocks_queue", c=0, r=0)
    after = world.show(state)
    assert (after["consumer[0].unlocks"], after["consumer[0].delayed_unlocks"]) == (now, later)
    removed = world.show(world.take(state, "rebalance_removes_queue", c=0, r=0))
    assert removed["consumer[0].process_queue_table"] is None
    assert removed["consumer[0].rebalance[0].unlocked"] is False


def test_busy_listener_keeps_the_queue_locked_and_in_the_table() -> None:
    world = World()
    state = given_up(world, **{"request.at": RequestStep.LISTENING})
    assert not world.can_take(state, "rebalance_unlocks_queue", c=0, r=0)
    assert not world.can_take(state, "rebalance_removes_queue", c=0, r=0)
    after = world.show(world.take(state, "rebalance_cannot_unlock_queue", c=0, r=0))
    assert after["consumer[0].process_queue_table"] == 0
    assert after["consumer[0].unlocks"] == 0
    assert after["consumer[0].rebalance[0].at"] is RebalanceStep.IDLE


@pytest.mark.parametrize(("listens", "unlocks"), [(True, 0), (False, 1)])
def test_reset_goes_on_whether_it_could_unlock_the_queue_or_not(listens: bool, unlocks: int) -> None:
    world = World(bounds={"resets": 1})
    steps = type(world.show(world.reference.first())["consumer[0].reset_run.at"])
    at = RequestStep.LISTENING if listens else RequestStep.NONE
    state = world.changed(
        world.with_queue(**{"request.at": at, "dropped": True}), {"consumer[0].reset_run.at": steps["OFFSET_REMOVED"]}
    )
    assert not world.can_take(state, "reset_removes_queue", c=0)
    unlocked = world.take(state, "reset_unlocks_queue", c=0)
    assert world.show(unlocked)["consumer[0].unlocks"] == unlocks
    assert world.show(world.take(unlocked, "reset_removes_queue", c=0))["consumer[0].process_queue_table"] is None


@pytest.mark.parametrize(("owner", "left", "after"), [(0, False, None), (1, False, 1), (0, True, 0)])
def test_only_the_owner_unlocks(owner: int, left: bool, after: int | None) -> None:
    world = World(bounds=TWO)
    values = {"broker.lock_owner": owner, "consumer[0].left_lock": left, "consumer[0].unlocks": 1}
    unlocked = world.show(world.take(world.changed(world.state(), values), "broker_unlocks", c=0))
    assert (unlocked["broker.lock_owner"], unlocked["consumer[0].unlocks"]) == (after, 0)


def test_later_request_waits_for_an_unlock_unless_that_is_late() -> None:
    world = World(faults={OVERTAKE: 1})
    state = world.changed(world.state(), {"consumer[0].unlocks": 1})
    assert not world.can_take(state, "broker_answers_lock", c=0, r=0)
    late = world.take(state, "unlock_is_overtaken", c=0)
    locked = world.take(late, "broker_answers_lock", c=0, r=0)
    assert world.show(world.take(locked, "broker_unlocks_late", c=0))["broker.lock_owner"] is None


def test_lease_of_a_client_that_renews_expires_by_a_fault_only() -> None:
    world = World(faults={RENEWAL: 1})
    state = world.with_queue()
    assert not world.can_take(state, "lock_expires", c=0, pq_id=0)
    assert not world.can_take(state, "lease_expires", c=0)
    expired = world.take(state, "lock_expires_for_want_of_renewal", c=0, pq_id=0)
    assert world.show(world.take(expired, "lease_expires", c=0))["broker.lock_owner"] is None


def test_lease_does_not_expire_within_a_short_batch() -> None:
    values = {"lock_expired": True, "request.at": RequestStep.LISTENING}
    assert World().can_take(World().with_queue(**values), "lease_expires", c=0)
    assert not World(assumptions=[BATCHES_SHORT]).can_take(World().with_queue(**values), "lease_expires", c=0)


def test_dead_client_s_lock_waits_for_its_lease() -> None:
    world = World(bounds=TWO)
    state = world.changed(
        world.with_queue(), {"consumer[0].stop": StopStep.PERSISTED, "consumer[0].stop_unlocked": True}
    )
    gone = world.take(state, "consumer_is_shut_down", c=0)
    shown = world.show(gone)
    assert (shown["broker.lock_owner"], shown["consumer[0].left_lock"], shown[f"{QUEUE}.locked"]) == (0, True, False)
    started = world.take(gone, "consumer_starts", c=0)
    refused = world.show(world.take(started, "broker_answers_lock", c=0, r=0))
    assert refused["consumer[0].rebalance[0].lock"] is LockStep.REFUSED
    free = world.take(started, "lease_expires", c=0)
    granted = world.show(world.take(free, "broker_answers_lock", c=0, r=0))
    assert (granted["broker.lock_owner"], granted["consumer[0].left_lock"]) == (0, False)


def test_killed_broker_has_forgotten_its_locks() -> None:
    world = World(faults={BROKER_KILL: 1})
    assert world.show(world.take(world.with_queue(), "broker_is_killed"))["broker.lock_owner"] is None


def test_shutdown_unlocks_before_it_sends_the_cell() -> None:
    world = World(bounds={"shutdowns": 1})
    state = world.changed(world.with_queue(), {"consumer[0].cell": 1})
    for action in ("shutdown_ends_renewal", "consumer_begins_shutdown"):
        state = world.take(state, action, c=0)
    assert not world.can_take(state, "shutdown_persists", c=0)
    unlocked = world.take(state, "shutdown_unlocks", c=0)
    shown = world.show(unlocked)
    assert (shown["broker.lock_owner"], shown[f"{QUEUE}.locked"], shown["consumer[0].commits.count"]) == (
        None,
        False,
        0,
    )
    assert world.show(world.take(unlocked, "shutdown_persists", c=0))["consumer[0].commits.count"] == 1

"""The repair of an illegal offset and the queue's lock, and what a process that is gone has left of it."""

from __future__ import annotations

import pytest
from systems.stepped import QUEUE, World, offsets

from offsetproof.ir.system import State
from offsetproof.model.orderly.variants import REPAIR_AS_REBALANCE
from offsetproof.model.orderly.vocabulary import RequestStep
from offsetproof.model.variants import KILL
from offsetproof.model.vocabulary import LockStep, RepairStep, StopStep

REPAIR = {"c": 0, "pq_id": 0}


def to_repair(world: World, **fields: object) -> State:
    """The repair of the first ProcessQueue has persisted the cell, and is to give the queue up."""
    state = world.with_queue(dropped=True, repair=RepairStep.PERSISTED, **fields)
    return world.changed(state, {"consumer[0].believes_allocated": True})


def test_repair_unlocks_after_a_rebalance_has_locked_the_queue_again() -> None:
    world = World(bounds={"consumers": 2})
    state = world.take(to_repair(world), "repair_removes_queue", **REPAIR)
    state = world.take(state, "broker_answers_lock", c=0, r=0)
    assert world.show(state)["consumer[0].rebalance[0].lock"] is LockStep.GRANTED
    for action in ("repair_drops_queue", "repair_persists_again", "repair_removes_offset"):
        state = world.take(state, action, **REPAIR)
    after = world.show(world.take(state, "broker_unlocks", c=0))
    assert after["broker.lock_owner"] is None
    assert after["consumer[0].rebalance[0].lock"] is LockStep.GRANTED


def test_repair_as_rebalance_unlocks_before_the_queue_leaves_the_table() -> None:
    world = World(fixes=[REPAIR_AS_REBALANCE])
    state = to_repair(world)
    assert not world.can_take(state, "repair_removes_queue", **REPAIR)
    for action in ("repair_finds_queue", "repair_drops_queue", "repair_persists_again"):
        state = world.take(state, action, **REPAIR)
    assert not world.can_take(state, "repair_removes_queue", **REPAIR)
    state = world.take(state, "repair_removes_offset", **REPAIR)
    shown = world.show(state)
    assert (shown["consumer[0].unlocks"], shown["consumer[0].process_queue_table"]) == (1, 0)
    after = world.show(world.take(state, "repair_removes_queue", **REPAIR))
    assert after["consumer[0].process_queue_table"] is None
    assert after[f"{QUEUE}.repair"] is RepairStep.IDLE


def test_repair_as_rebalance_leaves_the_queue_in_the_table_while_a_listener_is_busy() -> None:
    world = World(fixes=[REPAIR_AS_REBALANCE])
    state = to_repair(world, **{"request.at": RequestStep.LISTENING})
    for action in ("repair_finds_queue", "repair_drops_queue", "repair_persists_again", "repair_removes_offset"):
        state = world.take(state, action, **REPAIR)
    shown = world.show(state)
    assert (shown["consumer[0].unlocks"], shown["consumer[0].process_queue_table"]) == (0, 0)
    assert shown[f"{QUEUE}.repair"] is RepairStep.IDLE
    assert not world.can_take(state, "repair_removes_queue", **REPAIR)


def test_repair_as_rebalance_and_a_rebalance_wait_for_each_other() -> None:
    world = World(fixes=[REPAIR_AS_REBALANCE])
    state = world.changed(to_repair(world), {"consumer[0].believes_allocated": False})
    dropped = world.take(state, "rebalance_drops_queue", c=0, r=0)
    assert not world.can_take(dropped, "repair_finds_queue", **REPAIR)
    found = world.take(state, "repair_finds_queue", **REPAIR)
    assert not world.can_take(found, "rebalance_drops_queue", c=0, r=0)


@pytest.mark.parametrize("field", ["unlocks", "late_unlocks"])
def test_unlock_that_was_sent_arrives_although_its_process_is_gone(field: str) -> None:
    world = World(faults={KILL: 1})
    state = world.changed(world.with_queue(), {f"consumer[0].{field}": 1})
    state = world.take(state, "consumer_is_killed", c=0)
    assert world.show(state)["broker.lock_owner"] == 0
    assert not world.can_take(state, "lease_expires", c=0)
    after = world.show(world.take(state, "broker_unlocks_for_former_process", c=0))
    assert after["broker.lock_owner"] is None


def test_unlock_of_a_former_process_leaves_the_lock_of_the_next_one() -> None:
    world = World(faults={KILL: 1})
    state = world.changed(world.with_queue(), {"consumer[0].left_unlock": True, "consumer[0].left_lock": False})
    after = world.show(world.take(state, "broker_unlocks_for_former_process", c=0))
    assert after["broker.lock_owner"] == 0
    assert after["consumer[0].left_unlock"] is False


def test_unlock_that_is_only_due_is_gone_with_its_process() -> None:
    world = World(faults={KILL: 1})
    state = world.changed(world.with_queue(), {"consumer[0].delayed_unlocks": 1})
    state = world.take(state, "consumer_is_killed", c=0)
    assert not world.can_take(state, "broker_unlocks_for_former_process", c=0)
    assert world.can_take(state, "lease_expires", c=0)


SHUTTING = {"shutdowns": 1}


def test_request_without_a_lock_is_over_where_the_service_is_shut_down() -> None:
    world = World(bounds=SHUTTING)
    state = world.with_queue(**{"locked": False, "request.at": RequestStep.SUBMITTED, "msg_tree_map": offsets(0)})
    waits = world.show(world.take(state, "request_takes_messages", **REPAIR))
    assert waits[f"{QUEUE}.request.at"] is RequestStep.LOCKING
    begun = world.take(state, "shutdown_ends_renewal", c=0)
    over = world.show(world.take(begun, "request_takes_messages", **REPAIR))
    assert over[f"{QUEUE}.request.at"] is RequestStep.NONE


@pytest.mark.parametrize(("action", "at"), [
    ("request_yields", RequestStep.RUNNING),
    ("request_is_rejected", RequestStep.LOCKING),
    ("request_is_rejected", RequestStep.SUBMITTED),
])  # fmt: skip
def test_request_that_is_to_be_submitted_later_is_over_where_the_service_is_shut_down(
    action: str, at: RequestStep
) -> None:
    world = World(bounds=SHUTTING)
    begun = world.take(world.with_queue(**{"request.at": at}), "shutdown_ends_renewal", c=0)
    after = world.show(world.take(begun, action, **REPAIR))
    assert after[f"{QUEUE}.request.at"] is RequestStep.NONE
    assert after["consumer[0].stop"] is StopStep.RUNNING


def test_request_is_not_rejected_while_the_service_runs_or_asks_for_its_lock() -> None:
    world = World(bounds=SHUTTING)
    state = world.with_queue(**{"request.at": RequestStep.LOCKING})
    assert not world.can_take(state, "request_is_rejected", **REPAIR)
    begun = world.take(state, "shutdown_ends_renewal", c=0)
    asking = world.changed(begun, {"consumer[0].locking.at": LockStep.REFUSED, "consumer[0].locking.pq_id": 0})
    assert not world.can_take(asking, "request_is_rejected", **REPAIR)
    heard = world.show(world.take(asking, "client_hears_of_lock", c=0))
    assert heard[f"{QUEUE}.request.at"] is RequestStep.NONE

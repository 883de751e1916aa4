"""Giving a queue up as orderly consumers do since 5.2.0, under its consume lock or by force; what 5.0.0 changed."""

from __future__ import annotations

from typing import Any

import pytest
from systems.stepped import QUEUE, World

from offsetproof.ir.system import State
from offsetproof.model.orderly.vocabulary import RequestStep
from offsetproof.model.releases import R_5_3_3, R_5_3_3_CLIENT_RESET
from offsetproof.model.variants import BROKER_ERROR
from offsetproof.model.vocabulary import LockStep, PullRequestAt, RebalanceStep, RepairStep, ResetStep

RUN = {"c": 0, "r": 0}
PULL = {"c": 0, "pq_id": 0}


def newer(**said: Any) -> World:
    """A world of 5.3.3, where clients are told of resets."""
    return World(release=R_5_3_3_CLIENT_RESET, **said)


def persisted(world: World, **fields: Any) -> State:
    """A rebalance has dropped and persisted the ProcessQueue, whose cell is there."""
    run = {"consumer[0].rebalance[0].at": RebalanceStep.PERSISTED, "consumer[0].rebalance[0].pq_id": 0}
    return world.changed(world.with_queue(dropped=True, **fields), {**run, "consumer[0].cell": 1})


def test_cell_is_sent_again_and_removed_before_the_queue_is_unlocked_and_leaves_the_table() -> None:
    world = newer()
    state = world.take(persisted(world), "rebalance_persists_again", **RUN)
    assert world.show(state)["consumer[0].commits.count"] == 1
    assert world.show(state)["consumer[0].cell"] == 1
    state = world.take(state, "rebalance_removes_offset", **RUN)
    assert world.show(state)["consumer[0].cell"] is None
    assert world.show(state)["consumer[0].unlocks"] == 0
    state = world.take(state, "rebalance_unlocks_queue", **RUN)
    shown = world.show(state)
    assert (shown["consumer[0].unlocks"], shown[f"{QUEUE}.locked"]) == (1, False)
    assert shown["consumer[0].process_queue_table"] == 0
    after = world.show(world.take(state, "rebalance_removes_queue", **RUN))
    assert after["consumer[0].process_queue_table"] is None


def test_busy_listener_keeps_the_cell() -> None:
    world = newer()
    state = persisted(world, **{"request.at": RequestStep.LISTENING})
    assert not world.can_take(state, "rebalance_persists_again", **RUN)
    after = world.show(world.take(state, "rebalance_cannot_unlock_queue", **RUN))
    assert (after["consumer[0].cell"], after["consumer[0].process_queue_table"]) == (1, 0)
    assert after["consumer[0].rebalance[0].at"] is RebalanceStep.IDLE


def test_old_lock_is_given_up_while_the_listener_runs() -> None:
    world = newer()
    state = persisted(world, **{"request.at": RequestStep.LISTENING, "lock_expired": True})
    assert not world.can_take(state, "rebalance_cannot_unlock_queue", **RUN)
    for action in ("rebalance_forces_unlock", "rebalance_removes_offset", "rebalance_unlocks_queue"):
        state = world.take(state, action, **RUN)
    shown = world.show(state)
    assert (shown["consumer[0].unlocks"], shown[f"{QUEUE}.request.at"]) == (1, RequestStep.LISTENING)


@pytest.mark.parametrize(("fields", "forced"), [
    ({"request.at": RequestStep.LISTENING}, True),
    ({"request.at": RequestStep.LISTENING, "dropped": False}, False),
    ({"request.at": RequestStep.NONE}, False),
])  # fmt: skip
def test_only_a_dropped_queue_that_is_listened_to_is_unlocked_by_force(fields: Any, forced: bool) -> None:
    world = newer()
    state = world.changed(persisted(world), {f"{QUEUE}.{name}": value for name, value in fields.items()})
    assert world.can_take(state, "rebalance_forces_unlock", **RUN) is forced


def test_no_listener_starts_while_the_queue_is_given_up() -> None:
    world = newer()
    state = persisted(world, **{"request.at": RequestStep.TAKEN})
    assert world.can_take(state, "request_starts_listener", **PULL)
    held = world.take(state, "rebalance_persists_again", **RUN)
    assert not world.can_take(held, "request_starts_listener", **PULL)


@pytest.mark.parametrize(("at", "cell"), [(RequestStep.NONE, None), (RequestStep.LISTENING, 1)])
def test_reset_takes_the_queue_out_of_the_table_whether_it_could_unlock_it_or_not(at: RequestStep, cell: Any) -> None:
    world = newer(bounds={"resets": 1, "commits_in_flight": 2})
    run = {"consumer[0].reset_run.at": ResetStep.AWAKE, "consumer[0].reset_run.target": 1}
    state = world.changed(world.with_queue(dropped=True, **{"request.at": at}), run)
    actions = ["reset_updates_cell", "reset_persists"]
    unlocks = ["reset_persists_again", "reset_removes_offset", "reset_unlocks_queue"]
    actions += unlocks if cell is None else ["reset_cannot_unlock_queue"]
    for action in [*actions, "reset_removes_queue"]:
        state = world.take(state, action, c=0)
    after = world.show(state)
    assert (after["consumer[0].cell"], after["consumer[0].process_queue_table"]) == (cell, None)
    assert after["consumer[0].unlocks"] == (1 if cell is None else 0)


def test_repair_of_a_busy_queue_leaves_its_cell_frozen_until_the_next_one_is_added() -> None:
    world = newer()
    repairs = {"repair": RepairStep.PERSISTED_AGAIN, "unlocking": 0, "request.at": RequestStep.LISTENING}
    gone = {"consumer[0].cell": 1, "consumer[0].frozen": True, "consumer[0].process_queue_table": None}
    state = world.changed(world.with_queue(dropped=True, **repairs), {**gone, "consumer[0].believes_allocated": True})
    state = world.take(state, "repair_cannot_unlock_queue", **PULL)
    assert world.show(state)[f"{QUEUE}.repair"] is RepairStep.IDLE
    assert world.show(state)["consumer[0].frozen"] is True
    for action in ("broker_answers_lock", "rebalance_hears_of_lock", "rebalance_removes_dirty_offset"):
        state = world.take(state, action, **RUN)
    after = world.show(state)
    assert (after["consumer[0].cell"], after["consumer[0].frozen"]) == (None, False)


def test_lock_of_a_dropped_queue_is_not_renewed_and_does_not_grow_old_where_a_rebalance_gives_it_up() -> None:
    world = newer(bounds={"consumers": 2})
    state = world.with_queue(dropped=True, **{"request.at": RequestStep.LISTENING})
    kept = world.changed(state, {"consumer[0].believes_allocated": True, f"{QUEUE}.lock_expired": True})
    assert not world.can_take(kept, "broker_answers_renewal", c=0)
    renewed = World(bounds={"consumers": 2})
    assert renewed.can_take(renewed.with_queue(dropped=True, lock_expired=True), "broker_answers_renewal", c=0)
    assert not world.can_take(world.changed(state, {"consumer[0].believes_allocated": False}), "lock_expires", **PULL)
    assert world.can_take(world.changed(state, {"consumer[0].believes_allocated": True}), "lock_expires", **PULL)


def test_refused_lock_makes_no_old_lock_younger() -> None:
    world = newer()
    state = world.changed(world.with_queue(lock_expired=True), {"consumer[0].locking.at": LockStep.REFUSED})
    after = world.show(world.take(state, "client_hears_of_renewal", c=0))
    assert (after[f"{QUEUE}.locked"], after[f"{QUEUE}.lock_expired"]) == (False, True)


def test_pull_without_an_answer_is_tried_again() -> None:
    world = newer(faults={BROKER_ERROR: 1})
    state = world.with_queue(previously_locked=False, pull_request=PullRequestAt.RUN_QUEUE)
    asked = world.take(state, "pull_asks_for_start", **PULL)
    after = world.show(world.take(asked, "pull_waits_for_start", c=0))
    assert after[f"{QUEUE}.pull_request"] is PullRequestAt.RUN_QUEUE
    assert (after[f"{QUEUE}.dropped"], after["consumer[0].pull_start.at"]) == (False, RebalanceStep.IDLE)


def test_pull_hears_of_a_reset_at_the_broker_and_the_repair_unlocks_the_queue() -> None:
    world = World(release=R_5_3_3, bounds={"resets": 1, "commits_in_flight": 3})
    state = world.with_queue(pull_request=PullRequestAt.HELD)
    for action, args in (("administrator_resets", {"x": 1}), ("broker_writes_target", {}), ("poll_takes_marker", PULL)):
        state = world.take(state, action, **args)
    for action in ("poll_hears_of_reset", "repair_updates_cell", "repair_persists", "repair_removes_queue"):
        state = world.take(state, action, **PULL)
    for action in ("repair_drops_queue", "repair_persists_again", "repair_persists_once_more"):
        state = world.take(state, action, **PULL)
    for action in ("repair_removes_offset", "repair_unlocks_queue"):
        state = world.take(state, action, **PULL)
    after = world.show(state)
    assert (after["broker.marker"], after["broker.committed"], after["consumer[0].cell"]) == (None, 1, None)
    assert (after["consumer[0].commits.count"], after["consumer[0].unlocks"]) == (3, 1)

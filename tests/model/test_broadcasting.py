"""The steps of broadcasting by hand: what the file gets and loses, what failed, the locks, and the times of all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from systems.stepped import QUEUE, World, offsets

from offsetproof.ir.system import State
from offsetproof.lang import Behaviour
from offsetproof.model.broadcasting.broadcasting import Broadcasting
from offsetproof.model.local.variants import (
    FILE_LOSS,
    START_PERSISTED,
)
from offsetproof.model.orderly.vocabulary import RequestStep
from offsetproof.model.releases import LOCKED_WHEN_ADDED, MERGES_INTO_FILE, NO_BROADCAST_LOCKS
from offsetproof.model.variants import KILL, RECONSUME_LATER
from offsetproof.model.vocabulary import (
    LockStep,
    PullRequestAt,
    RebalanceStep,
    RepairStep,
    ResetStep,
    StopStep,
    TaskStep,
)

CLIENT, RUN = "consumer[0]", "consumer[0].rebalance[0]"
LISTED = {f"{CLIENT}.process_queue_table": 0, f"{CLIENT}.process_queues_made": 1, "broker.max_offset": 3}


def world(bounds: Mapping[str, int] | None = None, fixes: Iterable[Behaviour] = (), **more: Any) -> World:
    """A world of one broadcasting client."""
    return World(model=Broadcasting, bounds=bounds, fixes=fixes, **more)


def after(where: World, values: Mapping[str, Any], action: str, **args: int) -> Mapping[str, Any]:
    """What a step makes of a state that has these values."""
    return where.show(where.take(_state(where, values), action, **args))


def _state(where: World, values: Mapping[str, Any]) -> State:
    return where.changed(where.reference.first(), values)


@pytest.mark.parametrize(("listed", "other", "cell", "as_it_is", "merged"), [
    (0, False, 2, 2, 2),
    (0, False, None, None, 1),
    (None, True, 2, None, 1),
    (0, True, 2, 2, 2),
])  # fmt: skip
def test_persist_all_writes_the_queues_of_the_table_and_no_others(
    listed: int | None, other: bool, cell: int | None, as_it_is: int | None, merged: int | None
) -> None:
    values = {
        **LISTED, f"{CLIENT}.process_queue_table": listed, f"{CLIENT}.other_listed": other, f"{CLIENT}.cell": cell,
        f"{CLIENT}.stored": 1,
    }  # fmt: skip
    two = {"other_queue": 1}
    assert after(world(two), values, "consumer_persists_all", c=0)[f"{CLIENT}.stored"] == as_it_is
    assert after(world(two, [MERGES_INTO_FILE]), values, "consumer_persists_all", c=0)[f"{CLIENT}.stored"] == merged


def test_persist_all_without_a_queue_is_no_step() -> None:
    here = world()
    assert not here.can_take(_state(here, {f"{CLIENT}.cell": 1}), "consumer_persists_all", c=0)
    assert here.can_take(_state(here, LISTED), "consumer_persists_all", c=0)


@pytest.mark.parametrize(("fixes", "stored", "cell"), [((), None, 2), ((MERGES_INTO_FILE,), 2, None)])
def test_queue_that_is_given_up_is_neither_persisted_nor_forgotten(
    fixes: tuple[Behaviour, ...], stored: int | None, cell: int | None
) -> None:
    here = world({"view_changes": 1}, fixes)
    state = _state(here, {**LISTED, f"{CLIENT}.cell": 2, f"{RUN}.at": RebalanceStep.DROPPED})
    state = here.take(here.take(state, "rebalance_persists", c=0), "rebalance_removes_offset", c=0)
    shown = here.show(here.take(state, "rebalance_removes_queue", c=0))
    assert (shown[f"{CLIENT}.stored"], shown[f"{CLIENT}.cell"]) == (stored, cell)
    assert shown[f"{CLIENT}.process_queue_table"] is None


def test_start_is_read_from_the_file_and_becomes_the_cell() -> None:
    here = world()
    state = _state(here, {f"{RUN}.at": RebalanceStep.DIRTY_REMOVED, f"{CLIENT}.stored": 1, f"{CLIENT}.cell": 3})
    shown = here.show(here.take(here.take(state, "rebalance_reads_file", c=0), "rebalance_stores_start", c=0))
    assert (shown[f"{RUN}.start"], shown[f"{CLIENT}.cell"]) == (1, 1)


@pytest.mark.parametrize(("fixes", "stored", "cell"), [((), None, 1), ((START_PERSISTED,), 3, 3)])
def test_start_that_the_file_does_not_know_is_the_max_offset_and_an_old_cell_stays(
    fixes: tuple[Behaviour, ...], stored: int | None, cell: int
) -> None:
    here = world(fixes=fixes)
    values = {f"{RUN}.at": RebalanceStep.DIRTY_REMOVED, f"{CLIENT}.cell": 1, "broker.max_offset": 3}
    read = here.take(_state(here, values), "rebalance_reads_file", c=0)
    shown = here.show(here.take(read, "rebalance_finds_start", c=0))
    assert (shown[f"{RUN}.start"], shown["ghost_owed_from"]) == (3, 3)
    assert (shown[f"{CLIENT}.stored"], shown[f"{CLIENT}.cell"]) == (stored, cell)


def test_client_that_is_killed_loads_its_file_when_it_starts_again() -> None:
    here = world({"other_queue": 1}, faults={KILL: 1, FILE_LOSS: 1})
    values = {**LISTED, f"{CLIENT}.cell": 2, f"{CLIENT}.stored": 1, f"{CLIENT}.other_listed": True}
    killed = here.take(_state(here, values), "consumer_is_killed", c=0)
    assert here.show(killed)[f"{CLIENT}.stored"] == 1
    assert here.show(killed)[f"{CLIENT}.other_listed"] is False
    started = here.show(here.take(killed, "consumer_starts", c=0))
    assert (started[f"{CLIENT}.cell"], started[f"{CLIENT}.ghost_loaded"]) == (1, 1)
    bare = here.show(here.take(here.take(killed, "file_is_lost", c=0), "consumer_starts", c=0))
    assert (bare[f"{CLIENT}.cell"], bare[f"{CLIENT}.stored"]) == (None, None)


def test_shutdown_writes_the_file_once_more() -> None:
    values = {**LISTED, f"{CLIENT}.cell": 2, f"{CLIENT}.stop": StopStep.SERVICE_STOPPED}
    shown = after(world({"shutdowns": 1}), values, "shutdown_persists", c=0)
    assert (shown[f"{CLIENT}.stored"], shown[f"{CLIENT}.stop"]) == (2, StopStep.PERSISTED)


def test_pull_carries_no_offset() -> None:
    values = {**LISTED, f"{CLIENT}.cell": 2, f"{QUEUE}.pull_request": PullRequestAt.RUN_QUEUE}
    shown = after(world(), values, "consumer_pulls", c=0, pq_id=0)
    assert (shown[f"{QUEUE}.pull_request"], shown[f"{QUEUE}.piggyback"]) == (PullRequestAt.HELD, None)


def test_failed_messages_and_untried_ones_are_dropped_by_policy() -> None:
    here = world({"batch": 3}, listener=RECONSUME_LATER)
    task = f"{QUEUE}.task[0]"
    cached = {f"{QUEUE}.msg_tree_map": offsets(0, 1, 2), f"{QUEUE}.ghost_unfinished": offsets(0, 1, 2)}
    values = {**LISTED, **cached, f"{QUEUE}.queue_offset_max": 2, f"{task}.at": TaskStep.LISTENING, f"{task}.size": 3}
    failed = here.take(_state(here, values), "listener_fails", c=0, pq_id=0, m=0, i=1)
    assert not here.can_take(failed, "task_removes_message", c=0, pq_id=0, m=0)
    dropped = here.take(failed, "task_drops_failed_messages", c=0, pq_id=0, m=0)
    assert here.show(dropped)["ghost_dropped"] == offsets(0, 1, 2)
    assert here.show(dropped)["ghost_done"] == offsets(0)
    removed = here.show(here.take(dropped, "task_removes_message", c=0, pq_id=0, m=0))
    assert removed[f"{task}.result"] == 3


@pytest.mark.parametrize("orderly", [0, 1])
def test_messages_are_one_request_s_with_an_orderly_listener_and_tasks_with_another(orderly: int) -> None:
    here = world({"orderly": orderly, "batch": 2})
    state = _state(here, {**LISTED, f"{QUEUE}.pull_request": PullRequestAt.HELD, "broker.max_offset": 2})
    shown = here.show(here.take(state, "poll_finds_messages", c=0, pq_id=0, n=1))
    submitted = (shown[f"{QUEUE}.request.at"], shown[f"{QUEUE}.task[0].at"])
    assert submitted == ((RequestStep.SUBMITTED, TaskStep.NONE) if orderly else (RequestStep.NONE, TaskStep.SUBMITTED))
    assert shown[f"{QUEUE}.msg_tree_map"] == offsets(0, 1)


def test_request_takes_messages_without_a_lock_and_sets_the_cell_where_it_is() -> None:
    here = world({"orderly": 1})
    cached = {f"{QUEUE}.msg_tree_map": offsets(0, 1), f"{QUEUE}.msg_count": offsets(0, 1)}
    values = {**LISTED, **cached, f"{QUEUE}.request.at": RequestStep.SUBMITTED, f"{CLIENT}.cell": 3}
    taken = here.take(_state(here, values), "request_takes_messages", c=0, pq_id=0)
    maps = [here.show(taken)[f"{QUEUE}.{name}"] for name in ("msg_tree_map", "consuming_msg_orderly_tree_map")]
    assert (here.show(taken)[f"{QUEUE}.locked"], maps) == (False, [offsets(1), offsets(0)])
    listening = here.take(taken, "request_starts_listener", c=0, pq_id=0)
    assert not here.can_take(listening, "listener_returns", c=0, pq_id=0, answer="SUSPEND")
    state = here.take(listening, "listener_returns", c=0, pq_id=0, answer="SUCCESS")
    for action in ("request_commits", "request_checks_dropped", "request_updates_cell"):
        state = here.take(state, action, c=0, pq_id=0)
    shown = here.show(state)
    assert (shown[f"{CLIENT}.cell"], shown["ghost_done"]) == (1, offsets(0))
    assert (shown[f"{QUEUE}.msg_count"], shown[f"{QUEUE}.request.at"]) == (offsets(1), RequestStep.RUNNING)


def test_batch_that_an_orderly_listener_could_not_do_is_put_back_and_not_dropped() -> None:
    here = world({"orderly": 1, "batch": 2}, listener=RECONSUME_LATER)
    values = {
        **LISTED,
        f"{QUEUE}.consuming_msg_orderly_tree_map": offsets(0, 1),
        f"{QUEUE}.request.taken": offsets(0, 1),
        f"{QUEUE}.request.at": RequestStep.LISTENING,
    }
    state = here.take(_state(here, values), "listener_returns", c=0, pq_id=0, answer="SUSPEND")
    shown = here.show(here.take(state, "request_suspends", c=0, pq_id=0))
    maps = [shown[f"{QUEUE}.{name}"] for name in ("msg_tree_map", "consuming_msg_orderly_tree_map")]
    assert (maps, shown[f"{QUEUE}.request.at"]) == ([offsets(0, 1), offsets()], RequestStep.SUBMITTED)
    assert (shown["ghost_done"], shown["ghost_dropped"]) == (offsets(), offsets())


def test_message_that_the_sweep_sends_back_is_not_done() -> None:
    task = f"{QUEUE}.task[0]"
    values = {**LISTED, f"{QUEUE}.msg_tree_map": offsets(0), f"{task}.at": TaskStep.LISTENING}
    shown = after(world({"sweeps": 1}), values, "sweep_sends_message_back", c=0, pq_id=0, m=0)
    assert (shown["retry"], shown["ghost_done"]) == (offsets(0), offsets())


@pytest.mark.parametrize(("owner", "answer", "has_it"), [
    (None, LockStep.GRANTED, 0), (0, LockStep.GRANTED, 0), (1, LockStep.REFUSED, 1),
])  # fmt: skip
def test_lock_is_given_to_who_asks_first_and_to_the_same_client_again(
    owner: int | None, answer: LockStep, has_it: int
) -> None:
    here = world({"consumers": 2, "orderly": 1})
    shown = after(here, {"broker.lock_owner": owner}, "broker_answers_lock", c=0, r=0)
    assert (shown[f"{RUN}.lock"], shown["broker.lock_owner"]) == (answer, has_it)
    heard = here.show(here.take(_state(here, {f"{RUN}.lock": answer}), "rebalance_hears_of_lock", c=0))
    assert heard[f"{RUN}.lock"] is (LockStep.TAKEN if answer is LockStep.GRANTED else LockStep.IDLE)


def test_lock_marks_the_queue_that_another_run_has_added_meanwhile() -> None:
    here = world({"orderly": 1, "rebalances": 2})
    marked = f"{CLIENT}.process_queue[0].locked"
    granted = {f"{RUN}.lock": LockStep.GRANTED}
    assert after(here, {**LISTED, **granted}, "rebalance_hears_of_lock", c=0, r=0)[marked] is True
    assert after(here, granted, "rebalance_hears_of_lock", c=0, r=0)[marked] is False
    refused = {**LISTED, f"{RUN}.lock": LockStep.REFUSED}
    assert after(here, refused, "rebalance_hears_of_lock", c=0, r=0)[marked] is False


def test_queue_of_an_orderly_listener_is_added_only_after_its_lock() -> None:
    here, free = world({"orderly": 1}), world({"orderly": 1}, [NO_BROADCAST_LOCKS])
    assert not here.can_take(here.reference.first(), "rebalance_removes_dirty_offset", c=0)
    assert free.can_take(free.reference.first(), "rebalance_removes_dirty_offset", c=0)
    assert not free.can_take(free.reference.first(), "broker_answers_lock", c=0)
    taken = after(here, {f"{RUN}.lock": LockStep.TAKEN}, "rebalance_removes_dirty_offset", c=0)
    assert (taken[f"{RUN}.at"], taken[f"{RUN}.lock"]) == (RebalanceStep.DIRTY_REMOVED, LockStep.IDLE)


@pytest.mark.parametrize(("fixes", "orderly", "pulls"), [
    ((), 1, False), ((LOCKED_WHEN_ADDED,), 1, True), ((), 0, True),
])  # fmt: skip
def test_added_queue_is_pulled_if_it_is_marked_or_nobody_asks(
    fixes: tuple[Behaviour, ...], orderly: int, pulls: bool
) -> None:
    here = world({"orderly": orderly}, fixes)
    added = here.take(_state(here, {f"{RUN}.at": RebalanceStep.START_KNOWN}), "rebalance_adds_queue", c=0)
    assert here.can_take(added, "consumer_pulls", c=0, pq_id=0) is pulls


def test_lease_expires_unasked() -> None:
    here = world({"orderly": 1})
    assert after(here, {"broker.lock_owner": 0}, "lease_expires")["broker.lock_owner"] is None
    assert not here.can_take(here.reference.first(), "lease_expires")


def test_other_queue_enters_the_table_between_two_runs() -> None:
    here = world({"other_queue": 1})
    assert after(here, {}, "rebalance_adds_other_queue", c=0)[f"{CLIENT}.other_listed"] is True
    busy = _state(here, {f"{RUN}.at": RebalanceStep.DIRTY_REMOVED})
    assert not here.can_take(busy, "rebalance_adds_other_queue", c=0)


def test_repair_notes_what_it_has_set() -> None:
    values = {**LISTED, f"{QUEUE}.repair": RepairStep.WAITING, f"{QUEUE}.next_offset": 2}
    shown = after(world({"retention": 2}), values, "repair_updates_cell", c=0, pq_id=0)
    assert (shown[f"{CLIENT}.cell"], shown["ghost_repaired"]) == (2, 2)


@pytest.mark.parametrize(("fixes", "landed"), [((), False), ((MERGES_INTO_FILE,), True)])
def test_reset_s_persist_reaches_the_file_with_the_fix_alone(fixes: tuple[Behaviour, ...], landed: bool) -> None:
    here = world({"resets": 1, "clustered_before": 1}, fixes)
    values = {**LISTED, f"{CLIENT}.cell": 1, "ghost_target": 1, f"{CLIENT}.reset_run.at": ResetStep.UPDATED}
    shown = after(here, values, "reset_persists", c=0)
    assert (shown[f"{CLIENT}.stored"], shown["ghost_landed"]) == ((1, True) if landed else (None, False))


@pytest.mark.parametrize(("cell", "step", "landed"), [
    (1, ResetStep.UPDATED, True), (2, ResetStep.UPDATED, False), (1, ResetStep.SLEEPING, False),
])  # fmt: skip
def test_persist_all_lands_a_reset_that_is_about_to_take_the_queue_out(
    cell: int, step: ResetStep, landed: bool
) -> None:
    values = {**LISTED, f"{CLIENT}.cell": cell, "ghost_target": 1, f"{CLIENT}.reset_run.at": step}
    here = world({"resets": 1, "clustered_before": 1})
    assert after(here, values, "consumer_persists_all", c=0)["ghost_landed"] is landed


def test_group_without_a_row_at_the_broker_is_not_reset() -> None:
    refused, taken = world({"resets": 1}), world({"resets": 1, "clustered_before": 1})
    assert not refused.can_take(refused.reference.first(), "administrator_resets", x=0)
    assert taken.can_take(taken.reference.first(), "administrator_resets", x=0)


def test_route_is_seen_by_each_client_in_its_own_time() -> None:
    here = world({"consumers": 2, "view_changes": 1})
    shown = after(here, {}, "view_changes", c=1)
    assert [shown[f"consumer[{c}].believes_allocated"] for c in range(2)] == [True, False]

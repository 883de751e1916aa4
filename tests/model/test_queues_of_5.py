"""Several queues in 5.x: how they are given up, what one callback thread is in the way of, and resets at the broker."""

from __future__ import annotations

import pytest
from systems.queue_worlds import first, shown, step, taken, world_of

from offsetproof.ir.system import Label
from offsetproof.lang import OffsetSet, Release
from offsetproof.lang.reference import NotTaken
from offsetproof.model.queues.vocabulary import TopicRebalanceStep
from offsetproof.model.releases import R_4_9_8, R_5_3_3, R_5_3_3_CLIENT_RESET
from offsetproof.model.vocabulary import RepairStep

LEAVES_OR_JOINS = (step("membership_changes", m=1, b=0), step("membership_changes", m=2, b=0))
READS = first("client_reads_members", r=0, b=0)
DROPS = first("rebalance_drops_queue", r=0)
REMOVES = (first("rebalance_persists", r=0), first("rebalance_removes_queue", r=0))
ADDS = tuple(first(f"rebalance_{name}", r=0) for name in ("asks_for_offset", "stores_start", "adds_queue"))
TABLE, DROPPED = "client[0].process_queue_table", "client[0].dropped"


@pytest.mark.parametrize(("release", "dropped"), [(R_4_9_8, OffsetSet(1)), (R_5_3_3_CLIENT_RESET, OffsetSet(1, 2))])
def test_since_5_0_0_all_queues_that_are_given_up_are_dropped_first(release: Release, dropped: OffsetSet) -> None:
    world = world_of("averagely", release=release, consumers=1, others=2, brokers=1, view_changes=4)
    alone = taken(world, world.first(), *LEAVES_OR_JOINS, READS, *ADDS, *ADDS)
    assert shown(world, alone, TABLE) == (OffsetSet(0, 1, 2),)
    state = taken(world, alone, *LEAVES_OR_JOINS, READS, DROPS)
    while isinstance(after := world.take(state, DROPS), tuple):
        state = after
    assert shown(world, state, TABLE, DROPPED) == (OffsetSet(0, 1, 2), dropped)
    state = taken(world, state, *REMOVES)
    assert shown(world, state, TABLE, DROPPED) == (OffsetSet(0, 2), dropped - OffsetSet(1))
    state = taken(world, state, *((DROPS,) if release is R_4_9_8 else ()), *REMOVES)
    assert shown(world, state, TABLE, DROPPED) == (OffsetSet(0), OffsetSet())
    assert world.take(state, DROPS) is NotTaken.DISABLED


RESET = (
    step("administrator_resets_broker", b=0, x=0), first("reset_suspends", k=0), first("reset_drops_next_queue"),
    first("reset_falls_asleep"), first("reset_wakes"), first("reset_updates_next_cell"), first("reset_persists"),
    first("reset_removes_queue"), first("reset_resumes"),
)  # fmt: skip
RETURNS, WRITTEN = first("reset_returns"), first("broker_executes_commit", q=0)


@pytest.mark.parametrize(("threads", "resumed"), [(0, True), (1, False)])
def test_since_5_2_0_the_rebalance_of_resume_needs_a_second_thread(threads: int, resumed: bool) -> None:
    world = world_of("two-brokers", release=R_5_3_3_CLIENT_RESET, callback_threads=threads)
    state = taken(world, world.first(), *RESET, WRITTEN)
    for reads in (first("client_reads_members", r=r, b=0) for r in (0, 1)):
        assert isinstance(world.take(state, reads), tuple) is resumed
    assert isinstance(world.take(state, RETURNS), tuple) is not resumed
    if not resumed:
        state = taken(world, state, RETURNS, READS, *ADDS)
        assert shown(world, state, TABLE) == (OffsetSet(0, 1),)


def test_query_that_gets_no_answer_leaves_its_queue_out() -> None:
    world = world_of("twice-one-cpu", release=R_5_3_3_CLIENT_RESET)
    again = (step("administrator_resets_broker", b=0, x=0), first("reset_suspends", k=1))
    both = (*RESET[:3], first("reset_drops_next_queue"), *RESET[3:-1], *RESET[5:])
    written = tuple(first("broker_executes_commit", q=q) for q in range(2))
    state = taken(world, world.first(), *both, *written, RETURNS, READS, *again)
    assert world.take(state, ADDS[0]) is NotTaken.DISABLED
    state = taken(world, state, first("rebalance_query_times_out", r=0), first("rebalance_query_times_out", r=0))
    assert shown(world, state, TABLE, "client[0].rebalance[0].at") == (OffsetSet(), TopicRebalanceStep.IDLE)


MARKED = step("administrator_resets_broker", b=0, x=0)
WRITES = step("broker_writes_target", b=0)
ROWS, MARKERS = ("queue[0].committed", "queue[1].committed"), ("queue[0].marker", "queue[1].marker")


def consumed(q: int) -> tuple[Label, ...]:
    """One message of the queue is consumed, and committed."""
    names = ("task_passes_check", "task_updates_cell", "client_persists_queue", "broker_executes_commit")
    return tuple(first(name, q=q) for name in names)


def test_broker_marks_a_queue_and_writes_its_row_before_it_marks_the_next() -> None:
    world = world_of("one-broker", release=R_5_3_3)
    state = taken(world, world.first(), *consumed(0), *consumed(1), MARKED)
    assert shown(world, state, *MARKERS, *ROWS) == (0, None, 1, 1)
    state = taken(world, state, WRITES)
    assert shown(world, state, *MARKERS, *ROWS) == (0, 0, 0, 1)
    assert world.take(state, step("administrator_resets_broker", b=0, x=0)) is NotTaken.DISABLED
    state = taken(world, state, WRITES)
    assert shown(world, state, *MARKERS, *ROWS) == (0, 0, 0, 0)
    assert world.take(state, WRITES) is NotTaken.DISABLED


def test_next_broker_is_asked_when_all_rows_of_the_one_before_are_written() -> None:
    world = world_of("two-brokers", release=R_5_3_3, queues=3)
    other = step("administrator_resets_broker", b=1, x=0)
    state = taken(world, world.first(), MARKED, WRITES)
    assert world.take(state, other) is NotTaken.DISABLED
    state = taken(world, state, WRITES, other)
    assert shown(world, state, "queue[2].marker", "next_broker") == (0, 0)


@pytest.mark.parametrize(("pull", "row"), [("pull_takes_marker", 0), ("new_pull_takes_marker", 1)])
def test_only_a_pull_that_arrives_after_the_reset_brings_its_commit_along(pull: str, row: int) -> None:
    world = world_of("one-broker", release=R_5_3_3)
    state = taken(world, world.first(), *consumed(0), MARKED, WRITES, WRITES, first(pull, q=0))
    assert shown(world, state, *MARKERS, ROWS[0]) == (None, 0, row)
    assert world.take(state, first(pull, q=0)) is NotTaken.DISABLED
    assert isinstance(world.take(state, first(pull, q=1)), tuple)


def test_sent_commit_is_ignored_while_its_queue_has_a_marker() -> None:
    world = world_of("one-broker", release=R_5_3_3)
    sent = tuple(first("client_persists_queue", q=q) for q in range(2))
    executes = [first("broker_executes_commit", q=q) for q in range(2)]
    state = taken(world, world.first(), *consumed(0)[:2], *sent, MARKED)
    assert world.take(state, executes[0]) is NotTaken.DISABLED
    assert isinstance(world.take(state, executes[1]), tuple)
    state = taken(world, state, first("broker_ignores_commit", q=0))
    assert shown(world, state, "client[0].share[0].commits.count", ROWS[0]) == (0, 0)


def test_queue_is_dropped_repaired_and_added_again_from_the_target() -> None:
    world = world_of("one-broker", release=R_5_3_3)
    state = taken(world, world.first(), *consumed(0), MARKED, WRITES, WRITES, first("pull_takes_marker", q=0))
    state = taken(world, state, first("poll_hears_of_reset", q=0), first("repair_updates_cell", q=0))
    share = ("client[0].share[0].cell", "client[0].share[0].frozen")
    assert shown(world, state, TABLE, DROPPED, *share) == (OffsetSet(0, 1), OffsetSet(0), 0, True)
    state = taken(world, state, first("repair_persists", q=0), first("repair_removes_queue", q=0))
    assert shown(world, state, TABLE, *share) == (OffsetSet(1), 0, True)
    written = first("broker_executes_commit", q=0)
    state = taken(world, state, written, first("repair_removes_offset", q=0), written)
    assert shown(world, state, *share) == (None, False)
    state = taken(world, state, READS, *ADDS)
    assert shown(world, state, TABLE, *share, "client[0].share[0].position") == (OffsetSet(0, 1), 0, False, 0)


def test_repair_of_a_queue_that_is_in_no_table_leaves_the_frozen_cell() -> None:
    world = world_of("come-back-reset", release=R_5_3_3)
    gone = (step("membership_changes", m=0, b=0), READS, DROPS, *REMOVES)
    heard = (MARKED, WRITES, WRITES, first("pull_takes_marker", q=0), first("poll_hears_of_reset", q=0))
    repaired = tuple(first(f"repair_{name}", q=0) for name in ("updates_cell", "persists", "removes_queue"))
    state = taken(world, world.first(), *heard, *gone, *repaired)
    assert shown(world, state, "client[0].share[0].frozen", "client[0].share[0].repair") == (True, RepairStep.IDLE)
    back = (step("membership_changes", m=0, b=0), READS, ADDS[0])
    assert shown(world, taken(world, state, *back), "client[0].share[0].frozen") == (False,)


def test_queue_under_a_marker_caches_nothing_before_the_marker_is_taken() -> None:
    world = world_of("stopped-reset", release=R_5_3_3, brokers=1)
    stopped = (*consumed(0), *consumed(1), first("client_stops"))
    state = taken(world, world.first(), *stopped, MARKED, WRITES, WRITES, first("client_starts"), READS, *ADDS, *ADDS)
    assert shown(world, state, "client[0].share[0].unfetched", "client[0].share[0].position") == (True, 0)
    assert world.take(state, first("task_passes_check", q=0)) is NotTaken.DISABLED
    assert world.take(state, first("first_pull_finds_messages", q=0)) is NotTaken.DISABLED
    assert world.take(state, first("pull_takes_marker", q=0)) is NotTaken.DISABLED
    assert isinstance(world.take(state, first("new_pull_takes_marker", q=0)), tuple)


def test_reset_while_down_waits_until_the_group_is_stopped() -> None:
    world = world_of("stopped-reset", release=R_5_3_3, assumptions=("reset-while-down",))
    assert world.take(world.first(), MARKED) is NotTaken.DISABLED
    state = taken(world, world.first(), first("client_stops"), MARKED)
    assert world.take(state, first("client_starts")) is NotTaken.DISABLED
    state = taken(
        world, state, WRITES, step("administrator_resets_broker", b=1, x=0), step("broker_writes_target", b=1)
    )
    assert isinstance(world.take(state, first("client_starts")), tuple)


def test_tool_of_5x_marks_the_one_queue_that_it_asks_for() -> None:
    world = world_of("one-queue-5x", release=R_5_3_3)
    asks = (step("administrator_writes_queue", q=1, x=0), step("administrator_asks_for_one_queue", b=0))
    state = taken(world, world.first(), *consumed(0), *consumed(1), *asks, WRITES)
    assert shown(world, state, *MARKERS, *ROWS) == (None, 0, 1, 0)


def test_broker_that_is_restarted_has_no_marker() -> None:
    world = world_of("two-brokers", release=R_5_3_3, restarts=1)
    state = taken(world, world.first(), MARKED, WRITES, step("broker_restarts", b=0))
    assert shown(world, state, *MARKERS) == (None, None)

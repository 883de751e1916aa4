"""Several queues in 5.x: how queues are given up, and what one callback thread is in the way of."""

from __future__ import annotations

import pytest
from systems.queue_worlds import first, shown, step, taken, world_of

from offsetproof.lang import OffsetSet, Release
from offsetproof.lang.reference import NotTaken
from offsetproof.model.queues.vocabulary import TopicRebalanceStep
from offsetproof.model.releases import R_4_9_8, R_5_3_3_CLIENT_RESET

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

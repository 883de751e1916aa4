"""The model of several queues: allocations as plain Python deals them out, and what each step does."""

from __future__ import annotations

from itertools import combinations

import pytest
from systems.queue_worlds import first, shown, step, taken, world_of

from offsetproof.lang import OffsetSet
from offsetproof.lang.reference import NotTaken
from offsetproof.model.queues.broker import Registry
from offsetproof.model.queues.queues import Queues
from offsetproof.model.queues.vocabulary import Poll, broker_of, queues_of
from offsetproof.model.vocabulary import Strategy
from offsetproof.properties.queues.catalogue import QUEUES


def dealt(strategy: Strategy, queues: int, members: list[int]) -> dict[int, set[int]]:
    """What each member gets: cards dealt in turn, or blocks cut from the pack."""
    if strategy is Strategy.BY_CIRCLE:
        return {member: set(range(queues)[place :: len(members)]) for place, member in enumerate(members)}
    pack, blocks = list(range(queues)), {}
    for place, member in enumerate(members):
        left = len(members) - place
        size = -(-len(pack) // left)
        blocks[member], pack = set(pack[:size]), pack[size:]
    return blocks


GROUPS = [list(members) for size in (1, 2, 3) for members in combinations(range(3), size)]


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("queues", [1, 2, 3, 4, 5])
def test_registry_allocates_what_plain_python_deals_out(strategy: Strategy, queues: int) -> None:
    world = world_of("averagely", consumers=3, queues=queues, brokers=1, strategy=strategy)
    registry = world.grown.root.registry[0]
    assert isinstance(registry, Registry)
    for members in GROUPS:
        registry.members = OffsetSet(*members)
        found = {c: set(registry.allocated_to(c)) for c in range(3)}
        expected = dealt(strategy, queues, members)
        assert found == {c: expected.get(c, set()) for c in range(3)}


@pytest.mark.parametrize(
    ("queues", "brokers", "expected"), [(2, 2, [0, 1]), (3, 2, [0, 0, 1]), (2, 1, [0, 0]), (5, 2, [0, 0, 0, 1, 1])]
)
def test_queues_lie_on_the_brokers_in_their_order(queues: int, brokers: int, expected: list[int]) -> None:
    scope = QUEUES.scope("two-brokers").completed(Queues.bounds).with_bounds({"queues": queues, "brokers": brokers})
    assert [broker_of(scope, q) for q in range(queues)] == expected
    assert [queues_of(scope, b) for b in range(brokers)] == [
        [q for q, broker in enumerate(expected) if broker == b] for b in range(brokers)
    ]


CONSUMED = (first("task_passes_check", q=0), first("task_updates_cell", q=0))
SENT = (first("client_persists_queue", q=0), first("broker_executes_commit", q=0))


def test_message_is_consumed_then_written_then_committed() -> None:
    world = world_of("two-brokers")
    paths = ("client[0].share[0].position", "client[0].share[0].cell", "queue[0].committed", "queue[1].committed")
    state, seen = world.first(), []
    for label in (*CONSUMED, *SENT):
        state = taken(world, state, label)
        seen.append(shown(world, state, *paths))
    assert seen == [(1, 0, 0, 0), (1, 1, 0, 0), (1, 1, 0, 0), (1, 1, 1, 0)]


TOLD = step("administrator_resets_broker", b=0, x=0)
FIRST_LOOP = (
    first("reset_suspends", k=0), first("reset_drops_next_queue"), first("reset_falls_asleep"),
)  # fmt: skip
SECOND_LOOP = (first("reset_wakes"), first("reset_updates_next_cell"), first("reset_persists"))
REMOVED = (first("reset_removes_queue"), first("reset_resumes"))
ADDED = (
    first("broker_executes_commit", q=0), first("client_reads_members", r=0, b=0),
    first("rebalance_asks_for_offset", r=0), first("rebalance_stores_start", r=0), first("rebalance_adds_queue", r=0),
    first("reset_returns"),
)  # fmt: skip


def test_reset_of_one_broker_touches_its_own_queue_and_pauses_both() -> None:
    world = world_of("two-brokers")
    table, dropped, paused = "client[0].process_queue_table", "client[0].dropped", "client[0].paused"
    state = taken(world, world.first(), *CONSUMED, *SENT, TOLD, *FIRST_LOOP)
    assert shown(world, state, table, dropped, paused) == (OffsetSet(0, 1), OffsetSet(0), True)
    other = taken(world, state, first("task_passes_check", q=1), first("task_updates_cell", q=1))
    assert shown(world, other, "client[0].share[1].cell") == (1,)
    assert world.take(state, first("task_passes_check", q=0)) is NotTaken.DISABLED
    state = taken(world, state, *SECOND_LOOP)
    assert shown(world, state, "client[0].share[0].cell", "client[0].share[0].commits[0].offset") == (0, 0)
    state = taken(world, state, *REMOVED)
    assert shown(world, state, table, dropped, paused) == (OffsetSet(1), OffsetSet(), False)
    state = taken(world, state, *ADDED)
    landed = shown(world, state, table, "queue[0].committed", "queue[0].ghost_landed", "client[0].share[0].position")
    assert landed == (OffsetSet(0, 1), 0, 1, 0)


def test_next_command_waits_until_the_rebalance_of_resume_is_over() -> None:
    world = world_of("two-brokers")
    both = (TOLD, step("administrator_resets_broker", b=1, x=0))
    state = taken(world, world.first(), *both, *FIRST_LOOP, *SECOND_LOOP, *REMOVED)
    assert world.take(state, first("reset_suspends", k=1)) is NotTaken.DISABLED
    assert world.take(state, first("reset_returns")) is NotTaken.DISABLED
    state = taken(world, state, *ADDED, first("reset_suspends", k=1))
    assert shown(world, state, "client[0].paused", "client[0].ghost_pauses") == (True, 1)


def test_commands_that_wait_are_taken_in_any_order_unless_the_newer_one_replaces_the_older() -> None:
    twice = (TOLD, step("administrator_resets_broker", b=0, x=1))
    world = world_of("twice")
    state = taken(world, world.first(), *twice)
    takes = {k: world.take(state, first("reset_suspends", k=k)) for k in range(2)}
    assert all(isinstance(after, tuple) for after in takes.values())
    replaced = world_of("twice", ("newer-command-replaces",))
    state = taken(replaced, replaced.first(), *twice)
    assert replaced.take(state, first("reset_suspends", k=0)) is NotTaken.DISABLED


def test_tool_ends_at_the_first_broker_that_fails() -> None:
    world = world_of("half-way")
    state = taken(world, world.first(), TOLD, step("administrator_fails_at_broker", b=1))
    commands = [f"client[0].command[{k}].target" for k in range(4)]
    assert shown(world, state, "next_broker", *commands) == (0, 0, None, None, None)
    state = taken(world, state, step("administrator_resets_broker", b=0, x=1))
    assert shown(world, state, "resets_begun", *commands) == (2, 0, None, 1, None)


def test_round_of_persist_removes_the_cell_of_a_queue_that_came_after_its_set() -> None:
    world = world_of("persist-moving")
    gains = (step("membership_changes", m=1, b=0), first("client_reads_members", r=0, b=0))
    adds = (
        first("rebalance_asks_for_offset", r=0), first("rebalance_stores_start", r=0),
        first("rebalance_adds_queue", r=0),
    )  # fmt: skip
    looks = (first("client_persists_next_cell"), first("client_persists_next_cell"))
    state = taken(world, world.first(), first("client_takes_queues"), *gains, *adds, *looks)
    cells = ("client[0].share[0].cell", "client[0].share[1].cell")
    assert shown(world, state, *cells, "client[0].persist.unused") == (0, 0, OffsetSet(1))
    state = taken(world, state, first("client_removes_unused_cells"))
    assert shown(world, state, *cells, "client[0].process_queue_table") == (0, None, OffsetSet(0, 1))


def test_run_of_rebalance_keeps_its_allocation_whatever_the_broker_hears_meanwhile() -> None:
    world = world_of("averagely")
    drop = (
        first("rebalance_drops_queue", r=0),
        first("rebalance_persists", r=0),
        first("rebalance_removes_queue", r=0),
    )
    state = taken(world, world.first(), step("membership_changes", m=1, b=0), first("client_reads_members", r=0, b=0))
    assert shown(world, state, "client[0].rebalance[0].allocated", "client[0].rebalance[0].queue") == (
        OffsetSet(0, 1, 2),
        2,
    )
    state = taken(world, state, step("membership_changes", m=1, b=0))
    assert world.take(state, first("client_reads_members", r=0, b=0)) is NotTaken.DISABLED
    adds = (first("rebalance_asks_for_offset", r=0), first("rebalance_stores_start", r=0))
    state = taken(world, state, *adds, first("rebalance_adds_queue", r=0))
    assert shown(world, state, "client[0].process_queue_table") == (OffsetSet(0, 1, 2),)
    state = taken(world, state, first("client_reads_members", r=0, b=0), *drop)
    assert shown(world, state, "client[0].process_queue_table") == (OffsetSet(0, 1),)


def test_run_of_rebalance_that_drops_a_queue_adds_nothing_that_is_allocated_meanwhile() -> None:
    world = world_of("averagely")
    goes_and_comes = step("membership_changes", m=1, b=0)
    reads = step("client_reads_members", c=1, r=0, b=0)
    state = taken(world, world.first(), goes_and_comes, reads, goes_and_comes)
    state = taken(world, state, step("rebalance_drops_queue", c=1, r=0), step("rebalance_persists", c=1, r=0))
    state = taken(world, state, step("rebalance_removes_queue", c=1, r=0))
    assert shown(world, state, "client[1].process_queue_table") == (OffsetSet(),)
    assert world.take(state, step("rebalance_asks_for_offset", c=1, r=0)) is NotTaken.DISABLED
    assert isinstance(world.take(state, reads), tuple)


def test_loop_of_a_reset_misses_a_queue_that_comes_into_the_table_behind_its_iterator() -> None:
    world = world_of("moving-reset", queues=3)
    paths = ("client[0].process_queue_table", "client[0].dropped", "client[0].reset_run.next")
    begun = (step("membership_changes", m=1, b=0), first("client_reads_members", r=0, b=0))
    asked = (first("rebalance_asks_for_offset", r=0), first("rebalance_stores_start", r=0))
    told = (step("administrator_resets_broker", b=0, x=0), first("reset_suspends", k=0))
    drops, adds = first("reset_drops_next_queue"), first("rebalance_adds_queue", r=0)
    state = taken(world, world.first(), *begun, *asked, *told)
    behind = taken(world, state, drops, drops, adds)
    assert shown(world, behind, *paths) == (OffsetSet(0, 1, 2), OffsetSet(0, 1), 3)
    at_its_end = taken(world, state, drops, adds)
    assert shown(world, at_its_end, *paths) == (OffsetSet(0, 1, 2), OffsetSet(0), 1)
    assert world.take(taken(world, at_its_end, drops), drops) is NotTaken.DISABLED
    before = taken(world, state, adds, drops, drops, drops)
    assert shown(world, before, *paths) == (OffsetSet(0, 1, 2), OffsetSet(0, 1, 2), 3)


def test_poll_of_a_dropped_queue_still_raises_the_cell_without_the_fix() -> None:
    for fixes, cell in (((), 1), (("poll-checks-dropped",), 0)):
        world = world_of("held-polls", fixes)
        held = (*CONSUMED, first("broker_holds_poll", q=0), *SENT, TOLD, *FIRST_LOOP, *SECOND_LOOP[:2])
        state = taken(world, world.first(), *held, first("poll_ends", q=0))
        assert shown(world, state, "client[0].share[0].cell") == (cell,)


def test_poll_outlives_one_sleep_and_no_second_one() -> None:
    world = world_of("held-polls")
    both = (TOLD, step("administrator_resets_broker", b=1, x=0))
    state = taken(world, world.first(), *CONSUMED, first("broker_holds_poll", q=0), *both, *FIRST_LOOP, *SECOND_LOOP)
    assert shown(world, state, "client[0].share[0].slept") == (True,)
    state = taken(world, state, *REMOVED, *ADDED, first("reset_suspends", k=1), *FIRST_LOOP[1:])
    assert world.take(state, first("reset_wakes")) is NotTaken.DISABLED
    assert isinstance(world.take(taken(world, state, first("poll_ends", q=0)), first("reset_wakes")), tuple)


def test_with_one_thread_a_callback_waits_for_the_reset_and_may_outlive_both_sleeps() -> None:
    world = world_of("one-cpu")
    both = (TOLD, step("administrator_resets_broker", b=1, x=0))
    state = taken(world, world.first(), *CONSUMED, first("broker_holds_poll", q=0), *both, *FIRST_LOOP, *SECOND_LOOP)
    assert world.take(state, first("poll_ends", q=0)) is NotTaken.DISABLED
    state = taken(world, state, *REMOVED, *ADDED)
    assert isinstance(world.take(state, first("poll_ends", q=0)), tuple)
    state = taken(world, state, first("reset_suspends", k=1), *FIRST_LOOP[1:], first("reset_wakes"))
    assert shown(world, state, "client[0].share[0].poll", "client[0].share[0].slept") == (Poll.LEFT, False)


def test_with_one_thread_commands_of_a_broker_are_taken_in_their_order() -> None:
    world = world_of("twice-one-cpu")
    twice = (TOLD, step("administrator_resets_broker", b=0, x=1))
    state = taken(world, world.first(), *twice)
    assert world.take(state, first("reset_suspends", k=1)) is NotTaken.DISABLED
    assert isinstance(world.take(state, first("reset_suspends", k=0)), tuple)


def test_without_messages_only_a_reset_is_sent() -> None:
    world = world_of("moving-reset")
    state = taken(world, world.first(), step("administrator_resets_broker", b=0, x=0), *FIRST_LOOP, *SECOND_LOOP)
    assert shown(world, state, "client[0].share[0].commits.count", "client[0].share[0].commits[0].ghost_reset") == (
        1,
        1,
    )
    assert world.take(world.first(), first("client_persists_queue", q=0)) is NotTaken.DISABLED


WRITTEN = step("administrator_writes_queue", q=0, x=0)


def test_next_persist_overwrites_what_was_written_for_one_queue() -> None:
    world = world_of("one-queue")
    paths = ("queue[0].committed", "queue[1].committed", "client[0].share[0].cell")
    state = taken(world, world.first(), *CONSUMED, *SENT, WRITTEN)
    assert shown(world, state, *paths) == (0, 0, 1)
    assert shown(world, taken(world, state, *SENT), *paths) == (1, 0, 1)


def test_tool_of_5x_resets_all_queues_of_the_broker_to_their_first_message() -> None:
    world = world_of("one-queue-5x", fixes=("one-queue-reset",))
    asks = step("administrator_asks_for_one_queue", b=0)
    told = "client[0].command[0].target"
    state = taken(world, world.first(), step("administrator_writes_queue", q=0, x=1))
    assert shown(world, state, "queue[0].committed", "asks_broker", told) == (1, 1, None)
    state = taken(world, state, asks)
    assert shown(world, state, "asks_broker", told) == (0, 0)
    state = taken(world, state, first("reset_suspends", k=0), *[first("reset_drops_next_queue")] * 2)
    assert shown(world, state, "client[0].dropped") == (OffsetSet(0, 1),)
    assert world.take(world.first(), TOLD) is NotTaken.DISABLED


def test_tool_of_4_9_writes_the_offset_of_one_queue_and_asks_for_nothing() -> None:
    world = world_of("one-queue-5x")
    state = taken(world, world.first(), step("administrator_writes_queue", q=0, x=1))
    assert shown(world, state, "queue[0].committed", "asks_broker", "resets_begun") == (1, 0, 0)
    assert world.take(state, step("administrator_asks_for_one_queue", b=0)) is NotTaken.DISABLED


def test_client_that_is_stopped_gets_no_command_and_starts_with_an_empty_table() -> None:
    world = world_of("one-queue-5x", fixes=("one-queue-reset",))
    state = taken(world, world.first(), *CONSUMED)
    assert world.take(state, first("client_stops")) is NotTaken.DISABLED
    state = taken(world, state, SENT[0], first("client_stops"))
    paths = ("client[0].process_queue_table", "client[0].share[0].cell", "client[0].share[0].commits[0].offset")
    assert shown(world, state, *paths) == (OffsetSet(), None, 1)
    assert world.take(state, first("client_reads_members", r=0, b=0)) is NotTaken.DISABLED
    state = taken(world, state, WRITTEN, step("administrator_asks_for_one_queue", b=0))
    assert shown(world, state, "client[0].command[0].target") == (None,)
    state = taken(world, state, first("client_starts"), first("client_reads_members", r=0, b=0))
    assert shown(world, state, "client[0].rebalance[0].allocated") == (OffsetSet(0, 1),)


def test_group_is_stopped_only_when_what_it_sent_has_arrived() -> None:
    world = world_of("one-queue", assumptions=("group-stopped",))
    state = taken(world, world.first(), *CONSUMED)
    assert world.take(state, WRITTEN) is NotTaken.DISABLED
    state = taken(world, state, SENT[0], first("client_stops"))
    assert world.take(state, WRITTEN) is NotTaken.DISABLED
    assert isinstance(world.take(taken(world, state, SENT[1]), WRITTEN), tuple)


def test_client_that_unsubscribes_stays_a_member_and_truncates_its_table() -> None:
    world = world_of("unsubscribed")
    left = (first("application_unsubscribes"), first("rebalance_truncates_table", r=0))
    state = taken(world, world.first(), *left)
    paths = ("client[0].process_queue_table", "client[0].share[0].cell", "registry[0].members")
    assert shown(world, state, *paths) == (OffsetSet(), 0, OffsetSet(0, 1))
    assert world.take(state, step("client_reads_members", c=1, r=0, b=0)) is NotTaken.DISABLED
    assert world.take(state, step("client_is_unregistered", c=0, b=0)) is NotTaken.DISABLED


def test_client_that_leaves_the_group_as_well_has_its_queues_taken_over() -> None:
    world = world_of("unsubscribed", assumptions=("leaves-group",))
    left = (first("application_unsubscribes"), step("client_is_unregistered", c=0, b=0))
    state = taken(world, world.first(), *left, step("client_reads_members", c=1, r=0, b=0))
    assert shown(world, state, "client[1].rebalance[0].allocated") == (OffsetSet(0, 1),)


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize(("assumptions", "shares"), [((), [{0}, {0}, {2}]), (("own-client-ids",), [{0}, {1}, {2}])])
def test_two_processes_of_one_id_take_the_share_of_the_first(
    assumptions: tuple[str, ...], shares: list[set[int]], strategy: Strategy
) -> None:
    world = world_of("one-id", assumptions=assumptions, consumers=3, queues=3, strategy=strategy)
    registry = world.grown.root.registry[0]
    assert isinstance(registry, Registry)
    registry.members = OffsetSet(0, 1, 2)
    assert [set(registry.allocated_to(c)) for c in range(3)] == shares


def test_restarted_broker_knows_whom_it_has_heard_of_since() -> None:
    world = world_of("broker-restarts")
    state = taken(world, world.first(), step("broker_restarts", b=0))
    assert shown(world, state, "registry[0].members", "registry[0].unheard") == (OffsetSet(), OffsetSet(0, 1))
    assert world.take(state, first("client_reads_members", r=0, b=0)) is NotTaken.DISABLED
    state = taken(world, state, step("member_is_heard", m=0, b=0))
    assert shown(world, state, "registry[0].members", "registry[0].unheard") == (OffsetSet(0), OffsetSet(1))
    state = taken(world, state, first("client_reads_members", r=0, b=0))
    assert shown(world, state, "client[0].rebalance[0].allocated") == (OffsetSet(0, 1),)

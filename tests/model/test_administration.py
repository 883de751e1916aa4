"""Resets without force, groups that are deleted, listeners that never return: what each step leaves."""

from __future__ import annotations

import pytest
from systems.stepped import QUEUE, World

from offsetproof.checking.request import Request, questions_of
from offsetproof.ir.system import State
from offsetproof.lang import Assumption, Behaviour, OffsetSet, Subject
from offsetproof.lang.scope import UnknownNameError
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.releases import (
    CLUSTER_MEANS_CPLUS,
    END_WHEN_LATER,
    ERROR_COUNTS_AS_SUCCESS,
    NOW_IS_A_TIME,
    NUMERIC_TIME_WORKS,
)
from offsetproof.model.variants import (
    CORRECT,
    GROUP_DELETED_WHILE_DOWN,
    HANG,
    HANGING_RESTARTED,
    LAST_REQUESTS_ARRIVED,
    OFFSETS_REMOVED,
    RESET_BY_OLD_COMMAND,
    RESET_CONCURRENTLY,
    RESET_TO_NOW,
    RESET_WITH_CLUSTER,
    SWEEP_COMES,
)
from offsetproof.model.vocabulary import Direction, PullRequestAt, ResetLoop, TaskStep
from offsetproof.properties.broadcasting.catalogue import BROADCASTING
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.properties.orderly.catalogue import ORDERLY

FIRST = {"c": 0, "pq_id": 0}
DELETIONS = ("administrator_deletes_group", "administrator_deletes_group_with_offsets")


def world_of(bounds: dict[str, int], **more: object) -> World:
    return World(bounds=bounds, listener=CORRECT, model=RocketMQ, **more)  # type: ignore[arg-type]  # of World


def consumed(world: World, **more: object) -> State:
    """Two of three messages are done and committed, and a poll is held at the third."""
    values = {
        "broker.max_offset": 3, "broker.committed": 2, "broker.flushed": 1, "consumer[0].process_queue_table": 0,
        "consumer[0].process_queues_made": 1, "consumer[0].cell": 2, f"{QUEUE}.next_offset": 2,
        f"{QUEUE}.pull_request": PullRequestAt.HELD,
        "ghost_done": OffsetSet.below(2), "ghost_delivered": OffsetSet.below(2), "ghost_owed_from": 0,
    }  # fmt: skip
    return world.changed(world.reference.first(), {**values, **more})


@pytest.mark.parametrize(
    ("unforced", "x", "sent", "skipped", "direction"),
    [
        (0, 3, 3, 3, Direction.FORWARD),
        (1, 3, 2, 2, Direction.FORWARD),
        (1, 2, 2, 2, Direction.NONE),
        (0, 1, 1, 1, Direction.BACKWARD),
        (1, 1, 1, 1, Direction.BACKWARD),
    ],
)
def test_without_force_the_command_is_sent_with_the_stored_offset_at_most(
    unforced: int, x: int, sent: int, skipped: int, direction: Direction
) -> None:
    world = world_of({"resets": 1, "unforced": unforced})
    told = world.show(world.take(consumed(world), "administrator_resets", x=x))
    assert (told["consumer[0].reset_command"], told["ghost_target"]) == (sent, sent)
    assert (told["ghost_skipped"], told["ghost_direction"]) == (OffsetSet.below(skipped), direction)
    assert (told["broker.committed"], told["ghost_answered"]) == (2, True)


def test_reset_by_time_without_force_is_sent_with_the_stored_offset_at_most() -> None:
    world = world_of({"resets": 1, "unforced": 1, "equal_times": 2, "messages": 4})
    state = consumed(world, **{"broker.max_offset": 4})
    told = world.show(world.take(state, "administrator_resets_by_time", w=2, x=3))
    assert (told["consumer[0].reset_command"], told["ghost_target"]) == (2, 2)


@pytest.mark.parametrize(("fixes", "found"), [
    ([], 3), ([END_WHEN_LATER], 3), ([NOW_IS_A_TIME], 2), ([NOW_IS_A_TIME, END_WHEN_LATER], 3),
])  # fmt: skip
def test_reset_to_now_goes_to_the_end_but_where_a_broker_finds_the_last_message_for_a_time(
    fixes: list[Behaviour], found: int
) -> None:
    world = world_of({"resets": 1, "equal_times": 1}, fixes=fixes, assumptions=[RESET_TO_NOW])
    to_now = {
        (w, x)
        for w in range(4)
        for x in range(4)
        if world.can_take(consumed(world), "administrator_resets_by_time", w=w, x=x)
    }
    assert to_now == {(3, found)}
    told = world.show(world.take(consumed(world), "administrator_resets_by_time", w=3, x=found))
    assert (told["consumer[0].reset_command"], told["ghost_target"]) == (found, 3)


@pytest.mark.parametrize(("fixes", "written"), [([], (2, False)), ([NUMERIC_TIME_WORKS], (1, True))])
def test_old_command_ends_well_with_a_number_and_writes_it_where_the_tool_is_of_5x(
    fixes: list[Behaviour], written: tuple[int, bool]
) -> None:
    world = world_of({"resets": 1, "equal_times": 1}, fixes=fixes, assumptions=[RESET_BY_OLD_COMMAND])
    assert not world.can_take(consumed(world), "administrator_resets_by_time", w=1, x=1)
    told = world.show(world.take(consumed(world), "administrator_resets_by_old_command", x=1))
    assert (told["broker.committed"], told["ghost_landed"]) == written
    assert (told["ghost_answered"], told["consumer[0].reset_command"], told["resets_left"]) == (True, None, 0)


@pytest.mark.parametrize(("fixes", "command"), [([], 1), ([CLUSTER_MEANS_CPLUS], None)])
def test_command_for_clients_in_c_plus_plus_is_no_command_of_a_java_client(
    fixes: list[Behaviour], command: int | None
) -> None:
    world = world_of({"resets": 1, "equal_times": 1}, fixes=fixes, assumptions=[RESET_WITH_CLUSTER])
    told = world.show(world.take(consumed(world), "administrator_resets_by_time", w=1, x=1))
    assert (told["consumer[0].reset_command"], told["ghost_answered"]) == (command, True)


@pytest.mark.parametrize(("fixes", "is_counted"), [([], False), ([ERROR_COUNTS_AS_SUCCESS], True)])
def test_refusal_is_counted_as_success_by_a_tool_of_5x_alone(fixes: list[Behaviour], is_counted: bool) -> None:
    world = world_of({"resets": 1, "equal_times": 1}, fixes=fixes, assumptions=[RESET_CONCURRENTLY])
    state = consumed(world)
    assert world.can_take(state, "administrator_counts_refusal", x=1) is is_counted
    if is_counted:
        told = world.show(world.take(state, "administrator_counts_refusal", x=1))
        assert (told["ghost_answered"], told["ghost_landed"], told["broker.committed"]) == (True, False, 2)


@pytest.mark.parametrize(("unforced", "writes"), [(0, [0, 1, 2, 3]), (1, [0, 1, 2])])
def test_tool_writes_nothing_forward_to_a_group_that_is_down_without_force(unforced: int, writes: list[int]) -> None:
    world = world_of({"resets": 1, "unforced": unforced, "offline": 1})
    state = consumed(world, **{"consumer[0].alive": False})
    told = [x for x in range(4) if world.can_take(state, "administrator_is_told_offline", x=x)]
    assert told == writes
    turned = world.take(state, "administrator_is_told_offline", x=1)
    assert world.show(turned)["reset_loop"] is ResetLoop.OFFLINE
    assert world.show(world.take(turned, "administrator_resets_offline"))["broker.committed"] == 1


def test_deleted_group_keeps_its_offsets_unless_they_are_removed_with_it() -> None:
    world = world_of({"group_deletions": 1})
    kept, removed = (world.show(world.take(consumed(world), deletes)) for deletes in DELETIONS)
    assert (kept["broker.committed"], removed["broker.committed"]) == (2, None)
    assert (kept["ghost_owed_from"], removed["ghost_owed_from"]) == (0, None)
    for gone in kept, removed:
        assert (gone["broker.flushed"], gone["consumer[0].cell"], gone[f"{QUEUE}.next_offset"]) == (1, 2, 2)
        assert (gone["ghost_group_deleted"], gone["group_deletions_left"]) == (True, 0)


@pytest.mark.parametrize(("committed", "is_noted"), [(None, False), (0, False), (1, True)])
def test_deletion_is_noted_of_a_group_that_has_come_somewhere(committed: int | None, is_noted: bool) -> None:
    world = world_of({"group_deletions": 1})
    state = consumed(world, **{"broker.committed": committed})
    for deletes in DELETIONS:
        assert world.show(world.take(state, deletes))["ghost_group_deleted"] is is_noted


def test_first_answered_query_after_a_deletion_is_that_of_the_new_group() -> None:
    world = world_of({"group_deletions": 1})
    down = {"consumer[0].process_queue_table": None, "consumer[0].cell": None}
    deleted = world.take(consumed(world, **down), DELETIONS[0])
    asked = world.take(deleted, "rebalance_removes_dirty_offset", c=0, r=0)
    answered = world.show(world.take(asked, "broker_answers_query", c=0, r=0))
    assert answered["ghost_group_deleted"] is False


def test_assumptions_about_deleted_groups_take_away_what_they_exclude() -> None:
    world = world_of({"group_deletions": 1, "neighbours": 1}, assumptions=[OFFSETS_REMOVED, GROUP_DELETED_WHILE_DOWN])
    down = consumed(world, **{"consumer[0].alive": False})
    assert [deletes for deletes in DELETIONS if world.can_take(down, deletes)] == [DELETIONS[1]]
    for pending in ({"consumer[0].alive": True}, {"consumer[0].commits.count": 1}, {"broker.row_being_made": 1}):
        assert not world.can_take(world.changed(down, pending), DELETIONS[1])


def listening(world: World, **more: object) -> State:
    """A listener has the first of three cached messages."""
    cached = {f"{QUEUE}.msg_tree_map": OffsetSet.below(3), f"{QUEUE}.task[0].at": TaskStep.LISTENING}
    return consumed(world, **{**cached, "broker.committed": 0, "consumer[0].cell": 0, **more})


def test_listener_that_never_returns_keeps_its_messages_cached() -> None:
    world = world_of({"batch": 2}, faults={HANG: 1})
    state = listening(world, **{f"{QUEUE}.task[0].size": 2})
    hung = world.show(world.take(state, "listener_hangs", **FIRST, m=0))
    assert (hung[f"{QUEUE}.task[0].at"], hung[f"{QUEUE}.task[0].size"]) == (TaskStep.THROWN, 2)
    assert hung[f"{QUEUE}.msg_tree_map"] == OffsetSet.below(3)
    assert (hung["ghost_done"], hung["consumer[0].cell"]) == (OffsetSet.below(2), 0)
    assert not world.can_take(consumed(world), "listener_hangs", **FIRST, m=0)


def test_sweep_takes_the_message_of_a_listener_that_never_returns_only_where_it_is_first() -> None:
    world = world_of({"sweeps": 1}, faults={HANG: 1})
    hung = world.take(listening(world), "listener_hangs", **FIRST, m=0)
    assert world.can_take(hung, "sweep_sends_message_back", **FIRST, m=0)
    behind = world.changed(hung, {f"{QUEUE}.task[0].at": TaskStep.NONE, f"{QUEUE}.task[1].at": TaskStep.THROWN})
    assert not world.can_take(behind, "sweep_sends_message_back", **FIRST, m=1)
    swept = world.take(world.take(hung, "sweep_sends_message_back", **FIRST, m=0), "sweep_removes_message", **FIRST)
    assert world.show(swept)[f"{QUEUE}.msg_tree_map"] == OffsetSet.below(3) - OffsetSet.below(1)
    assert world.show(swept)["consumer[0].cell"] == 0


@pytest.mark.parametrize(
    ("assumptions", "first", "behind"),
    [((), True, True), ((SWEEP_COMES,), False, True), ((HANGING_RESTARTED,), False, False)],
    ids=["nobody cares", "the sweep comes", "restarted"],
)
def test_at_rest_no_listener_hangs_that_is_taken_care_of(
    assumptions: tuple[Assumption, ...], first: bool, behind: bool
) -> None:
    world = world_of({"sweeps": 1}, faults={HANG: 1}, assumptions=assumptions)
    told = {"broker.committed": 0, "consumer[0].cell": 0, f"{QUEUE}.next_offset": 3}
    cached = {f"{QUEUE}.msg_tree_map": OffsetSet.below(2), "ghost_done": OffsetSet.below(3) - OffsetSet.below(2)}
    at_rest = [
        not world.reference.judge(ROCKETMQ.find("I32-hang"), consumed(world, **told, **cached, **hung))
        for hung in ({f"{QUEUE}.task[0].at": TaskStep.THROWN}, {f"{QUEUE}.task[1].at": TaskStep.THROWN})
    ]
    assert at_rest == [first, behind]


def test_killed_consumer_is_started_once_what_it_sent_has_arrived() -> None:
    for assumptions, starts in (((), True), ((LAST_REQUESTS_ARRIVED,), False)):
        world = world_of({}, assumptions=assumptions)
        down = consumed(world, **{"consumer[0].alive": False})
        assert world.can_take(down, "consumer_starts", c=0)
        on_its_way = world.changed(down, {"consumer[0].commits.count": 1})
        assert world.can_take(on_its_way, "consumer_starts", c=0) is starts


@pytest.mark.parametrize("subject", [ORDERLY, BROADCASTING], ids=["orderly", "broadcasting"])
def test_groups_are_deleted_and_listeners_hang_in_the_concurrent_model_alone(subject: Subject) -> None:
    assert {*subject.model.actions}.isdisjoint({*DELETIONS, "listener_hangs"})
    with pytest.raises(UnknownNameError, match="bound group_deletions is always 0 here"):
        questions_of(Request(subject, (subject.properties[0].id,), bounds={"group_deletions": 1}))

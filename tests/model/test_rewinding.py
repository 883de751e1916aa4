"""The queue's end falls: what is gone with it, what stays with the group, and what a message at its offset is then."""

from __future__ import annotations

import pytest
from systems.stepped import QUEUE, World

from offsetproof.ir.system import State
from offsetproof.lang import OffsetSet
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.releases import ROW_DELETED_WITH_TOPIC
from offsetproof.model.variants import (
    BROKER_LOSES_TAIL,
    CORRECT,
    DELETED_WHILE_DOWN,
    FLUSHED_FIRST,
)
from offsetproof.model.vocabulary import PullRequestAt, RepairStep, TaskStep

FIRST = {"c": 0, "pq_id": 0}


def topics(**more: object) -> World:
    """A world in which a topic is deleted once."""
    return World(bounds={"deletions": 1, "resets": 1}, listener=CORRECT, model=RocketMQ, **more)  # type: ignore[arg-type]  # of World


def crashes(**more: object) -> World:
    """A world in which a broker's machine goes down once, with two messages at most."""
    faults = {BROKER_LOSES_TAIL: 1}
    return World(bounds={"tails": 2}, faults=faults, listener=CORRECT, model=RocketMQ, **more)  # type: ignore[arg-type]  # of World


def consumed(world: World, **more: object) -> State:
    """Three messages are done and committed, and a poll is held at the end."""
    everything = OffsetSet.below(3)
    values = {
        "broker.max_offset": 3, "broker.committed": 3, "broker.flushed": 2, "consumer[0].process_queue_table": 0,
        "consumer[0].process_queues_made": 1, "consumer[0].cell": 3, f"{QUEUE}.next_offset": 3,
        f"{QUEUE}.pull_request": PullRequestAt.HELD,
        "ghost_done": everything, "ghost_delivered": everything, "ghost_skipped": OffsetSet.below(1),
        "ghost_owed_from": 1,
    }  # fmt: skip
    return world.changed(world.reference.first(), {**values, **more})


def recreated(world: World, state: State) -> State:
    return world.take(world.take(state, "administrator_deletes_topic"), "administrator_creates_topic")


def test_deleted_topic_begins_at_0_and_the_row_stays() -> None:
    world = topics()
    state = consumed(world, **{"broker.min_offset": 1})
    gone = world.show(world.take(state, "administrator_deletes_topic"))
    assert (gone["broker.min_offset"], gone["broker.max_offset"], gone["broker.gone"]) == (0, 0, True)
    assert (gone["broker.committed"], gone["consumer[0].cell"], gone[f"{QUEUE}.next_offset"]) == (3, 3, 3)
    assert gone["ghost_owed_from"] == 0
    again = recreated(world, state)
    assert not world.show(again)["broker.gone"]
    assert not world.can_take(again, "administrator_deletes_topic")


def test_row_goes_with_the_topic_since_5_0_0_and_a_cell_does_not() -> None:
    world = topics(fixes=[ROW_DELETED_WITH_TOPIC])
    gone = world.show(world.take(consumed(world), "administrator_deletes_topic"))
    assert gone["broker.committed"] is None
    assert gone["consumer[0].cell"] == 3


def test_without_a_topic_nothing_is_stored_and_pulls_try_again() -> None:
    world = topics()
    gone = world.take(consumed(world), "administrator_deletes_topic")
    assert not world.can_take(gone, "producer_sends")
    assert not world.can_take(gone, "poll_is_illegal", **FIRST)
    assert not world.can_take(gone, "administrator_resets", x=0)
    told = world.show(world.take(gone, "poll_meets_no_topic", **FIRST))
    assert (told[f"{QUEUE}.pull_request"], told[f"{QUEUE}.next_offset"]) == (PullRequestAt.RUN_QUEUE, 3)
    assert not world.can_take(consumed(world), "poll_meets_no_topic", **FIRST)


def test_new_topic_can_be_reset_and_one_that_was_reset_is_not_deleted() -> None:
    world = topics()
    again = recreated(world, consumed(world))
    assert world.can_take(again, "administrator_resets", x=0)
    reset = world.take(consumed(world), "administrator_resets", x=0)
    assert not world.can_take(reset, "administrator_deletes_topic")


@pytest.mark.parametrize(("stored", "corrected"), [(0, 0), (1, 1), (2, 2)])
def test_offset_beyond_the_end_is_illegal_and_becomes_the_end(stored: int, corrected: int) -> None:
    world = topics()
    state = recreated(world, consumed(world))
    for _ in range(stored):
        state = world.take(state, "producer_sends")
    assert not world.can_take(state, "poll_ends_without_news", **FIRST)
    illegal = world.show(world.take(state, "poll_is_illegal", **FIRST))
    assert (illegal[f"{QUEUE}.next_offset"], illegal[f"{QUEUE}.repair"]) == (corrected, RepairStep.WAITING)


def test_offset_at_the_end_is_not_illegal_whatever_came_before_it() -> None:
    world = topics()
    state = recreated(world, consumed(world))
    for _ in range(3):
        state = world.take(state, "producer_sends")
    assert not world.can_take(state, "poll_is_illegal", **FIRST)
    assert world.can_take(state, "poll_ends_without_news", **FIRST)


def test_next_message_at_an_offset_is_owed_anew() -> None:
    world = topics()
    again = recreated(world, consumed(world))
    assert world.show(again)["ghost_done"] == OffsetSet.below(3)
    stored = world.show(world.take(again, "producer_sends"))
    others = OffsetSet.below(3) - OffsetSet.below(1)
    assert stored["ghost_done"] == stored["ghost_delivered"] == others
    assert stored["ghost_skipped"] == OffsetSet()


@pytest.mark.parametrize(("former", "done"), [(OffsetSet(), 1), (OffsetSet.below(1), 0)])
def test_task_of_a_former_message_does_not_do_the_one_that_is_there_now(former: OffsetSet, done: int) -> None:
    world = topics()
    task = f"{QUEUE}.task[0]"
    listening = {f"{QUEUE}.ghost_unfinished": OffsetSet.below(1), f"{QUEUE}.ghost_former": former}
    state = world.changed(world.reference.first(), {**listening, f"{task}.at": TaskStep.LISTENING})
    finished = world.show(world.take(state, "listener_finishes", **FIRST, m=0))
    assert finished["ghost_done"].count() == done
    assert finished[f"{QUEUE}.ghost_unfinished"] == OffsetSet()
    assert finished[f"{task}.at"] is TaskStep.CONSUMED


def test_message_that_a_process_queue_holds_becomes_a_former_one() -> None:
    world = topics()
    state = recreated(world, consumed(world, **{f"{QUEUE}.ghost_unfinished": OffsetSet.below(2)}))
    stored = world.show(world.take(state, "producer_sends"))
    assert stored[f"{QUEUE}.ghost_former"] == OffsetSet.below(1)


@pytest.mark.parametrize("running", [{}, {"consumer[0].alive": False}])
def test_group_that_is_down_has_said_all(running: dict[str, object]) -> None:
    world = topics(assumptions=[DELETED_WHILE_DOWN])
    state = consumed(world, **running)
    assert world.can_take(state, "administrator_deletes_topic") == bool(running)
    on_its_way = world.changed(state, {"consumer[0].commits.count": 1})
    assert not world.can_take(on_its_way, "administrator_deletes_topic")
    client_gone = world.changed(state, {f"{QUEUE}.pull_request": PullRequestAt.CLIENT_GONE})
    assert not world.can_take(client_gone, "administrator_deletes_topic")


def test_machine_that_goes_down_loses_its_last_messages_and_what_the_file_does_not_have() -> None:
    world = crashes()
    state = consumed(world)
    assert [x for x in range(3) if world.can_take(state, "broker_loses_tail", x=x)] == [1, 2]
    lost = world.show(world.take(state, "broker_loses_tail", x=2))
    assert (lost["broker.max_offset"], lost["broker.committed"], lost["consumer[0].cell"]) == (2, 2, 3)
    assert (lost["ghost_owed_from"], lost["ghost_end_fell"]) == (1, True)
    assert lost["ghost_done"] == OffsetSet.below(3)
    late = world.changed(state, {"ghost_owed_from": 3})
    assert world.show(world.take(late, "broker_loses_tail", x=2))["ghost_owed_from"] == 2


@pytest.mark.parametrize(
    "told",
    ["broker.committed", "broker.flushed", "consumer[0].cell", f"{QUEUE}.next_offset", f"{QUEUE}.piggyback",
     "consumer[0].rebalance[0].start", "consumer[0].info.start"],
)  # fmt: skip
def test_offset_that_somebody_was_told_is_on_the_disk(told: str) -> None:
    world = crashes(assumptions=[FLUSHED_FIRST])
    state = world.changed(world.reference.first(), {"broker.max_offset": 3})
    assert world.can_take(state, "broker_loses_tail", x=2)
    assert world.can_take(world.changed(state, {told: 2}), "broker_loses_tail", x=2)
    assert not world.can_take(world.changed(state, {told: 3}), "broker_loses_tail", x=2)


def test_repair_that_waited_before_a_reset_slept_has_begun_when_it_wakes() -> None:
    world = topics()
    waiting = {
        f"{QUEUE}.repair": RepairStep.WAITING,
        f"{QUEUE}.pull_request": PullRequestAt.NONE,
        "consumer[0].reset_command": 0,
    }
    state = consumed(world, **waiting)
    for step in ("reset_suspends", "reset_drops_queue", "reset_clears_queue"):
        state = world.take(state, step, c=0)
    assert not world.can_take(state, "reset_wakes", c=0)
    assert world.can_take(world.take(state, "repair_updates_cell", **FIRST), "reset_wakes", c=0)
    met_since = world.changed(state, {f"{QUEUE}.repair_is_older": False})
    assert world.can_take(met_since, "reset_wakes", c=0)

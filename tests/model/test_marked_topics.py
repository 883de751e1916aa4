"""The marker of a reset at the broker, and what an administrator does to the topic, the group and the row meanwhile."""

from __future__ import annotations

import pytest
from systems.stepped import World

from offsetproof.ir.system import State
from offsetproof.lang import Behaviour
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.releases import MARKER_DELETED_WITH_TOPIC, ROW_DELETED_WITH_TOPIC, SERVER_SIDE_RESET
from offsetproof.model.variants import CORRECT
from offsetproof.model.vocabulary import Direction

AT_BROKER = (SERVER_SIDE_RESET, ROW_DELETED_WITH_TOPIC)


def world_of(*more: Behaviour, **bounds: int) -> World:
    return World(bounds={"resets": 1, **bounds}, listener=CORRECT, model=RocketMQ, fixes=(*AT_BROKER, *more))


def marked(world: World, **more: object) -> State:
    """Two messages are stored and done, and a reset to the second one is answered; its marker is there."""
    first = world.changed(world.reference.first(), {"broker.max_offset": 2, "broker.committed": 2, **more})
    return world.take(world.take(first, "administrator_resets", x=1), "broker_writes_target")


@pytest.mark.parametrize(("more", "marker"), [((), 1), ((MARKER_DELETED_WITH_TOPIC,), None)])
def test_marker_outlives_its_topic_where_the_deletion_does_not_remove_it(
    more: tuple[Behaviour, ...], marker: int | None
) -> None:
    world = world_of(*more, deletions=1)
    gone = world.take(marked(world), "administrator_deletes_topic")
    after = world.show(world.take(gone, "administrator_creates_topic"))
    assert (after["broker.committed"], after["broker.marker"]) == (None, marker)


def test_marker_goes_with_a_row_that_has_another_queue_alone() -> None:
    world = world_of(MARKER_DELETED_WITH_TOPIC, deletions=1, neighbours=1)
    state = marked(world, **{"broker.neighbour_committed": True})
    state = world.changed(state, {"broker.committed": None})
    after = world.show(world.take(state, "administrator_deletes_topic"))
    assert (after["broker.marker"], after["broker.neighbour_committed"]) == (None, False)


def test_nothing_is_asked_of_a_reset_whose_topic_is_gone() -> None:
    world = world_of(deletions=1)
    state = marked(world)
    assert world.show(state)["ghost_direction"] is Direction.BACKWARD
    after = world.show(world.take(state, "administrator_deletes_topic"))
    assert (after["ghost_landed"], after["ghost_answered"]) == (False, False)
    assert after["ghost_direction"] is Direction.NONE


def test_topic_is_not_deleted_between_a_marker_and_its_target_in_the_table() -> None:
    world = world_of(deletions=1)
    first = world.changed(world.reference.first(), {"broker.max_offset": 2, "broker.committed": 2})
    resetting = world.take(first, "administrator_resets", x=1)
    assert not world.can_take(resetting, "administrator_deletes_topic")


def test_group_takes_its_markers_along_where_its_offsets_are_removed() -> None:
    world = world_of(group_deletions=1)
    kept = world.show(world.take(marked(world), "administrator_deletes_group"))
    assert (kept["broker.committed"], kept["broker.marker"]) == (1, 1)
    removed = world.show(world.take(marked(world), "administrator_deletes_group_with_offsets"))
    assert (removed["broker.committed"], removed["broker.marker"]) == (None, None)


def test_administrator_writes_no_offset_while_there_is_a_marker() -> None:
    world = world_of(updates=1)
    state = marked(world)
    assert not world.can_take(state, "administrator_updates_offset", x=2)
    assert world.can_take(world.changed(state, {"broker.marker": None}), "administrator_updates_offset", x=2)

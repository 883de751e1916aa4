"""Broadcasting of 5.3.3: a reset at the broker makes a row, is heard of by one client, and lands in its file."""

from __future__ import annotations

from typing import Any

import pytest
from systems.stepped import World

from offsetproof.ir.system import State
from offsetproof.model.broadcasting.broadcasting import Broadcasting
from offsetproof.model.releases import R_5_3_3
from offsetproof.model.vocabulary import PullRequestAt, RepairStep
from offsetproof.properties.broadcasting.catalogue import BROADCASTING

SETTLED = {"stored": 3, "believes_allocated": True}
PULLS = [{"c": c, "pq_id": 0} for c in range(2)]


def two_clients() -> World:
    """A world of two clients of 5.3.3, and of a group without a row."""
    return World(model=Broadcasting, bounds={"consumers": 2, "resets": 1}, release=R_5_3_3)


def listening(world: World, **more: Any) -> State:
    """Both clients have the queue, and the broker holds their pulls."""
    values: dict[str, Any] = {"broker.max_offset": 3, **more}
    for c in range(2):
        client = f"consumer[{c}]"
        values |= {f"{client}.process_queue_table": 0, f"{client}.process_queues_made": 1, f"{client}.cell": 3}
        values |= {f"{client}.process_queue[0].pull_request": PullRequestAt.HELD}
        values |= {f"{client}.process_queue[0].next_offset": 3}
    return world.changed(world.reference.first(), values)


def test_reset_of_a_group_without_a_row_succeeds_and_makes_one() -> None:
    world = two_clients()
    state = world.take(listening(world), "administrator_resets", x=1)
    assert (world.show(state)["broker.marker"], world.show(state)["broker.committed"]) == (1, None)
    shown = world.show(world.take(state, "broker_writes_target"))
    assert (shown["broker.committed"], shown["ghost_answered"], shown["ghost_landed"]) == (1, True, False)


@pytest.mark.parametrize("first", [0, 1])
def test_first_pull_takes_the_marker_and_the_other_client_hears_of_nothing(first: int) -> None:
    world = two_clients()
    state = world.take(listening(world), "administrator_resets", x=1)
    assert not world.can_take(state, "broker_answers_pull", **PULLS[first])
    state = world.take(state, "poll_takes_marker", **PULLS[first])
    assert not world.can_take(state, "poll_takes_marker", **PULLS[1 - first])
    assert world.can_take(state, "broker_answers_pull", **PULLS[1 - first])
    assert not world.can_take(state, "poll_hears_of_reset", **PULLS[1 - first])
    shown = world.show(world.take(state, "poll_hears_of_reset", **PULLS[first]))
    assert [shown[f"consumer[{c}].process_queue[0].dropped"] for c in (first, 1 - first)] == [True, False]


def test_repair_lands_the_reset_in_the_file_of_the_client_that_heard_of_it() -> None:
    world = two_clients()
    values = {"ghost_target": 1, "consumer[0].process_queue[0].next_offset": 1}
    values |= {"consumer[0].process_queue[0].repair": RepairStep.WAITING}
    heard = {"consumer[0].process_queue[0].ghost_of_reset": True}
    states = [world.changed(listening(world), values), world.changed(listening(world), values | heard)]
    landed = []
    for state in states:
        for step in ("repair_updates_cell", "repair_persists"):
            state = world.take(state, step, **PULLS[0])
        shown = world.show(state)
        landed.append([shown["consumer[0].stored"], *(shown[f"consumer[{c}].ghost_landed"] for c in range(2))])
    assert landed == [[1, False, False], [1, True, False]]


def test_repair_that_is_over_lands_nothing_more() -> None:
    world = two_clients()
    repaired = {"consumer[0].process_queue[0].repair": RepairStep.PERSISTED_AGAIN}
    heard = {"consumer[0].process_queue[0].ghost_of_reset": True}
    state = world.changed(listening(world), repaired | heard)
    shown = world.show(world.take(state, "repair_removes_offset", **PULLS[0]))
    assert not shown["consumer[0].process_queue[0].ghost_of_reset"]


def test_reset_that_one_client_heard_of_breaks_the_claim_once_the_marker_is_gone() -> None:
    world = two_clients()
    values = {f"consumer[{c}].{name}": value for c in range(2) for name, value in SETTLED.items()}
    values |= {"ghost_answered": True, "consumer[0].ghost_landed": True}
    judged = [listening(world, **values), listening(world, **values, **{"broker.marker": 1})]
    claim = BROADCASTING.find("I6-broadcast-each")
    assert [world.reference.judge(claim, state) for state in judged] == [False, True]

"""A poll that ends without news gives an idle queue its cell, its row and the next start (4.9.4:483)."""

from __future__ import annotations

from offsetproof.ir.system import Label, State
from offsetproof.lang import Setting
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.model.files.offset_files import OffsetFiles
from offsetproof.properties.files.catalogue import OFFSET_FILES

STARTS, ADDS = ("client_starts", (("p", 0),)), ("client_adds_queue", (("p", 0), ("q", 0)))
CONSUMES, POLL_ENDS = ("client_consumes", (("p", 0), ("q", 0))), ("client_poll_ends", (("p", 0), ("q", 0)))
STOPS = ("client_begins_shutdown", (("p", 0),)), ("client_encodes_table", (("p", 0), ("t", 1)))
WRITES = ("opens_tmp", "writes_tmp", "reads_main", "deletes_main", "renames_tmp")
SHUTDOWN = (*STOPS, *((f"writer_{step}", (("p", 0), ("t", 1))) for step in WRITES), ("client_exits", (("p", 0),)))


def idle_world(*fixes: str) -> Reference:
    """One queue, two messages, one shutdown."""
    scope = OFFSET_FILES.scope("client-idle").completed(OffsetFiles.bounds)
    chosen = tuple(fix for fix in OffsetFiles.fixes if fix.name in fixes)
    return Reference(
        OffsetFiles, Setting(scope, dict.fromkeys(OffsetFiles.roles, OffsetFiles.releases[0]), fixes=chosen)
    )


def after(world: Reference, *labels: Label) -> State:
    """The state after these steps from the start."""
    state = world.first()
    for label in labels:
        taken = world.take(state, label)
        assert isinstance(taken, tuple), (label, taken)
        state = taken
    return state


def position(world: Reference, state: State) -> object:
    return world.show(state)["process[0].position[0]"]


def test_idle_queue_whose_poll_has_ended_resumes_where_it_was() -> None:
    world = idle_world()
    state = after(world, STARTS, ADDS, POLL_ENDS, *SHUTDOWN, STARTS, ADDS)
    assert world.show(state)["main.table.row[0].offset"] == 0
    assert position(world, state) == 0


def test_idle_queue_that_was_shut_down_before_starts_at_the_max_offset() -> None:
    world = idle_world()
    state = after(world, STARTS, ADDS, *SHUTDOWN, STARTS, ADDS)
    assert world.show(state)["main.table.row[0].offset"] is None
    assert position(world, state) == 2


def test_poll_ends_at_the_end_of_the_queue_alone() -> None:
    world = idle_world()
    assert world.take(after(world, STARTS, ADDS, CONSUMES), POLL_ENDS) is NotTaken.DISABLED
    state = after(world, STARTS, ADDS, CONSUMES, CONSUMES, POLL_ENDS)
    assert world.show(state)["process[0].table.row[0].offset"] == 2
    later = after(world, STARTS, ADDS, *SHUTDOWN, STARTS, ADDS, POLL_ENDS)
    assert world.show(later)["process[0].table.row[0].offset"] == 2


def test_poll_ends_while_the_consumer_is_shut_down_and_after_its_last_persist() -> None:
    world = idle_world()
    state = after(world, STARTS, ADDS, *SHUTDOWN[:-1], POLL_ENDS)
    shown = world.show(state)
    assert (shown["main.table.row[0].offset"], shown["process[0].table.row[0].offset"]) == (None, 0)


def test_nothing_is_pulled_before_a_written_start_is_in_the_file() -> None:
    world = idle_world("start-written")
    assert world.take(after(world, STARTS, ADDS), POLL_ENDS) is NotTaken.DISABLED

"""The model of the offset files: the load table, every step, and all that can happen as plain Python finds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest
from systems.plain_offset_files import Rules, World, kind, load
from systems.samples import one_in

from offsetproof.ir.system import Label, State
from offsetproof.lang import Setting
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.stage import Staged
from offsetproof.model.files.offset_files import OffsetFiles
from offsetproof.model.files.vocabulary import Contents, Owner, Phase, Reading, WriteStep
from offsetproof.properties.files.catalogue import OFFSET_FILES


def world_of(scope: str, fixes: tuple[str, ...] = (), **bounds: int) -> Reference:
    """The model in a scope with other bounds."""
    model = OffsetFiles
    fitting = tuple(fix for fix in model.fixes if fix.name in fixes)
    release = dict.fromkeys(model.roles, model.releases[0])
    asked = OFFSET_FILES.scope(scope).completed(model.bounds).with_bounds(bounds)
    return Reference(model, Setting(asked, release, fixes=fitting))


def changed(world: Reference, state: State, **values: int) -> State:
    """The state with other values, by the fields' paths with double underscores for dots and brackets left out."""
    names = [leaf.variable.name for leaf in world.grown.tree.leaves]
    plain = {name: name.replace("[0]", "").replace(".", "__") for name in names}
    assert set(values) <= set(plain.values())
    return tuple(values.get(plain[name], old) for name, old in zip(names, state, strict=True))


def taken(world: Reference, state: State, *labels: Label) -> State:
    """The state after these steps."""
    for label in labels:
        after = world.take(state, label)
        assert isinstance(after, tuple), (label, after)
        state = after
    return state


KINDS = {"missing": None, "empty": "", "torn": "{", "whole": "{2}", "older": "{1}"}


def with_files(world: Reference, main: str | None, backup: str | None) -> State:
    """A state in which nothing runs and the files hold this."""
    values = {}
    for name, text in (("main", main), ("backup", backup)):
        contents, row = kind(text)
        values[f"{name}__contents"] = list(Contents).index(Contents[contents])
        values[f"{name}__table__row__offset"] = 0 if row is None else row + 1
    return changed(world, world.first(), **values)


STARTS = {Owner.BROKER: ("broker-kills", "broker_starts"), Owner.CLIENT: ("client-kills", "client_starts")}


@pytest.mark.parametrize("owner", Owner)
@pytest.mark.parametrize(("main", "backup"), [*product(KINDS, KINDS)])
def test_start_loads_what_the_table_says(owner: Owner, main: str, backup: str) -> None:
    scope, start = STARTS[owner]
    world = world_of(scope)
    state = with_files(world, KINDS[main], KINDS[backup])
    after = world.take(state, (start, (("p", 0),)))
    succeeds, row = load(KINDS[main], KINDS[backup])
    if owner is Owner.CLIENT and not succeeds:
        assert after is NotTaken.DISABLED
        return
    assert isinstance(after, tuple)
    shown = world.show(after)
    assert shown["process[0].phase"] is (Phase.UP if succeeds else Phase.REFUSED)
    assert shown["process[0].table.row[0].offset"] == row


READ = {
    ("whole", "older"): Reading.MAIN, ("whole", "torn"): Reading.MAIN, ("missing", "older"): Reading.BACKUP,
    ("empty", "older"): Reading.BACKUP, ("torn", "older"): Reading.BACKUP, ("missing", "missing"): Reading.NOTHING,
    ("torn", "missing"): Reading.NOTHING, ("torn", "empty"): Reading.NOTHING, ("empty", "torn"): Reading.FAILED,
    ("missing", "torn"): Reading.FAILED, ("torn", "torn"): Reading.FAILED,
}  # fmt: skip
"""What ConfigManager.load of 4.9.4 gave when it was run on such files."""


@pytest.mark.parametrize(("files", "reading"), READ.items(), ids=str)
def test_plain_load_says_what_the_real_one_gave(files: tuple[str, str], reading: Reading) -> None:
    found = load(KINDS[files[0]], KINDS[files[1]])
    rows = {Reading.MAIN: (True, 2), Reading.BACKUP: (True, 1), Reading.NOTHING: (True, None)}
    assert found == rows.get(reading, (False, None))


def call(action: str, t: int = 0) -> Label:
    return action, (("p", 0), ("t", t))


FLUSH = [
    ("broker_encodes_table", "WHOLE", 1, "MISSING", None, "MISSING", None, WriteStep.ENCODED),
    ("writer_opens_tmp", "WHOLE", 1, "MISSING", None, "EMPTY", None, WriteStep.TMP_OPENED),
    ("writer_writes_part", "WHOLE", 1, "MISSING", None, "TORN", None, WriteStep.TMP_PART),
    ("writer_writes_tmp", "WHOLE", 1, "MISSING", None, "WHOLE", 2, WriteStep.TMP_DONE),
    ("writer_reads_main", "WHOLE", 1, "MISSING", None, "WHOLE", 2, WriteStep.MAIN_READ),
    ("writer_opens_backup", "WHOLE", 1, "EMPTY", None, "WHOLE", 2, WriteStep.BACKUP_OPENED),
    ("writer_writes_part", "WHOLE", 1, "TORN", None, "WHOLE", 2, WriteStep.BACKUP_PART),
    ("writer_writes_backup", "WHOLE", 1, "WHOLE", 1, "WHOLE", 2, WriteStep.BACKUP_DONE),
    ("writer_deletes_main", "MISSING", None, "WHOLE", 1, "WHOLE", 2, WriteStep.MAIN_DELETED),
    ("writer_renames_tmp", "WHOLE", 2, "WHOLE", 1, "MISSING", None, WriteStep.IDLE),
]
"""string2File on a main file with offset 1, for a table with offset 2: the files after each of its steps."""


def files_in(world: Reference, state: State) -> tuple[object, ...]:
    shown = world.show(state)
    pairs = [
        (shown[f"{name}.contents"].name, shown[f"{name}.table.row[0].offset"]) for name in ("main", "backup", "tmp")
    ]
    return tuple(value for pair in pairs for value in pair)


def test_every_step_of_a_flush_leaves_what_the_code_leaves() -> None:
    world = world_of("broker-kills")
    state = taken(world, with_files(world, "{1}", None), ("broker_starts", (("p", 0),)))
    state = changed(world, state, process__table__row__offset=3)
    for action, *files, step in FLUSH:
        state = taken(world, state, call(action))
        assert (*files_in(world, state), world.show(state)["process[0].writer[0].step"]) == (*files, step)


IN_PLACE = [
    ("broker_encodes_table", "TORN", "WHOLE"),
    ("writer_reads_main", "TORN", "WHOLE"),
    ("writer_opens_backup", "TORN", "EMPTY"),
    ("writer_writes_part", "TORN", "TORN"),
    ("writer_writes_backup", "TORN", "TORN"),
    ("writer_opens_main", "EMPTY", "TORN"),
    ("writer_writes_part", "TORN", "TORN"),
    ("writer_writes_main", "WHOLE", "TORN"),
]
"""string2File of 5.1.0 after a kill has left a torn main file: the good backup is overwritten first."""


def test_overwriting_in_place_copies_a_torn_main_file_over_the_backup() -> None:
    world = world_of("broker-kills", ("overwrites-in-place",))
    state = taken(world, with_files(world, "{", "{1}"), ("broker_starts", (("p", 0),)))
    for action, main, backup in IN_PLACE:
        state = taken(world, state, call(action))
        assert files_in(world, state)[0:3:2] == (main, backup)


def test_file_that_is_open_goes_with_a_rename_and_outlives_a_deletion() -> None:
    world = world_of("client-stop")
    start = [("client_starts", (("p", 0),)), ("client_adds_queue", (("p", 0), ("q", 0)))]
    both = [call("client_encodes_table"), ("client_begins_shutdown", (("p", 0),)), call("client_encodes_table", 1)]
    first = [call(f"writer_{step}") for step in ("opens_tmp", "writes_tmp", "reads_main", "deletes_main")]
    state = taken(world, world.first(), *start, *both, *first, call("writer_opens_tmp", 1), call("writer_renames_tmp"))
    assert files_in(world, state) == ("EMPTY", None, "MISSING", None, "MISSING", None)
    state = taken(world, state, call("writer_writes_tmp", 1))
    assert files_in(world, state)[0] == "WHOLE"
    rest = ("reads_main", "opens_backup", "writes_backup", "deletes_main", "renames_tmp")
    state = taken(world, state, *(call(f"writer_{step}", 1) for step in rest))
    assert files_in(world, state) == ("MISSING", None, "WHOLE", None, "MISSING", None)


def reachable(world: Reference) -> Iterator[Mapping[str, Any]]:
    """Every state that the model's own Python can reach."""
    seen, front = {world.first()}, [world.first()]
    while front:
        yield from map(world.show, front)
        after = {state for before in front for _, state in world.steps(before)}
        front = [*(after - seen)]
        seen |= after


def seen_by_model(world: Reference) -> set[tuple[object, ...]]:
    return {
        (
            (shown["main.contents"].name, shown["main.table.row[0].offset"]),
            (shown["backup.contents"].name, shown["backup.table.row[0].offset"]),
            shown["process[0].phase"].name,
            shown["process[0].table.row[0].offset"],
        )
        for shown in reachable(world)
    }


PLAIN = {
    "broker-stop": (Rules(False, 2, False, World(0, 1)), {}),
    "broker-kills": (Rules(False, 2, True, World(1, 0)), {"messages": 2, "kill": 1}),
    "client-kills": (Rules(True, 2, True, World(1, 0)), {"messages": 2, "kill": 1}),
    "client-stop": (Rules(True, 1, False, World(1, 1)), {"messages": 1}),
}
"""By scope, plain Python with its budgets of kills and shutdowns, and the bounds of the model's that are the same."""


@pytest.mark.parametrize("scope", one_in(4, PLAIN))
def test_model_reaches_what_plain_python_reaches(scope: str) -> None:
    rules, bounds = PLAIN[scope]
    found = {world.seen() for world in rules.explored()}
    assert seen_by_model(world_of(scope, **bounds)) == found
    assert len(found) > 30


def test_more_queues_than_can_be_staged_are_refused_at_once() -> None:
    with pytest.raises(UnknownNameError, match="bound queues is a number from 1 to 3, not 4"):
        OFFSET_FILES.scope("client-routes").with_bounds({"queues": 4}).fitted(OffsetFiles.bounds)


@pytest.mark.slow
@pytest.mark.parametrize("scope", ["client-routes", "client-route-kills", "client-first", "broker-power"])
def test_as_many_queues_as_can_be_said_can_be_staged(scope: str) -> None:
    asked = OFFSET_FILES.scope(scope).completed(OffsetFiles.bounds).with_bounds({"queues": 3})
    staged = Staged(OffsetFiles, Setting(asked, dict.fromkeys(OffsetFiles.roles, OffsetFiles.releases[0])))
    assert staged.system(()).variables

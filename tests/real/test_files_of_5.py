"""Offset files on the real classes of 5.x: a kill, a full disk and a failed start leave what the model says."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from offsetproof.checking.catalogue import SINGLES
from offsetproof.conformance.walks import schedule_of, settings_to_conform
from offsetproof.ir.system import Label
from offsetproof.lang.stage import Staged
from offsetproof.real.compiling import compile_rig
from offsetproof.real.conform import Conformer
from offsetproof.real.jars import JarSet
from offsetproof.real.replay import Replayer
from offsetproof.real.sidecar import Gates, Sidecar
from offsetproof.traces.trace import plain

SUBJECT = SINGLES["offset-files"].subjects[0]
_IN_PLACE = ("writer_opens_backup", "writer_writes_part", "writer_writes_backup")
_NEW_TEXT = ("writer_opens_main", "writer_writes_part", "writer_writes_main")
CALLS = {
    ("5.3.3", "broker"): (("writer_reads_main", *_NEW_TEXT), ("writer_reads_main", *_IN_PLACE, *_NEW_TEXT)),
    ("5.3.3", "client"): (("writer_reads_main", *_NEW_TEXT), ("writer_reads_main", *_IN_PLACE, *_NEW_TEXT)),
    ("5.5.0", "broker"): (
        (*_NEW_TEXT, "writer_forces_main"),
        ("writer_moves_main", *_NEW_TEXT, "writer_forces_main"),
    ),
    ("5.5.0", "client"): (("writer_reads_main", *_NEW_TEXT), ("writer_reads_main", *_IN_PLACE, *_NEW_TEXT)),
}
"""A call of persist where there is no file yet, and one where there is one."""
BEGINS: dict[str, list[Label]] = {
    "broker": [("broker_starts", (("p", 0),)), ("broker_executes_commit", (("p", 0), ("q", 0)))],
    "client": [
        ("client_starts", (("p", 0),)),
        ("client_adds_queue", (("p", 0), ("q", 0))),
        ("client_consumes", (("p", 0), ("q", 0))),
    ],
}


@pytest.fixture(scope="module", params=["5.3.3", "5.5.0"])
def sidecar(
    request: pytest.FixtureRequest,
    published: Callable[[str], JarSet],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[str, Sidecar]]:
    rig = compile_rig(published(request.param))
    with Sidecar(rig, tmp_path_factory.mktemp("files"), Gates.WOVEN) as running:
        yield request.param, running


def conformer(sidecar: tuple[str, Sidecar], scope: str) -> Conformer:
    """What compares the model with the real classes of a release in a scope."""
    release, running = sidecar
    (setting,) = settings_to_conform(SUBJECT, scope, release=release)
    staged = Staged(SUBJECT.model, setting)
    return Conformer(staged, Replayer(running, schedule_of(SUBJECT, staged, release)), 1)


def call(release: str, owner: str, *, again: bool) -> list[Label]:
    """A whole call of persist by the timer."""
    return [(name, (("p", 0), ("t", 0))) for name in (f"{owner}_encodes_table", *CALLS[release, owner][again])]


def broken_off(release: str, owner: str, fault: Label, steps: int) -> list[Label]:
    """A first call of persist, and a second one that ends after so many steps."""
    return [*BEGINS[owner], *call(release, owner, again=False), *call(release, owner, again=True)[:steps], fault]


def shown_after(compared: Conformer, walk: list[Label]) -> dict[str, object]:
    """The fields of the model after its steps."""
    reference = compared.stepper.reference
    state = reference.first()
    for step in walk:
        after = reference.take(state, step)
        assert isinstance(after, tuple), step
        state = after
    return {path: plain(value) for path, value in reference.show(state).items()}


@pytest.mark.parametrize("owner", ["broker", "client"])
def test_process_killed_at_any_step_of_its_persist_leaves_what_the_model_says(
    sidecar: tuple[str, Sidecar], owner: str
) -> None:
    compared, release = conformer(sidecar, f"{owner}-kills"), sidecar[0]
    killed, again = ("process_is_killed", (("p", 0),)), BEGINS[owner][0]
    lengths = range(1, len(call(release, owner, again=True)))
    walks = [[*broken_off(release, owner, killed, steps), again] for steps in lengths]
    assert [compared.compare(walk) for walk in walks] == [None] * len(walks)


@pytest.mark.parametrize("owner", ["broker", "client"])
def test_disk_full_as_the_main_file_is_written_makes_the_next_persist_lose_the_backup(
    sidecar: tuple[str, Sidecar], owner: str
) -> None:
    compared, release = conformer(sidecar, f"{owner}-full-disk"), sidecar[0]
    full = ("disk_is_full", (("p", 0), ("t", 0)))
    torn = call(release, owner, again=True)
    upto = [name for name, _ in torn].index("writer_opens_main") + 2
    to_backup = torn[: [name for name, _ in torn].index("writer_opens_main")]
    walk = [*broken_off(release, owner, full, upto), *to_backup]
    assert compared.compare(walk) is None
    assert shown_after(compared, walk)["backup.contents"] == "TORN"


def test_broker_that_cannot_load_its_topics_empties_the_file_in_5_5_0_alone(sidecar: tuple[str, Sidecar]) -> None:
    compared, release = conformer(sidecar, "broker-refused"), sidecar[0]
    fails: list[Label] = [("process_is_killed", (("p", 0),)), ("broker_starts_without_topics", (("p", 0),))]
    stored = [*BEGINS["broker"], *(step for step in call(release, "broker", again=False) if "part" not in step[0])]
    persists = [(name, (("p", 0), ("t", 1))) for name, _ in call(release, "broker", again=True) if "part" not in name]
    walk = [*stored, *fails, *(persists if release == "5.5.0" else [])]
    assert compared.compare([*walk, BEGINS["broker"][0]]) is None
    assert shown_after(compared, walk)["main.table.row[0].offset"] == (None if release == "5.5.0" else 1)


def test_whoever_of_two_threads_goes_on_first_has_the_lock_of_string2file(sidecar: tuple[str, Sidecar]) -> None:
    compared = conformer(sidecar, "client-stop")
    timer, main = ((("p", 0), ("t", t)) for t in (0, 1))
    begins = [*BEGINS["client"][:2], ("client_begins_shutdown", (("p", 0),))]
    both = [("client_encodes_table", timer), ("client_encodes_table", main)]
    for first, second in ((timer, main), (main, timer)):
        writes = [(name, first) for name in ("writer_reads_main", "writer_opens_main", "writer_writes_main")]
        assert compared.compare([*begins, *both, *writes, ("writer_reads_main", second)]) is None

"""A broker and its slave on the real classes: what they do is the model's, and what a wrong model does is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from systems.replica_worlds import (
    ADDS,
    COMMITS_ONE,
    CONSUMES,
    COPY,
    HEARS_ROUTE,
    MASTER,
    PULLS,
    SENDS,
    SLAVE,
    broker,
    executes,
    pair_in,
    resets,
)

from offsetproof.checking.catalogue import SINGLES
from offsetproof.conformance.walks import conform_settings, schedule_of, settings_to_conform
from offsetproof.ir.system import Label
from offsetproof.lang.stage import Staged
from offsetproof.real.compiling import CompiledRig, compile_rig
from offsetproof.real.conform import Conformer
from offsetproof.real.jars import JarSet
from offsetproof.real.replay import Replayer
from offsetproof.real.sidecar import Gates, Sidecar

SUBJECT = SINGLES["replicas"].subjects[0]
DOWN = (broker("shuts_down", MASTER), HEARS_ROUTE)
BACK = (broker("starts", MASTER), HEARS_ROUTE)
ACTING = (broker("starts", MASTER), ("master_takes_slaves_table", ()), ("master_goes_online", ()))
HEARS = ("client_hears_of_reset", (("c", 0),))
RigOf = Callable[[str], CompiledRig]


@pytest.fixture(scope="module")
def rig_of(published: Callable[[str], JarSet]) -> RigOf:
    return lambda release: compile_rig(published(release))


@contextmanager
def conformer(rig: CompiledRig, folder: Path, scope: str, release: str, *fixes: str) -> Iterator[Conformer]:
    """What compares the model in a scope with the classes of the release; its fixes are the model's alone."""
    setting = pair_in(scope, release, fixes).setting
    staged = Staged(SUBJECT.model, setting)
    with Sidecar(rig, folder, Gates.WOVEN) as sidecar:
        yield Conformer(staged, Replayer(sidecar, schedule_of(SUBJECT, staged, rig.release)), 1)


STORIES: dict[str, tuple[str, str, tuple[Label, ...]]] = {
    "a late copy overwrites": (
        "4.9.4", "slave-reads", (COPY[0], *DOWN, ADDS, PULLS, CONSUMES, SENDS, executes(SLAVE), COPY[1]),
    ),
    "the old master returns": ("4.9.4", "slave-reads", (*COMMITS_ONE, *COPY, *DOWN, *BACK, *COPY)),
    "a file is older": ("4.9.4", "take-over", (*COMMITS_ONE, *COPY, broker("is_killed", MASTER), *BACK[:1])),
    "versions are equal": ("5.3.3", "acting-stop", (*COMMITS_ONE, DOWN[0], *ACTING)),
    "the master's version is higher": (
        "5.3.3", "acting-stop", (broker("moves_version", MASTER), *COMMITS_ONE, DOWN[0], *ACTING),
    ),
    "the slave's version is later": (
        "5.3.3",
        "acting-stop",
        (
            *(broker("moves_version", MASTER), *COMMITS_ONE, DOWN[0], ACTING[0]),
            *(broker("moves_version", SLAVE), *ACTING[1:]),
        ),
    ),
    "the marker is gone": (
        "5.3.3",
        "reset-back-stop",
        (*COMMITS_ONE, resets(0), *COPY, DOWN[0], broker("starts", MASTER), SENDS, executes(MASTER)),
    ),
    "the marker is taken": ("5.3.3", "reset-back-stop", (*COMMITS_ONE, resets(0), SENDS, executes(MASTER), HEARS)),
    "a topic is not known": (
        "5.3.3", "new-topic", (ADDS, PULLS, CONSUMES, broker("is_killed", MASTER), HEARS_ROUTE, SENDS, executes(SLAVE)),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("release", "scope", "steps"), STORIES.values(), ids=STORIES)
def test_story_happens_on_the_classes_of_its_release(
    rig_of: RigOf, tmp_path: Path, release: str, scope: str, steps: tuple[Label, ...]
) -> None:
    with conformer(rig_of(release), tmp_path, scope, release) as beside:
        assert beside.compare([*steps]) is None


TWO = tuple((name, (("c", 0), ("q", 1))) for name in ("client_adds_queue", "client_sends_commit"))
TO_SLAVE = (TWO[0], *DOWN, TWO[1], ("broker_executes_commit", (("r", SLAVE), ("c", 0), ("q", 1))))
FIRST = (ADDS, SENDS, executes(MASTER))
WRONG: dict[str, tuple[str, str, str, tuple[Label, ...], str]] = {
    "a copy keeps rows": (
        "copied-row-by-row",
        "4.9.4",
        "two-queues",
        (*TO_SLAVE, *BACK, *FIRST, *COPY),
        "broker[1].table[1].offset",
    ),
    "a master asks its slave": (
        "master-merges",
        "4.9.4",
        "slave-reads",
        (*DOWN, ADDS, PULLS, CONSUMES, SENDS, executes(SLAVE), BACK[0]),
        "broker[0].table[0].offset",
    ),
    "a commit moves the version": (
        "version-each-commit",
        "5.3.3",
        "acting-stop",
        (*COMMITS_ONE, DOWN[0], *ACTING),
        "broker[0].table[0].offset",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("fix", "release", "scope", "steps", "field"), WRONG.values(), ids=WRONG)
def test_model_with_a_remedy_differs_from_the_classes_which_have_it_not(
    rig_of: RigOf, tmp_path: Path, fix: str, release: str, scope: str, steps: tuple[Label, ...], field: str
) -> None:
    with conformer(rig_of(release), tmp_path, scope, release, fix) as beside:
        found = beside.compare([*steps])
    assert found is not None
    assert found.field == field


@pytest.mark.slow
@pytest.mark.parametrize("release", ["4.9.4", "5.3.3", "5.5.0"])
def test_walks_of_every_scope_agree(rig_of: RigOf, release: str) -> None:
    settings = settings_to_conform(SUBJECT, release=release)
    done = [*conform_settings(rig_of(release), SUBJECT, settings, steps=15_000, seed=5, gates=Gates.WOVEN)]
    assert [str(found) for each in done for found in each.result.disagreements] == []
    assert {*[each.not_held for each in done]} == {""}


def test_release_without_a_broker_has_nothing_to_compare(rig_of: RigOf) -> None:
    setting = settings_to_conform(SUBJECT, "stop")[0]
    (done,) = conform_settings(rig_of("4.9.8"), SUBJECT, [setting], steps=20, seed=1, gates=Gates.WOVEN)
    assert done.not_held == "a broker and its slave: the broker of this release is not published"

"""Damage as a user meets it: the program resumes a run of its own on Spark, says which file it is, and no verdict."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from cli.program import Ran, run_anew, write_models
from spark.checkpoints import EDITS
from systems.damage import flipped

from offsetproof.engines.spark.manifest import MANIFEST

pytestmark = pytest.mark.slow

ASKED = ("check", "counter.py", "--engine=spark", "--master=local[2]", "--no-progress", "--out-dir=out")
REFUTED, HOLDS = "--property=stays_below_two", "--property=never_falls"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Ran]]:
    """A run to a refutation, one to the end, and one that met a limit, each with what it said."""
    made = {}
    for name, *more in (("refuted", REFUTED), ("holds", HOLDS), ("interrupted", REFUTED, "--max-states=1")):
        folder = write_models(tmp_path_factory.mktemp(name))
        made[name] = folder, run_anew(*ASKED, *more, cwd=folder)
    assert [ran.code for _, ran in made.values()] == [0, 0, 30]
    return made


def _resumed(runs: dict[str, tuple[Path, Ran]], name: str, to: Path, damage: Callable[[Path], object]) -> Ran:
    folder = to / name
    shutil.copytree(runs[name][0], folder)
    (run,) = (file.parent for file in folder.glob(f"out/spark/*/{MANIFEST}"))
    damage(run)
    return run_anew(*ASKED, HOLDS if name == "holds" else REFUTED, "--resume", cwd=folder)


def _must_be_refused(ran: Ran, to: Path) -> None:
    assert (ran.code, ran.out) == (150, "")
    assert str(to) in ran.complaint


@pytest.mark.parametrize("name", ["refuted", "holds", "interrupted"])
def test_run_that_nobody_touched_is_resumed(runs: dict[str, tuple[Path, Ran]], tmp_path: Path, name: str) -> None:
    ran = _resumed(runs, name, tmp_path, lambda run: None)
    assert (ran.code, ran.err) == (0, "")
    assert ("REFUTED" in ran.out) is (name != "holds")


@pytest.mark.parametrize("name", ["refuted", "holds", "interrupted"])
@pytest.mark.parametrize("what", ["level=0000", "alarms", MANIFEST, "system.json"])
def test_flipped_bit_is_code_150(runs: dict[str, tuple[Path, Ran]], tmp_path: Path, name: str, what: str) -> None:
    if what == "alarms" and name != "refuted":
        what = "level=0001"

    def flip(run: Path) -> None:
        file = next(file for file in sorted(run.rglob("*")) if file.is_file() and what in str(file))
        file.write_bytes(flipped(file.read_bytes(), 3))

    _must_be_refused(_resumed(runs, name, tmp_path, flip), tmp_path)


@pytest.mark.parametrize("edit", EDITS)
def test_edit_is_code_150(runs: dict[str, tuple[Path, Ran]], tmp_path: Path, edit: str) -> None:
    _must_be_refused(_resumed(runs, "refuted", tmp_path, lambda run: EDITS[edit](run, Random(1))), tmp_path)

"""What a run has written down answers as it was written, or not at all."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from spark.checkpoints import EDITS, REAL, SMALL, Checkpoint, resumed, written
from systems.damage import flipped
from systems.samples import one_in

from offsetproof.engines.spark.manifest import MANIFEST, read_manifest, write_manifest
from offsetproof.engines.whole_files import CheckpointError, DamagedError, write_whole

WAYS_OUT = ("remove the run's folder", "drop --resume", "use a new --out-dir", "use another --out-dir")


@pytest.fixture(scope="module", params=SMALL)
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    question, states = SMALL[request.param]
    return written(tmp_path_factory.mktemp("small"), question(), states)


@pytest.fixture(scope="module", params=REAL)
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    question, states = REAL[request.param]
    return written(tmp_path_factory.mktemp("real"), question(), states)


def must_be_refused(checkpoint: Checkpoint, run: Path, what: str) -> None:
    """The run is resumed to no verdict, but to the name of a file or its folder, and what to do."""
    answer = resumed(checkpoint.question, run)
    assert isinstance(answer, CheckpointError), f"{what}: {'the truth' if answer == checkpoint.truth else answer}"
    assert str(run) in str(answer), what
    assert any(way in str(answer) for way in WAYS_OUT), answer


def flip_one(checkpoint: Checkpoint, to: Path, seed: int) -> None:
    """Flips a bit of some file, and resumes."""
    run, file = checkpoint.copied(to), random.Random(seed).choice(checkpoint.files)
    (run / file).write_bytes(flipped((run / file).read_bytes(), seed))
    must_be_refused(checkpoint, run, f"flip {seed} of {file}")


def edit_one(checkpoint: Checkpoint, to: Path, name: str, seed: int) -> None:
    """Edits a run, and resumes."""
    run = checkpoint.copied(to)
    EDITS[name](run, random.Random(seed))
    must_be_refused(checkpoint, run, f"{name} {seed}")


def test_run_that_nobody_touched_is_resumed_to_the_truth(small: Checkpoint, tmp_path: Path) -> None:
    assert resumed(small.question, small.copied(tmp_path)) == small.truth


def test_flipped_bit_is_no_answer(small: Checkpoint, tmp_path: Path) -> None:
    for seed in range(30):
        flip_one(small, tmp_path, seed)


@pytest.mark.parametrize("name", one_in(8, EDITS))
def test_edit_is_no_answer(small: Checkpoint, tmp_path: Path, name: str) -> None:
    edit_one(small, tmp_path, name, len(name))


@pytest.mark.slow
def test_every_file_is_needed_and_named(small: Checkpoint, tmp_path: Path) -> None:
    for file in small.files:
        run = small.copied(tmp_path)
        (run / file).unlink()
        with pytest.raises(CheckpointError, match=re.escape(str(run / file))):
            raise resumed(small.question, run)  # type: ignore[misc]  # a verdict cannot be raised, and fails the test


@pytest.mark.parametrize("memory", [1 << 30, 100_000])
def test_flipped_bit_is_no_answer_where_parts_are_read_back(tmp_path: Path, memory: int) -> None:
    question, states = SMALL["interrupted"]
    checkpoint = written(tmp_path / "written", question(), states)
    assert resumed(checkpoint.question, checkpoint.copied(tmp_path / "copy"), memory) == checkpoint.truth
    for file in checkpoint.files:
        run = checkpoint.copied(tmp_path / "copy")
        (run / file).write_bytes(flipped((run / file).read_bytes(), 1))
        assert isinstance(resumed(checkpoint.question, run, memory), DamagedError), file


def test_tasks_of_a_driver_that_was_killed_are_told_to_end_before_others_begin(tmp_path: Path) -> None:
    question, states = SMALL["interrupted"]
    checkpoint = written(tmp_path / "written", question(), states)
    write_whole(checkpoint.folder / "scratch" / "killed" / "start.json", (checkpoint.folder / MANIFEST).read_bytes())
    assert resumed(checkpoint.question, checkpoint.folder) == checkpoint.truth


def test_older_manifest_beside_newer_files_of_the_same_run_is_resumed_to_the_truth(tmp_path: Path) -> None:
    question, states = SMALL["interrupted"]
    checkpoint = written(tmp_path / "written", question(), states)
    older = (checkpoint.folder / MANIFEST).read_bytes()
    assert resumed(checkpoint.question, checkpoint.folder) == checkpoint.truth
    assert (checkpoint.folder / MANIFEST).read_bytes() != older
    (checkpoint.folder / MANIFEST).write_bytes(older)
    assert resumed(checkpoint.question, checkpoint.folder) == checkpoint.truth


def test_level_that_its_states_do_not_give_is_no_answer(tmp_path: Path) -> None:
    question, states = SMALL["interrupted"]
    checkpoint = written(tmp_path / "written", question(), states)
    file = checkpoint.folder / MANIFEST
    manifest = read_manifest(file)
    last = manifest.passes[0].levels[-1]
    last.transitions += 1
    last.fired[0] += 1
    write_manifest(file, manifest)
    answer = resumed(checkpoint.question, checkpoint.folder)
    assert isinstance(answer, DamagedError)
    assert "than its states give" in str(answer)


def test_damage_that_shows_after_the_verdict_is_no_verdict_with_a_note(tmp_path: Path) -> None:
    question, _ = SMALL["violated with a fault"]
    checkpoint = written(tmp_path / "written", question(), None)
    (checkpoint.folder / "faults=0" / "level=0000" / "part=000.parquet").write_bytes(b"")
    assert isinstance(resumed(checkpoint.question, checkpoint.folder), DamagedError)


@pytest.mark.slow
def test_flipped_bit_is_no_answer_about_rocketmq(real: Checkpoint, tmp_path: Path) -> None:
    for seed in range(200):
        flip_one(real, tmp_path, seed)


@pytest.mark.slow
def test_edit_is_no_answer_about_rocketmq(real: Checkpoint, tmp_path: Path) -> None:
    for seed in range(2 * len(EDITS)):
        edit_one(real, tmp_path, list(EDITS)[seed % len(EDITS)], seed)

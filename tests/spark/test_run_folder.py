"""A run's folder: what is written is read back as it was, and nothing else; parts depend on a state's words alone."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from systems.reproducible import reproducible

from offsetproof.engines.spark.manifest import MANIFEST, Manifest, Pass, read_manifest, write_manifest
from offsetproof.engines.spark.run_folder import SYSTEM, alone_in, open_run
from offsetproof.engines.spark.states import part_of, read_states, write_states
from offsetproof.engines.whole_files import CheckpointError, DamagedError, whole
from offsetproof.examples.toys import TOYS
from offsetproof.ir.system import System
from offsetproof.lang.stage import Staged

ROWS = st.integers(1, 3).flatmap(
    lambda words: st.lists(
        st.lists(st.integers(0, 2**64 - 1), min_size=words, max_size=words), min_size=1, max_size=40
    ).map(lambda rows: np.array(rows, np.uint64))
)


def system() -> System:
    toy = TOYS[0]
    return Staged(toy.model, toy.setting).system([toy.prop])


def new(digest: str = "one", parts: int = 4) -> Manifest:
    return Manifest(digest, "program", parts, 2)


@reproducible(examples=60)
@given(rows=ROWS)
def test_states_are_read_as_they_were_written(rows: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> None:  # type: ignore[type-arg]  # words
    file = tmp_path_factory.mktemp("states") / "part.parquet"
    digest = write_states(file, rows)
    assert (read_states(file, rows.shape[1], len(rows), digest) == rows).all()


@reproducible(examples=60)
@given(rows=ROWS, parts=st.integers(1, 64))
def test_part_is_one_of_the_parts_and_told_by_the_state_alone(rows: np.ndarray, parts: int) -> None:  # type: ignore[type-arg]  # words
    found = part_of(rows, parts)
    assert ((found >= 0) & (found < parts)).all()
    backwards = part_of(np.ascontiguousarray(rows[::-1]), parts)
    assert (found == backwards[::-1]).all()


def test_parts_are_filled_evenly() -> None:
    rows = np.arange(80_000, dtype=np.uint64).reshape(-1, 2) | np.uint64(1 << 63)
    sizes = np.bincount(part_of(rows, 16), minlength=16)
    assert sizes.min() > 0.9 * 2500
    assert sizes.max() < 1.1 * 2500


def test_no_states_at_all_are_a_file_too(tmp_path: Path) -> None:
    digest = write_states(tmp_path / "part.parquet", np.empty((0, 2), np.uint64))
    assert read_states(tmp_path / "part.parquet", 2, 0, digest).shape == (0, 2)


def test_states_that_are_not_those_that_were_written_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "part.parquet"
    digest = write_states(file, np.ones((3, 2), np.uint64))
    with pytest.raises(DamagedError, match="not states of 3 words"):
        read_states(file, 3, 3, digest)
    with pytest.raises(DamagedError, match="holds 3 states, and 4 were written"):
        read_states(file, 2, 4, digest)
    other = write_states(tmp_path / "other", np.zeros((3, 2), np.uint64))
    with pytest.raises(DamagedError, match="its digest differs; remove the run's folder, or drop --resume"):
        read_states(file, 2, 3, other)
    file.unlink()
    with pytest.raises(DamagedError, match="is missing"):
        read_states(file, 2, 3, digest)


def test_folder_without_a_manifest_has_nothing_to_resume(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="nothing to resume"):
        read_manifest(tmp_path / MANIFEST)


def test_only_one_run_at_a_time_works_in_a_folder(tmp_path: Path) -> None:
    with alone_in(tmp_path), pytest.raises(CheckpointError, match="another run is at work"), alone_in(tmp_path):
        raise AssertionError("two runs at once")
    with alone_in(tmp_path):
        pass


def test_file_that_could_not_be_written_whole_is_not_there_at_all(tmp_path: Path) -> None:
    def half() -> None:
        with whole(tmp_path / "file") as out:
            out.write(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(CheckpointError, match="cannot be written: No space left on device; make room and use --resume"):
        half()
    assert list(tmp_path.iterdir()) == []


def test_run_that_is_not_resumed_begins_from_nothing(tmp_path: Path) -> None:
    open_run(new(), system(), tmp_path, None, resume=False)
    write_states(tmp_path / "old.parquet", np.ones((3, 2), np.uint64))
    begun = open_run(new("other", 8), system(), tmp_path, None, resume=False)
    assert (begun.digest, begun.parts, begun.passes) == ("other", 8, [Pass(None)])
    assert {path.name for path in tmp_path.iterdir()} == {MANIFEST, SYSTEM}


def test_run_that_has_lost_its_manifest_is_not_resumed_and_not_emptied(tmp_path: Path) -> None:
    open_run(new(), system(), tmp_path, None, resume=False)
    write_states(tmp_path / "faults=all" / "level=0000" / "part=000.parquet", np.ones((3, 2), np.uint64))
    (tmp_path / MANIFEST).unlink()
    with pytest.raises(CheckpointError, match=r"there is no .*manifest\.json"):
        open_run(new(), system(), tmp_path, None, resume=True)
    assert list(tmp_path.rglob("*.parquet"))


def test_fewer_faults_are_a_pass_of_the_same_run_and_a_limit_that_was_met_is_forgotten(tmp_path: Path) -> None:
    run = open_run(new(), system(), tmp_path, None, resume=False)
    run.with_faults(None).outcome = "STATES"
    write_manifest(tmp_path / MANIFEST, run)
    again = open_run(new(parts=8), system(), tmp_path, None, resume=True)
    assert (again.parts, again.passes) == (4, [Pass(None)])
    assert open_run(new(), system(), tmp_path, 0, resume=False).passes == [Pass(None), Pass(0)]
    with pytest.raises(CheckpointError, match="use another --out-dir"):
        open_run(new("other"), system(), tmp_path, 0, resume=False)


def test_run_of_another_program_is_not_resumed(tmp_path: Path) -> None:
    open_run(new(), system(), tmp_path, None, resume=False)
    with pytest.raises(CheckpointError, match="was written by offsetproof program, and this is newer"):
        open_run(replace(new(), program="newer"), system(), tmp_path, None, resume=True)

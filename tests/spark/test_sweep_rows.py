"""Rows of a sweep: what was written is read, and what is not that row is refused with its file's name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.program import run
from systems.damage import NASTY, SEEDS, damaged

from offsetproof.engines.whole_files import CheckpointError, DamagedError
from offsetproof.lang.world import ClaimInWorld
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.sweep import spark_jobs
from offsetproof.sweep.deciding import _row
from offsetproof.sweep.fingerprint import fingerprint
from offsetproof.sweep.grid import Grid, read_grid
from offsetproof.sweep.rows import nonsense_in, schema
from offsetproof.sweep.run import begin, mark_of, rows_of, run_folder, sound_rows
from offsetproof.verdict.limits import Limits

QUESTION = ClaimInWorld("I11", "4.9.4", "first-commits", ("a-fix",), (), None, {"messages": 2})
DECIDED = {
    "verdict": "REFUTED", "expected": "REFUTED", "states": 110, "transitions": 200, "depth": 9, "faults": 0, "steps": 9,
    "digest": "0" * 64,
}  # fmt: skip
ROW = {**_row(QUESTION, 0.25), **DECIDED}
MARK = "mark"


def row_in(folder: Path, row: dict[str, Any] = ROW, mark: str = MARK) -> Path:
    begin(MARK, folder)
    file = spark_jobs.row_file(folder, QUESTION.id)
    spark_jobs._write(file, row, schema(), mark)
    return file


def test_row_is_read_as_it_was_written(tmp_path: Path) -> None:
    row_in(tmp_path)
    full = {name: ROW.get(name) for name in schema().names}
    assert sound_rows(tmp_path, MARK) == {QUESTION.id: full}
    assert mark_of(tmp_path) == MARK


@pytest.mark.parametrize("seeds", SEEDS)
def test_damaged_row_is_refused_or_says_the_same(tmp_path: Path, seeds: Iterable[int]) -> None:
    file = row_in(tmp_path)
    data, truth = file.read_bytes(), sound_rows(tmp_path, MARK)
    same = 0
    for seed in seeds:
        file.write_bytes(damaged(data, seed))
        try:
            assert sound_rows(tmp_path, MARK) == truth, seed
            same += 1
        except DamagedError as error:
            told = str(error)
            assert str(file) in told
            assert "--resume decides it again" in told
    assert same < 0.5 * len(list(seeds))


def test_row_of_another_sweep_is_refused(tmp_path: Path) -> None:
    row_in(tmp_path, mark="another")
    with pytest.raises(DamagedError, match="its checksum does not match"):
        sound_rows(tmp_path, MARK)


def test_row_under_another_questions_name_is_refused(tmp_path: Path) -> None:
    file = row_in(tmp_path)
    file.rename(spark_jobs.row_file(tmp_path, "0123456789abcdef"))
    with pytest.raises(DamagedError, match=f"has the row of question {QUESTION.id}"):
        sound_rows(tmp_path, MARK)


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"cell": ["x"]}),
        pa.Table.from_pylist([], schema=spark_jobs._with_checksum(schema())),
        pa.Table.from_pylist([{**ROW, "states": "many"}]),
        pa.Table.from_pylist([ROW, ROW], schema=spark_jobs._with_checksum(schema())),
    ],
    ids=["other columns", "no row", "other types", "two rows"],
)
def test_table_that_is_none_of_a_sweep_is_refused(tmp_path: Path, table: pa.Table) -> None:
    file = row_in(tmp_path)
    pq.write_table(table, file)
    with pytest.raises(DamagedError, match="and not one of those of a sweep"):
        sound_rows(tmp_path, MARK)


NONSENSE = {
    "a verdict that is none": {"verdict": "PERHAPS"},
    "no verdict": {"verdict": None},
    "undecided without a reason": {"verdict": "UNKNOWN"},
    "decided for a reason": {"reason": "time limit"},
    "a reason that is none": {"verdict": "UNKNOWN", "reason": "boredom"},
    "decided without states": {"states": None},
    "decided by a process that died": {"died": True},
    "fewer than no states": {"states": -1},
    "fewer than no steps": {"steps": -9},
    "no time": {"seconds": None},
    "time that is not a number": {"wall": float("nan")},
    "an expectation that is none": {"expected": "UNKNOWN"},
    "refuted although nothing could have broken it": {"verdict": "REFUTED", "vacuous": "its premise is never true"},
    "nothing of what could have broken it": {"vacuous": None},
    "another claim than its cell": {"property": "I13"},
    "bounds that are no JSON": {"bounds": "{"},
    "bounds that are endless": {"bounds": "[" * 100_000},
    "bounds that are no bounds": {"bounds": "3"},
    "no fixes": {"fixes": None},
}


@pytest.mark.parametrize("told", NONSENSE.values(), ids=NONSENSE)
def test_row_that_makes_no_sense_is_refused_although_its_checksum_fits(tmp_path: Path, told: dict[str, Any]) -> None:
    file = row_in(tmp_path, {**ROW, **told})
    with pytest.raises(DamagedError, match=rf"{file}.*remove it, and --resume decides it again"):
        sound_rows(tmp_path, MARK)


@pytest.mark.parametrize("column", schema().names)
def test_no_value_of_a_row_is_more_than_refused(column: str) -> None:
    assert nonsense_in({name: ROW.get(name) for name in schema().names}) is None
    for value in NASTY:
        nonsense_in({**{name: ROW.get(name) for name in schema().names}, column: value})


def test_pipe_in_place_of_a_row_is_not_waited_for(tmp_path: Path) -> None:
    file = row_in(tmp_path)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(DamagedError, match="it is not a regular file"):
        sound_rows(tmp_path, MARK)


@pytest.mark.parametrize("told", [b"", b"\xff\xfe", b"another"])
def test_rows_that_are_made_of_something_else_are_none_of_this_sweep(tmp_path: Path, told: bytes) -> None:
    grid = Grid("some", "rocketmq", (QUESTION,), Limits())
    folder = run_folder(tmp_path, grid)
    row_in(folder)
    assert len(rows_of(grid, tmp_path).rows) == 1
    (folder / "_made_of").write_bytes(told)
    with pytest.raises(DamagedError, match="its checksum does not match"):
        rows_of(grid, tmp_path)


def test_sweep_with_a_damaged_row_is_code_150_before_anything_starts(tmp_path: Path) -> None:
    (tmp_path / "some.toml").write_text('properties = ["I11"]\n', encoding="utf-8")
    grid = read_grid(str(tmp_path / "some.toml"), ROCKETMQ)
    folder, mark = run_folder(tmp_path / "out", grid), fingerprint(ROCKETMQ, grid.limits)
    begin(mark, folder)
    file = spark_jobs.row_file(folder, grid.questions[0].id)
    spark_jobs._write(file, {**_row(grid.questions[0], 0.25), **DECIDED}, schema(), mark)
    data = bytearray(file.read_bytes())
    data[data.index(b"REFUTED")] ^= 1
    file.write_bytes(data)
    ran = run("sweep", "some.toml", "--out-dir", "out", "--resume", cwd=tmp_path)
    assert (ran.code, ran.out) == (150, "")
    assert ran.complaint.startswith(f"offsetproof: {file} ")
    assert ran.complaint.endswith("remove it, and --resume decides it again")
    assert not (tmp_path / "out" / "session").exists()


def test_grid_of_too_many_questions_is_code_152(tmp_path: Path) -> None:
    (tmp_path / "some.toml").write_text('properties = ["I11"]\n[bounds]\nmessages = "1..100000000"\n', encoding="utf-8")
    ran = run("sweep", "some.toml", cwd=tmp_path)
    assert (ran.code, ran.out) == (152, "")
    assert ran.complaint == (
        "offsetproof: some.toml asks 100,000,000 questions, and a sweep takes at most 50,000; "
        "ask fewer bounds, fixes or claims, or split it into several grids"
    )


def test_run_without_rows_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"nothing in .* to resume; drop --resume"):
        mark_of(tmp_path)

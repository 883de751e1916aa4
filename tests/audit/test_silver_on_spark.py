"""Spark gives the silver that one process gives, whatever is killed: nothing is lost, nothing is there twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow.dataset
import pytest
from audit.steps import read_silver
from spark.processes import end_sessions, in_a_session, living, nobody_is_left, until

from offsetproof.audit.silver.on_spark import audit_session, on_spark
from offsetproof.audit.silver.parquet import part_files
from offsetproof.audit.silver.piece_work import by_pool
from offsetproof.audit.silver.run import make_silver
from offsetproof.audit.silver.sources import ReadingOptions
from studies.audit_volume import Truth, Volume, write_volume

OPTIONS = ReadingOptions(zones={"": "GMT+8"})
SUMS = ("line", "byte_offset", "byte_length", "time_from", "queue", "offset", "other_offset")


@pytest.fixture(autouse=True)
def no_session_outlives_its_test() -> Iterator[None]:
    """Whatever a failed test has left running is ended."""
    yield
    end_sessions()


def started(out: Path, master: str, logs: Path) -> subprocess.Popen[str]:
    """A run in a session of its own."""
    out.mkdir(parents=True, exist_ok=True)
    tests = Path(__file__).parents[1]
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tests)!r}); "
               f"from audit.silver_runs import main; main({master!r}, {str(out)!r}, {str(logs)!r})"]  # fmt: skip
    return in_a_session(command, out)


def said(out: Path) -> tuple[dict[str, int], dict[str, int]]:
    """How many events of each kind silver has, and sums of its columns."""
    data = pyarrow.dataset.dataset([str(file) for file in part_files(out)], format="parquet")
    table = data.to_table(columns=["kind", *SUMS])
    kinds = {row["values"]: row["counts"] for row in table["kind"].cast("string").value_counts().to_pylist()}
    sums = {name: sum(int(value) for value in table[name].to_pylist() if value is not None) for name in SUMS}
    return kinds, sums


def is_all_of(truth: Truth, out: Path) -> None:
    """Silver has exactly what was written."""
    kinds, sums = said(out)
    assert kinds == truth.kinds
    assert sums == truth.sums


@pytest.mark.slow
def test_spark_gives_what_one_process_gives(tmp_path: Path) -> None:
    truth = write_volume(tmp_path / "logs", Volume(3, files=14))
    alone = make_silver([str(tmp_path / "logs")], tmp_path / "alone", OPTIONS, by_pool())
    with audit_session("local[2]", tmp_path / "spark") as driver:
        run = make_silver([str(tmp_path / "logs")], tmp_path / "out", OPTIONS, on_spark(driver))
        again = make_silver([str(tmp_path / "logs")], tmp_path / "out", OPTIONS, on_spark(driver))
        rows = driver.ask(lambda spark: spark.read.parquet(str(tmp_path / "out" / "silver")).count())
    assert (run.new_lines, run.files) == (truth.lines, alone.files)
    assert (again.new_lines, again.files) == (0, run.files)
    assert list(read_silver(tmp_path / "out")) == list(read_silver(tmp_path / "alone"))
    assert rows == truth.kinds.total()


@pytest.mark.slow
def test_200_megabytes_are_exact(tmp_path: Path) -> None:
    truth = write_volume(tmp_path / "logs", Volume(200))
    with audit_session("local[2]", tmp_path / "spark") as driver:
        run = make_silver([str(tmp_path / "logs")], tmp_path / "out", OPTIONS, on_spark(driver))
    assert (run.new_lines, run.unreadable, run.unfinished) == (truth.lines, [], [])
    assert run.total("unknown_lines") == truth.unknown
    assert run.total("further_lines") == truth.further
    is_all_of(truth, tmp_path / "out")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_killed_executors_cost_nothing(tmp_path: Path, seed: int) -> None:
    truth = write_volume(tmp_path / "logs", Volume(120, seed=seed))
    out, chance = tmp_path / "out", random.Random(seed)
    run = started(out, "local-cluster[2,1,1024]", tmp_path / "logs")
    for count in (1, 3):
        until(lambda least=count: len(part_files(out)) >= least, run)  # type: ignore[misc]  # bound now
        victims = [
            pid
            for pid, args in living(run.pid)
            if ("CoarseGrainedExecutorBackend" in args and "java" in args) or "pyspark.daemon" in args
        ]
        if victims:
            os.kill(chance.choice(victims), signal.SIGKILL)
    out_text, err = run.communicate(timeout=400)
    assert run.returncode == 0, err
    assert int(out_text.split()[0]) == truth.lines
    is_all_of(truth, out)
    nobody_is_left(run.pid)


@pytest.mark.slow
def test_killed_driver_costs_nothing_but_time(tmp_path: Path) -> None:
    truth = write_volume(tmp_path / "logs", Volume(60))
    out = tmp_path / "out"
    run = started(out, "local[2]", tmp_path / "logs")
    until(lambda: bool(part_files(out)), run)
    for pid, _ in living(run.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    run.communicate(timeout=60)
    time.sleep(0.2)
    with audit_session("local[2]", tmp_path / "spark") as driver:
        again = make_silver([str(tmp_path / "logs")], out, OPTIONS, on_spark(driver))
    assert again.total("lines") == truth.lines
    is_all_of(truth, out)
    assert not list(out.rglob("*.writing"))

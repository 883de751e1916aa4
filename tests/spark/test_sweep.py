"""Sweeps as a user runs them: the table, the matrix, the plots, and what a killed driver leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest
from spark.processes import in_a_session, living, nobody_is_left, until
from systems.schemas import read_valid

from offsetproof.engines.spark.engine import Spark
from offsetproof.engines.whole_files import CheckpointError
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.sweep import run as sweeping
from offsetproof.sweep.grid import read_grid
from offsetproof.sweep.run import begin, must_be_made_of, rows_of, run_sweep

GRID = """
properties = ["I11", "I11-fixed", "I13", "I13-cold"]
fixes = [[], ["no-zero-answer"]]
[bounds]
messages = [1, 2]
"""
QUESTIONS = 16


def _started(folder: Path, *more: str, master: str = "local[2]") -> subprocess.Popen[str]:
    (folder / "small.toml").write_text(GRID, encoding="utf-8")
    command = [sys.executable, "-m", "offsetproof", "sweep", "small.toml", "--out-dir", "out", "--master", master]
    return in_a_session([*command, "--no-progress", *more], folder)


def _rows(folder: Path) -> list[Path]:
    return sorted(folder.glob("out/results/run=small/cell=*.parquet"))


@pytest.mark.slow
def test_interrupted_sweep_goes_on_with_what_is_left_and_decides_nothing_twice(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small.toml").write_text(GRID, encoding="utf-8")
    grid, out = read_grid(str(tmp_path / "small.toml"), ROCKETMQ), tmp_path / "out"
    monkeypatch.setattr(sweeping, "session", lambda _master, _folder: nullcontext(spark.driver))

    def interrupting(_event: object) -> None:
        if len(_rows(tmp_path)) >= 3:
            raise KeyboardInterrupt

    def sweep(told: Callable[[object], None], *, resume: bool) -> None:
        run_sweep(ROCKETMQ, "rocketmq", grid, out, master="", resume=resume, tell=told, begun=lambda _address: None)

    with pytest.raises(KeyboardInterrupt):
        sweep(interrupting, resume=False)
    before = {file: file.stat().st_mtime_ns for file in _rows(tmp_path)}
    assert 3 <= len(before) < QUESTIONS
    sweep(lambda _event: None, resume=True)
    assert {file: file.stat().st_mtime_ns for file in before} == before
    rows = rows_of(grid, out).rows
    verdicts = {(r["property"], r["bounds"], *r["fixes"]): r["verdict"] for r in rows}
    assert len(rows) == len(verdicts) == QUESTIONS
    assert verdicts["I13", '{"messages": 2}'] == "REFUTED"
    assert verdicts["I13", '{"messages": 2}', "no-zero-answer"] == "HOLDS"


@pytest.mark.slow
def test_killed_sweep_is_gone_on_with_and_nothing_is_decided_twice(tmp_path: Path) -> None:
    killed = _started(tmp_path)
    until(lambda: len(_rows(tmp_path)) >= 3, killed)
    killed.kill()
    killed.communicate()
    nobody_is_left(killed.pid)
    before = {file: file.stat().st_mtime_ns for file in _rows(tmp_path)}
    assert 3 <= len(before) < QUESTIONS
    last = _started(tmp_path, "--resume", "--format", "json")
    out, err = last.communicate(timeout=300)
    assert last.returncode == 0, err
    told = read_valid("sweep", out)
    assert len(told["rows"]) == told["cells"] == QUESTIONS
    assert len({row["cell"] for row in told["rows"]}) == QUESTIONS
    assert {file: file.stat().st_mtime_ns for file in before} == before
    assert {path.name for path in (tmp_path / "out" / "plots").iterdir()} == {
        "messages-sizes.svg", "messages-verdicts.svg",
    }  # fmt: skip
    verdicts = {(r["property"], r["bounds"], *r["fixes"]): r["verdict"] for r in told["rows"]}
    assert verdicts["I13", '{"messages": 2}'] == "REFUTED"
    assert verdicts["I13", '{"messages": 2}', "no-zero-answer"] == "HOLDS"


@pytest.mark.slow
def test_interrupted_sweep_shows_what_it_has(tmp_path: Path) -> None:
    run = _started(tmp_path)
    until(lambda: len(_rows(tmp_path)) >= 2, run)
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=300)
    assert run.returncode == 130
    assert "questions have no row yet" in out
    nobody_is_left(run.pid)


@pytest.mark.slow
def test_killed_executor_costs_no_question(tmp_path: Path) -> None:
    run = _started(tmp_path, "--format", "json", master="local-cluster[2,1,1024]")
    until(lambda: len(_rows(tmp_path)) >= 5, run)
    executors = [pid for pid, args in living(run.pid) if "CoarseGrainedExecutorBackend" in args and "java" in args]
    os.kill(executors[0], signal.SIGKILL)
    out, err = run.communicate(timeout=300)
    assert run.returncode == 0, err
    rows = read_valid("sweep", out)["rows"]
    assert len({row["cell"] for row in rows}) == len(rows) == QUESTIONS
    nobody_is_left(run.pid)


def test_rows_are_gone_on_with_only_where_model_and_limits_are_the_same(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="drop --resume"):
        must_be_made_of("mark", tmp_path / "run")
    begin("mark", tmp_path / "run")
    row = tmp_path / "run" / "cell=1.parquet"
    row.touch()
    must_be_made_of("mark", tmp_path / "run")
    with pytest.raises(CheckpointError, match="with other limits"):
        must_be_made_of("other mark", tmp_path / "run")
    assert row.exists()
    begin("other mark", tmp_path / "run")
    assert not row.exists()

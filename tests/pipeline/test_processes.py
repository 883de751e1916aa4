"""Spark as processes: killed drivers and executors, interrupts, and what is missing; no process stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from offsetproof.check.request import Request, questions
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.pipeline.run_folder import MANIFEST
from offsetproof.properties.catalogue import ROCKETMQ

CLAIM, SCOPE = "I6-nothing-lost", "lost-reset"
COMMAND = [sys.executable, "-m", "offsetproof", "check", "--engine", "spark", "--property", CLAIM, "--no-progress"]
MOST_SECONDS = 240


def started(folder: Path, master: str = "local[2]", *more: str) -> subprocess.Popen[str]:
    """A run in a session of its own, so that all of its processes can be told."""
    command = [*COMMAND, "--master", master, "--out-dir", str(folder), "--format", "json", *more]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, cwd=folder
    )


def until(what: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Waits; the test fails if the process ends first."""
    for _ in range(MOST_SECONDS * 10):
        if what():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    raise AssertionError("it did not happen")


def levels(folder: Path) -> int:
    """How many levels are complete."""
    found = list(folder.glob(f"spark/{CLAIM},*/{MANIFEST}"))
    return len(json.loads(found[0].read_text(encoding="utf-8"))["passes"][0]["levels"]) if found else 0


def living(session: int) -> list[tuple[int, str]]:
    """The processes of a session that still run."""
    out = subprocess.run(["ps", "-o", "pid=,stat=,args=", "-s", str(session)], capture_output=True, text=True).stdout
    rows = [line.split(None, 2) for line in out.splitlines()]
    return [(int(pid), args) for pid, stat, args in rows if not stat.startswith("Z")]


def nobody_is_left(session: int) -> None:
    """Waits until no process of a session is left."""
    for _ in range(300):
        if not living(session):
            return
        time.sleep(0.1)
    raise AssertionError(living(session))


def told(process: subprocess.Popen[str]) -> tuple[str, int, int, int]:
    """Verdict and counts of a run that ended well."""
    out, err = process.communicate(timeout=MOST_SECONDS)
    assert process.returncode == 0, err
    (result,) = json.loads(out)["results"]
    return result["verdict"], result["states"], result["transitions"], result["depth"]


@pytest.fixture(scope="module")
def expected() -> tuple[str, int | None, int | None, int]:
    (question,) = questions(Request(ROCKETMQ, (CLAIM,), scope=SCOPE))
    result = Explicit().decide(question)
    return str(result.verdict), result.counts.states, result.counts.transitions, result.counts.depth


def test_killed_driver_leaves_no_process_and_its_run_is_gone_on_with(tmp_path: Path, expected: object) -> None:
    first = started(tmp_path)
    until(lambda: levels(tmp_path) >= 10, first)
    first.kill()
    first.communicate()
    nobody_is_left(first.pid)
    before = levels(tmp_path)
    assert 10 <= before < 61
    assert told(started(tmp_path, "local[2]", "--resume")) == expected


@pytest.mark.slow
def test_killed_executor_is_replaced_and_the_counts_stay_the_same(tmp_path: Path, expected: object) -> None:
    run = started(tmp_path, "local-cluster[2,1,1024]")
    until(lambda: levels(tmp_path) >= 10, run)
    executors = [pid for pid, args in living(run.pid) if "CoarseGrainedExecutorBackend" in args and "java" in args]
    assert len(executors) == 2
    os.kill(executors[0], signal.SIGKILL)
    assert told(run) == expected
    nobody_is_left(run.pid)


def test_interrupted_run_reports_what_it_established(tmp_path: Path) -> None:
    run = started(tmp_path)
    until(lambda: levels(tmp_path) >= 5, run)
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=MOST_SECONDS)
    assert run.returncode == 130
    (result,) = json.loads(out)["results"]
    assert (result["verdict"], result["reason"]) == ("UNKNOWN", "interrupted")
    assert result["states"] > 0
    nobody_is_left(run.pid)


def test_missing_java_is_code_69_with_the_command_that_installs_it(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "JAVA_HOME"} | {"PATH": str(tmp_path)}
    run = subprocess.run(COMMAND, capture_output=True, text=True, env=environment)
    assert run.returncode == 69
    assert "apt-get install openjdk-17-jre-headless" in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_missing_pyspark_is_code_69_with_the_command_that_installs_it(tmp_path: Path) -> None:
    (tmp_path / "pyspark.py").write_text("raise ImportError('there is none')\n", encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    run = subprocess.run(COMMAND, capture_output=True, text=True, env=environment)
    assert run.returncode == 69
    assert "python -m pip install 'offsetproof[spark]'" in run.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--resume"], "--out-dir"),
        (["--engine", "explicit", "--master", "local[2]"], "--engine spark"),
        (["--engine", "explicit", "--resume"], "--engine spark"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: list[str], told: str) -> None:
    run = subprocess.run([*COMMAND, *options], capture_output=True, text=True)
    assert run.returncode == 2
    assert told in run.stderr

"""Spark as processes: killed drivers and executors, interrupts, and what is missing; no process stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from spark.processes import (
    COMMAND,
    MOST_SECONDS,
    held,
    is_told_to_go_on,
    levels,
    living,
    nobody_is_left,
    started,
    told,
    until,
)
from systems.samples import one_in


@pytest.mark.alone
@pytest.mark.slow
def test_killed_driver_leaves_no_process_and_interrupted_and_gone_on_with_its_counts_are_the_same(
    tmp_path: Path, expected: object
) -> None:
    killed = started(tmp_path)
    until(lambda: levels(tmp_path) >= 5, killed)
    with held(killed):
        killed.kill()
        killed.wait()
    killed.communicate()
    nobody_is_left(killed.pid)
    before = levels(tmp_path)
    assert 5 <= before < 50
    interrupted = started(tmp_path, "local[2]", "--resume")
    until(lambda: levels(tmp_path) >= before + 3, interrupted)
    with held(interrupted):
        interrupted.send_signal(signal.SIGINT)
        until(lambda: not is_told_to_go_on(tmp_path), interrupted)
    out, err = interrupted.communicate(timeout=MOST_SECONDS)
    assert interrupted.returncode == 130
    assert err == ""
    (result,) = json.loads(out)["results"]
    assert (result["verdict"], result["reason"]) == ("UNKNOWN", "interrupted")
    assert result["states"] > 0
    assert result["depth"] >= before + 2
    nobody_is_left(interrupted.pid)
    assert told(started(tmp_path, "local[2]", "--resume")) == expected


@pytest.mark.alone
@pytest.mark.slow
def test_killed_executor_is_replaced_and_the_counts_stay_the_same(tmp_path: Path, expected: object) -> None:
    run = started(tmp_path, "local-cluster[2,1,1024]")
    until(lambda: levels(tmp_path) >= 10, run)
    executors = [pid for pid, args in living(run.pid) if "CoarseGrainedExecutorBackend" in args and "java" in args]
    assert len(executors) == 2
    os.kill(executors[0], signal.SIGKILL)
    assert told(run) == expected
    nobody_is_left(run.pid)


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 0.5, 1.5, 3.0])
def test_interrupt_while_spark_starts_leaves_nothing(tmp_path: Path, seconds: float) -> None:
    run = started(tmp_path)
    until((tmp_path / "spark" / "session" / "log4j2.properties").exists, run)
    time.sleep(seconds)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=MOST_SECONDS)
    assert (run.returncode, err) == (130, "")
    nobody_is_left(run.pid)
    assert not list(tmp_path.glob("spark/session/scratch"))


@pytest.mark.alone
@pytest.mark.slow
def test_killed_jvm_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    run = started(tmp_path)
    until(lambda: levels(tmp_path) >= 5, run)
    (jvm,) = (pid for pid, args in living(run.pid) if "SparkSubmit" in args)
    os.kill(jvm, signal.SIGKILL)
    _, err = run.communicate(timeout=MOST_SECONDS)
    assert run.returncode == 255
    assert err.startswith("offsetproof: Spark's JVM is gone; ")
    assert len(err.splitlines()) == 1
    nobody_is_left(run.pid)
    assert not list(tmp_path.glob("spark/session/scratch"))


@pytest.mark.alone
@pytest.mark.slow
def test_settings_that_spark_does_not_take_are_one_line(tmp_path: Path) -> None:
    run = started(tmp_path, "local[x]")
    _, err = run.communicate(timeout=MOST_SECONDS)
    assert run.returncode == 69
    assert "Could not parse Master URL: 'local[x]'" in err
    assert len(err.splitlines()) == 1


def test_missing_java_is_code_69_with_the_command_that_installs_it(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "JAVA_HOME"} | {"PATH": str(tmp_path)}
    run = subprocess.run(COMMAND, capture_output=True, text=True, env=environment)
    assert run.returncode == 69
    assert "apt-get install default-jdk-headless" in run.stderr
    assert len(run.stderr.splitlines()) == 1


def _without(
    library: str, folder: Path, command: list[str], instead: str = "raise ImportError('there is none')"
) -> str:
    """The one line of a program that cannot use a library and says what to install."""
    (folder / f"{library}.py").write_text(f"{instead}\n", encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(folder)}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)
    assert run.returncode == 69, run.stderr
    (line,) = run.stderr.splitlines()
    assert "python -m pip install 'offsetproof[spark]'" in line
    return line


@pytest.mark.parametrize("library", one_in(3, ["pyspark", "pandas", "pyarrow"]))
def test_missing_library_is_code_69_with_the_command_that_installs_it(tmp_path: Path, library: str) -> None:
    line = _without(library, tmp_path, COMMAND)
    assert line.startswith(f"offsetproof: {library} is not installed, or not as it should be (there is none); ")


def test_pandas_that_is_too_old_is_code_69(tmp_path: Path) -> None:
    line = _without("pandas", tmp_path, COMMAND, "__version__ = '1.0.0'")
    assert "Pandas >= 2.2.0 must be installed; however, your version is 1.0.0" in line


def test_missing_matplotlib_is_told_before_a_sweep_begins(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "offsetproof", "sweep", "resets"]
    assert "or use --no-plots" in _without("matplotlib", tmp_path, command)
    assert not (tmp_path / "sweep").exists()


def test_resuming_where_nothing_is_names_the_folder_and_starts_nothing(tmp_path: Path) -> None:
    run = subprocess.run([*COMMAND, "--resume", "--out-dir", str(tmp_path)], capture_output=True, text=True)
    assert run.returncode == 150
    assert f"nothing in {tmp_path / 'spark'} to resume" in run.stderr
    assert len(run.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--resume"], "--out-dir"),
        (["--engine", "explicit", "--master", "local[2]"], "--engine spark"),
        (["--engine", "explicit", "--resume"], "--engine spark"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: list[str], told: str) -> None:
    engine = COMMAND.index("--engine")
    other = [*COMMAND[:engine], *COMMAND[engine + 2 :]] if "--engine" in options else COMMAND
    run = subprocess.run([*other, *options], capture_output=True, text=True)
    assert run.returncode == 2
    assert told in run.stderr

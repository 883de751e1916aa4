"""Runs on Spark as processes of their own, and what is left of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from offsetproof.engines.spark.manifest import MANIFEST

CLAIM, SCOPE = "I6-nothing-lost", "lost-reset"
COMMAND = [
    *(sys.executable, "-m", "offsetproof", "check", "--engine", "spark"),
    *("--property", CLAIM, "--release", "4.9.4", "--no-progress"),
]
MOST_SECONDS = 240
_SESSIONS: list[subprocess.Popen[str]] = []


def started(folder: Path, master: str = "local[2]", *more: str) -> subprocess.Popen[str]:
    """A run in a session of its own, so that all of its processes can be told."""
    command = [*COMMAND, "--master", master, "--out-dir", str(folder), "--format", "json", *more]
    return in_a_session(command, folder)


def in_a_session(command: list[str], folder: Path) -> subprocess.Popen[str]:
    """A process in a session of its own, which does not outlive its test."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, cwd=folder
    )
    _SESSIONS.append(process)
    return process


def end_sessions() -> None:
    """Kills what is left of the sessions that were started, as a failed test may leave it, and closes their pipes."""
    while _SESSIONS:
        process = _SESSIONS.pop()
        for pid, _ in living(process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ValueError):  # a test that has all it said has closed them
            process.communicate()


def until(what: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Waits; the test fails if the process ends first."""
    last = time.monotonic() + MOST_SECONDS
    while time.monotonic() < last:
        if what():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    raise AssertionError("it did not happen")


@contextmanager
def held(process: subprocess.Popen[str]) -> Iterator[None]:
    """Within the block the tasks of a run stand still, so that it comes to no end before what is done to it."""
    tasks = [pid for pid, args in living(process.pid) if "pyspark.daemon" in args]
    assert tasks
    for pid in tasks:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in tasks:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def is_told_to_go_on(folder: Path) -> bool:
    """Whether the tasks of a run's search are to go on."""
    return any(folder.glob("spark/*/scratch/*/start.json"))


def levels(folder: Path) -> int:
    """How many levels are complete."""
    found = list(folder.glob(f"spark/{CLAIM},*/{MANIFEST}"))
    return len(json.loads(found[0].read_text(encoding="utf-8"))["passes"][0]["levels"]) if found else 0


def living(session: int) -> list[tuple[int, str]]:
    """The processes of a session that still run."""
    out = subprocess.run(
        ["ps", "-ww", "-o", "pid=,stat=,args=", "-s", str(session)], capture_output=True, text=True
    ).stdout
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

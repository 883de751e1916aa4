"""`--workers`: processes that decide side by side, as users see them: none is left, none dies unnoticed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from cli.program import PROGRAM, environment, run, searching
from systems.samples import one_in

SECONDS_MAX = 60.0
LONG = ("check", "long.py", "--property=not_all_at_the_end", "--property=is_flipped", "--max-memory=3GiB")


def children_of(pid: int) -> list[int]:
    with suppress(OSError):
        return [*map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split())]
    return []


def is_there(pid: int) -> bool:
    """Does a process live, and is it not only waited for?"""
    with suppress(OSError):
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return False


def started(folder: Path, *args: str) -> tuple[subprocess.Popen[str], list[int]]:
    """A check that would take minutes, and its two processes once one of them has told of its search."""
    process = searching(*LONG, "--workers=2", *args, cwd=folder)
    return process, children_of(process.pid)


def gone(pids: list[int]) -> bool:
    until = time.monotonic() + SECONDS_MAX
    while any(map(is_there, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    return not any(map(is_there, pids))


@pytest.mark.parametrize("number", one_in(3, [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
def test_no_process_is_left_whatever_ends_the_program(models: Path, number: signal.Signals) -> None:
    process, children = started(models)
    with process:
        assert children
        process.send_signal(number)
        process.communicate(timeout=SECONDS_MAX)
    assert process.returncode == (-9 if number is signal.SIGKILL else 128 + number)
    assert gone(children)


@pytest.mark.parametrize("format", one_in(3, ["text", "junit", "sarif", "json", "github", "markdown"]))
def test_report_is_the_same_with_one_process_and_with_three(models: Path, format: str) -> None:
    one, three = (
        run("check", "counter.py", f"--format={format}", f"--workers={count}", cwd=models) for count in (1, 3)
    )
    assert one.code == three.code
    assert _without_times(three.out) == _without_times(one.out)


def _without_times(report: str) -> list[str]:
    """The lines without those that say how long something took, or how much there was time for."""
    timed = ("seconds", "time=", "spot check", "peak_bytes")
    lines = [line for line in report.splitlines() if not any(word in line for word in timed)]
    return [re.sub(r"\b\d+\.\d+\b", "S", line) for line in lines]


@pytest.mark.parametrize("count", ["0", "-1", "two", "1.5", "99999"])
def test_odd_number_of_processes_is_refused(models: Path, count: str) -> None:
    ran = run("check", "counter.py", f"--workers={count}", cwd=models)
    assert (ran.code, ran.out) == (2, "")
    assert "is not a number of processes; write auto, 1, 2..." in ran.err


def test_other_engines_decide_in_one_process(models: Path) -> None:
    ran = run("check", "counter.py", "--engine=stateful", "--workers=2", cwd=models)
    assert ran.code == 2
    assert "only --engine explicit decides in several processes" in ran.err


STUCK = """
import itertools
from offsetproof.lang import *

class Stuck(Model):
    on: int = integer(0, 2)

    @action()
    def lights(self) -> None:
        self.on = 1

    @always
    def first(self) -> bool:
        return self.on < 2

    @always
    def endless(self) -> bool:
        return all(itertools.product(range(1000), repeat=20))

    @always
    def last(self) -> bool:
        return self.on < 2
"""
"""The second claim is in one call of compiled code for ever."""


def stuck(folder: Path, *args: str) -> tuple[subprocess.Popen[str], list[int]]:
    """A check that is within the call that never returns, and its process."""
    (folder / "stuck.py").write_text(STUCK, encoding="utf-8")
    process = subprocess.Popen(
        [str(PROGRAM), "check", "stuck.py", "--property=first", "--property=endless", "--workers=1", *args],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + SECONDS_MAX
    while not (children := children_of(process.pid)) or seconds_of(children[0]) < LONG_IN_CALL:
        assert time.monotonic() < until
        time.sleep(0.05)
    return process, children


LONG_IN_CALL = 2.5
"""Seconds of processor time: long after the first claim is decided."""


def seconds_of(pid: int) -> float:
    """The processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
def test_process_in_a_call_that_never_returns_ends_with_the_program(tmp_path: Path) -> None:
    process, children = stuck(tmp_path)
    with process:
        assert children
        process.kill()
    assert gone(children)


@pytest.mark.slow
def test_interrupt_ends_a_call_that_never_returns_with_what_was_established(tmp_path: Path) -> None:
    process, children = stuck(tmp_path, "--format=json")
    with process:
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=SECONDS_MAX)
    assert process.returncode == 130
    assert [each["property"] for each in json.loads(out)["results"]] == ["first"]
    assert gone(children)

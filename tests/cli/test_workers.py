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
from cli.program import PROGRAM, environment, in_terminal, run
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
    process = subprocess.Popen(
        [str(PROGRAM), *LONG, "--workers=2", *args],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert "not_all_at_the_end" in process.stderr.readline()
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


def test_process_that_is_killed_makes_its_question_unknown_with_the_reason(models: Path) -> None:
    process, children = started(models, "--format=json")
    with process:
        for child in children:
            os.kill(child, signal.SIGKILL)
        out, _ = process.communicate(timeout=SECONDS_MAX)
    (result, other) = json.loads(out)["results"]
    assert (process.returncode, result["verdict"], result["reason"]) == (30, "UNKNOWN", "its process died")
    assert result["detail"].startswith("it ended with signal 9; ")
    assert other["verdict"] == "HOLDS"


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


def test_claims_appear_in_a_terminal_before_the_counts(models: Path) -> None:
    code, text = in_terminal("check", "counter.py", "--scope=all", "--no-progress", columns=100, cwd=models)
    assert code == 12
    assert text.index("stays_below_two") < text.index("not as expected")

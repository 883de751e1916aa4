"""No program that was started outlives the block that needs it, and neither does what it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from systems.process_groups import is_gone

from offsetproof.children.lifetime import run_to_end, running


def leave(ending: type[BaseException], started: list[subprocess.Popen[bytes]]) -> None:
    with running(["sh", "-c", "sleep 60 & echo ready; sleep 60"]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        started.append(process)
        raise ending


@pytest.mark.parametrize("ending", [KeyboardInterrupt, ValueError])
def test_block_that_is_left_takes_the_program_and_what_it_started_along(ending: type[BaseException]) -> None:
    started: list[subprocess.Popen[bytes]] = []
    with pytest.raises(ending):
        leave(ending, started)
    [process] = started
    assert process.pid != os.getpgrp()
    assert process.returncode == -signal.SIGKILL
    assert is_gone(process.pid)


def test_what_a_program_has_left_behind_is_ended_with_the_block() -> None:
    with running(["sh", "-c", "sleep 60 & echo ready"]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # over, and not waited for by its own object
    assert is_gone(process.pid)


def test_program_that_reads_nothing_of_what_it_is_given_does_not_fail_the_block() -> None:
    with running([sys.executable, "-c", ""], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        process.stdin.write(b"unread")
    assert process.stdin.closed


def test_program_tells_its_code_and_all_that_it_printed(tmp_path: Path) -> None:
    (tmp_path / "here").touch()
    printed = run_to_end(["sh", "-c", 'ls; echo "$WORD" >&2; exit 3'], tmp_path, environment={"WORD": "given"})
    assert printed == (3, "here\ngiven\n")

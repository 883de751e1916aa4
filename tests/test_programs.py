"""No program that was started outlives the block that needs it, and neither does what it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from systems.process_groups import is_gone

from offsetproof.programs import run_to_end, running


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


def interrupting(kind: type[subprocess.Popen[bytes]], started: list[int]) -> type[subprocess.Popen[bytes]]:
    """Programs during whose start the process that starts them is interrupted, before it knows them."""

    class Interrupting(kind):  # type: ignore[misc,valid-type]  # its base is known when the test runs
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            started.append(self.pid)
            signal.raise_signal(signal.SIGINT)

    return Interrupting


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_IGN])
def test_interrupt_while_a_program_is_started_comes_once_the_program_is_known(
    monkeypatch: pytest.MonkeyPatch, handler: Any
) -> None:
    started: list[int] = []
    monkeypatch.setattr(subprocess, "Popen", interrupting(subprocess.Popen, started))
    before = signal.signal(signal.SIGINT, handler)
    try:
        expected = nullcontext() if handler is signal.SIG_IGN else pytest.raises(KeyboardInterrupt)
        with expected, running(["sleep", "60"]):
            assert handler is signal.SIG_IGN, "the block is entered although it was interrupted"
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)
    [process] = started
    assert is_gone(process)


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

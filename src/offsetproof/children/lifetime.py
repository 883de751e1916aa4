"""No child process outlives what it was started for: a program is ended with the block that needs it, and with all that
it has started; a child that wants to end with its parent says so itself."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT

from offsetproof.watch import begin_thread, interrupts_later

_LOOK_FOR_PARENT_EVERY = 0.5
_PR_SET_PDEATHSIG = 1


@contextmanager
def running(
    command: Sequence[str],
    folder: Path | None = None,
    *,
    stdin: int = DEVNULL,
    stderr: int = STDOUT,
    environment: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """A program, while the block lasts; its stdout is a pipe. `environment` is added to this process's.

    It has a session of its own, so that Ctrl-C is left to this process, and so that all of its group can be ended.
    Whatever ends the block: the program is gone afterwards, and has been waited for.
    """
    process = None
    try:
        with interrupts_later():
            process = subprocess.Popen(
                command,
                cwd=folder,
                env={**os.environ, **(environment or {})},
                stdin=stdin,
                stdout=PIPE,
                stderr=stderr,
                start_new_session=True,
            )
        yield process
    finally:
        if process is not None:
            try:
                _end_whole(process)
            finally:
                _end_whole(process)  # a signal may have come before it had begun


def _end_whole(process: subprocess.Popen[bytes]) -> None:
    """Ends the program with its group, and waits for it; nothing to do where that was done."""
    with interrupts_later():
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in filter(None, (process.stdin, process.stdout, process.stderr)):
        with suppress(BrokenPipeError):  # it may have ended before it had read everything
            stream.close()


def run_to_end(
    command: Sequence[str], folder: Path, *, seconds: float | None = None, environment: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """A program's exit code, and what it printed, errors included. TimeoutError where it needs longer than that."""
    with running(command, folder, environment=environment) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"not finished after {seconds:g} seconds") from None
        return process.returncode, output.decode(errors="replace")


def end_with_parent(parent: int) -> None:
    """Ends this process soon after the one that wants its answer.

    A thread looks for it; on Linux the kernel does so as well (there, after the thread that has forked), because within
    one long call of compiled code no thread gets its turn.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    begin_thread(_end_with, parent, name="parent")


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_FOR_PARENT_EVERY)
    os._exit(1)

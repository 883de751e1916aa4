"""Programs that are started and that end with the block that needs them, and all that they have started with them."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT

from offsetproof.watch import interrupts_later


class ProgramFailedError(Exception):
    """Another program gave no answer: it died, hung, gave up or refused its input; its own words are in the message.

    Nothing can be concluded from what it has said before. A verb ends with code 255, unless it can do without.
    """


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
            _end_whole(process)


def _end_whole(process: subprocess.Popen[bytes]) -> None:
    """Ends the program with its group, and waits for it."""
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

"""A verb in a process of its own, within a time: its document, its exit code, and what it said on stderr.

The process is ended with the call, whatever ends that. One that is too slow gets SIGTERM first, upon which a verb
writes what it has so far.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import anyio
from anyio.abc import ByteReceiveStream, Process
from anyio.streams.text import TextReceiveStream

_GRACE = 15.0
"""Seconds to write a report after SIGTERM."""

_COMPLAINT = re.compile(r"^(offsetproof:|Usage:|Traceback )")
"""How a line begins that is no progress."""

Tell = Callable[[str], Awaitable[None]]
"""What is told of each line of progress."""


@dataclass(frozen=True)
class Called:
    """What a verb came to; `late`: it was ended after its time."""

    code: int
    out: str
    err: str
    late: bool

    @property
    def complaint(self) -> str:
        """What it said that is not progress."""
        lines = self.err.splitlines()
        first = next((number for number, line in enumerate(lines) if _COMPLAINT.match(line)), len(lines))
        return "\n".join(lines[first:])


@dataclass
class Calls:
    """The processes that are running now."""

    running: set[Process] = field(default_factory=set)

    async def run(self, command: Sequence[str], seconds: float, tell: Tell) -> Called:
        """Runs the program with these arguments.

        `-P`: no file of the folder that the server was started in is taken for a module of Python's.
        """
        process = await anyio.open_process(
            [sys.executable, "-P", "-m", "offsetproof", *command], stdin=subprocess.DEVNULL, start_new_session=True
        )
        self.running.add(process)
        try:
            return await _to_end(process, seconds, tell)
        finally:
            self.running.discard(process)
            _kill(process)
            with anyio.CancelScope(shield=True):
                await process.aclose()

    def kill(self) -> None:
        """Ends them all, with what they have started."""
        for process in self.running:
            _kill(process)


async def _to_end(process: Process, seconds: float, tell: Tell) -> Called:
    out: list[str] = []
    err: list[str] = []
    late = False
    assert process.stdout is not None
    assert process.stderr is not None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read, process.stdout, out, None)
        tasks.start_soon(_read, process.stderr, err, tell)
        with anyio.move_on_after(seconds) as limit:
            await process.wait()
        if limit.cancelled_caught:
            late = True
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
            with anyio.move_on_after(_GRACE):
                await process.wait()
            _kill(process)
    return Called(await process.wait(), "".join(out), "".join(err), late)


async def _read(stream: ByteReceiveStream, into: list[str], tell: Tell | None) -> None:
    """Reads all of a stream, and tells of each whole line that is progress."""
    rest = ""
    async for text in TextReceiveStream(stream, errors="replace"):
        into.append(text)
        if tell is not None:
            *lines, rest = (rest + text).split("\n")
            for line in lines:
                if line and not _COMPLAINT.match(line):
                    await tell(line)


def _kill(process: Process) -> None:
    """Ends a process that is still there, with its group."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

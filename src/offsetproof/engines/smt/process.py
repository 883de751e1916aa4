"""Running a session in a child process, so that a query that never ends costs no more than its time limit."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from threading import Thread
from typing import IO, Any

from offsetproof.ir.system import System
from offsetproof.ir.wire import to_bytes
from offsetproof.programs import running


def run_session(
    system: System, sought: Sequence[bool], bounds: Any, seconds: float | None, tell: Callable[[dict[str, Any]], None]
) -> bool:
    """Runs a session to its end, or until the time is over (then False). The child is gone afterwards.

    Raises RuntimeError, with what it printed last, when the child breaks off, and KeyboardInterrupt.
    """
    command = [sys.executable, "-P", "-m", "offsetproof.engines.smt.child"]
    head = {"sought": list(sought), "bounds": asdict(bounds)}
    with running(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdin is not None
        with suppress(BrokenPipeError):  # a child that has ended says why on its stderr
            child.stdin.write(json.dumps(head).encode() + b"\n" + to_bytes(system))
            child.stdin.close()
        return _listen(child, None if seconds is None else time.monotonic() + seconds, tell)


def _listen(child: subprocess.Popen[bytes], deadline: float | None, tell: Callable[[dict[str, Any]], None]) -> bool:
    lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    assert child.stdout is not None
    assert child.stderr is not None
    Thread(target=_read, args=(child.stdout, lines), daemon=True).start()
    while True:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            return False
        try:
            line = lines.get(timeout=min(0.5, left) if left is not None else 0.5)
        except queue.Empty:
            continue
        if line is None:
            if child.wait() != 0:
                raise RuntimeError(f"the solver's process ended: {child.stderr.read().decode(errors='replace')[-400:]}")
            return True
        tell(json.loads(line))


def _read(stream: IO[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
    with suppress(ValueError):  # a session that is given up closes the stream
        for line in stream:
            lines.put(line)
    lines.put(None)

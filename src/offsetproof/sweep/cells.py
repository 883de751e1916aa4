"""Deciding one cell of a sweep in a process of its own, whatever becomes of that process."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from dataclasses import dataclass

from offsetproof.checking.request import question_of
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.spark.shipping import program
from offsetproof.lang.world import ClaimInWorld
from offsetproof.sweep.fingerprint import fingerprint, load_noting_imports
from offsetproof.sweep.rows import DIED, ERROR, Row
from offsetproof.verdict.question import Limits
from offsetproof.watch import end_with_parent

GRACE = 30.0
"""How many seconds a cell may take beyond its limit before its process is ended."""


class ChangedError(Exception):
    """The model is another one than the sweep began with."""


@dataclass(frozen=True)
class Task:
    """A cell with what it may spend, and the subject that it is about, as it was when the sweep began (`mark`)."""

    subject: str
    cell: ClaimInWorld
    limits: Limits
    mark: str


def decided_apart(task: Task) -> Row:
    """The row of one cell; a process that dies or does not end makes it UNKNOWN with the reason."""
    started = time.monotonic()
    program()  # read once, not in each child
    reading, writing = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if not child:
        os.close(reading)
        end_with_parent(parent)
        _answer(task, writing)
    os.close(writing)
    most = None if task.limits.seconds is None else task.limits.seconds + GRACE
    told = _read(reading, most)
    os.close(reading)
    if told is None:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    row = _row(task.cell, time.monotonic() - started)
    if told and not status:
        answer = json.loads(told)
        return {**row, **answer, "detail": answer["detail"].encode(errors="replace").decode()}
    if told is None:
        return {**row, "reason": "time limit", "detail": "its process did not end and was killed", "died": True}
    how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"code {os.waitstatus_to_exitcode(status)}"
    return {**row, "reason": DIED, "detail": f"its process ended with {how}", "died": True}


def _answer(task: Task, writing: int) -> None:
    """What the child does: decides, writes one document, and ends without any clean-up of the parent's things."""
    try:
        row = _decided(task)
    except BaseException as error:
        row = {"reason": ERROR, "detail": f"{type(error).__name__}: {error}"}
    try:
        with os.fdopen(writing, "wb") as out:
            out.write(json.dumps(row).encode())
    finally:
        sys.stderr.flush()
        os._exit(0)


def _read(reading: int, most: float | None) -> bytes | None:
    """All that the child writes; None if it takes too long."""
    parts: list[bytes] = []
    until = None if most is None else time.monotonic() + most
    while True:
        left = None if until is None else max(0.0, until - time.monotonic())
        if not select.select([reading], [], [], left)[0]:
            return None
        part = os.read(reading, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)


def _row(cell: ClaimInWorld, seconds: float) -> Row:
    """What is known of a cell before it is decided; columns that are not named stay empty."""
    return {
        "cell": cell.id,
        "property": cell.claim,
        "release": cell.release,
        "scope": cell.scope,
        "fixes": list(cell.fixes),
        "assumptions": list(cell.assumptions),
        "listener": cell.listener,
        "bounds": json.dumps(dict(cell.bounds), sort_keys=True),
        "verdict": "UNKNOWN",
        "detail": "",
        "seconds": seconds,
        "wall": seconds,
        "digest": "",
        "died": False,
    }


def _decided(task: Task) -> Row:
    subject, imports = load_noting_imports(task.subject)
    if fingerprint(subject, task.limits, imports.so_far) != task.mark:
        raise ChangedError("the model has changed since the sweep began")
    question = question_of(subject, task.cell, task.limits)
    result = Explicit().decide(question)
    if fingerprint(subject, task.limits, imports.so_far) != task.mark:
        raise ChangedError("the model has changed while it was decided, or imports more than at its start; do so there")
    replay = result.replay
    return {
        "verdict": str(result.verdict),
        "expected": None if result.expected is None else str(result.expected),
        "reason": None if result.reason is None else str(result.reason),
        "detail": result.detail,
        "states": result.counts.states,
        "transitions": result.counts.transitions,
        "depth": result.counts.depth,
        "faults": None if replay is None else replay.faults,
        "steps": None if replay is None else len(replay.labels),
        "seconds": result.seconds,
        "digest": result.digest,
    }

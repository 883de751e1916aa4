"""Deciding one question of a sweep in a process of its own, whatever becomes of that process."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from offsetproof.checking.request import question_of
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang.subject import Subject
from offsetproof.lang.world import ClaimInWorld
from offsetproof.sources import program
from offsetproof.sweep.fingerprint import fingerprint, load_noting_imports
from offsetproof.sweep.rows import DIED, ERROR, Row
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.phrases import open_in_words
from offsetproof.workers import Answered, Died, Failed, Message, Worker, listen

GRACE = 30.0
"""How many seconds a question may take beyond its limit before its process is ended."""


class ChangedError(Exception):
    """The model is not the one that the sweep began with: the row of the question says so, by this name."""


@dataclass(frozen=True)
class Task:
    """A question with what it may spend, and the subject that it is about, as it was when the sweep began (`mark`)."""

    subject: str
    question: ClaimInWorld
    limits: Limits
    mark: str


def decided_apart(task: Task) -> Row:
    """The row of one question; a process that dies or does not end makes it UNKNOWN with the reason."""
    started = time.monotonic()
    message = last_word(lambda: _decide(task), task.limits)
    row = _row(task.question, time.monotonic() - started)
    if message is None:
        return {**row, "reason": "time limit", "detail": NOT_ENDED, "died": True}
    if isinstance(message, Answered):
        return {**row, **message.what, "detail": writable(message.what["detail"])}
    if isinstance(message, Failed):
        return {**row, "reason": ERROR, "detail": writable(message.why)}
    assert isinstance(message, Died)
    return {**row, "reason": DIED, "detail": f"its process ended with {message.how}", "died": True}


NOT_ENDED = "its process did not end and was killed"


def last_word(work: Callable[[], object], limits: Limits) -> Message | None:
    """What a process of its own says of its work; None where it did not end in time, and was killed."""
    program()  # read once, not in each child
    worker = Worker(lambda order, tell: work())
    try:
        worker.order(None)
        most = None if limits.seconds is None else limits.seconds + GRACE
        return next((message for _, message in listen([worker], most)), None)
    finally:
        worker.kill()


def writable(text: str) -> str:
    """A text as UTF-8 can have it."""
    return text.encode(errors="replace").decode()


def _row(question: ClaimInWorld, seconds: float) -> Row:
    """What is known of a question before it is decided; columns that are not named stay empty."""
    return {
        "cell": question.id,
        "property": question.claim,
        "release": question.release,
        "scope": question.scope,
        "fixes": list(question.fixes),
        "assumptions": list(question.assumptions),
        "listener": question.listener,
        "bounds": json.dumps(dict(question.bounds), sort_keys=True),
        "verdict": "UNKNOWN",
        "detail": "",
        "vacuous": "",
        "seconds": seconds,
        "wall": seconds,
        "digest": "",
        "died": False,
    }


@contextmanager
def subject_of(task: Task) -> Iterator[Subject]:
    """The subject for the time of the block; ChangedError where it is not the one that the run began with."""
    subject, imports = load_noting_imports(task.subject)
    if fingerprint(subject, task.limits, imports.so_far) != task.mark:
        raise ChangedError("the model has changed since the sweep began")
    yield subject
    if fingerprint(subject, task.limits, imports.so_far) != task.mark:
        raise ChangedError("the model has changed while it was decided, or imports more than at its start; do so there")


def _decide(task: Task) -> Row:
    with subject_of(task) as subject:
        result = Explicit().decide(question_of(subject, task.question, task.limits))
    replay = result.replay
    return {
        "verdict": str(result.verdict),
        "expected": None if result.expected is None else str(result.expected),
        "reason": None if result.reason is None else str(result.reason),
        "detail": result.detail or open_in_words(result),
        "vacuous": result.vacuous,
        "states": result.counts.states,
        "transitions": result.counts.transitions,
        "depth": result.counts.depth,
        "faults": None if replay is None else replay.faults,
        "steps": None if replay is None else len(replay.labels),
        "seconds": result.seconds,
        "digest": result.digest,
    }

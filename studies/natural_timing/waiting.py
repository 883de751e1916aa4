"""Waiting for what a running cluster does by itself.

What waits is a generator that yields for how many seconds nothing has to be done, so that several tries can be under
way at once without threads (`trying.py`). `wait` runs one alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import TypeVar

Value = TypeVar("Value")
Waiting = Generator[float, None, Value]
"""Work that pauses: it yields seconds, and returns what came of it."""

LOOK_EVERY = 0.05
"""Seconds between two looks."""


class NotInTimeError(Exception):
    """What was waited for has not come; the message says what, and for how long."""


def until(found: Callable[[], Value], seconds: float, what: str) -> Waiting[Value]:
    """Waits until `found` gives something true, which is returned; NotInTimeError where it has not in time."""
    end = time.monotonic() + seconds
    while not (value := found()):
        if time.monotonic() >= end:
            raise NotInTimeError(f"{what}: not in {seconds:g} s")
        yield LOOK_EVERY
    return value


def pause(seconds: float) -> Waiting[None]:
    """Lets time pass.

    >>> [*pause(1.5)]
    [1.5]
    """
    yield seconds


def wait(waiting: Waiting[Value]) -> Value:
    """Runs it to its end, and sleeps where it pauses.

    >>> wait(until(lambda: "there", 1, "nothing"))
    'there'
    """
    while True:
        try:
            time.sleep(next(waiting))
        except StopIteration as done:
            value: Value = done.value
            return value

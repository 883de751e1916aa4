"""Work that runs in several threads, and ends as one piece."""

from __future__ import annotations

from _thread import start_new_thread
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue

_LOOK_EVERY = 0.05
"""Seconds between two looks at threads that are waited for: an interrupt gets its turn then."""

Work = Callable[[], None]


def _keep_on() -> None:
    """Nothing can be stopped."""


def run_together(works: Sequence[Work], stop: Work = _keep_on) -> None:
    """Runs each in a thread of its own, and returns when all have ended. Where one raises, one cannot be started, or
    this thread is interrupted, the others are told to stop, and the first exception is raised at the end."""
    running = _Running(works, stop)
    while True:
        try:
            running.wait()
            break
        except BaseException as error:
            running.errors.append(error)
    if running.errors:
        raise running.errors[0]


class _Running:
    """Works, and what their threads note of them.

    An interrupt may cost the waiting thread any step, also one that has just been done: the start of a thread, or the
    taking of what it was told. So each thread notes itself that it begins and ends, and after an error does nothing.
    `Thread.start` waits for its thread, and an interrupt meanwhile becomes another error.
    """

    def __init__(self, works: Sequence[Work], stop: Work) -> None:
        self.errors: list[BaseException] = []
        self._count, self._waiting, self._stop = len(works), [*works], stop
        self._begun, self._ended = list[None](), list[None]()
        self._wakes = SimpleQueue[None]()

    def wait(self) -> None:
        """Starts all; after an error stops them instead. Comes back when all have ended."""
        while self._waiting and not self.errors:
            start_new_thread(self._run, (self._waiting.pop(0),))
        while not self._are_over():
            if self.errors:
                self._stop()
            with suppress(Empty):
                self._wakes.get(timeout=_LOOK_EVERY)

    def _are_over(self) -> bool:
        """Have all ended; after an error, all that have begun?"""
        has_failed, ended = bool(self.errors), len(self._ended)
        return ended == (len(self._begun) if has_failed else self._count)

    def _run(self, work: Work) -> None:
        self._begun.append(None)
        try:
            if not self.errors:
                work()
        except BaseException as error:
            self.errors.append(error)
        self._ended.append(None)
        self._wakes.put(None)

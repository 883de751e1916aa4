"""Work that runs in several threads, and ends as one piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread

_LOOK_EVERY = 0.05
"""Seconds between two looks at threads that are waited for: an interrupt gets its turn then."""


def _keep_on() -> None:
    """Nothing can be stopped."""


def run_together(works: Sequence[Callable[[], None]], stop: Callable[[], None] = _keep_on) -> None:
    """Runs each in a thread of its own, and returns when all have ended. Where one raises, or this thread is
    interrupted, the others are told to stop, and the first exception is raised at the end."""
    ended = SimpleQueue[BaseException | None]()

    def run(work: Callable[[], None]) -> None:
        try:
            work()
            ended.put(None)
        except BaseException as error:
            ended.put(error)

    left, first = len(works), None
    for work in works:
        Thread(target=run, args=(work,), daemon=True).start()
    while left:
        error: BaseException | None = None
        try:
            error = ended.get(timeout=_LOOK_EVERY)
            left -= 1
        except Empty:
            continue
        except BaseException as interrupt:
            error = interrupt
        if error is not None:
            first = first or error
            stop()
    if first is not None:
        raise first

"""Ctrl-C and SIGTERM as one exception, so that a search that is told to stop can still say what it established."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from types import FrameType

from offsetproof.cli.progress import Progress
from offsetproof.verdict.exits import Exit


@dataclass
class Stop:
    """Which signal told the process to stop, if any."""

    number: int | None = None

    def note(self) -> None:
        """An interrupt got here without having gone through a handler."""
        self.number = self.number or signal.SIGINT

    @property
    def code(self) -> Exit | None:
        """The exit code that this calls for; None when nothing did."""
        if self.number is None:
            return None
        return Exit.TERMINATED if self.number == signal.SIGTERM else Exit.INTERRUPTED


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Within this, SIGINT and SIGTERM raise KeyboardInterrupt once, and are noted; a second one ends the process."""
    stop = Stop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def interrupt(number: int, _frame: FrameType | None) -> None:
        stop.number = number
        signal.signal(number, signal.SIG_DFL)
        raise KeyboardInterrupt

    try:
        for number in before:
            signal.signal(number, interrupt)
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Working(AbstractContextManager[Stop, bool]):
    """Around work whose progress is told: an interrupt ends it, what it has so far stays, and the line goes."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self._within = ExitStack()

    def __enter__(self) -> Stop:
        self._within.callback(self.progress.clear)
        self.stop = self._within.enter_context(stoppable())
        return self.stop

    def __exit__(self, kind: type[BaseException] | None, _error: object, _traceback: object) -> bool:
        self._within.close()
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            self.stop.note()
            return True
        return False

"""Ctrl-C, SIGTERM and SIGHUP: the program ends with 128 and the signal's number, and the report so far.

A signal that comes before there is anything to report (imports, reading a model) ends the process there. While
something is decided (`Working`) it becomes a KeyboardInterrupt, so that a search can say what it has established. While
something is written (`Reporting`) it waits. A second signal ends the process at once. This module is loaded before all
others, so it imports next to nothing.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
"""As type checkers know it; `typing` takes longer to import than all that is here."""

if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import NoReturn, Protocol

    class ClearableLine(Protocol):
        """A line of progress."""

        def clear(self) -> None:
            """Takes the line away."""


_NOTHING, _WORKING, _REPORTING = "nothing to report", "working", "reporting"


class Stop:
    """Which signal told the process to stop, if any, and what the program is doing."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.doing = _NOTHING

    @property
    def code(self) -> int | None:
        """The exit code that the signal calls for; None when there was none."""
        return None if self.number is None else 128 + self.number


STOP = Stop()
"""There is one for the process, as signals are the process's."""


def install() -> None:
    """From now on signals are noted in `STOP`. A SIGHUP that is ignored (`nohup`) stays ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _on_signal)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would hide how workers have ended


def end(code: int) -> NoReturn:
    """Ends the process here and now: Python's own end takes longer, and waits for threads that a model has started."""
    try:
        sys.stderr.flush()
    finally:
        os._exit(code)


class Working:
    """Around work whose progress is told: an interrupt ends it, what it has so far stays, and the line goes.

    A KeyboardInterrupt that no signal has brought is raised by the model's code and is let through.
    """

    def __init__(self, progress: ClearableLine) -> None:
        self.progress = progress

    def __enter__(self) -> Stop:
        STOP.doing = _WORKING
        return STOP

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> bool:
        STOP.doing = _REPORTING
        self.progress.clear()
        return kind is not None and issubclass(kind, KeyboardInterrupt) and STOP.number is not None


class Reporting:
    """Around the writing of a report or a file: it is ended before a signal is obeyed."""

    def __enter__(self) -> None:
        self.before, STOP.doing = STOP.doing, _REPORTING

    def __exit__(self, *_error: object) -> None:
        STOP.doing = self.before
        if STOP.code is not None and self.before == _NOTHING:
            end(STOP.code)
        if STOP.code is not None and self.before == _WORKING:
            raise KeyboardInterrupt


def _on_signal(number: int, _frame: FrameType | None) -> None:
    if STOP.number is not None or STOP.doing == _NOTHING:
        end(128 + number)
    STOP.number = number
    if STOP.doing == _WORKING:
        raise KeyboardInterrupt

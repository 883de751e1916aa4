"""Ctrl-C, SIGTERM and SIGHUP, from the program's first moment to its last: it ends with 128 and the signal's number.

What a first signal does depends on what the program is doing:

- *nothing to report* (imports, reading a model; verbs that decide nothing): the process ends there;
- *working* (`Working`): it becomes a KeyboardInterrupt, so that a search can say what it has established;
- *reporting* (after the work; also while a file is written): it is noted, and the report is written whole first;
- *printing*: the same, but who reads stdout has `SECONDS_TO_PRINT` left to take it.

A second signal ends the process at once. A signal that arrives after the report has been written changes the exit code
all the same: who sent it sees that it has arrived, and the report is whole. This module is loaded before all others, so
it imports next to nothing.
"""

from __future__ import annotations

import os
import signal
import sys

from offsetproof.children.interrupts import SECONDS_TO_RAISE_AGAIN, call_in_a_while, raise_again_if_lost

TYPE_CHECKING = False
"""As type checkers know it; `typing` takes longer to import than all that is here."""

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType, TracebackType
    from typing import NoReturn, Protocol

    class ClearableLine(Protocol):
        """A line of progress."""

        def clear(self) -> None:
            """Takes the line away."""


SECONDS_TO_PRINT = 5.0
_NOTHING, _WORKING, _REPORTING, _PRINTING = "nothing to report", "working", "reporting", "printing"


class Stop:
    """Which signal told the process to stop, if any, and what the program is doing."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.doing = _NOTHING

    @property
    def code(self) -> int | None:
        """The exit code that the signal calls for; None when there was none."""
        return None if self.number is None else 128 + self.number


_exit = os._exit
_ENDINGS = {"_exit": os._exit, "execv": os.execv, "execve": os.execve}
"""What ends a process with a code of the caller's choice, and runs nothing of the program any more."""

STOP = Stop()
"""There is one for the process, as signals are the process's."""


def install() -> None:
    """From now on signals are noted in `STOP`. A SIGHUP that is ignored (`nohup`) stays ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _on_signal)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would hide how the processes that decide have ended
    raise_again_if_lost(_interrupt, lambda: STOP.number is not None)
    for name in _ENDINGS:
        setattr(os, name, _refusal_of(name))
    os.register_at_fork(after_in_child=_end_as_ever)


def end(code: int) -> NoReturn:
    """Ends the process here and now: nothing is run that another signal could interrupt."""
    try:
        sys.stderr.flush()
    finally:
        _exit(code)


def _refusal_of(name: str) -> Callable[..., NoReturn]:
    """What takes the place of such a function: a model whose module calls it is told that it must not."""

    def refuse(*_given: object) -> NoReturn:
        raise SystemExit(f"os.{name} would end the program without its report")

    return refuse


def _end_as_ever() -> None:
    """A process that was forked may end as it likes: its parent sees that it has."""
    for name, function in _ENDINGS.items():
        setattr(os, name, function)


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
    """Around the writing of a file: it is ended before a signal is obeyed."""

    doing = _REPORTING

    def __enter__(self) -> None:
        self.before, STOP.doing = STOP.doing, self.doing

    def __exit__(self, *_error: object) -> None:
        STOP.doing = self.before
        if self.before == _NOTHING and STOP.code is not None:
            end(STOP.code)
        if self.before == _WORKING and STOP.number is not None:
            call_in_a_while(SECONDS_TO_RAISE_AGAIN, _interrupt)


class Printing(Reporting):
    """Around the writing to stdout: it is ended before a signal is obeyed, if the reader takes it soon."""

    doing = _PRINTING

    def __enter__(self) -> None:
        super().__enter__()
        if STOP.number is not None:
            call_in_a_while(SECONDS_TO_PRINT, _give_up)

    def __exit__(self, *_error: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        super().__exit__()


def _on_signal(number: int, frame: FrameType | None) -> None:
    if STOP.number is not None or STOP.doing == _NOTHING:
        end(128 + number)
    STOP.number = number
    if STOP.doing == _PRINTING:
        call_in_a_while(SECONDS_TO_PRINT, _give_up)
    elif STOP.doing == _WORKING:
        _interrupt(number, frame)


def _interrupt(_number: int, frame: FrameType | None) -> None:
    """Raises, but for where it would get past the block that it is meant for; after an import that is under way.

    The code in C that a library runs when it is imported may print and forget the interrupt.
    """
    if STOP.doing != _WORKING or (frame is not None and frame.f_code is Working.__exit__.__code__):
        return
    if _is_importing(frame):
        call_in_a_while(SECONDS_TO_RAISE_AGAIN, _interrupt)
    else:
        raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def _give_up(_number: int, _frame: FrameType | None) -> None:
    end(STOP.code or 0)

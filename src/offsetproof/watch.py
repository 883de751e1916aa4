"""What signals interrupt in the main thread: a timer ends work that does not end by itself, and an interrupt waits for
work that must not be half done.

Python calls the handlers of signals in the main thread alone: work in other threads is neither ended nor interrupted.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

_LOOK_EVERY, _RAISE_AGAIN_AFTER = 0.05, 1.0
"""Seconds between two looks, and from an exception to the next one, where the work has not ended with the first."""

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Outcome = TypeVar("Outcome")
Check = Callable[[], BaseException | type[BaseException] | None]
"""What is asked at each look: the exception to raise, or None."""

_checks: list[Check] = []


def run_watched(check: Check, code: Callable[[], Outcome]) -> Outcome:
    """Runs code, and asks `check` every now and then; the exception that it gives is raised in the code."""
    if threading.current_thread() is not threading.main_thread():
        return code()
    around = len(_checks)
    _checks.append(check)
    handler = signal.signal(signal.SIGALRM, _look)
    timer = signal.setitimer(signal.ITIMER_REAL, _LOOK_EVERY, _LOOK_EVERY)
    try:
        return code()
    finally:
        del _checks[around:]
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)


def _look(_number: int, frame: FrameType | None) -> None:
    if frame is not None and frame.f_code is run_watched.__code__:
        return  # the code has not begun, or has ended
    for check in _checks:
        ending = check()
        if ending is not None:
            signal.setitimer(signal.ITIMER_REAL, _RAISE_AGAIN_AFTER, _LOOK_EVERY)
            raise ending


@contextmanager
def interrupts_later() -> Iterator[None]:
    """Ctrl-C, SIGTERM and SIGHUP are handled at the end: for work that must not be half done, as to start a program and
    to know which. A second one is handled at once."""
    is_main = threading.current_thread() is threading.main_thread()
    arrived: list[int] = []
    before = {int(n): handler for n in _STOPPING if is_main and callable(handler := signal.getsignal(n))}

    def note(number: int, frame: FrameType | None) -> None:
        arrived.append(number)
        if len(arrived) > 1:
            before[number](number, frame)

    for number in before:
        signal.signal(number, note)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for each in arrived:
            signal.raise_signal(each)

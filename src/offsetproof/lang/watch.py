"""Ending work that does not end by itself: another thread looks on, and raises an exception in the one that works.

Python code can be ended between any two of its instructions, as Ctrl-C ends it, and calls of compiled code when they
return. Whoever cleans up in `finally` for the one is prepared for the other.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_LOOK_EVERY = 0.05
"""Seconds between two looks."""

Check = Callable[[], type[BaseException] | None]
"""What is asked at each look: the exception to raise, or None."""


@dataclass(eq=False)
class _Watched:
    """A piece of work, and the thread that does it."""

    check: Check
    thread: int = field(default_factory=threading.get_ident)


_working: list[_Watched] = []
_lock = threading.Lock()
_watcher: threading.Thread | None = None


@contextmanager
def watched(check: Check) -> Iterator[None]:
    """Asks `check` every now and then, in another thread; the exception that it gives is raised within this block.

    It is raised again at each look until it has ended the block: one that arrives while Python clears an object away is
    lost, as a Ctrl-C would be.
    """
    work = _Watched(check)
    with _lock:
        _working.append(work)
        _start()
    try:
        yield
    finally:
        with _lock:
            _working.remove(work)
            _raise_in(work.thread, None)


def _raise_in(thread: int, ending: type[BaseException] | None) -> None:
    """Raises an exception in a thread, or takes back one that has not arrived there."""
    raised = None if ending is None else ctypes.py_object(ending)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)


def _start() -> None:
    """Sees to it that somebody looks; a process that was forked has to start anew."""
    global _watcher
    if _watcher is None or not _watcher.is_alive():
        _watcher = threading.Thread(target=_look, name="offsetproof-watch", daemon=True)
        _watcher.start()


def _look() -> None:
    while _look_once():
        time.sleep(_LOOK_EVERY)


def _look_once() -> bool:
    """Ends what is to be ended; is there still something to look at?"""
    global _watcher
    with _lock:
        for work in _working:
            ending = work.check()
            if ending is not None:
                _raise_in(work.thread, ending)
        if not _working:
            _watcher = None
        return bool(_working)

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
    """A piece of work: the thread that does it, the exception that is on its way there, and whether it has arrived."""

    check: Check
    thread: int = field(default_factory=threading.get_ident)
    ending: type[BaseException] | None = None
    arrived: bool = False

    @property
    def awaits(self) -> bool:
        """Is the exception still on its way?"""
        return self.ending is not None and not self.arrived


_working: list[_Watched] = []
_lock = threading.Lock()
_watcher: threading.Thread | None = None


@contextmanager
def watched(check: Check) -> Iterator[None]:
    """Asks `check` every now and then, in another thread; the exception that it gives is raised within this block."""
    work = _Watched(check)
    with _lock:
        _working.append(work)
        _start()
    try:
        yield
    except BaseException as error:
        work.arrived = work.ending is not None and isinstance(error, work.ending)
        raise
    finally:
        with _lock:
            if work in _working:
                _working.remove(work)
        while work.awaits:  # it must arrive here, and not in what comes after this block
            time.sleep(_LOOK_EVERY)


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
        for work in list(_working):
            work.ending = work.check()
            if work.ending is not None:
                _working.remove(work)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(work.thread), ctypes.py_object(work.ending))
        if not _working:
            _watcher = None
        return bool(_working)

"""Ending work that does not end by itself: another thread looks on, and raises an exception in the one that works.

Python code can be ended between any two of its instructions, as Ctrl-C ends it, and calls of compiled code when they
return. Whoever cleans up in `finally` for the one is prepared for the other.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

_LOOK_EVERY = 0.05
"""Seconds between two looks."""

_RAISING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
"""The signals whose handlers may raise something; SIGALRM brings back an interrupt that nobody heard of."""

Outcome = TypeVar("Outcome")
Check = Callable[[], type[BaseException] | None]
"""What is asked at each look: the exception to raise, or None."""


class _ArrivedError(BaseException):
    """Takes the place of an exception that is still on its way to a thread."""


@dataclass(eq=False)
class _WatchedWork:
    """A piece of work, the thread that does it, and the exception that it was told to end with."""

    check: Check
    thread: int = field(default_factory=threading.get_ident)
    ending: type[BaseException] | None = None
    is_over: bool = False


_working: list[_WatchedWork] = []
_lock = threading.Lock()
_watcher: threading.Thread | None = None


def run_watched(check: Check, code: Callable[[], Outcome]) -> Outcome:
    """Runs code, and asks `check` every now and then, in another thread; the exception that it gives is raised in it.

    It is raised again at each look until it has ended the code: one that arrives while Python clears an object away is
    lost, as a Ctrl-C would be. None arrives after this has returned.
    """
    work = _WatchedWork(check)
    other: BaseException | None = None
    try:
        with _lock:
            _working.append(work)
            _start()
        return code()
    finally:
        # This is not a context manager: an exception could arrive in its __exit__, before that has done anything.
        while not work.is_over:
            try:
                _strike_off(work)
            except BaseException as late:
                other = other if type(late) is work.ending else late
        if other is not None:
            raise other


def _strike_off(work: _WatchedWork) -> None:
    """Nobody looks at this work any more; an exception that was raised for it and is still on its way arrives in here.

    It cannot be taken back: CPython 3.11 then goes on looking for it at every step of the interpreter, which slows
    all code down, and hangs under a profiler or a tracer.
    """
    with _lock:
        if work in _working:
            _working.remove(work)
        try:
            while work.ending is not None:
                _raise_in(work.thread, _ArrivedError)
        except _ArrivedError:
            pass
        work.is_over = True


def _raise_in(thread: int, ending: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(ending))


def _begin_again() -> None:
    """In a process that was forked: nobody looks there, and a lock that another thread held stays held for ever."""
    global _lock, _watcher
    _lock, _watcher = threading.Lock(), None
    _working.clear()


os.register_at_fork(after_in_child=_begin_again)


def begin_thread(work: Callable[..., None], *given: object, name: str) -> None:
    """Runs work in a thread of its own, which does not keep the process alive. All threads are started here.

    Until a new thread has begun, CPython 3.11 knows it by the number of the one that starts it, and takes it for that
    one: an exception that is raised meanwhile ends the new thread, and who starts it waits for ever. So nothing is
    raised meanwhile.
    """
    with _lock, _signals_later():
        threading.Thread(target=work, args=given, name=f"offsetproof-{name}", daemon=True).start()


@contextmanager
def _signals_later() -> Iterator[None]:
    """Signals arrive when a thread has been started, and never in that thread.

    CPython 3.11 waits there with a condition: an interrupt in that wait may leave its lock unlocked, which then is an
    error of its own. A thread has the mask of the one that starts it for as long as it lives.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, _RAISING)  # may raise what a signal brought that had arrived already
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def interrupts_later() -> Iterator[None]:
    """Nothing is raised in this thread meanwhile; what a signal brings comes at the end, and a limit after it.

    For what must not be half done, as to start a program and to know which. Signals are put off by their handlers and
    not by the mask, which a program that is started would keep. Python calls handlers in the main thread alone.
    """
    arrived: list[int] = []
    try:
        with _lock, _signals_noted(arrived):
            yield
    finally:
        _raise_all([*dict.fromkeys(arrived)])


@contextmanager
def _signals_noted(arrived: list[int]) -> Iterator[None]:
    """Signals are noted here, and their handlers are not called; nothing to do in other threads than the main one."""
    is_main = threading.current_thread() is threading.main_thread()
    before = {number: handler for number in _RAISING if is_main and callable(handler := signal.getsignal(number))}
    try:
        with _signals_later():
            for number in before:
                signal.signal(number, lambda number, _frame: arrived.append(number))
        yield
    finally:
        with _signals_later():
            for number, handler in before.items():
                signal.signal(number, handler)


def _raise_all(signals: Sequence[int]) -> None:
    """Each signal reaches its handler, whatever the one before it has raised."""
    if signals:
        try:
            signal.raise_signal(signals[0])
        finally:
            _raise_all(signals[1:])


def _start() -> None:
    """Sees to it that somebody looks; `_lock` is held."""
    global _watcher
    if _watcher is None or not _watcher.is_alive():
        _watcher = threading.Thread(target=_look, name="offsetproof-watch", daemon=True)
        with _signals_later():
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
                work.ending = ending
                _raise_in(work.thread, ending)
        if not _working:
            _watcher = None
        return bool(_working)

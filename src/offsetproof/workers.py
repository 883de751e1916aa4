"""Workers: processes that are forked from this one, do one piece of work after the other, and answer.

A worker knows all that this process knew when it was made, so orders are short. It leaves Ctrl-C, SIGTERM and SIGHUP to
its parent, who interrupts it, and it ends with its parent. An answer counts when all of it has arrived: a worker that
dies has answered nothing.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from threading import Timer
from typing import Any

from offsetproof.raised import in_words

_FORK = multiprocessing.get_context("fork")
_PR_SET_PDEATHSIG = 1
_AGAIN_AFTER = 0.01
"""Seconds until an interrupt that was lost comes again."""

Tell = Callable[[object], None]
"""How a worker says how far it has come."""

Work = Callable[[Any, Tell], object]
"""What a worker does with an order; the answer must be of plain data, as pickle takes it."""


@dataclass(frozen=True)
class ProgressReport:
    """How far a worker has come with its order."""

    what: object


@dataclass(frozen=True)
class Answered:
    """What a worker answers to its order."""

    what: Any


@dataclass(frozen=True)
class Failed:
    """The work has raised an exception; its class and text."""

    why: str


@dataclass(frozen=True)
class Died:
    """The worker is gone and will not answer any more; in words, how it ended."""

    how: str


Message = ProgressReport | Answered | Failed | Died


class Worker:
    """A process of its own, which waits for orders."""

    def __init__(self, work: Work) -> None:
        self._pipe, there = _FORK.Pipe()
        self._process = _FORK.Process(target=_serve, args=(there, work, os.getpid()), daemon=True)
        self._process.start()
        there.close()

    def order(self, order: object) -> None:
        """Gives it the next piece of work; one that has died takes none, and is heard to have died."""
        with suppress(OSError):
            self._pipe.send(order)

    def interrupt(self) -> None:
        """A KeyboardInterrupt in its work, now or as soon as it begins."""
        if self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, signal.SIGUSR1)

    def kill(self) -> None:
        """Ends it at once, whatever it does; it is gone afterwards."""
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def _receive(self) -> Message:
        try:
            message: Message = self._pipe.recv()
        except (EOFError, OSError):
            self.kill()  # of no effect on one that is over
            return Died(_ending(self._process.exitcode))
        return message


def cpus() -> int:
    """How many CPUs this process may use; where the system does not say, how many there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def listen(workers: Iterable[Worker], seconds: float | None) -> list[tuple[Worker, Message]]:
    """What workers have to say, as soon as one has something to say; nothing, after so many seconds."""
    by_pipe: dict[Any, Worker] = {worker._pipe: worker for worker in workers}
    return [(by_pipe[pipe], by_pipe[pipe]._receive()) for pipe in wait([*by_pipe], seconds)]


def end_with_parent(parent: int) -> None:
    """Ends this process with its parent: on Linux at once, elsewhere when it next says or asks something."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _ending(code: int | None) -> str:
    """How a process has ended, from what `multiprocessing` says of it."""
    if code is None:  # where SIGCHLD is ignored the system forgets it
        return "a code that the system has not kept"
    return f"signal {-code}" if code < 0 else f"code {code}"


class _Interrupts:
    """In a worker: an interrupt ends its work, and never what it says."""

    def __init__(self) -> None:
        self.heard = self.works = False
        signal.signal(signal.SIGUSR1, self._hear)
        sys.unraisablehook = self._raise_again

    def _hear(self, _number: int, _frame: object) -> None:
        self.heard = True
        if self.works:
            raise KeyboardInterrupt

    def _raise_again(self, lost: sys.UnraisableHookArgs) -> None:
        """Python prints and forgets what is raised in a call back from compiled code, or where an object is freed.

        What is raised in here it would print as well: an interrupt that comes meanwhile is heard, and raised later.
        """
        heard, works, self.works = self.heard, self.works, False
        if not heard:
            sys.__unraisablehook__(lost)
        if self.heard and (issubclass(lost.exc_type, KeyboardInterrupt) or not heard):
            Timer(_AGAIN_AFTER, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        self.works = works

    def work(self) -> None:
        """From now on an interrupt ends the work."""
        self.works = True
        if self.heard:
            raise KeyboardInterrupt


def _serve(pipe: Connection, work: Work, parent: int) -> None:
    """What a worker does for all its life."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    interrupts = _Interrupts()
    end_with_parent(parent)
    with suppress(EOFError, OSError):  # the parent is gone
        while True:
            pipe.send(_answer(work, pipe.recv(), interrupts, pipe))


def _answer(work: Work, order: object, interrupts: _Interrupts, pipe: Connection) -> Message:
    def tell(what: object) -> None:
        interrupts.works = False
        pipe.send(ProgressReport(what))
        interrupts.work()

    try:
        interrupts.work()
        return Answered(work(order, tell))
    except BaseException as error:
        return Failed(in_words(error))
    finally:
        interrupts.works = False

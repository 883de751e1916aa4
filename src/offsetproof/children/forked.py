"""Processes that are forked from this one, do one piece of work after the other, and answer.

A child knows all that this process knew when it was made, so orders are short: what they are about need not be sent.
It leaves Ctrl-C, SIGTERM and SIGHUP to its parent, who interrupts it in a way of its own, and it ends soon after its
parent, whatever ended that. An answer counts when all of it has arrived: a child that dies has answered nothing.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from offsetproof.children.interrupts import raise_again_if_lost
from offsetproof.children.lifetime import end_with_parent
from offsetproof.raised import in_words
from offsetproof.watch import begin_thread

_LOOK_EVERY = 0.002
"""Seconds between two looks at a child that is being killed."""

_PARENTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals that are the parent's business."""

Tell = Callable[[object], None]
"""How a child says how far it has come."""

Work = Callable[[Any, Tell], object]
"""What a child does with an order; the answer must be of plain data, as pickle takes it."""


@dataclass(frozen=True)
class ProgressReport:
    """How far a child has come with its order."""

    what: object


@dataclass(frozen=True)
class Answered:
    """What a child answers to its order."""

    what: Any


@dataclass(frozen=True)
class Failed:
    """The work has raised an exception; its class and text."""

    why: str


@dataclass(frozen=True)
class Died:
    """The child is gone, or talks nonsense, and will not answer any more; in words, how it ended."""

    how: str


Message = ProgressReport | Answered | Failed | Died


class Child:
    """A process of its own. `hear` is called with each of its messages, in another thread, until it has died."""

    def __init__(self, work: Work, hear: Callable[[Child, Message], None]) -> None:
        self._pipe, there = Pipe()
        parent = os.getpid()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        # A signal that arrives here must not find a child that takes itself for its parent.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {*_PARENTS, signal.SIGUSR1})
        try:
            self.pid = os.fork()
            if not self.pid:
                _live(there, work, parent, mask)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        there.close()
        self._how: str | None = None
        self._number = 0
        begin_thread(self._listen, hear, name="child")

    def order(self, order: object) -> None:
        """Gives it the next piece of work; one that has died takes none, and is heard to have died."""
        self._number += 1
        with suppress(OSError):
            self._pipe.send((self._number, order))

    def interrupt(self) -> None:
        """A KeyboardInterrupt in its work, now or as soon as it begins."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGUSR1)

    def kill(self) -> None:
        """Ends it at once, whatever it does; it is gone afterwards."""
        while self._how is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            time.sleep(_LOOK_EVERY)

    def _listen(self, hear: Callable[[Child, Message], None]) -> None:
        message: Message = ProgressReport(None)
        while not isinstance(message, Died):
            message = self._receive()
            hear(self, message)

    def _receive(self) -> Message:
        try:
            number, message = self._pipe.recv()
            known = isinstance(message, ProgressReport | Answered | Failed) and number == self._number
        except Exception:
            return Died(self._how_it_ended())
        return message if known else Died(self._how_it_ended())  # an answer to another order is none to this one

    def _how_it_ended(self) -> str:
        """How it has ended; only this thread waits for it. One that talks nonsense is ended."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)  # of no effect on one that is over and has not been waited for
        self._how = self._wait()
        return self._how

    def _wait(self) -> str:
        try:
            _, status = os.waitpid(self.pid, 0)
        except ChildProcessError:  # where SIGCHLD is ignored the system forgets how children have ended
            return "a code that the system has not kept"
        how = f"code {os.waitstatus_to_exitcode(status)}"
        return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else how


class _Interrupts:
    """In a child: an interrupt ends its work, and never what it says."""

    def __init__(self) -> None:
        self.heard = self.works = False
        signal.signal(signal.SIGUSR1, self._hear)
        raise_again_if_lost(self._hear, lambda: self.heard)

    def _hear(self, _number: int, _frame: object) -> None:
        self.heard = True
        if self.works:
            raise KeyboardInterrupt

    def work(self) -> None:
        """From now on an interrupt ends the work."""
        self.works = True
        if self.heard:
            raise KeyboardInterrupt


def _live(pipe: Connection, work: Work, parent: int, mask: set[int | signal.Signals]) -> NoReturn:
    """What a child does for all its life."""
    try:
        for number in _PARENTS:
            signal.signal(number, signal.SIG_IGN)
        interrupts = _Interrupts()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        end_with_parent(parent)
        os.register_at_fork(after_in_child=_end_at_once)
        while True:
            number, order = pipe.recv()
            pipe.send((number, _answer(work, number, order, interrupts, pipe)))
    finally:
        os._exit(1)


def _end_at_once() -> None:
    """A process that the work itself forks has the child's pipe, and would answer beside it."""
    os._exit(1)


def _answer(work: Work, number: int, order: object, interrupts: _Interrupts, pipe: Connection) -> Message:
    def tell(what: object) -> None:
        interrupts.works = False
        pipe.send((number, ProgressReport(what)))
        interrupts.work()

    try:
        try:
            interrupts.work()
            return Answered(work(order, tell))
        finally:
            interrupts.works = False
    except BaseException as error:
        return Failed(in_words(error))

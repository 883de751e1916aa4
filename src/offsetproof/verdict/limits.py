"""How much may be spent on a question, and how work ends where that is spent.

A search looks at its limits itself; what follows a trace asks its `Deadline`, often; what does neither (staging,
reducing, compiling) runs within `run_limited`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from offsetproof.verdict.result import Reason
from offsetproof.watch import Outcome, run_watched


@dataclass(frozen=True)
class Limits:
    """Where a search gives up: states held, bytes held, seconds (None: no limit); and how many threads it may use."""

    states: int | None = None
    bytes: int | None = None
    seconds: float | None = None
    threads: int = 1

    def beside(self, held: int) -> Limits:
        """The limits of a search while so many bytes are held already.

        >>> Limits(bytes=100).beside(30).bytes, Limits().beside(30).bytes
        (70, None)
        """
        return self if self.bytes is None else replace(self, bytes=max(0, self.bytes - held))


class LimitMetError(BaseException):
    """A limit was met, whatever was going on: the question stays UNKNOWN, or what is told of it has less in it.

    Whoever knows what was found so far catches it. Not an Exception, so that nothing takes it for one of its own.
    """

    def __init__(self, reason: Reason) -> None:
        super().__init__(str(reason))
        self.reason = reason


@dataclass(frozen=True)
class Deadline:
    """A moment on the monotonic clock, in seconds; None: there is all the time in the world."""

    at: float | None = None

    @classmethod
    def of(cls, limits: Limits, started: float) -> Deadline:
        """The end of what limits give, from the moment at which the work began."""
        return cls(None if limits.seconds is None else started + limits.seconds)

    @property
    def left(self) -> float | None:
        """The seconds that are left, below 0 when it is over; None where there is no end."""
        return None if self.at is None else self.at - monotonic()

    def half(self) -> Deadline:
        """The moment at which half of what is left will be over."""
        return self if self.left is None else Deadline(monotonic() + self.left / 2)

    def check(self) -> None:
        """Raises LimitMetError when it is over."""
        left = self.left
        if left is not None and left < 0:
            raise LimitMetError(Reason.TIME)


def run_limited(limits: Limits, started: float, code: Callable[[], Outcome]) -> Outcome:
    """Runs code; LimitMetError ends it where the time that began at `started` is over, or where the process has grown
    by more bytes than allowed."""
    held = resident_bytes()

    def check() -> LimitMetError | None:
        if limits.seconds is not None and monotonic() - started > limits.seconds:
            return LimitMetError(Reason.TIME)
        if limits.bytes is not None and resident_bytes() - held > limits.bytes:
            return LimitMetError(Reason.MEMORY)
        return None

    return run_watched(check, code)


def resident_bytes() -> int:
    """The memory that this process holds; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


_SHARE = 0.8
"""How much of the memory that a machine has left a search may take where nobody says more or less."""


def spare_bytes() -> int:
    """Most of the memory that the machine has left now."""
    return int(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * _SHARE)

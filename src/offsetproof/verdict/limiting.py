"""Limits for what has none of its own: staging, reducing, compiling. Searches look at theirs themselves."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from offsetproof.verdict.question import Limits
from offsetproof.verdict.result import Reason
from offsetproof.watch import Outcome, run_watched


class LimitMetError(BaseException):
    """A limit was met, whatever was going on. Not an Exception, so that nothing takes it for one of its own."""

    reason: Reason


class OutOfTimeError(LimitMetError):
    """The time is over."""

    reason = Reason.TIME


class OutOfMemoryError(LimitMetError):
    """More memory was taken than is allowed."""

    reason = Reason.MEMORY


def run_limited(limits: Limits, started: float, code: Callable[[], Outcome]) -> Outcome:
    """Runs code; LimitMetError ends it where the time that began at `started` is over, or where the process has grown
    by more bytes than allowed."""
    held = resident_bytes()

    def check() -> type[LimitMetError] | None:
        if limits.seconds is not None and time.monotonic() - started > limits.seconds:
            return OutOfTimeError
        if limits.bytes is not None and resident_bytes() - held > limits.bytes:
            return OutOfMemoryError
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

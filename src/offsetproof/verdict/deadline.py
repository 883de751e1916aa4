"""When the time for a question is over, and how those who work on it learn of that: they ask, often."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from offsetproof.verdict.question import Limits


class TimeIsUpError(Exception):
    """The time that was given is over."""


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

    def check(self) -> None:
        """Raises TimeIsUpError when it is over."""
        left = self.left
        if left is not None and left < 0:
            raise TimeIsUpError

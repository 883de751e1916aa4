"""What does not come to an end fails instead, with its place in the code."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def not_hanging(seconds: int = 120, error: type[Exception] = TimeoutError) -> Iterator[None]:
    """Within this, an error of this kind ends what takes more than so many seconds."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise error(f"no end after {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)

"""Interrupts of a worker: none is told as an error of the program, and none is lost."""

from __future__ import annotations

import os
import signal
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from offsetproof import workers


def test_interrupt_that_comes_while_a_lost_one_is_taken_up_is_raised_later(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class SignalsAtOnce:
        """In place of a timer: the signal comes while the hook runs."""

        def __init__(self, *_what: object) -> None:
            started.append(self)

        def start(self) -> None:
            os.kill(os.getpid(), signal.SIGUSR1)

    monkeypatch.setattr(workers, "Timer", SignalsAtOnce)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    lost: Any = SimpleNamespace(exc_type=KeyboardInterrupt)
    before = signal.getsignal(signal.SIGUSR1)
    try:
        interrupts = workers._Interrupts()
        interrupts.heard = interrupts.works = True
        sys.unraisablehook(lost)
        assert (len(started), interrupts.works) == (1, True)
        with pytest.raises(KeyboardInterrupt):
            interrupts.work()
    finally:
        signal.signal(signal.SIGUSR1, before)

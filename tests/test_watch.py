"""Work that is watched ends when it is told to, and nothing of the watching is left when it has returned."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from systems.hanging import not_hanging

from offsetproof.lang import Model, RefusedError, Setting, action, integer
from offsetproof.lang import run as runs
from offsetproof.lang.stage import Staged
from offsetproof.verdict.limits import LimitMetError, Limits, resident_bytes, run_limited
from offsetproof.verdict.result import Reason
from offsetproof.watch import interrupts_later, run_watched


class EnoughError(BaseException):
    """Ends work in these tests."""


class OtherError(BaseException):
    """Ends work around other work in these tests."""


def after(seconds: float, kind: type[BaseException] = EnoughError) -> Callable[[], type[BaseException] | None]:
    """A check that ends work after so many seconds."""
    began = time.monotonic()
    return lambda: kind if time.monotonic() - began > seconds else None


def endless() -> None:
    while True:
        pass


def test_work_that_ends_by_itself_gives_its_value_or_its_own_error() -> None:
    assert run_watched(lambda: None, lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        run_watched(lambda: None, lambda: 1 // 0)


@pytest.mark.parametrize("work", [endless, lambda: time.sleep(600)])
def test_work_without_end_ends_with_what_the_check_says(work: Callable[[], None]) -> None:
    with pytest.raises(EnoughError):
        run_watched(after(0.05), work)


def test_work_that_swallows_the_exception_is_told_again() -> None:
    def stubborn() -> None:
        with suppress(EnoughError):
            endless()
        endless()

    with pytest.raises(EnoughError):
        run_watched(after(0.05), stubborn)


def test_nothing_arrives_after_the_return_and_handler_and_timer_are_as_before() -> None:
    with not_hanging(60):
        handler = signal.getsignal(signal.SIGALRM)
        for _ in range(20):
            with suppress(EnoughError):
                run_watched(after(0.0), lambda: time.sleep(0.049))
        time.sleep(0.12)
        assert signal.getsignal(signal.SIGALRM) is handler
        assert 30 < signal.getitimer(signal.ITIMER_REAL)[0] <= 60


def test_work_within_work_ends_alone_or_with_what_is_around_it() -> None:
    def outer() -> str:
        with pytest.raises(EnoughError):
            run_watched(after(0.05), endless)
        return "went on"

    assert run_watched(lambda: None, outer) == "went on"
    with pytest.raises(OtherError):
        run_watched(after(0.05, OtherError), lambda: run_watched(lambda: None, endless))


def test_work_in_another_thread_is_not_ended() -> None:
    given: list[int] = []
    thread = threading.Thread(target=lambda: given.append(run_watched(after(0.0), lambda: time.sleep(0.2) or 7)))
    thread.start()
    thread.join(60)
    assert given == [7]


def test_limits_end_work_that_has_none_of_its_own() -> None:
    began = time.monotonic()
    assert run_limited(Limits(), began, lambda: 7) == 7
    with pytest.raises(LimitMetError, match=Reason.TIME):
        run_limited(Limits(seconds=0.05), began, endless)
    held = resident_bytes()
    assert held > 1 << 20

    def takes_memory() -> None:
        kept = bytearray(64 << 20)
        kept[::4096] = b"x" * len(kept[::4096])
        endless()

    with pytest.raises(LimitMetError, match=Reason.MEMORY):
        run_limited(Limits(bytes=16 << 20), time.monotonic(), takes_memory)


class Waits(Model):
    x: int = integer(0, 3)

    @action()
    def waits(self) -> None:
        while True:
            pass  # HERE


def test_loop_that_asks_nothing_is_refused_at_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "PATIENCE", 0.2)
    with pytest.raises(RefusedError, match="a loop that has not ended after 0 seconds without asking") as refused:
        Staged(Waits, Setting(Waits.scopes[0]))
    first = Waits.waits.__code__.co_firstlineno
    (line,) = re.findall(r"test_watch\.py:(\d+)", str(refused.value))
    assert first + 2 <= int(line) <= first + 3


@contextmanager
def handled_by(handler: Any) -> Iterator[None]:
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def interrupted(times: int) -> Iterator[str]:
    """The steps that work comes to which is interrupted so many times."""
    with interrupts_later():
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
            yield "interrupted"
        yield "done"
    yield "never"


@pytest.mark.parametrize(("times", "happens"), [(1, ["interrupted", "done"]), (2, ["interrupted"])])
def test_interrupt_waits_for_what_must_not_be_half_done_and_a_second_one_does_not(
    times: int, happens: list[str]
) -> None:
    happened: list[str] = []
    with handled_by(signal.default_int_handler), pytest.raises(KeyboardInterrupt):
        happened.extend(interrupted(times))
    assert happened == happens


def test_interrupt_that_is_ignored_stays_ignored() -> None:
    with handled_by(signal.SIG_IGN), interrupts_later():
        signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN

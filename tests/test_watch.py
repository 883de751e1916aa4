"""Work that is watched ends when it is told to, and nothing of the watching is left when it has returned."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

import pytest

from offsetproof import watch
from offsetproof.lang import Model, RefusedError, Setting, action, integer
from offsetproof.lang import run as runs
from offsetproof.lang.stage import Staged
from offsetproof.verdict.limits import Limits, OutOfMemoryError, OutOfTimeError, resident_bytes, run_limited
from offsetproof.watch import begin_thread, run_watched


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


def spin(steps: int = 200_000) -> None:
    """Enough steps of the interpreter for any exception that is still on its way to arrive."""
    for _ in range(steps):
        pass
    time.sleep(0.12)


def test_work_that_ends_by_itself_gives_its_value_or_its_own_error() -> None:
    assert run_watched(lambda: None, lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        run_watched(lambda: None, lambda: 1 // 0)


def test_work_without_end_ends_with_what_the_check_says() -> None:
    with pytest.raises(EnoughError):
        run_watched(after(0.05), endless)
    spin()


def test_nothing_arrives_after_the_return_however_close_the_end_is() -> None:
    for _ in range(20):
        with suppress(EnoughError):
            run_watched(after(0.0), lambda: time.sleep(0.049))
        spin(2_000)
    spin()


class LateLock:
    """A lock that lets an exception arrive in the thread that takes it, once, when it is told to."""

    def __init__(self) -> None:
        self.real, self.is_late, self.worker = threading.Lock(), False, threading.get_ident()

    def __enter__(self) -> None:
        self.real.acquire()
        if self.is_late and threading.get_ident() == self.worker:
            self.is_late = False
            watch._working[0].ending = EnoughError
            try:
                watch._raise_in(threading.get_ident(), EnoughError)
                spin(10)
            except EnoughError:
                self.real.release()
                raise

    def __exit__(self, *_error: object) -> None:
        self.real.release()


def test_work_that_has_ended_when_the_exception_arrives_keeps_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    lock = LateLock()
    monkeypatch.setattr(watch, "_lock", lock)

    def ends() -> int:
        lock.is_late = True
        return 7

    for _ in range(5):
        assert run_watched(lambda: None, ends) == 7
        assert not lock.is_late
    spin()


def test_error_of_the_work_is_kept_where_it_was_told_to_end_meanwhile() -> None:
    def fails() -> None:
        try:
            endless()
        except EnoughError:
            raise ValueError("cleaning up") from None

    with pytest.raises(ValueError, match="cleaning up"):
        run_watched(after(0.05), fails)
    spin()


def test_trace_function_that_was_set_before_is_still_there() -> None:
    seen: list[str] = []

    def tracer(_frame: FrameType, event: str, _arg: object) -> Any:
        seen.append(event)
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        with pytest.raises(EnoughError):
            run_watched(after(0.05), lambda: time.sleep(0.2) or endless())
        assert sys.gettrace() is tracer
        seen.clear()
        spin(10)
        assert "call" in seen
    finally:
        sys.settrace(before)


def test_work_within_work_ends_alone_or_with_what_is_around_it() -> None:
    def outer() -> str:
        with pytest.raises(EnoughError):
            run_watched(after(0.05), endless)
        return "went on"

    assert run_watched(lambda: None, outer) == "went on"
    with pytest.raises(OtherError):
        run_watched(after(0.05, OtherError), lambda: run_watched(lambda: None, endless))
    spin()


def test_work_in_another_thread_ends_there_and_nowhere_else() -> None:
    ended: list[str] = []

    def works() -> None:
        try:
            run_watched(after(0.05), endless)
        except EnoughError:
            ended.append(threading.current_thread().name)
        spin()

    threads = [threading.Thread(target=works, name=f"worker {i}") for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(ended) == ["worker 0", "worker 1"]


def test_limits_end_work_that_has_none_of_its_own() -> None:
    began = time.monotonic()
    assert run_limited(Limits(), began, lambda: 7) == 7
    with pytest.raises(OutOfTimeError):
        run_limited(Limits(seconds=0.05), began, endless)
    held = resident_bytes()
    assert held > 1 << 20

    def takes_memory() -> None:
        kept = bytearray(64 << 20)
        kept[::4096] = b"x" * len(kept[::4096])
        endless()

    with pytest.raises(OutOfMemoryError):
        run_limited(Limits(bytes=16 << 20), time.monotonic(), takes_memory)
    spin()


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


def test_process_that_is_forked_while_somebody_looks_can_be_watched_itself() -> None:
    with watch._lock:
        child = os.fork()
        if not child:
            with suppress(EnoughError):
                run_watched(after(0.0), endless)
                os._exit(1)
            os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_nothing_is_raised_while_a_thread_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be raised in the new thread, and the one that waits for it would wait for ever."""
    raised: list[int] = []
    meanwhile: list[int] = []
    begins = threading.Thread.start
    raises = watch._raise_in

    def slowly(self: threading.Thread) -> None:
        before = len(raised)
        try:
            time.sleep(0.2)
        finally:
            meanwhile.append(len(raised) - before)
        begins(self)

    def noted(thread: int, ending: type[BaseException]) -> None:
        raised.append(thread)
        raises(thread, ending)

    def begins_one() -> None:
        monkeypatch.setattr(threading.Thread, "start", slowly)
        watch.begin_thread(time.sleep, 0.0, name="test")
        endless()

    monkeypatch.setattr(watch, "_raise_in", noted)
    with pytest.raises(EnoughError):
        run_watched(after(0.1), begins_one)
    assert raised
    assert meanwhile == [0]


def test_interrupt_waits_until_a_thread_has_been_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the wait for the new thread it would leave a lock unlocked."""
    handled = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore interrupts
    start = threading.Thread.start
    happened: list[str] = []
    masks: list[set[signal.Signals]] = []

    def interrupted(thread: threading.Thread) -> None:
        signal.raise_signal(signal.SIGINT)
        start(thread)
        happened.append("started")

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    done = threading.Event()

    def look() -> None:
        masks.append({signal.Signals(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())})
        done.set()

    try:
        with pytest.raises(KeyboardInterrupt):
            begin_thread(look, name="test")
    finally:
        signal.signal(signal.SIGINT, handled)
    assert (happened, signal.pthread_sigmask(signal.SIG_BLOCK, ())) == (["started"], before)
    assert done.wait(10)
    assert {signal.SIGINT, signal.SIGTERM, signal.SIGHUP} <= masks[0], "signals never arrive in the thread"

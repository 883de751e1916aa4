"""What asks Spark, and that it hears an interrupt."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

import pytest
from py4j.java_gateway import GatewayClient

from offsetproof.pipeline.driver import cause_of
from offsetproof.pipeline.engine import Spark


def _sleeping(batches: Iterator[object]) -> Iterator[object]:
    time.sleep(120)
    yield from batches


def test_thread_that_interrupts_reach_never_waits_in_py4j(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    asking: set[threading.Thread] = set()
    send = GatewayClient.send_command

    def noted(*args: object, **options: object) -> object:
        asking.add(threading.current_thread())
        return send(*args, **options)

    monkeypatch.setattr(GatewayClient, "send_command", noted)
    spark.driver.collect(lambda session: session.range(3), lambda: None)
    assert spark.driver.slots() == 2
    assert spark.driver.alive()
    assert asking
    assert threading.main_thread() not in asking


def test_interrupt_cancels_the_job_and_leaves_room_for_the_next(spark: Spark) -> None:
    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 2.0)
    try:
        with pytest.raises(KeyboardInterrupt):
            spark.driver.collect(
                lambda session: session.range(0, 2, 1, 2).mapInArrow(_sleeping, "id long"), lambda: None
            )
    finally:
        signal.signal(signal.SIGALRM, before)
    assert spark.driver.ask(lambda session: session.range(5).count()) == 5


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("Job aborted\n  at x.y\nValueError: no such thing\n", "ValueError: no such thing"),
        ("\n  the first line that says anything\nsomething else", "the first line that says anything"),
        ("", "no reason was given"),
    ],
)
def test_cause_is_what_python_said_or_the_first_line(said: str, cause: str) -> None:
    assert cause_of(RuntimeError(said)) == cause

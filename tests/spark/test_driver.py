"""What asks Spark, and that it hears an interrupt."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType

import pytest
from py4j.java_gateway import GatewayClient
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.sql import SparkSession

from offsetproof.engines.spark.driver import cause_of
from offsetproof.engines.spark.engine import Spark
from offsetproof.engines.whole_files import CheckpointError
from offsetproof.programs import ProgramFailedError


def _sleeping(batches: Iterator[object], marker: Path) -> Iterator[object]:
    marker.touch()
    time.sleep(120)
    yield from batches


def _failing(_batches: Iterator[object]) -> Iterator[object]:
    raise CheckpointError("no such file; make one")
    yield


def _jobs(session: SparkSession) -> list[int]:
    return list(session.sparkContext.statusTracker().getActiveJobsIds())


@pytest.mark.slow
def test_thread_that_interrupts_reach_never_waits_in_py4j(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    asking: set[threading.Thread] = set()
    send = GatewayClient.send_command

    def noted(*args: object, **options: object) -> object:
        asking.add(threading.current_thread())
        return send(*args, **options)

    monkeypatch.setattr(GatewayClient, "send_command", noted)
    spark.driver.collect(lambda session: session.range(3), lambda: None)
    with pytest.raises(CheckpointError, match=r"^no such file; make one$"):
        spark.driver.collect(lambda session: session.range(1).mapInArrow(_failing, "id long"), lambda: None)
    with pytest.raises(ProgramFailedError):
        spark.driver.ask(lambda session: session.sql("no query").collect())
    assert spark.driver.slots() == 2
    assert spark.driver.alive()
    assert asking
    assert threading.main_thread() not in asking


@pytest.mark.slow
def test_interrupt_cancels_the_job(spark: Spark, tmp_path: Path) -> None:
    body = partial(_sleeping, marker=tmp_path / "begun")

    def soon() -> None:
        if (tmp_path / "begun").exists():
            signal.setitimer(signal.ITIMER_REAL, 0.01)

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            spark.driver.collect(lambda session: session.range(0, 2, 1, 2).mapInArrow(body, "id long"), soon)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert spark.driver.ask(_jobs) == []


def test_jvm_that_is_gone_is_told_whatever_py4j_says_of_it(spark: Spark) -> None:
    def raising(error: Exception) -> Callable[[SparkSession], object]:
        def ask(_session: SparkSession) -> object:
            raise error

        return ask

    for error in (Py4JError("x"), Py4JNetworkError("x"), ConnectionRefusedError("x"), BrokenPipeError("x")):
        with pytest.raises(ProgramFailedError, match="Spark's JVM is gone"):
            spark.driver.ask(raising(error))
    with pytest.raises(ZeroDivisionError):
        spark.driver.ask(raising(ZeroDivisionError()))


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

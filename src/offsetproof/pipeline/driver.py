"""A Spark session as this process asks it: from threads of its own, so that an interrupt is heard."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, TypeVar

from offsetproof.pipeline.errors import CheckpointError, TasksFailedError
from offsetproof.pipeline.shipping import is_elsewhere

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_LOOK_EVERY = 0.2

_THREADS = 4
"""One for a job, one to cancel it, and as many again for a job that is tried anew while the old one ends."""

_ENDS = 10.0
"""How many seconds a job that is cancelled is waited for; where it takes longer it ends with Spark."""

_SETTLED = 3.0
"""Executors are all there when none has come for so many seconds."""

T = TypeVar("T")


class Driver:
    """Asks a Spark session at `master`.

    Whoever asks waits for a thread that does. An interrupt within py4j would be lost: py4j clears away the connection
    that was in use, and where that fails its error takes the interrupt's place. `close` waits for the threads; they
    end when Spark's JVM has.
    """

    def __init__(self, spark: SparkSession, master: str) -> None:
        self.spark, self.master = spark, master
        self.address = spark.sparkContext.uiWebUrl
        self._threads = ThreadPoolExecutor(_THREADS)

    def close(self) -> None:
        """Waits until no thread asks any more."""
        self._threads.shutdown()

    def ask(self, what: Callable[[SparkSession], T]) -> T:
        """What Spark has to say; an interrupt ends the waiting, and not what was asked."""
        return self._threads.submit(what, self.spark).result()

    def collect(self, frame_of: Callable[[SparkSession], DataFrame], look: Callable[[], None]) -> None:
        """Has a frame worked out, and looks every now and then.

        Raises TasksFailedError with the cause where Spark gives up, and CheckpointError where a task has raised that:
        to try again is of no use. An interrupt, and what `look` raises, cancels the job and goes on upwards.
        """
        job = self._threads.submit(lambda: frame_of(self.spark).collect())
        try:
            while not wait([job], _LOOK_EVERY).done:
                look()
        except BaseException:
            wait([self._threads.submit(self.spark.sparkContext.cancelAllJobs)], _ENDS)
            wait([job], _ENDS)
            raise
        _raise_as_told(job)

    def alive(self) -> bool:
        """Is Spark still there?"""
        from py4j.protocol import Py4JError

        try:
            return not self.ask(lambda spark: spark.sparkContext._jsc.sc().isStopped())
        except (Py4JError, OSError):
            return False

    def slots(self) -> int:
        """How many tasks run at once, as soon as that no longer changes: executors of a cluster come one by one."""
        if not is_elsewhere(self.master) and not self.master.startswith("local-cluster"):
            return self.ask(lambda spark: spark.sparkContext.defaultParallelism)
        self.ask(lambda spark: spark.range(1).count())
        seen, since = self.ask(_cores), time.monotonic()
        while time.monotonic() - since < _SETTLED:
            time.sleep(0.2)
            now = self.ask(_cores)
            if now != seen:
                seen, since = now, time.monotonic()
        return seen


def cause_of(error: Exception) -> str:
    """The line of a Spark error that says what happened in Python, or its first line."""
    lines = [line.strip() for line in str(getattr(error, "java_exception", error)).splitlines() if line.strip()]
    python = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Interrupt)\b", line)]
    return (python or lines or ["no reason was given"])[-1 if python else 0]


def _raise_as_told(job: Future[Any]) -> None:
    """Raises what a job that has ended raised, if anything, in this project's words."""
    from py4j.protocol import Py4JJavaError, Py4JNetworkError
    from pyspark.errors import PySparkException

    try:
        job.result()
    except (Py4JNetworkError, ConnectionError) as error:
        raise TasksFailedError("Spark's JVM is gone") from error
    except (Py4JJavaError, PySparkException) as error:
        kind, _, told = cause_of(error).partition(": ")
        if kind.endswith(CheckpointError.__name__):
            raise CheckpointError(told) from error
        raise TasksFailedError(cause_of(error)) from error


def _cores(spark: SparkSession) -> int:
    """The tasks that the executors which are there can run at once, as a barrier stage counts them."""
    java = spark.sparkContext._jsc.sc()
    return int(java.maxNumConcurrentTasks(java.resourceProfileManager().defaultResourceProfile()))

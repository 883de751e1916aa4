"""A Spark session as this process asks it: from threads of its own, so that an interrupt is heard."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from warnings import catch_warnings, simplefilter

from offsetproof.engines.spark.shipping import is_elsewhere
from offsetproof.engines.whole_files import CheckpointError, DamagedError
from offsetproof.programs import ProgramFailedError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

_LOOK_EVERY = 0.2

_THREADS = 4
"""One for a job, one to cancel it, and as many again for the next job where one does not end soon."""

_ENDS = 10.0
"""How many seconds a job that is cancelled is waited for; where it takes longer it ends with Spark."""

_STARTS = 30.0
"""How many seconds a start is waited for after an interrupt: a JVM is there by then and can be ended."""

_SETTLED = 3.0
"""Executors are all there when none has come for this many seconds."""

T = TypeVar("T")

Answer: TypeAlias = SimpleQueue[Future[T]]
"""Where a call that has ended will be; unlike a future's, its lock is never held where an interrupt can come."""


class Driver:
    """Starts a Spark session at `master`, asks it, and stops it.

    Whoever asks waits for a thread that does, and gets errors in this project's words. An interrupt within py4j would
    be lost: py4j clears away the connection that was in use, and where that fails its error takes the interrupt's
    place. (PySpark also takes the handler of interrupts for itself where it is started in the main thread.)
    """

    def __init__(self, master: str) -> None:
        self.master = master
        self._threads = ThreadPoolExecutor(_THREADS)

    def start(self, make: Callable[[], SparkSession]) -> None:
        """Has the session made; an interrupt waits for it for a while, so that it can be stopped."""
        starting = self._begin(make)
        try:
            self.spark = starting.get().result()
        except KeyboardInterrupt:
            started = _within(starting, _STARTS)
            with suppress(Exception):
                if started is not None:
                    self.spark = started.result()
                    self.stop()
            raise
        self.address = self.ask(lambda spark: spark.sparkContext.uiWebUrl)

    def stop(self) -> None:
        """Stops Spark; where its JVM is gone there is nothing to stop."""
        with suppress(ProgramFailedError), catch_warnings():
            simplefilter("ignore")
            self.ask(lambda spark: spark.stop())

    def close(self) -> None:
        """Waits until no thread asks any more; they end when Spark's JVM has."""
        self._threads.shutdown()

    def ask(self, what: Callable[[SparkSession], T]) -> T:
        """What Spark has to say; an interrupt ends the waiting, and not what was asked."""
        return self._begin(lambda: what(self.spark)).get().result()

    def collect(self, frame_of: Callable[[SparkSession], DataFrame], look: Callable[[], None]) -> list[Row]:
        """Has a frame worked out, looks every now and then, and gives its rows.

        Raises ProgramFailedError with the cause where Spark gives up, and CheckpointError where a task has raised that:
        to try again is of no use. An interrupt, and what `look` raises, cancels the job and goes on upwards.
        """
        job = self._begin(lambda: frame_of(self.spark).collect())
        try:
            while (ended := _within(job, _LOOK_EVERY)) is None:
                look()
        except BaseException:
            self._cancel(job)
            raise
        return ended.result()

    def _cancel(self, job: Answer[Any]) -> None:
        """Cancels all jobs until this one has ended: one that Spark has not begun yet takes more than one call."""
        last = time.monotonic() + _ENDS
        while time.monotonic() < last:
            _within(self._begin(self.spark.sparkContext.cancelAllJobs), _ENDS)
            if _within(job, _LOOK_EVERY) is not None:
                return

    def _begin(self, call: Callable[[], T]) -> Answer[T]:
        """Has a thread make a call."""
        answer: Answer[T] = SimpleQueue()
        self._threads.submit(lambda: answer.put(_outcome(call)))
        return answer

    def alive(self) -> bool:
        """Is Spark still there?"""
        try:
            return not self.ask(lambda spark: spark.sparkContext._jsc.sc().isStopped())
        except ProgramFailedError:
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


def _within(answer: Answer[T], seconds: float) -> Future[T] | None:
    """An answer, if it is there within this many seconds."""
    try:
        return answer.get(timeout=seconds)
    except Empty:
        return None


def _outcome(call: Callable[[], T]) -> Future[T]:
    """What a call comes to, its value or its error."""
    ended: Future[T] = Future()
    try:
        ended.set_result(_in_own_words(call))
    except BaseException as error:
        ended.set_exception(error)
    return ended


def _in_own_words(call: Callable[[], T]) -> T:
    """What a call gives; what Spark raises becomes one of this project's errors.

    What a Java error says is asked of the JVM, which may have ended meanwhile.
    """
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        try:
            return call()
        except (Py4JJavaError, PySparkException) as error:
            cause = cause_of(error)
            kind, _, message = cause.partition(": ")
            for known in (CheckpointError, DamagedError):
                if kind.rpartition(".")[2] == known.__name__:
                    raise known(message) from error
            raise ProgramFailedError(cause) from error
    except (Py4JError, ConnectionError) as error:
        raise ProgramFailedError("Spark's JVM is gone") from error


def _cores(spark: SparkSession) -> int:
    """The tasks that the executors which are there can run at once, as a barrier stage counts them."""
    java = spark.sparkContext._jsc.sc()
    return int(java.maxNumConcurrentTasks(java.resourceProfileManager().defaultResourceProfile()))

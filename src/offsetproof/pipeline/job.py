"""One Spark job: run to its end and watched meanwhile; where Spark gives up, the cause in one line."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from offsetproof.pipeline.errors import CheckpointError, TasksFailedError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_LOOK_EVERY = 0.2


def collected(frame: DataFrame, look: Callable[[], None]) -> None:
    """Has a frame worked out, and looks every now and then.

    Raises TasksFailedError with the cause where Spark gives up, and CheckpointError where a task has raised that: to
    try again is of no use. An interrupt cancels the job and goes on upwards.
    """
    from py4j.protocol import Py4JJavaError, Py4JNetworkError
    from pyspark.errors import PySparkException

    with _meanwhile(look):
        try:
            frame.collect()
        except KeyboardInterrupt:
            frame.sparkSession.sparkContext.cancelAllJobs()
            raise
        except (Py4JNetworkError, ConnectionError) as error:
            raise TasksFailedError("Spark's JVM is gone") from error
        except (Py4JJavaError, PySparkException) as error:
            kind, _, told = cause_of(error).partition(": ")
            if kind.endswith(CheckpointError.__name__):
                raise CheckpointError(told) from error
            raise TasksFailedError(cause_of(error)) from error


@contextmanager
def _meanwhile(look: Callable[[], None]) -> Iterator[None]:
    """Looks from a thread of its own for the time of the block."""
    ended = threading.Event()

    def looking() -> None:
        while not ended.wait(_LOOK_EVERY):
            look()

    thread = threading.Thread(target=looking, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def cause_of(error: Exception) -> str:
    """The line of a Spark error that says what happened in Python, or its first line."""
    lines = [line.strip() for line in str(getattr(error, "java_exception", error)).splitlines() if line.strip()]
    python = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Interrupt)\b", line)]
    return (python or lines or ["no reason was given"])[-1 if python else 0]

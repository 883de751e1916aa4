"""Where a search runs on Spark, and how many parts it is given there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from offsetproof.pipeline.session import slots

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPREAD = 1 << 32
"""Parts are so many that a task can explore this many bytes, a part at a time, with the memory that it has."""

PARTS_LEAST, PARTS_MOST = 4, 16
"""How many parts a task has: each is a file per level."""


@dataclass(frozen=True)
class Place:
    """Where a search runs: the session, its tasks, and the folder that it writes to."""

    spark: SparkSession
    tasks: int
    folder: Path
    bytes: int
    resume: bool
    master: str

    def slots(self) -> int:
        """How many tasks can run at once now: executors may be lost."""
        return slots(self.spark, self.master)

    def alive(self) -> bool:
        """Is Spark still there?"""
        from py4j.protocol import Py4JError

        try:
            return not self.spark.sparkContext._jsc.sc().isStopped()
        except (Py4JError, OSError):
            return False

    @property
    def parts(self) -> int:
        """How many parts a new run is given."""
        return self.tasks * min(PARTS_MOST, max(PARTS_LEAST, SPREAD // self.bytes))

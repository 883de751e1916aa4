"""Where a search runs on Spark, and how many parts it is given there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from offsetproof.engines.spark.driver import Driver

SPREAD = 1 << 32
"""Parts are so many that a task can explore this many bytes, a part at a time, with the memory that it has."""

PARTS_LEAST, PARTS_MOST = 4, 16
"""How many parts a task has: each is a file per level."""


@dataclass(frozen=True)
class Place:
    """Where a search runs: Spark, its tasks, and the folder that it writes to."""

    driver: Driver
    tasks: int
    folder: Path
    bytes: int
    resume: bool

    @property
    def parts(self) -> int:
        """How many parts a new run is given."""
        return self.tasks * min(PARTS_MOST, max(PARTS_LEAST, SPREAD // self.bytes))

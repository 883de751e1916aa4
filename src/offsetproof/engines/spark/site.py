"""Where searches run on Spark, and how many parts each is given there."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from offsetproof.engines.spark.driver import Driver
from offsetproof.verdict.question import Question

TASK_BYTES = 1 << 30
"""What a task may hold where no limit is given."""

SPREAD = 1 << 32
"""There are so many parts that a task can explore this many bytes, a part at a time, with the memory that it has."""

PARTS_LEAST, PARTS_MOST = 4, 16
"""How many parts a task has: each is a file per level."""


@dataclass(frozen=True)
class Site:
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


@dataclass(frozen=True)
class Sites:
    """Where the questions of a run are explored: on one Spark, each in a folder of its own within the run's."""

    driver: Driver
    tasks: int
    folder: Path
    resume: bool

    def of(self, question: Question) -> Site:
        """Where one question is explored."""
        setting = question.setting
        what = (question.model.__qualname__, repr(setting.key), question.reductions)
        mark = hashlib.sha256(repr(what).encode()).hexdigest()[:8]
        parts = [question.prop.id, setting.scope.name.rstrip("*"), setting.release or "", mark]
        name = re.sub(r"[^\w.=,-]", "_", ",".join(part for part in parts if part))
        return Site(self.driver, self.tasks, self.folder / name, question.limits.bytes or TASK_BYTES, self.resume)

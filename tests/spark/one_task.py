"""The spark engine without Spark: its one task runs in this process, so that hundreds of runs take seconds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from offsetproof.engines.spark.engine import Spark
from offsetproof.engines.spark.place import Place
from offsetproof.engines.spark.task import Exploring, compiled
from offsetproof.verdict.question import Question

PARTS = 4


class _Here:
    """As much of a Spark session, of a frame and of a driver as a search asks for."""

    def range(self, *_: int) -> _Here:
        return self

    def mapInArrow(self, body: partial[Any], _columns: str, *, barrier: bool) -> None:  # noqa: N802 - Spark's name
        assert barrier
        order = body.keywords["order"]
        assert list(Path(order.folder).glob("scratch/*/start.json")) == [order.start], "no other attempt goes on"
        Exploring(compiled(body.keywords["system"], order.kinds), order, 0).run()

    def collect(self, frame_of: Callable[[_Here], None], look: Callable[[], None]) -> None:
        frame_of(self)
        look()


class OneTask(Spark):
    """The engine, with everything but the JVM."""

    def __init__(self, folder: Path, *, resume: bool, memory: int = 1 << 30) -> None:
        super().__init__("none", folder, resume=resume)
        self.folder, self.memory = folder, memory

    def place_of(self, question: Question) -> Place:  # noqa: ARG002 - one folder for the one question
        return _Place(_Here(), 1, self.folder / "run", self.memory, self.resume)  # type: ignore[arg-type]  # a driver


class _Place(Place):
    parts = PARTS

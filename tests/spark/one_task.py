"""The spark engine without Spark: its one task runs in this process, so that hundreds of runs take seconds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.preparing import StagedModels
from offsetproof.engines.spark.engine import OnSpark
from offsetproof.engines.spark.site import Site
from offsetproof.engines.spark.task import Exploring, compile_system

PARTS = 4


class _Here:
    """As much of a Spark session, of a frame and of a driver as a search asks for."""

    def range(self, *_: int) -> _Here:
        return self

    def mapInArrow(self, body: partial[Any], _columns: str, *, barrier: bool) -> None:  # noqa: N802 - Spark's name
        assert barrier
        order = body.keywords["order"]
        assert list(Path(order.folder).glob("scratch/*/start.json")) == [order.start], "no other attempt goes on"
        Exploring(compile_system(body.keywords["system"], order.kinds), order, 0).run()

    def collect(self, frame_of: Callable[[_Here], None], look: Callable[[], None]) -> None:
        frame_of(self)
        look()


def one_task(folder: Path, *, resume: bool, memory: int = 1 << 30, models: StagedModels | None = None) -> Explicit:
    """The engine, with everything but the JVM, for one question."""
    site = _Site(_Here(), 1, folder / "run", memory, resume)  # type: ignore[arg-type]  # a driver
    return Explicit(models, OnSpark(lambda _question: site))


class _Site(Site):
    parts = PARTS

"""The spark engine: the explicit engine's decisions, over states that Spark's tasks explored and wrote down."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from offsetproof.engines.explicit.engine import Deciding, Explicit, Found
from offsetproof.engines.explicit.explored import Searched
from offsetproof.engines.explicit.search import Program
from offsetproof.engines.spark.driver import Driver
from offsetproof.engines.spark.errors import CheckpointError, DamagedError, TasksFailedError
from offsetproof.engines.spark.exploring import SparkSearch
from offsetproof.engines.spark.manifest import MANIFEST
from offsetproof.engines.spark.place import Place
from offsetproof.engines.spark.run_folder import alone_in
from offsetproof.engines.spark.session import session
from offsetproof.engines.staging import StagedModels
from offsetproof.ir.system import State, System
from offsetproof.lang.stage import Staged
from offsetproof.verdict.question import Limits, Question

NAME = "spark"

TASK_BYTES = 1 << 30
"""What a task may hold where no limit is given."""


class Spark(Explicit):
    """The engine, for the time of a `with` block: a Spark session on this machine, or on the cluster at `master`.

    `folder` keeps what was explored, one folder per question; without one it is temporary. `resume` continues what
    is there. PrerequisiteError where Spark cannot run here, CheckpointError where there is nothing to resume, and
    where another run is at work in the folder.
    """

    name = NAME

    def __init__(
        self,
        master: str = "local[*]",
        folder: Path | None = None,
        *,
        resume: bool = False,
        models: StagedModels | None = None,
    ) -> None:
        super().__init__(models)
        self.master, self.kept, self.resume = master, folder, resume
        self._stack = ExitStack()

    def __enter__(self) -> Spark:
        with ExitStack() as opening:
            self.folder = self.kept or Path(opening.enter_context(TemporaryDirectory(prefix="offsetproof-spark-")))
            if self.resume and not any(self.folder.glob(f"*/{MANIFEST}")):
                raise CheckpointError(f"there is nothing in {self.folder} to resume; drop --resume")
            opening.enter_context(alone_in(self.folder))
            self.driver: Driver = opening.enter_context(session(self.master, self.folder / "session"))
            self.tasks = self.driver.slots()
            self._stack = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def address(self) -> str | None:
        """Where Spark's own pages are."""
        return self.driver.address

    def limits_to_prepare(self, question: Question) -> Limits:
        """The limit on memory is what each task may hold, and nothing to this process."""
        return replace(question.limits, bytes=None)

    def deciding(
        self, question: Question, system: System, reductions: tuple[str, ...], started: float, staged: Staged
    ) -> Deciding:
        deciding = _Deciding(question, system, reductions, started, staged)
        deciding.place = self.place_of(question)
        return deciding

    def place_of(self, question: Question) -> Place:
        """Where one question is explored."""
        setting = question.setting
        what = (question.model.__qualname__, repr(setting.key), question.reductions)
        mark = hashlib.sha256(repr(what).encode()).hexdigest()[:8]
        parts = [question.prop.id, setting.scope.name.rstrip("*"), setting.release or "", mark]
        name = re.sub(r"[^\w.=,-]", "_", ",".join(part for part in parts if part))
        return Place(self.driver, self.tasks, self.folder / name, question.limits.bytes or TASK_BYTES, self.resume)


class _Deciding(Deciding):
    """One decision whose searches run on Spark."""

    name = NAME
    place: Place
    cap: int | None = None

    def search(self, fault_cap: int | None = None) -> Found:
        self.cap = fault_cap
        return super().search(fault_cap)

    def with_fewest_faults(self, found: Found) -> Found:
        try:
            return super().with_fewest_faults(found)
        except DamagedError:
            raise
        except (TasksFailedError, CheckpointError) as error:
            self.notes.append(f"whether fewer faults suffice was not established: {error}")
            return found

    def searching(self, program: Program, initial: Sequence[State], limits: Limits) -> Searched:
        question = self.question
        kinds = tuple(prop.kind.value for prop in (question.prop, *question.witnesses))
        return SparkSearch(self.place, program, kinds, initial, self.cap, limits, question.progress)

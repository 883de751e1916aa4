"""The spark engine: the explicit engine's decisions, over states that Spark's tasks explored and wrote down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from offsetproof.compiled.layout import Layout
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.search import Program
from offsetproof.engines.explicit.stubborn import Reduction
from offsetproof.engines.preparing import StagedModels
from offsetproof.engines.spark.driver import Driver
from offsetproof.engines.spark.exploring import SparkSearch
from offsetproof.engines.spark.manifest import MANIFEST
from offsetproof.engines.spark.run_folder import alone_in
from offsetproof.engines.spark.session import session
from offsetproof.engines.spark.site import Site, Sites
from offsetproof.engines.whole_files import CheckpointError, DamagedError
from offsetproof.ir.system import State, System
from offsetproof.lang.claim import ClaimKind
from offsetproof.programs import ProgramFailedError
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result

NAME = "spark"


class Spark:
    """The engine, for the time of a `with` block: a Spark session on this machine, or on the cluster at `master`.

    `folder` keeps what was explored, one folder per question; without one it is temporary. `resume` continues what
    is there. PrerequisiteError where Spark cannot run here, CheckpointError where there is nothing to resume, and
    where another run is at work in the folder. `models` are shared with other engines.
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
        self.master, self.kept, self.resume, self.models = master, folder, resume, models
        self._stack = ExitStack()

    def __enter__(self) -> Spark:
        with ExitStack() as opening:
            folder = self.kept or Path(opening.enter_context(TemporaryDirectory(prefix="offsetproof-spark-")))
            if self.resume and not any(folder.glob(f"*/{MANIFEST}")):
                raise CheckpointError(f"there is nothing in {folder} to resume; drop --resume")
            opening.enter_context(alone_in(folder))
            self.driver: Driver = opening.enter_context(session(self.master, folder / "session"))
            self.sites = Sites(self.driver, self.driver.slots(), folder, self.resume)
            self._explicit = Explicit(self.models, OnSpark(self.sites.of))
            self._stack = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def address(self) -> str | None:
        """Where Spark's own pages are."""
        return self.driver.address

    def decide(self, question: Question) -> Result:
        """Decides one claim, as the explicit engine does."""
        return self._explicit.decide(question)


class OnSpark:
    """Has states explored by Spark's tasks, each question's where `site_of` says."""

    name = NAME
    begins_with_all_faults, knows_stubborn_sets, is_here = True, True, False

    def __init__(self, site_of: Callable[[Question], Site]) -> None:
        self.site_of = site_of

    def limits_to_prepare(self, limits: Limits) -> Limits:
        """All but that on memory, which is what each task may hold, and nothing to this process."""
        return replace(limits, bytes=None)

    def layout(self, question: Question, system: System) -> Layout:
        """In as few words as it takes."""
        del question
        return Layout(system)

    def notes(self, question: Question) -> tuple[str, ...]:
        """Nothing."""
        del question
        return ()

    def search(
        self, question: Question, program: Program, initial: Sequence[State], fault_cap: int | None, limits: Limits
    ) -> SparkSearch:
        """A search that has not begun; what it writes down has the cap in its name."""
        kinds = tuple(prop.kind.value for prop in (question.prop, *question.witnesses))
        return SparkSearch(self.site_of(question), program, kinds, initial, fault_cap, limits, question.progress)

    def reduced_search(self, question: Question, program: Program, reduction: Reduction, limits: Limits) -> SparkSearch:
        """A search by stubborn sets, in a folder of its own beside the question's: others of it have other goals."""
        site = self.site_of(question)
        folder = site.folder.with_name(f"{site.folder.name},stubborn={reduction.tables.digest[:8]}")
        kinds = [prop.kind.value for prop in (question.prop, *question.witnesses)]
        kinds += [ClaimKind.SOMETIMES.value] * len(reduction.sought)
        return SparkSearch(
            replace(site, folder=folder), program, tuple(kinds), program.system.initial, None, limits,
            question.progress, reduction,
        )  # fmt: skip

    def is_excused(self, error: Exception) -> bool:
        """Tasks that die and a folder that cannot be written are; a file that is not what was written is not."""
        return isinstance(error, (ProgramFailedError, CheckpointError)) and not isinstance(error, DamagedError)

    def smaller(self, question: Question) -> None:
        """Nobody: what its tasks may hold is no limit on a search."""

    def end(self, *, is_decided: bool) -> None:
        """A run stays in its folder, for `--resume`."""

"""The engines by name, each with its own options; their libraries are loaded when an engine is started.

An interrupt waits until a library is loaded: its C code turns a KeyboardInterrupt into an error of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from offsetproof.engines import Engine
from offsetproof.engines.preparing import StagedModels
from offsetproof.verdict.limits import spare_bytes
from offsetproof.verdict.question import Question
from offsetproof.watch import interrupts_later

if TYPE_CHECKING:
    from offsetproof.engines.explicit.explorer import Explorer


class EngineName(StrEnum):
    """Which engine decides."""

    EXPLICIT = "explicit"
    SMT = "smt"
    STATEFUL = "stateful"
    SPARK = "spark"
    ALL = "all"


SMT_SECONDS_AMONG_OTHERS = 30.0
"""What smt may take for one setting beside other engines where there is no --timeout: it would go on for hours."""

MANY = 100
"""Of more questions than these each has a brief spot check: their models have most of their code in common."""


@dataclass(frozen=True)
class Engines:
    """Who is asked a batch of questions: one engine or several, and the staged models that they share."""

    models: StagedModels
    each: tuple[Engine, ...]

    @property
    def only(self) -> Engine:
        """The engine, where there is one."""
        (engine,) = self.each
        return engine


@dataclass(frozen=True)
class EngineChoice:
    """An engine, or all that run in this process, with what only some of them know.

    `depth` is how many steps smt unrolls, `seed` what random choices of stateful start from. Spark runs at `master`
    (None: on this machine), keeps its runs in `folder`, and with `resume` resumes the one that is there. With `spill`
    explicit keeps states in files of that folder, with `compact` in few bytes.
    """

    name: EngineName = EngineName.EXPLICIT
    depth: int = 25
    seed: int = 0
    master: str | None = None
    folder: Path | None = None
    resume: bool = False
    spill: Path | None = None
    compact: bool = False

    def start(self, stack: ExitStack, questions: Sequence[Question], tell: Callable[[str], None]) -> Engines:
        """The engines, for as long as the stack is open. `questions` is all that they will be asked.

        `tell` gets what a user wants to know meanwhile: where Spark's own pages are. PrerequisiteError and
        CheckpointError where Spark cannot run or resume.
        """
        models = StagedModels()
        return Engines(models, self._engines(models, stack, questions, tell))

    def _engines(
        self, models: StagedModels, stack: ExitStack, questions: Sequence[Question], tell: Callable[[str], None]
    ) -> tuple[Engine, ...]:
        match self.name:
            case EngineName.EXPLICIT:
                return (_explicit(models, is_one_of_many=len(questions) > MANY, explore=self._explorer()),)
            case EngineName.SMT:
                return (self._smt(models, questions),)
            case EngineName.STATEFUL:
                return (self._stateful(models),)
            case EngineName.SPARK:
                return (self._spark(models, stack, tell),)
            case EngineName.ALL:
                smt = self._smt(models, questions, SMT_SECONDS_AMONG_OTHERS)
                return (_explicit(models), smt, self._stateful(models))
        assert_never(self.name)

    def limit(self, bytes: int | None) -> int | None:
        """What a search may hold: as given, else most of what the machine has left.

        On Spark that is what each task may hold, and without a limit the engine has its own measure for it.
        """
        return bytes if self.name is EngineName.SPARK or bytes is not None else spare_bytes()

    def _explorer(self) -> Explorer | None:
        with interrupts_later():  # loaded where it is needed
            if self.spill is not None:
                from offsetproof.engines.explicit.on_disk import OnDisk

                return OnDisk(self.spill, resume=self.resume)
            if self.compact:
                from offsetproof.engines.explicit.compact_search import Compactly

                return Compactly()
        return None

    def _smt(self, models: StagedModels, questions: Sequence[Question], seconds: float | None = None) -> Engine:
        with interrupts_later():
            from offsetproof.engines.smt.engine import Smt

        return Smt(questions, depth=self.depth, seconds=seconds, models=models)

    def _stateful(self, models: StagedModels) -> Engine:
        with interrupts_later():
            from offsetproof.engines.stateful.engine import Effort, Stateful

        return Stateful(Effort(seed=self.seed), models)

    def _spark(self, models: StagedModels, stack: ExitStack, tell: Callable[[str], None]) -> Engine:
        with interrupts_later():
            from offsetproof.engines.spark.engine import Spark

        spark = stack.enter_context(Spark(self.master or "local[*]", self.folder, resume=self.resume, models=models))
        if spark.address:
            tell(f"Spark runs at {spark.address}")
        return spark


def explicit_alone() -> Engines:
    """The explicit engine and nobody else."""
    models = StagedModels()
    return Engines(models, (_explicit(models),))


def _explicit(models: StagedModels, *, is_one_of_many: bool = False, explore: Explorer | None = None) -> Engine:
    with interrupts_later():
        from offsetproof.engines.explicit.engine import Explicit
        from offsetproof.engines.explicit.explorer import InThisProcess
        from offsetproof.engines.explicit.spot import BRIEF, WHOLE

    limits = BRIEF if is_one_of_many else WHOLE
    return Explicit(models, explore or InThisProcess(), spot_limits=limits)

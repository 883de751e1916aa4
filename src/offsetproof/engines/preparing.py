"""What comes before deciding, alike for every engine: a model is staged once, reduced, and all within the limits.

The sound reductions are the same for engines and exports, so that their counts are of the same system; what a state of
the reduced system is one of the whole model is said here, too.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Generic, TypeVar

from offsetproof.ir.constants import without_constants
from offsetproof.ir.dead import reset_dead
from offsetproof.ir.faults import CAP
from offsetproof.ir.node import Node
from offsetproof.ir.slicing import slice_of
from offsetproof.ir.system import State, System
from offsetproof.lang.reference import Reference
from offsetproof.lang.stage import Staged
from offsetproof.lang.staged_before import StagedBefore
from offsetproof.verdict.limits import LimitMetError, Limits, run_limited
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Counts, Reason, Result, Verdict


class StagedModels:
    """Models staged in their settings, each once. Whoever runs a batch of questions makes one and gives it to engines.

    Staging is done by who asks first, within whatever limits that has; what a limit ends is not kept. Code that
    remembers something is looked for at length in the first setting of each model: of many, everybody would feel it.
    """

    def __init__(self) -> None:
        self._staged: dict[Any, Staged] = {}
        self._instances = StagedBefore()

    def of(self, question: Question) -> Staged:
        """The question's model in its setting."""
        key = (question.model, question.setting.key)
        if key not in self._staged:
            is_first = all(staged.model is not question.model for staged in self._staged.values())
            self._staged[key] = Staged(question.model, question.setting, asks_long=is_first, before=self._instances)
        return self._staged[key]

    def reduced_system(self, question: Question) -> tuple[Staged, System, tuple[str, ...]]:
        """The model staged, and the system of the claim and of the witnesses that it needs, with what was left out."""
        staged = self.of(question)
        whole = staged.system((question.prop, *question.witnesses))
        return staged, *reduce_system(whole, question, staged.constants)


def reduce_system(
    system: System, question: Question, constants: dict[Node, Node] | None = None, *, keeps_cuts: bool = False
) -> tuple[System, tuple[str, ...]]:
    """The system after the reductions that are on, and what each left out, in words.

    `constants` are its constant variables with their values, where somebody has found them; `keeps_cuts` is for whoever
    asks what only a bound forbids.
    """
    notes = []
    if question.reductions.slicing:
        whole, system = system, slice_of(without_constants(system, constants), keeps_cuts=keeps_cuts)
        notes.append(
            f"slicing left out {len(whole.variables) - len(system.variables)} of {len(whole.variables)} variables, "
            f"{len(whole.instances) - len(system.instances)} of {len(whole.instances)} action instances"
        )
    if question.reductions.dead:
        reset = reset_dead(system)
        system = reset.system
        if reset.fields:
            fields, objects = sum(map(len, reset.fields.values())), quantity(len(reset.fields), "object")
            notes.append(f"dead fields reset: {fields}, in {objects}")
    return system, tuple(notes)


def whole_state(reference: Reference, system: System, initial: State) -> State:
    """The initial state of the whole model that an initial state of its slice is a part of."""
    known = {v.name: value for v, value in zip(system.variables, initial, strict=True)}
    return reference.start_with({name: value for name, value in known.items() if name != CAP})


Prepared = TypeVar("Prepared")


class PreparingEngine(ABC, Generic[Prepared]):
    """What engines have in common. `Prepared` is what an engine makes of a question before it begins to decide it.

    `models` are shared with whoever else is to have what this engine stages; an engine on its own has its own.
    `decides_runs` says that it can decide claims about runs; of others it leaves these open, and says so.
    """

    name: str
    decides_runs = False

    def __init__(self, models: StagedModels | None = None) -> None:
        self._models = StagedModels() if models is None else models

    def decide(self, question: Question) -> Result:
        """Decides one claim. A limit or an interrupt makes the result UNKNOWN, whatever was going on."""
        started = time.monotonic()
        if question.prop.kind.is_about_runs and not self.decides_runs:
            why = f"{self.name} cannot decide {question.prop.kind}; ask --engine explicit"
            return undecided_apart(question, self.name, Reason.ENGINE, why, 0.0)
        try:
            prepared = run_limited(self.limits_to_prepare(question), started, lambda: self.prepare(question, started))
            question.prepared()
        except ENDED as ended:
            return unknown_result(question, self.name, started, ended)
        return replace(self.decide_prepared(prepared, question), asked_instead=question.asked_instead)

    def limits_to_prepare(self, question: Question) -> Limits:
        """What preparing may spend: what the question may, unless an engine means something else by a limit."""
        return question.limits

    @abstractmethod
    def prepare(self, question: Question, started: float) -> Prepared:
        """Stages, reduces and compiles: whatever comes before the deciding."""

    @abstractmethod
    def decide_prepared(self, prepared: Prepared, question: Question) -> Result:
        """Decides one claim; looks at the question's limits itself."""


ENDED = (LimitMetError, MemoryError, KeyboardInterrupt)
"""What ends the preparing of a question without being an error."""


def unknown_result(
    question: Question, engine: str, started: float, ended: LimitMetError | MemoryError | KeyboardInterrupt
) -> Result:
    """What is said where a limit or an interrupt came before there was anything to search."""
    if isinstance(ended, LimitMetError):
        reason = ended.reason
    else:
        reason = Reason.MEMORY if isinstance(ended, MemoryError) else Reason.INTERRUPTED
    detail = "while the model was prepared, before any state was looked at"
    return _unknown_for(question, engine, time.monotonic() - started, reason, detail)


def undecided_apart(question: Question, engine: str, reason: Reason, detail: str, seconds: float) -> Result:
    """What is said where the process that was to decide gave no answer."""
    return _unknown_for(question, engine, seconds, reason, detail)


def _unknown_for(question: Question, engine: str, seconds: float, reason: Reason, detail: str) -> Result:
    return Result(
        question.prop,
        question.setting,
        engine,
        "none",
        Verdict.UNKNOWN,
        Counts(0, 0, 0, 0),
        seconds,
        exhaustive=False,
        reason=reason,
        detail=detail,
        interrupted=reason is Reason.INTERRUPTED,
        asked_instead=question.asked_instead,
    )

"""What every engine does first: prepare a question, within the question's limits."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from offsetproof.engines.staging import StagedModels
from offsetproof.verdict.limiting import LimitMetError, run_limited
from offsetproof.verdict.question import Limits, Question
from offsetproof.verdict.result import Counts, Reason, Result, Verdict

Prepared = TypeVar("Prepared")


class PreparingEngine(ABC, Generic[Prepared]):
    """What engines have in common. `Prepared` is what an engine makes of a question before it begins to decide it.

    `models` are shared with whoever else is to have what this engine stages; an engine on its own has its own.
    """

    name: str

    def __init__(self, models: StagedModels | None = None) -> None:
        self._models = StagedModels() if models is None else models

    def decide(self, question: Question) -> Result:
        """Decides one claim. A limit or an interrupt makes the result UNKNOWN, whatever was going on."""
        started = time.monotonic()
        try:
            prepared = run_limited(self.limits_to_prepare(question), started, lambda: self.prepare(question, started))
        except ENDED as ended:
            return unknown_result(question, self.name, started, ended)
        return self.decide_prepared(prepared, question)

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
    )

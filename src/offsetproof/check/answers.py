"""Asking an engine, question by question, and turning each result into what reports show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from offsetproof.check.places import declared_by
from offsetproof.lang.stage import Staged
from offsetproof.traces.trace import Trace, trace_of
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result


class Engine(Protocol):
    """What every engine can do."""

    name: str

    def decide(self, question: Question) -> Result:
        """Decides one claim; a limit or an interrupt makes the result UNKNOWN, not an exception."""

    def staged(self, question: Question) -> Staged:
        """The question's model, staged (again only if the engine has not kept it)."""


@dataclass(frozen=True)
class Answer:
    """A result with its trace, if it has one."""

    result: Result
    trace: Trace | None

    @property
    def interrupted(self) -> bool:
        """Did the user stop it?"""
        return self.result.interrupted


def answers(subject: str, engine: Engine, asked: Iterable[Question]) -> Iterator[Answer]:
    """One answer per question; an interrupted one is the last."""
    for question in asked:
        with declared_by(question.model):
            result = engine.decide(question)
        trace = None
        if result.replay is not None:
            trace = trace_of(result.replay, subject=subject, digest=result.digest, staged=engine.staged(question))
        answer = Answer(result, trace)
        yield answer
        if answer.interrupted:
            return

"""Asking an engine, question by question, and turning each result into what reports show."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from offsetproof.check.agreement import Agreement
from offsetproof.check.places import declared_by
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.reference import Replay
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.traces.brief import Outline, outline_of
from offsetproof.traces.trace import Effect, Schedule, Trace, trace_of
from offsetproof.verdict.deadline import Deadline, TimeIsUpError
from offsetproof.verdict.exits import Exit, exit_of
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
    """A result with its trace, if it has one; `agreement` says what all engines found, where several were asked.

    `unasked` are scopes that the claim could have been asked in as well. `outline` is what a brief story of a
    counterexample is made from.
    """

    result: Result
    trace: Trace | None
    agreement: Agreement | None = None
    unasked: tuple[str, ...] = ()
    outline: Outline | None = None

    @property
    def exit(self) -> Exit:
        """The exit code that this answer calls for; engines that contradict each other are an internal error."""
        return Exit.INTERNAL if self.disagreement else exit_of(self.result)

    @property
    def disagreement(self) -> str | None:
        """How the engines contradict each other, where several were asked and they do."""
        return "; ".join(self.agreement.problems) or None if self.agreement else None

    @property
    def is_interrupted(self) -> bool:
        """Did the user stop the work that it comes from?"""
        results = (self.result, *(self.agreement.results if self.agreement else ()))
        return any(each.interrupted for each in results) or (self.trace is not None and self.trace.effect == _CUT_SHORT)

    @property
    def is_refutation(self) -> bool:
        """Does the answer carry a counterexample (and not a witness's example)?"""
        return self.trace is not None and self.result.prop.kind is not ClaimKind.SOMETIMES


def answers(subject: Subject, engines: Sequence[Engine], asked: Iterable[Question]) -> Generator[Answer, None, None]:
    """One answer per question, from every engine; an interrupted one is the last."""
    for question in asked:
        answer = answer_to(subject, engines, question)
        yield answer
        if answer.is_interrupted:
            return


def answer_to(subject: Subject, engines: Sequence[Engine], question: Question) -> Answer:
    """The answer to one question, from every engine."""
    given: list[Result] = []
    with declared_by(question.model):
        for engine in engines:
            given.append(engine.decide(question))
            if given[-1].interrupted:
                break
    agreement = Agreement(tuple(given)) if len(engines) > 1 else None
    result = agreement.decisive if agreement else given[0]
    trace = outline = None
    try:
        if result.replay:
            trace = shown(subject, question, result, engines[0].staged(question))
        if result.replay and result.prop.kind is not ClaimKind.SOMETIMES:
            outline = outline_of(result.replay, engines[0].staged(question))
    except KeyboardInterrupt:
        result, trace = replace(result, interrupted=True, notes=(*result.notes, _NOT_TOLD)), None
    return Answer(result, trace, agreement, question.unasked, outline)


_CUT_SHORT = Effect("unknown", None, None, "interrupted")
_NO_TIME = Effect("unknown", None, None, "time limit")
_NOT_TOLD = "its story is not told: interrupted"


def shown(subject: Subject, question: Question, result: Result, staged: Staged) -> Trace | None:
    """The trace of a result, if it has one; a counterexample with effect and timing, if the subject knows of them.

    Effect and timing have the seconds that the question's limits leave after the result.
    """
    if result.replay is None:
        return None
    deadline = Deadline.of(question.limits, time.monotonic() - result.seconds)
    trace = trace_of(result.replay, subject=subject.name, digest=result.digest, staged=staged)
    if result.prop.kind is ClaimKind.SOMETIMES:
        return trace
    with declared_by(question.model):
        try:
            timing = _timing(subject, result.replay, staged, deadline)
            trace = replace(trace, timing=timing)
            return replace(trace, effect=_effect(subject, result.replay, question, staged, deadline))
        except KeyboardInterrupt:
            return replace(trace, effect=_CUT_SHORT)


def _timing(subject: Subject, replay: Replay, staged: Staged, deadline: Deadline) -> Schedule | None:
    if subject.timing is None:
        return None
    from offsetproof.check.timing import schedule_of  # Z3 is only loaded where it is needed

    try:
        return schedule_of(replay, staged, subject.timing, deadline)
    except TimeIsUpError:
        return None


def _effect(subject: Subject, replay: Replay, question: Question, staged: Staged, deadline: Deadline) -> Effect | None:
    if subject.damage is None:
        return None
    from offsetproof.check.effect import effect_of  # so is the explicit engine

    try:
        return effect_of(replay, question, staged, subject.damage, deadline=deadline)
    except TimeIsUpError:
        return _NO_TIME

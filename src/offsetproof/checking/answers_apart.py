"""Questions answered in several processes, and answers as plain data for the way from one to another.

What both sides know (the claim, the setting, the model) is not sent. Nor is a replay: its steps are, and whoever
unpacks them has the model's own Python follow them once more. So a trace is evidence in the process that reports it.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from offsetproof.checking.answers import Answer, answer_to
from offsetproof.checking.engines import Engines
from offsetproof.checking.other_releases import AnswersInReleases
from offsetproof.checking.side_by_side import Job, Lost, Tells, side_by_side
from offsetproof.engines.preparing import undecided_apart
from offsetproof.ir.system import Label, State
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.subject import Subject
from offsetproof.traces.brief import Outline
from offsetproof.traces.trace import Trace
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict


def answers_apart(
    engines: Engines, by_subject: Sequence[tuple[Subject, Sequence[Question]]], count: int, tells: Tells
) -> Generator[Answer, None, None]:
    """One answer per question, in their order, from `count` processes; where they are interrupted, fewer."""
    questions = [question for _, those in by_subject for question in those]
    subjects = {question.model: subject for subject, those in by_subject for question in those}

    def answer_without_engine(question: Question, lost: Lost) -> Answer:
        result = undecided_apart(question, engines.only.name, lost.reason, lost.detail, lost.seconds)
        return Answer(result, None, unasked=question.unasked, subject=subjects[question.model])

    known = AnswersInReleases(engines.models)

    def decide(question: Question) -> Packed:
        subject = subjects[question.model]
        answer = known.find(subject, question)
        if answer is None:
            answer = answer_to(subject, engines, question)
            known.keep(question, answer)
        return pack_answer(answer)

    job = Job(
        decide=decide,
        unpack=lambda question, given: unpack_answer(subjects[question.model], question, given),
        lost=answer_without_engine,
        is_decided=lambda answer: answer.verdict is not Verdict.UNKNOWN,
        is_interrupted=lambda answer: answer.is_interrupted,
        lacks_memory=lambda answer: answer.lacks_memory,
        size=_size,
        answers_too=known.answers_too,
    )
    return side_by_side(questions, job, count, tells)


def _size(question: Question) -> int:
    scope = question.setting.scope
    return sum(scope.bounds.values()) + sum(scope.faults.values())


_KNOWN = frozenset({"prop", "setting", "replay"})
"""Fields that the receiver can rebuild, from the question and from the steps."""


@dataclass(frozen=True)
class Packed:
    """An answer without what its question says; `steps` are those of its replay, with where it starts and goes on."""

    result: dict[str, Any]
    steps: tuple[State, tuple[Label, ...], int | None] | None
    trace: Trace | None
    outline: Outline | None
    unasked: tuple[str, ...]


def pack_answer(answer: Answer) -> Packed:
    """An answer of one engine as plain data."""
    assert answer.agreement is None
    result = answer.result
    plain = {each.name: getattr(result, each.name) for each in fields(result) if each.name not in _KNOWN}
    replay = result.replay
    steps = None if replay is None else (replay.states[0], replay.labels, replay.cycle_at)
    return Packed(plain, steps, answer.trace, answer.outline, answer.unasked)


def unpack_answer(subject: Subject, question: Question, given: Packed) -> Answer:
    """The answer to a question; ReplayError where its steps do not replay, AssertionError without evidence."""
    replay = None
    if given.steps is not None:
        initial, labels, cycle_at = given.steps
        reference = Reference(question.model, question.setting)
        replay = Replay(reference, question.prop, labels, initial, cycle_at=cycle_at)
    result = Result(question.prop, question.setting, replay=replay, **given.result)
    return Answer(result, given.trace, None, given.unasked, given.outline, subject)

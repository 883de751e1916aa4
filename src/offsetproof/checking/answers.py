"""Asking an engine, question by question, and turning each result into what reports show."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.engines import Engines
from offsetproof.checking.idle_fixes import with_idle_fixes
from offsetproof.checking.wider import with_wider_worlds
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.reference import Replay
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.traces.brief import Outline, outline_of
from offsetproof.traces.trace import Effect, Trace, trace_of
from offsetproof.verdict.agreement import Agreement
from offsetproof.verdict.exits import Exit, exit_of
from offsetproof.verdict.limits import Deadline, LimitMetError
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Counts, Reason, Result, Verdict
from offsetproof.watch import interrupts_later

if TYPE_CHECKING:
    from offsetproof.severity.reordering import TimedStory


@dataclass(frozen=True, repr=False)
class Answer:
    """A result with its trace, if it has one; it is neither true nor false: ask `holds`, or what `verdict` it is.

    `agreement` says what all engines found, where several were asked.

    `unasked` are scopes that the claim could have been asked in as well. `outline` is what a brief story of a
    counterexample is made from. `subject` is what was asked about.
    """

    result: Result
    trace: Trace | None
    agreement: Agreement | None = None
    unasked: tuple[str, ...] = ()
    outline: Outline | None = None
    subject: Subject | None = None

    def __bool__(self) -> bool:
        raise TypeError("an answer is neither true nor false, it may be UNKNOWN; ask for .holds or .verdict")

    def __repr__(self) -> str:
        detail = quantity(self.trace.length, "step") if self.trace else self.reason or self.method
        return f"<{self.claim} {self.verdict} in {self.result.setting.scope.name}: {detail}>"

    @property
    def claim(self) -> str:
        """The id of the claim's case."""
        return self.result.prop.id

    @property
    def verdict(self) -> Verdict:
        """HOLDS, REFUTED or UNKNOWN."""
        return self.result.verdict

    @property
    def holds(self) -> bool:
        """Does the claim hold (was the witness reached)? UNKNOWN is no, and so are engines that contradict each other.

        It is no as well where nothing could have broken the claim: `vacuous` says why, and `verdict` is HOLDS then.
        """
        return self.result.verdict is Verdict.HOLDS and not self.vacuous and not self.disagreement

    @property
    def vacuous(self) -> str:
        """Why its HOLDS means nothing, where that is so: nothing could have broken the claim; else empty."""
        return self.result.vacuous

    @property
    def reason(self) -> Reason | None:
        """Why it is UNKNOWN, if it is; `result.detail` says more."""
        return self.result.reason

    @property
    def method(self) -> str:
        """How the verdict was reached: `exhaustive`, or to which depth."""
        return self.result.method

    @property
    def counts(self) -> Counts:
        """What was visited: states, transitions, depth."""
        return self.result.counts

    @property
    def exit(self) -> Exit:
        """The exit code that this answer calls for; engines that contradict each other are an internal error."""
        return Exit.INTERNAL if self.disagreement else exit_of(self.result)

    @property
    def key(self) -> tuple[str, str, str | None]:
        """Whose claim it is about, which one, and in which release: the scopes of these are told together."""
        return (self.subject.name if self.subject else "", self.result.prop.id, self.result.setting.release)

    @property
    def disagreement(self) -> str | None:
        """How the engines contradict each other, where several were asked and they do."""
        return "; ".join(self.agreement.problems) or None if self.agreement else None

    @property
    def as_expected(self) -> bool:
        """Is the verdict the expected one (without an expectation: does the claim hold), and do the engines agree?"""
        return self.result.as_expected and not self.disagreement

    @property
    def is_interrupted(self) -> bool:
        """Did the user stop the work that it comes from?"""
        results = (self.result, *(self.agreement.results if self.agreement else ()))
        return any(each.interrupted for each in results) or (self.trace is not None and self.trace.effect == _CUT_SHORT)

    @property
    def lacks_memory(self) -> bool:
        """Might more memory have given a verdict, or a trace with fewer faults, or told more of its effect?"""
        effect = self.trace.effect if self.trace else None
        is_short = Reason.MEMORY in (self.reason, self.result.fewer_faults_open)
        return is_short or (effect is not None and effect.lacks_memory)

    @property
    def is_refutation(self) -> bool:
        """Does the answer carry a counterexample (and not a witness's example)?"""
        return self.trace is not None and self.result.prop.kind is not ClaimKind.SOMETIMES


def answers(subject: Subject, engines: Engines, questions: Iterable[Question]) -> Generator[Answer, None, None]:
    """One answer per question, from every engine; an interrupted one is the last."""
    for question in questions:
        answer = answer_to(subject, engines, question)
        yield answer
        if answer.is_interrupted:
            return


def answers_of_all(
    engines: Engines, by_subject: Iterable[tuple[Subject, Iterable[Question]]]
) -> Generator[Answer, None, None]:
    """One answer per question about each subject; an interrupted one is the last of all."""
    for subject, those in by_subject:
        for answer in answers(subject, engines, those):
            yield answer
            if answer.is_interrupted:
                return


def have_several_subjects(answers: Sequence[Answer]) -> bool:
    """Must a reader be told which subject each answer is about?"""
    return len({id(answer.subject) for answer in answers}) > 1


def answer_to(subject: Subject, engines: Engines, question: Question) -> Answer:
    """The answer to one question, from every engine."""
    given: list[Result] = []
    with declared_by(question.model):
        for engine in engines.each:
            given.append(engine.decide(question))
            if given[-1].interrupted:
                break
    agreement = Agreement(tuple(given)) if len(engines.each) > 1 else None
    result = agreement.decisive if agreement else given[0]
    trace = outline = None
    try:
        if result.replay:
            result, trace = with_trace(subject, question, result, engines.models.of(question))
        if result.replay:
            outline = outline_of(result.replay, engines.models.of(question))
        result = with_wider_worlds(with_idle_fixes(result, engines.models, question), subject)
    except KeyboardInterrupt:
        result, trace = replace(result, interrupted=True, notes=(*result.notes, _NOT_TOLD)), None
    return Answer(result, trace, agreement, question.unasked, outline, subject)


_CUT_SHORT = Effect("unknown", None, None, "interrupted")
_NO_TIME = Effect("unknown", None, None, "time limit")
_NOT_TOLD = "its story is not told: interrupted"


def with_trace(subject: Subject, question: Question, result: Result, staged: Staged) -> tuple[Result, Trace | None]:
    """A result with its trace, if it has one; a counterexample with effect and timing, if the subject knows of them and
    the claim is about states or steps: a run without an end has no time at which it is over.

    Its steps may be in another order then, which needs a smaller stall, in the result as well. Effect and timing have
    the seconds that the question's limits leave after the result. The effect is that of the story with the steps that
    its times need besides: an effect that stays and a story without a stall may be two different endings.
    """
    if result.replay is None:
        return result, None
    deadline = Deadline.of(question.limits, time.monotonic() - result.seconds)
    trace = trace_of(result.replay, subject=subject.name, digest=result.digest, staged=staged)
    if result.prop.kind is ClaimKind.SOMETIMES or result.prop.kind.is_about_runs:
        return result, trace
    with declared_by(question.model):
        try:
            whole = result.replay
            if (timed := _least_stalled(subject, result.replay, question, staged, deadline)) is not None:
                if timed.replay is not result.replay:
                    result = replace(result, replay=timed.replay)
                    trace = trace_of(timed.replay, subject=subject.name, digest=result.digest, staged=staged)
                trace, whole = replace(trace, timing=timed.schedule), timed.whole
            return result, replace(trace, effect=_effect(subject, whole, question, staged, deadline))
        except KeyboardInterrupt:
            return result, replace(trace, effect=_CUT_SHORT)


def _least_stalled(
    subject: Subject, replay: Replay, question: Question, staged: Staged, deadline: Deadline
) -> TimedStory | None:
    timing = subject.timing_in(question.setting)
    if timing is None:
        return None
    with interrupts_later():  # Z3 is only loaded where it is needed
        from offsetproof.severity.reordering import least_stalled

    try:
        return least_stalled(replay, staged, timing, deadline)
    except LimitMetError:
        return None


def _effect(subject: Subject, replay: Replay, question: Question, staged: Staged, deadline: Deadline) -> Effect | None:
    if subject.damage is None:
        return None
    with interrupts_later():  # so is the explicit engine
        from offsetproof.severity.effect import effect_of

    try:
        return effect_of(replay, question, staged, subject.damage, deadline=deadline)
    except LimitMetError:
        return _NO_TIME

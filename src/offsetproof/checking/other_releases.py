"""Questions that two releases answer alike: where the model is the same in both, the answer is, too.

The model is the same where the releases show the same of every behaviour that it and the claim ask for, or where the
very same was staged in both. Each release has its own replay all the same: its own Python follows the steps, and the
trace has its own Java lines.
"""

from __future__ import annotations

import time
from dataclasses import replace

from offsetproof.checking.answers import Answer
from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.idle_fixes import with_idle_fixes
from offsetproof.checking.wider import with_wider_worlds
from offsetproof.engines.preparing import ENDED, StagedModels
from offsetproof.lang.errors import DeclarationError, RefusedError
from offsetproof.lang.other_release import is_right_for
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.traces.brief import outline_of
from offsetproof.traces.trace import trace_of
from offsetproof.verdict.limits import run_limited
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict


class AnswersInReleases:
    """The answers to the question that was asked last, in each release of which it was asked so far."""

    def __init__(self, models: StagedModels) -> None:
        self._models = models
        self._asked: Question | None = None
        self._answers: list[tuple[Answer, Staged]] = []

    def find(self, subject: Subject, question: Question) -> Answer | None:
        """The answer to a question, made of that to the same question in a release in which the model is the same."""
        started, asked = time.monotonic(), _without_releases(question)
        if asked != self._asked:
            self._asked, self._answers = asked, []
        for answer, staged in self._answers:
            if _has_same_times(subject, answer, question) and self._is_same(staged, subject, question):
                again = _answer_again(subject, answer, staged, question, started)
                own = replace(again.result, idle_fixes=(), asked_instead=question.asked_instead)
                own = with_wider_worlds(with_idle_fixes(own, self._models, question), subject)
                return replace(again, result=own)
        return None

    def keep(self, question: Question, answer: Answer) -> None:
        """Keeps an answer, unless more memory or time might have given another one."""
        is_whole = answer.verdict is not Verdict.UNKNOWN and not (answer.is_interrupted or answer.lacks_memory)
        if is_whole and question.limits.seconds is None and len(question.model.releases) > 1:
            self._answers.append((answer, self._models.of(question)))

    def answers_too(self, question: Question, other: Question) -> bool:
        """Will another question, which differs from this one in its releases, have its answer, as far as that can be
        said when this one's model is staged and the other's is not? What is wrong with the other's it says itself."""
        if question.limits.seconds is not None:
            return False
        try:
            with declared_by(question.model):
                return is_right_for(self._models.of(question), other.setting, (question.prop, *question.witnesses))
        except (DeclarationError, RefusedError):
            return False

    def _is_same(self, staged: Staged, subject: Subject, question: Question) -> bool:
        props, damage = (question.prop, *question.witnesses), subject.damage
        if is_right_for(staged, question.setting, props):
            return True
        amounts = () if damage is None else (damage.lost, damage.repeated)
        with declared_by(question.model):
            try:
                own = run_limited(question.limits, time.monotonic(), lambda: self._models.of(question))
            except ENDED:
                return False  # whoever is asked next says so
            return own.system(props) == staged.system(props) and all(
                own.amount(amount) is staged.amount(amount) for amount in amounts if amount is not None
            )


def _without_releases(question: Question) -> Question:
    return replace(question, setting=replace(question.setting, releases={}))


def _has_same_times(subject: Subject, answer: Answer, question: Question) -> bool:
    """Do the steps take as long in both releases, where an answer says anything of their times?"""
    earlier = answer.result.setting
    return not answer.is_refutation or subject.timing_in(earlier) == subject.timing_in(question.setting)


def _answer_again(subject: Subject, answer: Answer, staged: Staged, question: Question, started: float) -> Answer:
    """An answer as that of another release; ReplayError where the steps are not those of that release."""
    result, replay, trace, outline = answer.result, None, None, None
    if result.replay is not None and answer.trace is not None:
        steps = result.replay
        reference, initial = Reference(question.model, question.setting), steps.states[0]
        replay = Replay(reference, question.prop, steps.labels, initial, cycle_at=steps.cycle_at)
        trace = trace_of(replay, subject=subject.name, digest=result.digest, staged=staged)
        trace = replace(trace, timing=answer.trace.timing, effect=answer.trace.effect)
        outline = outline_of(replay, staged)
    note = f"decided with {result.setting.release}, in which the model is the same"
    seconds = time.monotonic() - started
    again = replace(result, setting=question.setting, replay=replay, notes=(*result.notes, note), seconds=seconds)
    return Answer(again, trace, None, question.unasked, outline, subject)

"""Assertions about claims, whose failures tell the smallest stories in brief."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import offsetproof
from offsetproof.api.arguments import Spent, Where
from offsetproof.api.asking import Asked, Asking, Claims, asking_of
from offsetproof.api.results import Answer, Results
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict

REFUSALS = (
    *(offsetproof.DeclarationError, offsetproof.NoSubjectError, offsetproof.PrerequisiteError),
    *(offsetproof.RefusedError, offsetproof.UnknownNameError),
)
"""What `offsetproof.check` raises of which the message says all: no frame of the checker is of use."""


class Asserting:
    """The fixture `offsetproof`. Its methods take the arguments of `offsetproof.check` and raise what that raises."""

    def assert_holds(self, subject: Asked = None, claims: Claims | Iterable[Claims] = (), **options: Any) -> Results:
        """Every claim holds, and every witness is reached; AssertionError also for UNKNOWN, and for a vacuous HOLDS."""
        __tracebackhide__ = True
        return _all_are(_results_of(subject, claims, options), "HOLDS", lambda answer: answer.holds)

    def assert_refuted(self, subject: Asked = None, claims: Claims | Iterable[Claims] = (), **options: Any) -> Results:
        """Every claim has a counterexample that was replayed; AssertionError also for UNKNOWN."""
        __tracebackhide__ = True
        return _all_are(
            _results_of(subject, claims, options), "REFUTED", lambda answer: answer.verdict is Verdict.REFUTED
        )

    def assert_as_expected(
        self, subject: Asked = None, claims: Claims | Iterable[Claims] = (), **options: Any
    ) -> Results:
        """Every verdict is what its claim expects, and HOLDS where it expects none."""
        __tracebackhide__ = True
        return _all_are(_results_of(subject, claims, options), "as expected", lambda answer: answer.as_expected)


@dataclass(frozen=True, repr=False)
class AssertingOne:
    """The fixture `offsetproof_question`: a case of a claim in one release and scope."""

    title: str
    asking: Asking

    def __repr__(self) -> str:
        return f"<question {self.title}>"

    def assert_as_expected(self) -> Results:
        """The verdict is what the claim expects, and HOLDS where it expects none."""
        __tracebackhide__ = True
        return _all_are(self.asking.decide(), "as expected", lambda answer: answer.as_expected)

    def assert_holds(self) -> Results:
        """The claim holds, and not only vacuously."""
        __tracebackhide__ = True
        return _all_are(self.asking.decide(), "HOLDS", lambda answer: answer.holds)


_WORLD = ("scope", "bounds", "release", "fixes", "assumptions", "listener")
_SPENT = ("engine", "depth", "seed", "max_states", "max_memory", "timeout", "workers")


def questions_marked(*given: Any, **options: Any) -> dict[str, AssertingOne]:
    """Each question that these arguments of `offsetproof.check` ask, by a name that is the same in every process."""
    bound = signature(offsetproof.check).bind(*given, **options)
    bound.apply_defaults()
    meant = bound.arguments
    world, spent = Where.of(*(meant[name] for name in _WORLD)), Spent(*(meant[name] for name in _SPENT))
    asking = asking_of(meant["subject"], meant["claims"], world, spent)
    is_family = len(asking.by_subject) > 1
    return {
        f"{question.model.__name__}-{name_of(question)}" if is_family else name_of(question): AssertingOne(
            _title_of(question), alone
        )
        for question, alone in asking.one_by_one
    }


def name_of(question: Question) -> str:
    """The claim's id, the release where there is one, and the scope: `I5-4.9.4-calm-reset`."""
    setting = question.setting
    parts = (question.prop.id, setting.release, setting.scope.name)
    return "-".join(part for part in parts if part)


def _title_of(question: Question) -> str:
    setting = question.setting
    of = f" of {setting.release}" if setting.release else ""
    return f"{question.prop.id}{of} in {setting.scope.name}"


def _results_of(subject: Asked, claims: Claims | Iterable[Claims], options: Mapping[str, Any]) -> Results:
    """What is found. A refusal is raised without the frames of the checker: the test's own line is what is wrong."""
    __tracebackhide__ = True
    try:
        return offsetproof.check(subject, claims, **options)
    except REFUSALS as refusal:
        raise refusal.with_traceback(None) from None


def _all_are(results: Results, wanted: str, is_so: Callable[[Answer], bool]) -> Results:
    """The results, where each is as wanted and there is one; else AssertionError with a report of the others."""
    __tracebackhide__ = True
    others = [answer for answer in results if not is_so(answer)]
    if others or not results.answers:
        head = f"{len(others)} of {quantity(len(results), 'answer')} not {wanted}"
        report = Results(results.subject, others).report(stories="brief") if others else ""
        raise AssertionError(f"{head}\n\n{report}".rstrip())
    return results

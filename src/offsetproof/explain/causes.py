"""All distinct causes of a refuted claim, each with what removes it.

After a counterexample its cause is taken away, and the search goes on, until the claim holds or a limit is met. A fix
or an assumption that removes its steps (`removers.py`) is switched on and stays so, and later causes are found in spite
of it: an assumption before a fix, because it takes less away. Where there is none, the cause is excluded by its
actions: runs in which all of them have happened are not judged any more, and other causes that contain all of them are
not seen. A cause without actions, which is an initial state, cannot be excluded, and ends the search. When all causes
are known, each remover is asked what it leaves.

Two causes are the same if they have the same actions. Actions without which the claim holds are in every cause, so they
need not be watched; that is tried with small searches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from offsetproof.checking.answers import Answer, with_trace
from offsetproof.checking.engines import Engines, explicit_alone
from offsetproof.checking.request import Request, questions_about_states
from offsetproof.explain.asking import Asking
from offsetproof.explain.names import CauseName, Claimed, claimed_by, name_cause
from offsetproof.explain.removers import Removal, Remover, removers_left, step_removers, with_remover
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.setting import Assumption
from offsetproof.lang.subject import Subject
from offsetproof.traces.brief import outline_of
from offsetproof.traces.cause import cause_of
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict

LATER_STATES = 12_000_000
"""How far a search for a further cause may go where no limit was given; the first one decides the claim."""


@dataclass(frozen=True)
class Cause:
    """One cause: the answer with its story, and what removes its steps; else its actions were excluded.

    `is_asked`: every remover was tried; an interrupt may have come before that. `elsewhere` is the same cause as it was
    met in other scopes.
    """

    answer: Answer
    removals: tuple[Removal, ...]
    elsewhere: tuple[Cause, ...] = ()
    is_asked: bool = True

    @property
    def is_excluded(self) -> bool:
        """Was it taken away by its actions, as nothing that the model has removes its steps?"""
        return self.is_asked and not self.removals and bool(self.actions)

    @property
    def scope(self) -> str:
        """The name of the scope in which it was met."""
        return self.answer.result.setting.scope.name

    @property
    def also_in(self) -> tuple[str, ...]:
        """The other scopes in which it was met."""
        return tuple(dict.fromkeys(cause.scope for cause in self.elsewhere))

    @property
    def removed_by(self) -> tuple[str, ...]:
        """The names of what removes it: shown in one scope at least, and in each scope in which it was met not refuted.

        `unsettled_removals` has the scopes in which it was not shown.
        """
        removals = [{each.name: each for each in cause.removals} for cause in (self, *self.elsewhere)]
        names = dict.fromkeys(each.name for cause in (self, *self.elsewhere) for each in cause.removals)
        return tuple(
            name
            for name in names
            if any(name in one and one[name].is_whole for one in removals)
            and all(name in one and not one[name].cause for one in removals)
        )

    @property
    def unsettled_removals(self) -> tuple[tuple[str, Removal], ...]:
        """By scope, what is to be said of removers besides: they remove the steps alone, or the cause there alone."""
        removed = self.removed_by
        return tuple(
            (cause.scope, each)
            for cause in (self, *self.elsewhere)
            for each in cause.removals
            if not each.is_whole or each.name not in removed
        )

    @property
    def actions(self) -> tuple[str, ...]:
        """The cause itself."""
        return self.answer.trace.cause if self.answer.trace else ()

    @property
    def faults(self) -> frozenset[str]:
        """Those of its story's actions that are faults."""
        steps = self.answer.trace.steps if self.answer.trace else ()
        return frozenset(step.action for step in steps if step.fault)

    @property
    def words(self) -> Mapping[str, str]:
        """What the model says of its story's actions."""
        return self.answer.outline.words if self.answer.outline else {}


@dataclass(frozen=True)
class Explained:
    """What was found in one setting: the claim's own result there, its causes, and the result that ended the search.

    `excluded` are the causes, by their actions, that the last search left out. `not_asked` names the fixes and
    assumptions that no cause was asked with, as they go round all. `interrupted` says that the user stopped the work.
    """

    first: Result
    causes: tuple[Cause, ...]
    last: Result
    excluded: tuple[tuple[str, ...], ...]
    not_asked: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def is_whole(self) -> bool:
        """Did the search come to its end, so that there are no other causes but such as contain an excluded one?"""
        decided = self.last.verdict is not Verdict.UNKNOWN and self.last.replay is None
        return decided and not self.interrupted


def explanations_of(request: Request, causes_max: int) -> Iterator[Explained]:
    """One explanation per setting in which the claim is asked; an interrupted one is the last."""
    engines = explicit_alone()
    for question in questions_about_states(request):
        causes = _Explaining(request.subject, engines, question, causes_max).run()
        yield causes
        if causes.interrupted:
            return


def distinct(explanations: Sequence[Explained]) -> list[Cause]:
    """Each claim's causes in all settings, each once; one that was met again knows in which scopes."""
    causes_by_key: dict[tuple[str, str | None, frozenset[str]], Cause] = {}
    for one in explanations:
        for cause in one.causes:
            result = cause.answer.result
            setting = result.setting
            key = (result.prop.id, setting.release, frozenset(cause.actions))
            known = causes_by_key.setdefault(key, cause)
            if known is not cause:
                causes_by_key[key] = replace(known, elsewhere=(*known.elsewhere, cause))
    return list(causes_by_key.values())


def names_of(causes: Sequence[Cause]) -> list[CauseName]:
    """The name and the sentence of each cause: those of the recorded story that has it, else of its actions."""
    return [name_cause(_whose(cause), cause.actions, cause.words, cause.faults) for cause in causes]


def _whose(cause: Cause) -> Claimed:
    subject, result = cause.answer.subject, cause.answer.result
    if subject is None:
        return Claimed(None, result.prop.name, result.setting.release)
    return claimed_by(subject.name, subject.model, result.prop.name, result.setting.release)


@dataclass(frozen=True)
class _Met:
    """A cause as it was met: its answer, what removes its steps, and which of these was switched on.

    `is_asked`: no interrupt came before every remover was tried.
    """

    answer: Answer
    actions: tuple[str, ...]
    removers: tuple[Remover, ...]
    is_asked: bool

    @property
    def taken(self) -> Remover | None:
        """An assumption before a fix; none where there is nothing, and the cause is excluded."""
        return next((one for one in self.removers if isinstance(one, Assumption)), next(iter(self.removers), None))


class _Explaining:
    """The search for causes in one setting."""

    def __init__(self, subject: Subject, engines: Engines, question: Question, causes_max: int) -> None:
        self.subject, self.first_question, self.causes_max = subject, question, causes_max
        self.asking = Asking(engines, question.limits.seconds)
        self.met: list[_Met] = []
        self.excluded: list[tuple[str, ...]] = []
        self.interrupted = False

    def run(self) -> Explained:
        """Finds cause after cause, then what each remover leaves."""
        self.first = self.last = self.asking.decide(self.first_question)
        states = self.first_question.limits.states or LATER_STATES
        self.question = replace(self.first_question, limits=replace(self.first_question.limits, states=states))
        try:
            self._go_on()
        except KeyboardInterrupt:
            self.interrupted = True
        causes = [
            Cause(met.answer, tuple(self._removal(met, one) for one in met.removers), is_asked=met.is_asked)
            for met in self.met
        ]
        round_all = {each.name for each in self.question.model.wholesale}
        not_asked = tuple(each.name for each in removers_left(self.question) if each.name in round_all)
        return Explained(self.first, tuple(causes), self.last, tuple(self.excluded), not_asked, self._is_interrupted)

    def _go_on(self) -> None:
        """Takes the cause of the last result away, until nothing is left to take away."""
        while self.last.replay is not None and len(self.met) < self.causes_max:
            met = self._meet()
            if self._is_interrupted or self.question.prop.kind is ClaimKind.NO_DEADLOCK:
                return
            if met.taken is None and not met.actions:
                return  # every run begins with such a cause, so without it none would be left to judge
            if met.taken is None:
                self.excluded.append(met.actions)
            else:
                setting = with_remover(self.question.setting, met.taken)
                self.question = replace(self.question, setting=setting)
            self.last = self.asking.decide(self.question, excluded=self.excluded)

    def _removal(self, met: _Met, remover: Remover) -> Removal:
        """What a remover of a cause's steps leaves in the place of the one that was taken, beside the other causes."""
        if self._is_interrupted:
            return Removal(remover.name, None)
        setting = self.first_question.setting
        for other in self.met:
            taken = remover if other is met else other.taken
            setting = setting if taken is None else with_remover(setting, taken)
        if setting == self.question.setting:
            return self._removal_by(remover, self.question, self.last)
        question = replace(self.question, setting=setting, witnesses=())
        try:
            return self._removal_by(remover, question, self.asking.decide(question, excluded=self.excluded))
        except KeyboardInterrupt:
            self.interrupted = True
            return Removal(remover.name, None)

    def _removal_by(self, remover: Remover, question: Question, left: Result) -> Removal:
        if left.replay is None:
            return Removal(remover.name, left)
        return Removal(remover.name, left, cause_of(left.replay, self.asking.engines.models.of(question)))

    @property
    def _is_interrupted(self) -> bool:
        return self.interrupted or self.asking.interrupted

    def _meet(self) -> _Met:
        """Notes the cause of the last result, and what removes its steps."""
        question, seconds = self.question, self.asking.seconds
        left = replace(question.limits, seconds=None if seconds is None else seconds + self.last.seconds)
        staged = self.asking.engines.models.of(question)
        result, trace = with_trace(self.subject, replace(question, limits=left), self.last, staged)
        assert trace is not None
        assert result.replay is not None
        answer = Answer(result, trace, outline=outline_of(result.replay, staged), subject=self.subject)
        self.interrupted |= answer.is_interrupted
        removers: tuple[Remover, ...] = ()
        try:
            if not self.interrupted:
                removers = tuple(step_removers(self.asking, question, result.replay, trace.cause))
        except KeyboardInterrupt:
            self.interrupted = True
        self.met.append(_Met(answer, trace.cause, removers, is_asked=not self._is_interrupted))
        return self.met[-1]

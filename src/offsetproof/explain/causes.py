"""All distinct causes of a refuted claim, each with what removes it.

After a counterexample its cause is taken away, and the search goes on, until the claim holds or a limit is met. A fix
or an assumption of the model *removes* a cause if, with it switched on, the trace no longer replays and the actions of
the cause alone, with what the fix brings in place of others, no longer break the claim. One that does is switched on
and stays so, and later causes are found in spite of it: an assumption before a fix, because it takes less away. Where
nothing removes a cause, it is excluded by its actions: runs in which all of them have happened are not judged any more,
and other causes that contain all of them are not seen.

Two causes are the same if they have the same actions. Actions without which the claim holds are in every cause, so they
need not be watched; that is tried with small searches.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from offsetproof.checking.answers import Answer, trace_of_result
from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.engines import Engines, explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit.necessary_actions import necessary_actions
from offsetproof.engines.reducing import reduce_system
from offsetproof.explain.names import CauseName, name_causes
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.deriving import only, unless_all, watched
from offsetproof.lang.reference import Reference, Replay, ReplayError
from offsetproof.lang.setting import Assumption, Fix, Setting
from offsetproof.lang.subject import Subject
from offsetproof.traces.brief import outline_of
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict

NEEDED_STATES = 300_000
"""How far a search may go that asks whether the claim holds without some action."""

LATER_STATES = 3_000_000
"""How far a search for a further cause may go where no limit was given; the first one decides the claim."""

Remover = Fix | Assumption


@dataclass(frozen=True)
class Cause:
    """One cause: the answer with its story, and the names of what removes it; none means it was excluded."""

    answer: Answer
    removed_by: tuple[str, ...]
    also_in: tuple[str, ...] = ()

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

    `excluded` are the causes, by their actions, that the last search left out. `interrupted` says that the user stopped
    the work.
    """

    first: Result
    causes: tuple[Cause, ...]
    last: Result
    excluded: tuple[tuple[str, ...], ...]
    interrupted: bool = False

    @property
    def is_whole(self) -> bool:
        """Did the search come to its end, so that there are no other causes but such as contain an excluded one?"""
        decided = self.last.verdict is not Verdict.UNKNOWN and self.last.replay is None
        return decided and not self.interrupted


def explanations_of(request: Request, causes_max: int) -> Iterator[Explained]:
    """One explanation per setting in which the claim is asked; an interrupted one is the last."""
    engines = explicit_alone()
    for question in questions_of(request):
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
                also = tuple(dict.fromkeys((*known.also_in, setting.scope.name)))
                causes_by_key[key] = replace(known, also_in=also)
    return list(causes_by_key.values())


def names_of(causes: Sequence[Cause]) -> list[CauseName]:
    """The name and the sentence of each cause, told from the others."""
    words = {action: about for cause in causes for action, about in cause.words.items()}
    return name_causes(
        [cause.actions for cause in causes], words, frozenset().union(*(cause.faults for cause in causes))
    )


class _Explaining:
    """The search for causes in one setting."""

    def __init__(self, subject: Subject, engines: Engines, question: Question, causes_max: int) -> None:
        self.subject, self.engines, self.question, self.causes_max = subject, engines, question, causes_max
        seconds = question.limits.seconds
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.causes: list[Cause] = []
        self.excluded: list[tuple[str, ...]] = []
        self.interrupted = False
        self._watching: dict[object, list[tuple[str, ...]]] = {}

    def run(self) -> Explained:
        """Finds cause after cause."""
        self.first = self.last = self._decide(self.question)
        try:
            self._go_on()
        except KeyboardInterrupt:
            self.interrupted = True
        return Explained(self.first, tuple(self.causes), self.last, tuple(self.excluded), self.interrupted)

    def _go_on(self) -> None:
        """Takes the cause of the last result away, until nothing is left to take away."""
        states = self.question.limits.states or LATER_STATES
        question = replace(self.question, limits=replace(self.question.limits, states=states))
        while self.last.replay is not None and len(self.causes) < self.causes_max:
            seconds = self._seconds()
            left = replace(question.limits, seconds=None if seconds is None else seconds + self.last.seconds)
            limited_question = replace(question, limits=left)
            staged = self.engines.models.of(question)
            trace = trace_of_result(self.subject, limited_question, self.last, staged)
            answer = Answer(self.last, trace, outline=outline_of(self.last.replay, staged))
            assert answer.trace is not None
            removers = self._removers(question, self.last.replay, answer.trace.cause)
            self.causes.append(Cause(answer, tuple(remover.name for remover in removers)))
            if self.interrupted or question.prop.kind is ClaimKind.NO_DEADLOCK:
                return
            if removers:
                taken = next((one for one in removers if isinstance(one, Assumption)), removers[0])
                question = replace(question, setting=_with(question.setting, taken))
            else:
                self.excluded.append(answer.trace.cause)
            self.last = self._decide(question)

    def _decide(self, question: Question) -> Result:
        """Decides a question without what is excluded; the result is about the subject's own model."""
        question = replace(question, limits=replace(question.limits, seconds=self._seconds()))
        with declared_by(question.model):
            if not self.excluded:
                return self._ask(question)
            watching = self._actions_to_watch(question)
            model = watched(question.model, tuple(dict.fromkeys(name for group in watching for name in group)))
            result = self._ask(replace(question, model=model, prop=unless_all(question.prop, watching)))
            replay = None if result.replay is None else self._replay_on_own_model(question, result.replay)
        return replace(result, prop=question.prop, replay=replay)

    def _ask(self, question: Question) -> Result:
        result = self.engines.only.decide(question)
        self.interrupted |= result.interrupted
        return result

    def _seconds(self) -> float | None:
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    @staticmethod
    def _replay_on_own_model(question: Question, replay: Replay) -> Replay:
        """The same trace on the subject's own model, which has fewer fields than one that is watched."""
        reference = Reference(question.model, question.setting)
        known = dict(zip((leaf.path for leaf in replay.reference.grown.tree.leaves), replay.states[0], strict=True))
        initial = tuple(known[leaf.path] for leaf in reference.grown.tree.leaves)
        return Replay(reference, question.prop, replay.labels, initial)

    def _removers(self, question: Question, replay: Replay, cause: tuple[str, ...]) -> list[Remover]:
        """What removes a cause that a replay has shown, fixes first."""
        removers = []
        for remover in _switched_off(question):
            other = replace(question, setting=_with(question.setting, remover))
            if not self.interrupted and not _replays(other, replay) and self._is_gone(other, cause):
                removers.append(remover)
        return removers

    def _is_gone(self, question: Question, cause: tuple[str, ...]) -> bool:
        """Do the actions of the cause alone no longer break the claim?"""
        limits = replace(question.limits, seconds=self._seconds())
        brought = {name for fix in question.setting.fixes for behaviour in fix.adds for name in behaviour.brings}
        alone = replace(
            question, model=only(question.model, (*cause, *sorted(brought - {*cause}))), witnesses=(), limits=limits
        )
        return self._ask(alone).verdict is Verdict.HOLDS

    def _actions_to_watch(self, question: Question) -> list[tuple[str, ...]]:
        """Of each excluded cause the actions to watch: those that a violation can do without."""
        known = self._watching.setdefault(question.setting.fixes, [])
        for cause in self.excluded[len(known) :]:
            system, _ = reduce_system(self.engines.models.of(question).system((question.prop,)), question)
            always = necessary_actions(system, cause, replace(question.limits, states=NEEDED_STATES))
            known.append(tuple(name for name in cause if name not in always) or cause)
        return known


def _switched_off(question: Question) -> list[Remover]:
    """The fixes and assumptions of the model that a question does not have."""
    model, setting = question.model, question.setting
    return [
        *(fix for fix in model.fixes if fix not in setting.fixes),
        *(assumption for assumption in model.assumptions if assumption not in setting.assumptions),
    ]


def _with(setting: Setting, remover: Remover) -> Setting:
    if isinstance(remover, Fix):
        return replace(setting, fixes=(*setting.fixes, remover))
    return replace(setting, assumptions=(*setting.assumptions, remover))


def _replays(question: Question, replay: Replay) -> bool:
    """Does the trace replay in the question's setting, too?"""
    try:
        Replay(Reference(question.model, question.setting), question.prop, replay.labels, replay.states[0])
    except ReplayError:
        return False
    return True

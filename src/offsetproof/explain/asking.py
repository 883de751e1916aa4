"""Asking an engine on behalf of one explanation: within its time, and with causes excluded by their actions."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import replace

from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.engines import Engines
from offsetproof.engines.preparing import reduce_system
from offsetproof.explain.necessary_actions import necessary_actions
from offsetproof.explain.only_actions import verdict_with_only
from offsetproof.lang.changes import model_in
from offsetproof.lang.deriving import unless_all, watch_actions
from offsetproof.lang.reference import Reference, Replay
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict

NEEDED_STATES = 300_000
"""How far a search may go that asks whether the claim holds without some action."""

Actions = tuple[str, ...]
"""The actions of a cause."""


class Asking:
    """Decides the questions of one explanation; what is left of its time is the limit of each."""

    def __init__(self, engines: Engines, seconds: float | None) -> None:
        self.engines = engines
        self.interrupted = False
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._is_needed: dict[object, dict[str, bool]] = {}

    @property
    def seconds(self) -> float | None:
        """How many seconds are left; None if there is no limit."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def decide(self, question: Question, *, excluded: Sequence[Actions] = ()) -> Result:
        """Decides a question without the causes that are excluded.

        The result is about the question's own model.
        """
        question = replace(question, limits=replace(question.limits, seconds=self.seconds))
        with declared_by(question.model):
            if not excluded:
                return self._ask(question)
            model, prop = model_in(question.setting, question.model), question.prop
            possible = [cause for cause in excluded if {*cause} <= model.actions.keys()]  # others cannot happen here
            if possible:
                watching = [self._actions_to_watch(question, cause) for cause in possible]
                model = watch_actions(model, tuple(dict.fromkeys(name for group in watching for name in group)))
                prop = unless_all(prop, watching)
            result = self._ask(replace(question, model=model, prop=prop))
            replay = None if result.replay is None else _replay_on_own_model(question, result.replay)
        return replace(result, prop=question.prop, replay=replay)

    def verdict_with_only(self, question: Question, actions: Collection[str]) -> Verdict:
        """The verdict where these actions alone happen."""
        if self.seconds == 0:
            return Verdict.UNKNOWN
        question = replace(question, limits=replace(question.limits, seconds=self.seconds))
        with declared_by(question.model):
            return verdict_with_only(self.engines.models.of(question).system((question.prop,)), actions, question)

    def _ask(self, question: Question) -> Result:
        result = self.engines.only.decide(question)
        self.interrupted |= result.interrupted
        return result

    def _actions_to_watch(self, question: Question, cause: Actions) -> Actions:
        """Of an excluded cause the actions to watch: those that a violation can do without."""
        world = (question.setting.scope.key, question.setting.fixes)
        known = self._is_needed.setdefault(world, {})  # whatever the cause: causes share most of them
        asked = tuple(name for name in cause if name not in known)
        if asked:
            system, _ = reduce_system(self.engines.models.of(question).system((question.prop,)), question)
            needed = necessary_actions(system, asked, replace(question.limits, states=NEEDED_STATES))
            known.update((name, name in needed) for name in asked)
        return tuple(name for name in cause if not known[name]) or cause


def _replay_on_own_model(question: Question, replay: Replay) -> Replay:
    """The same trace on the question's own model, which has fewer fields than one that is watched."""
    reference = Reference(question.model, question.setting)
    known = dict(zip((leaf.path for leaf in replay.reference.grown.tree.leaves), replay.states[0], strict=True))
    initial = tuple(known[leaf.path] for leaf in reference.grown.tree.leaves)
    return Replay(reference, question.prop, replay.labels, initial)

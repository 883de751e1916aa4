"""A case that holds, asked again where one thing that bounds its world is raised by one: does it still hold there?

A claim that HOLDS does so in a scope, and a bound of that may be all that keeps it. Each bound, rule and choice of the
scope is raised by one, alone, and so is the budget of each kind of fault, also from none. Where the system that is
explored for the case is the same as before, to its digest, nothing is searched: what is raised has no part in it. Then
two are raised together where the case holds with each alone, unless no step that the one touches matters to one that
the other touches (`engines/explicit/related.py`); of such a pair nothing is said.

A world that is too large for a whole search is asked again by stubborn sets, with as many states.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING, Any

from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.engines import Engines, explicit_alone
from offsetproof.checking.side_by_side import Job, Lost, Tells, side_by_side
from offsetproof.checking.wider import LETTERS
from offsetproof.engines.preparing import ENDED, StagedModels, unknown_result
from offsetproof.ir.system import System
from offsetproof.lang.errors import DeclarationError, RefusedError
from offsetproof.lang.model import Model, faults_of
from offsetproof.lang.scope import Scope, UnknownNameError
from offsetproof.verdict.limits import run_limited
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result, Verdict

if TYPE_CHECKING:
    from offsetproof.engines.explicit.related import Touched


class WorldOutcome(StrEnum):
    """What a wider world is found to be."""

    SAME = "same system"
    HOLDS = "holds"
    REFUTED = "refuted"
    TOO_LARGE = "too large"
    WITNESS = "witness not reached"
    ERROR = "model error"
    OPEN = "not decided"
    UNRELATED = "not related"
    UNCHANGED = "as recorded"
    LEFT = "not asked"


HOLD = WorldOutcome.HOLDS, WorldOutcome.SAME
"""The outcomes of worlds in which the case holds as well."""

UNDECIDED = WorldOutcome.TOO_LARGE, WorldOutcome.WITNESS, WorldOutcome.OPEN, WorldOutcome.ERROR
"""The outcomes of worlds that were asked in vain."""

STATES_MAX = 1_500_000
"""A world with more states is given up, where nobody says another number."""


@dataclass(frozen=True)
class WiderWorld:
    """A case in one of its scopes (`question`), and what is raised there by one: one bound or fault, or two.

    A world whose system has the digest of which `recorded` is the beginning, all its letters, is not asked again.
    """

    question: Question
    raised: tuple[str, ...]
    wider: Question
    recorded: str = ""

    @property
    def values(self) -> dict[str, int]:
        """What each of the bounds and budgets is, raised."""
        scope = self.wider.setting.scope
        return {name: scope.bounds[name] if name in scope.bounds else scope.faults[name] for name in self.raised}

    @property
    def changes(self) -> list[str]:
        """What is raised with what it is then, as `--bound` takes it."""
        return [f"{name}={getattr(value, 'name', value)}" for name, value in self.values.items()]


@dataclass(frozen=True)
class Found:
    """What was found in a wider world.

    `reason` and `detail` say why nothing was decided, where that is so. `faults` and `steps` are those of the
    counterexample, which has replayed; `states` are those that were visited, of a search by stubborn sets where it is
    `reduced`. The counterexample is the smallest one unless that is so: then fewer faults may do. `digest` is that of
    the explored system and of what its claims speak of.
    """

    outcome: WorldOutcome
    reason: Reason | None = None
    detail: str = ""
    faults: int | None = None
    steps: int | None = None
    states: int | None = None
    digest: str = ""
    reduced: bool = False


def raisable(model: type[Model], scope: Scope) -> tuple[str, ...]:
    """What can be raised: the bounds of the model and of the scope, and the kinds of fault."""
    return tuple(dict.fromkeys((*model.bounds, *scope.bounds, *(fault.name for fault in faults_of(model)))))


def scope_with_raised(scope: Scope, raised: str, model: type[Model]) -> Scope | None:
    """The scope with one more of this; None where the model does not take that."""
    faults = scope.faults if raised in scope.bounds or raised in scope.faults else {**scope.faults, raised: 0}
    known = Scope(scope.name, scope.bounds, faults, scope.about)
    before = known.bounds.get(raised, known.faults.get(raised, 0))
    try:
        return known.with_bounds({raised: before + 1}).fitted(model.bounds)
    except UnknownNameError:
        return None


def wider_worlds(questions: Sequence[Question]) -> Iterator[WiderWorld]:
    """The wider worlds of each question; those of one scope, and of one raised thing in it, stand together."""
    by_scope: dict[Any, list[Question]] = {}
    for question in questions:
        by_scope.setdefault((question.model, question.setting.scope.key), []).append(question)
    for those in by_scope.values():
        model, scope = those[0].model, those[0].setting.scope
        for raised in raisable(model, scope):
            wider = scope_with_raised(scope, raised, model)
            if wider is not None:
                for question in those:
                    yield _world(question, wider, raised)


def wider_pairs(found: Iterable[tuple[WiderWorld, Found]]) -> Iterator[WiderWorld]:
    """The worlds in which two are raised of what the case holds with, one at a time; those of one scope together.

    What changes nothing alone may change something with another.
    """
    holding: dict[Any, list[WiderWorld]] = {}
    for world, each in found:
        if each.outcome in HOLD and len(world.raised) == 1:
            holding.setdefault(_identity(world.question), []).append(world)
    pairs = [(one, other.raised[0]) for those in holding.values() for one, other in combinations(those, 2)]
    for one, other in sorted(pairs, key=lambda pair: (pair[0].question.setting.scope.name, pair[0].raised, pair[1])):
        wider = scope_with_raised(one.wider.setting.scope, other, one.question.model)
        if wider is not None:
            yield _world(one.question, wider, *one.raised, other)


def wider_world(question: Question, raised: Sequence[str]) -> WiderWorld:
    """The world in which these are raised; UnknownNameError where the model does not take that."""
    scope = question.setting.scope
    for name in raised:
        wider = scope_with_raised(scope, name, question.model)
        if wider is None:
            raise UnknownNameError("bound or fault", name, raisable(question.model, scope))
        scope = wider
    return _world(question, scope, *raised)


def found_in_one(world: WiderWorld) -> Found:
    """What is found in one world, here."""
    return _Deciding(None).find(world, world.wider)


def decide_whole_or_reduced(engines: Engines, question: Question) -> Result:
    """What a whole search finds, or where that has too many states what searches by stubborn sets find with as many.

    Where those meet another limit, it is told of them: with more of that they might have decided it.
    """
    from offsetproof.engines.explicit.reduced_search import REDUCIBLE

    whole = engines.only.decide(question)
    if whole.reason is not Reason.STATES or question.reductions.stubborn or question.prop.kind not in REDUCIBLE:
        return whole
    seconds = question.limits.seconds
    limits = replace(question.limits, seconds=None if seconds is None else max(0.0, seconds - whole.seconds))
    reductions = replace(question.reductions, stubborn=True)
    reduced = engines.only.decide(replace(question, limits=limits, reductions=reductions))
    says_more = reduced.verdict is not Verdict.UNKNOWN or reduced.reason in _OF_THE_RUN
    return reduced if says_more else whole


def found_of_lost(lost: Lost) -> Found:
    """What a world is of which no process said anything."""
    return Found(_outcome_for(lost.reason), lost.reason, lost.detail)


def _world(question: Question, scope: Scope, *raised: str) -> WiderWorld:
    return WiderWorld(question, raised, replace(question, setting=replace(question.setting, scope=scope)))


def found_in_wider(
    worlds: Sequence[WiderWorld], count: int, tells: Tells, until: float | None = None
) -> Generator[Found, None, None]:
    """What is found in each world, in their order, by `count` processes; where they are interrupted, fewer.

    What is not decided by `until`, on the clock that only goes on, is left.
    """
    by_wider = {_identity(world.wider): world for world in worlds}
    deciding = _Deciding(until)
    job = Job(
        decide=lambda wider: deciding.find(by_wider[_identity(wider)], wider),
        unpack=lambda _, found: found,
        lost=lambda _, lost: found_of_lost(lost),
        is_decided=lambda found: found.outcome not in (WorldOutcome.OPEN, WorldOutcome.LEFT),
        is_interrupted=lambda found: found.reason is Reason.INTERRUPTED,
        lacks_memory=lambda found: found.reason is Reason.MEMORY,
    )
    return side_by_side([world.wider for world in worlds], job, count, tells)


class _Deciding:
    """What one process knows from one world to the next: digests of cases, and the models of what it was asked last."""

    def __init__(self, until: float | None) -> None:
        self._until = until
        self._own: dict[object, str] = {}
        self._base, self._wider = _Kept(), _Kept()
        self._touched: dict[object, tuple[str, Touched]] = {}
        self._found: dict[tuple[str, str], Found] = {}

    def find(self, world: WiderWorld, wider: Question) -> Found:
        """What is found there; `wider` is the world's question with the limits that this process has."""
        if self._until is None:
            return self._find(world, wider)
        left = self._until - time.monotonic()
        if left <= 0:
            return Found(WorldOutcome.LEFT)
        seconds = wider.limits.seconds
        if seconds is not None and seconds <= left:
            return self._find(world, wider)
        found = self._find(world, replace(wider, limits=replace(wider.limits, seconds=left)))
        has_alarm = found.states is not None and bool(found.detail)  # to which only the trace is missing
        return Found(WorldOutcome.LEFT) if found.reason is Reason.TIME and not has_alarm else found

    def _find(self, world: WiderWorld, wider: Question) -> Found:
        with declared_by(wider.model):
            base = replace(world.question, limits=wider.limits, progress=wider.progress)
            if _identity(base) not in self._own:
                self._own[_identity(base)] = _system(base, self._base.of(base).models).digest_with_premises
            if self._wider.holds_another(wider):
                self._found.clear()
            engines = self._wider.of(wider)
            started = time.monotonic()
            try:
                system = run_limited(wider.limits, started, lambda: _system(wider, engines.models))
            except ENDED as ended:
                return _of_result(unknown_result(wider, engines.only.name, started, ended))
            except (RefusedError, DeclarationError) as error:
                return Found(WorldOutcome.TOO_LARGE, detail=str(error))
            digest = system.digest_with_premises
            if digest == self._own[_identity(base)]:
                return Found(WorldOutcome.SAME, digest=digest)
            if digest[:LETTERS] == world.recorded:
                return Found(WorldOutcome.UNCHANGED, digest=digest)
            if len(world.raised) > 1 and self._is_spared(world, base, system):
                return Found(WorldOutcome.UNRELATED, digest=digest)
            key = wider.prop.id, digest
            if key not in self._found or self._found[key].outcome in _MAY_BE_MORE:
                self._found[key] = replace(_of_result(decide_whole_or_reduced(engines, wider)), digest=digest)
            return self._found[key]

    def _is_spared(self, world: WiderWorld, base: Question, system: System) -> bool:
        """Is a pair's system that of one of the two alone, or have the two nothing to do with each other?"""
        from offsetproof.engines.explicit.related import are_related, touched_by

        alone = []
        for raised in world.raised:
            key = _identity(base), raised
            if key not in self._touched:
                alone_in = wider_world(base, [raised]).wider
                one = _system(alone_in, explicit_alone().models)
                own = _system(base, self._base.of(base).models)
                self._touched[key] = one.digest_with_premises, touched_by(own, one)
            alone.append(self._touched[key])
        if any(digest == system.digest_with_premises for digest, _ in alone):
            return True
        (_, ones), (_, others) = alone
        return not are_related(system, ones, others, RELATING)


class _Kept:
    """Engines with what they have staged of one scope, in all releases; those of another one take their place."""

    def __init__(self) -> None:
        self._key: object = None
        self._engines = explicit_alone()

    def holds_another(self, question: Question) -> bool:
        """Is what is kept of another scope?"""
        return self._key != _place(question)

    def of(self, question: Question) -> Engines:
        """The engines for a question."""
        if self.holds_another(question):
            self._key, self._engines = _place(question), explicit_alone()
        return self._engines


def _place(question: Question) -> object:
    return question.model, question.setting.scope.key


def _identity(question: Question) -> object:
    return question.model, question.setting.key, question.prop.id


def _system(question: Question, models: StagedModels) -> System:
    """What is explored for the case and the witnesses that it needs, reduced."""
    return models.reduced_system(question)[1]


RELATING = 10.0
"""After so many seconds a pair counts as related."""

_OF_THE_RUN = Reason.INTERRUPTED, Reason.TIME, Reason.MEMORY
"""Why a search may end that says nothing of how large the world is."""

_MAY_BE_MORE = WorldOutcome.TOO_LARGE, WorldOutcome.OPEN
"""What another limit, or no interrupt, might have decided."""

_OUTCOMES = {
    **dict.fromkeys((Reason.STATES, Reason.MEMORY, Reason.TIME), WorldOutcome.TOO_LARGE),
    Reason.WITNESS: WorldOutcome.WITNESS,
    Reason.OVERFLOW: WorldOutcome.ERROR,
}
"""What a world is where nothing was decided, by why."""


def _of_result(result: Result) -> Found:
    found = Found(WorldOutcome.OPEN, states=result.counts.states, reduced=result.counts.reduced)
    if result.replay is not None and result.verdict is Verdict.REFUTED:
        faults, steps = result.replay.faults, len(result.replay.labels)
        return replace(found, outcome=WorldOutcome.REFUTED, faults=faults, steps=steps)
    if result.verdict is Verdict.HOLDS and not result.vacuous:
        return replace(found, outcome=WorldOutcome.HOLDS)
    detail = result.vacuous or result.detail
    return replace(found, outcome=_outcome_for(result.reason), reason=result.reason, detail=detail)


def _outcome_for(reason: Reason | None) -> WorldOutcome:
    return WorldOutcome.OPEN if reason is None else _OUTCOMES.get(reason, WorldOutcome.OPEN)

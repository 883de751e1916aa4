"""What is derived from a random system, compared with brute force: each function gives the differences, in words.

Brute force (`naive`) runs the model's own Python and counts spent faults itself. Engines, reductions, caps, exported
conditions, mutants and effects all start from the staged system.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from engines.naive import Naive
from engines.naive_effect import naive_effect
from exports.yardsticks import NEVER
from systems.interpreted import first_false, interpret
from systems.random_models import Drawn

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.preparing import PreparingEngine, StagedModels, reduce_system
from offsetproof.engines.smt.session import Bounds, Session
from offsetproof.engines.stateful.engine import Effort, Stateful
from offsetproof.exports.exported import MODEL_ERROR, export_system
from offsetproof.ir.faults import initial_with_cap, with_fault_cap
from offsetproof.ir.system import System
from offsetproof.lang.claim import NO_DEADLOCK, ClaimKind, Property
from offsetproof.lang.damage import Damage
from offsetproof.lang.stage import Staged
from offsetproof.mutation.matrix import JointRun
from offsetproof.mutation.mutants import mutants
from offsetproof.severity.effect import effect_of
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import DisagreementError, Reason

STATES_MAX = 150
"""Models with more states are left out: brute force is slow."""

REDUCTIONS = tuple(Reductions(slicing=slicing, dead=dead) for slicing in (True, False) for dead in (True, False))

MUTANTS, SMT_DEPTH = 6, 6

DAMAGE = Damage(lost=lambda model: model.n0, outside=("act0",))


@dataclass(frozen=True)
class Found:
    """What brute force finds with a cap: a violation's length, and, where there is none, how deep anything fails."""

    length: int | None
    fails_at: int | None

    @property
    def verdict(self) -> str:
        """The verdict in these words, for a claim that is no witness."""
        return "REFUTED" if self.length is not None else "HOLDS" if self.fails_at is None else "UNKNOWN"


class Case:
    """A random model with its claims, `NO_DEADLOCK` among them, and what brute force says of each."""

    def __init__(self, drawn: Drawn) -> None:
        self.drawn, self.model, self.setting = drawn, drawn.model, drawn.setting
        self.naive = Naive(self.model, self.setting, STATES_MAX)
        self.props: tuple[Property, ...] = (*drawn.claims, NO_DEADLOCK)
        self._found: dict[tuple[str, int], Found] = {}

    @cached_property
    def staged(self) -> Staged:
        """The model, staged once."""
        return Staged(self.model, self.setting)

    @cached_property
    def models(self) -> StagedModels:
        """The same, for engines."""
        models = StagedModels()
        models._staged[self.model, self.setting.key] = self.staged
        return models

    def found(self, prop: Property, cap: int) -> Found:
        """What brute force finds with at most so many faults."""
        key = (prop.id, cap)
        if key not in self._found:
            levels = self.naive.levels(prop, cap)
            failing = [depth for depth, level in enumerate(levels) if level.errors]
            length = len(levels) - 1 if levels[-1].found else None
            self._found[key] = Found(length, failing[0] if failing and length is None else None)
        return self._found[key]

    def question(self, prop: Property, reductions: Reductions) -> Question:
        """The claim, asked."""
        return Question(self.model, self.setting, prop, reductions=reductions)

    def system(self, prop: Property, reductions: Reductions) -> System:
        """The reduced system for the claim."""
        return reduce_system(self.staged.system([prop]), self.question(prop, reductions))[0]


def explicit(case: Case, prop: Property, reductions: Reductions) -> Iterator[str]:
    """The explicit engine."""
    yield from by_engine(Explicit(case.models), case, prop, reductions)


def by_engine(engine: PreparingEngine[Any], case: Case, prop: Property, reductions: Reductions) -> Iterator[str]:
    """An engine that searches everything: verdict, length, fewest faults; all counts where nothing is reduced."""
    try:
        result = engine.decide(case.question(prop, reductions))
    except DisagreementError as error:
        yield f"{engine.name}: {error}"
        return
    expected, replay = case.naive.decide(prop), result.replay
    shown = (result.verdict.value, replay and len(replay.labels), replay.faults if replay else 0)
    if shown != (expected.verdict, expected.length, expected.faults):
        yield f"{engine.name} says {shown}, brute force {expected}"
    if (result.reason is Reason.OVERFLOW) != (expected.verdict == "UNKNOWN"):
        yield f"{engine.name} says {result.reason} ({result.detail}), brute force {expected}"
    counts = (result.counts.states, result.counts.transitions, result.counts.bound_cuts)
    if reductions == REDUCTIONS[-1] and counts != (expected.states, expected.transitions, expected.cuts):
        yield f"{engine.name} counts {counts}, brute force {expected}"


def caps(case: Case, prop: Property, reductions: Reductions) -> Iterator[str]:
    """The system with each cap on its faults, searched expression by expression."""
    system = case.system(prop, reductions)
    capped = with_fault_cap(system)
    has_cap = capped is not system
    for cap in range(case.naive.budget + 1):
        most = capped.by_name["fault_cap"].hi if has_cap else 0
        initial = initial_with_cap(capped, min(cap, most)) if has_cap else capped.initial
        answer, expected = interpret(capped, prop.kind, initial).answer, case.found(prop, cap)
        if answer != (expected.length, expected.fails_at):
            yield f"with {cap} faults: {answer}, brute force {expected}"


def exported(case: Case, prop: Property, reductions: Reductions) -> Iterator[str]:
    """The conditions that an export states of the system, with each cap."""
    system = case.system(prop, reductions)
    for cap in range(case.naive.budget + 1):
        export = export_system("drawn", case.setting, case.model, system, (prop,), fault_cap=cap)
        depths = first_false(export.system, [condition.node for condition in export.conditions])
        about = {
            c.claim: c.steps_after + depth
            for c, depth in zip(export.conditions, depths, strict=True)
            if depth is not None
        }
        expected = case.found(prop, cap)
        if about.get(prop.id) != expected.length:
            yield f"exported with {cap} faults: {about}, brute force {expected}"
        fails_at = case.found(NEVER, cap).fails_at
        if about.get(MODEL_ERROR) != (None if fails_at is None else fails_at + 1):
            yield f"exported with {cap} faults: {about}, brute force fails after {fails_at}"


def mutated(case: Case, prop: Property, reductions: Reductions) -> Iterator[str]:
    """Mutants, which have no Python: reduced they answer as they do unreduced."""
    made = mutants(case.staged)
    step = max(1, len(made) // MUTANTS)
    for mutant in islice(made, 0, None, step):
        reduced, whole = (
            JointRun(case.question(prop, how), (prop,), case.staged, to_end=True).mutant_of(mutant.changed)
            for how in (reductions, REDUCTIONS[-1])
        )
        answer, expected = (
            interpret(reduced, prop.kind, limit=1000).answer,
            interpret(whole, prop.kind, limit=1000).answer,
        )
        if answer != expected:
            yield f"mutant {mutant}: {answer} reduced, {expected} unreduced"


def effects(case: Case, prop: Property, reductions: Reductions) -> Iterator[str]:
    """The effect of the violation that the explicit engine replays."""
    if prop.kind is ClaimKind.SOMETIMES or case.found(prop, case.naive.budget).length is None:
        return
    question = case.question(prop, reductions)
    result = Explicit(case.models).decide(question)
    if result.replay is None:
        yield f"explicit finds no {prop.id}"
        return
    told = effect_of(result.replay, question, case.staged, DAMAGE)
    expected = naive_effect(case.naive, prop, result.replay.states[-1], DAMAGE.outside)
    if (told.kind, told.lost) != expected:
        yield f"effect {told}, brute force {expected}"


def smt(case: Case, reductions: Reductions) -> Iterator[str]:
    """All claims in one unrolling of six steps, and induction."""
    props = (*case.props, NEVER)
    system = reduce_system(case.staged.system(props), case.question(props[0], reductions))[0]
    events: list[dict[str, object]] = []
    sought = [prop.kind is ClaimKind.SOMETIMES for prop in props]
    Session(with_fault_cap(system), sought, Bounds(SMT_DEPTH, 30.0, 2), events.append).run()
    budget = case.naive.budget
    fails_at = case.found(NEVER, budget).fails_at
    is_failing = any(event["event"] == "failing" for event in events)
    if is_failing != (fails_at is not None and fails_at <= SMT_DEPTH):
        yield f"smt: the model goes wrong: {is_failing}, brute force {fails_at}"
    for number, prop in enumerate(case.props):
        own = [event for event in events if event.get("claim") == number]
        found = [len(event["instances"]) for event in own if event["event"] == "found"]  # type: ignore[arg-type]  # a list of numbers
        expected = case.found(prop, budget)
        if (found[0] if found else None) != (expected.length if (expected.length or 0) <= SMT_DEPTH else None):
            yield f"smt: {prop.id} found {found}, brute force {expected}"
        if any(event["event"] == "proved" for event in own) and expected.verdict != "HOLDS":
            yield f"smt: {prop.id} is proved, brute force {expected}"


def stateful(case: Case) -> Iterator[str]:
    """Walks over the whole system: they find what there is, where there are so few states."""
    sampling = Stateful(Effort(walk_steps=30_000, examples=0), case.models)
    results = sampling.sample([case.question(prop, REDUCTIONS[-1]) for prop in case.props]).run()
    for prop, result in zip(case.props, results, strict=True):
        expected = case.found(prop, case.naive.budget)
        if (result.replay is None) != (expected.length is None):
            yield f"stateful: {result.verdict} for {prop.id}, brute force {expected}"
        if result.reason is Reason.OVERFLOW and case.found(NEVER, case.naive.budget).fails_at is None:
            yield f"stateful: the model goes wrong, brute force {expected}"

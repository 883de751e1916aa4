"""Wider worlds: what can be raised, what flips, and that what is called the same would have held as well."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from systems.basin import BASIN

from offsetproof.checking.engines import Engines, explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.checking.widening import (
    Found,
    WorldOutcome,
    decide_whole_or_reduced,
    found_in_wider,
    scope_with_raised,
    wider_worlds,
)
from offsetproof.checking.wider import LETTERS
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.preparing import StagedModels, undecided_apart
from offsetproof.guard.wider_worlds import wider_worlds_again
from offsetproof.lang import Subject
from offsetproof.lang.cases import REFUTED
from offsetproof.lang.claim import ClaimKind
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.properties.files.catalogue import OFFSET_FILES
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result, Verdict


def quiet(_question: Question, _what: object, _done: int) -> None:
    """Nobody wants to know how far the work is."""


@pytest.fixture
def basin(tmp_path: Path) -> Subject:
    (tmp_path / "basin.py").write_text(BASIN, encoding="utf-8")
    return load_subject(str(tmp_path / "basin.py"))


def found(
    subject: Subject, *claims: str, count: int = 1, limits: Limits = Limits()
) -> dict[tuple[str, str, str, int], Found]:
    """By claim, scope, what is raised and to what."""
    questions = [
        question
        for question in questions_of(Request(subject, claims, limits=limits))
        if question.prop.expects(question.setting) is not REFUTED
    ]
    worlds = [*wider_worlds(questions)]
    return {
        (world.question.prop.id, world.question.setting.scope.name, *next(iter(world.values.items()))): each
        for world, each in zip(worlds, found_in_wider(worlds, count, quiet), strict=True)
    }


@pytest.mark.parametrize("count", [1, 2])
def test_each_bound_and_fault_is_raised_alone_and_what_flips_has_its_smallest_trace(basin: Subject, count: int) -> None:
    outcomes = {place: (each.outcome, each.faults, each.steps) for place, each in found(basin, count=count).items()}
    assert outcomes == {
        ("B1", "usual", "fills", 3): (WorldOutcome.REFUTED, 0, 3),
        ("B1", "usual", "unread", 2): (WorldOutcome.SAME, None, None),
        ("B1", "usual", "leak", 1): (WorldOutcome.HOLDS, None, None),
        ("B2", "leaky", "fills", 3): (WorldOutcome.HOLDS, None, None),
        ("B2", "leaky", "unread", 2): (WorldOutcome.SAME, None, None),
        ("B2", "leaky", "leak", 2): (WorldOutcome.REFUTED, 2, 4),
    }


def test_world_beyond_a_limit_is_too_large_and_says_which(basin: Subject) -> None:
    given = found(basin, "B1", limits=Limits(states=2))
    assert given["B1", "usual", "leak", 1].outcome is WorldOutcome.TOO_LARGE
    assert given["B1", "usual", "leak", 1].reason is Reason.STATES
    assert given["B1", "usual", "unread", 2].outcome is WorldOutcome.SAME


BOMB = '''from offsetproof.lang import *

T = Index("thread", "threads")


class Counter(Component):
    """A counter."""

    at: int = integer(0, "top")


class Bomb(Model):
    """Two counters, and a bomb that needs them both at their ends, and fuel."""

    bounds = {"threads": Default(2, "threads"), "top": Default(9, "how high"), "fuels": Default(2, "fuel")}
    scopes = (Scope("small", {}),)
    counters: Array[Counter] = array(T, Counter)
    fuel: int = integer(0, 5)
    is_bad: bool = flag()

    @action(t=T, actor="thread[t]")
    def counts(self, t: int) -> None:
        """Counts."""
        bound(self.counters[t].at < self.scope.top)
        self.counters[t].at += 1

    @action(actor="tank")
    def fills(self) -> None:
        """Fills."""
        bound(self.fuel < self.scope.fuels)
        self.fuel += 1

    @action(actor="bomb")
    def booms(self) -> None:
        """Needs all."""
        require(self.fuel >= 3)
        for each in self.counters:
            require(each.at >= 9)
        self.is_bad = True

    @always
    def never_bad(self) -> bool:
        """It never goes off."""
        return not self.is_bad
'''
"""With one more fuel the claim is refuted, by 22 steps of which most need no order."""


@pytest.fixture
def bomb(tmp_path: Path) -> Subject:
    (tmp_path / "bomb.py").write_text(BOMB, encoding="utf-8")
    return load_subject(str(tmp_path / "bomb.py"))


def test_what_is_refuted_by_stubborn_sets_alone_says_so_and_guard_has_its_story(bomb: Subject) -> None:
    limits = Limits(states=310)
    given = found(bomb, limits=limits)["never_bad", "small", "fuels", 3]
    assert (given.outcome, given.faults, given.steps, given.reduced) == (WorldOutcome.REFUTED, 0, 22, True)
    (question,) = questions_of(Request(bomb, limits=limits))
    (world,) = (each for each in wider_worlds([question]) if each.raised == ("fuels",))
    (again,) = wider_worlds_again(bomb, [world], 600.0, 1, quiet)
    assert again.answer is not None
    assert again.answer.trace is not None
    assert again.answer.trace.length == 22


class Short(Explicit):
    """Too many states for a whole search; those by stubborn sets end for another reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__()
        self.reason = reason

    def decide(self, question: Question) -> Result:
        reason = self.reason if question.reductions.stubborn else Reason.STATES
        return undecided_apart(question, self.name, reason, "", 1.0)


@pytest.mark.parametrize(
    ("ended_by", "told"),
    [
        (Reason.TIME, Reason.TIME),
        (Reason.MEMORY, Reason.MEMORY),
        (Reason.INTERRUPTED, Reason.INTERRUPTED),
        (Reason.STATES, Reason.STATES),
        (Reason.WITNESS, Reason.STATES),
    ],
)
def test_limit_of_the_run_that_ends_the_second_search_is_not_told_as_too_many_states(
    basin: Subject, ended_by: Reason, told: Reason
) -> None:
    (question,) = questions_of(Request(basin, ("B1",)))
    engine = Short(ended_by)
    assert decide_whole_or_reduced(Engines(StagedModels(), (engine,)), question).reason is told


def test_only_a_whole_recorded_digest_spares_a_world(basin: Subject) -> None:
    (question,) = questions_of(Request(basin, ("B2",)))
    (world,) = (each for each in wider_worlds([question]) if each.raised == ("fills",))
    (now,) = found_in_wider([world], 1, quiet)
    assert now.outcome is WorldOutcome.HOLDS
    for letters, outcome in (
        (LETTERS, WorldOutcome.UNCHANGED),
        (LETTERS - 1, WorldOutcome.HOLDS),
        (0, WorldOutcome.HOLDS),
    ):
        (again,) = found_in_wider([replace(world, recorded=now.digest[:letters])], 1, quiet)
        assert again.outcome is outcome, letters


def test_world_in_which_the_model_goes_wrong_is_no_world_that_holds(tmp_path: Path) -> None:
    text = BASIN.replace("level: int = integer(0, 3)", "level: int = integer(0, 2)")
    (tmp_path / "basin.py").write_text(text, encoding="utf-8")
    given = found(load_subject(str(tmp_path / "basin.py")), "B1", "B2")
    assert given["B2", "leaky", "fills", 3].outcome is WorldOutcome.ERROR
    assert given["B2", "leaky", "unread", 2].outcome is WorldOutcome.SAME


def test_bound_that_cannot_be_more_and_a_queue_that_is_not_there_are_not_raised(basin: Subject) -> None:
    usual = basin.scope("usual")
    assert scope_with_raised(usual, "fixed", basin.model) is None
    assert scope_with_raised(usual.with_bounds({"fills": 4}), "fills", basin.model) is None
    calm = ROCKETMQ.scope("calm-reset")
    assert scope_with_raised(calm, "queue", ROCKETMQ.model) is None
    two = scope_with_raised(calm, "queues", ROCKETMQ.model)
    assert two is not None
    assert scope_with_raised(two, "queue", ROCKETMQ.model) is not None


def asked_by_hand(subject: Subject, limits: Limits) -> Counter[WorldOutcome]:
    """How many worlds of a subject are what; each is what the engine decides of it, those of the same system too, and
    without limits what stubborn sets decide within them."""
    engine, seen = explicit_alone().only, Counter[WorldOutcome]()
    asked = [q for q in questions_of(Request(subject, limits=limits)) if q.prop.kind is not ClaimKind.SOMETIMES]
    worlds = [*wider_worlds([question for question in asked if engine.decide(question).verdict is Verdict.HOLDS])]
    for world, each in zip(worlds, found_in_wider(worlds, 1, quiet), strict=True):
        result = engine.decide(replace(world.wider, limits=Limits()) if each.reduced else world.wider)
        expected = {Verdict.HOLDS: {WorldOutcome.SAME, WorldOutcome.HOLDS}, Verdict.REFUTED: {WorldOutcome.REFUTED}}
        undecided = {WorldOutcome.TOO_LARGE, WorldOutcome.WITNESS, WorldOutcome.ERROR}
        assert each.outcome in expected.get(result.verdict, undecided), (world, result)
        assert (each.steps is None) == (result.replay is None)
        assert result.replay is None or each.steps == len(result.replay.labels)
        seen[each.outcome] += 1
    return seen


def test_what_is_found_is_what_the_engine_decides_of_the_same_world(basin: Subject) -> None:
    seen = asked_by_hand(basin, Limits())
    for name in ("lease", "lost_update", "toy_queue", "water_jugs", "lamport_mutex"):
        seen += asked_by_hand(load_subject(f"offsetproof.examples.{name}"), Limits(states=20_000))
    assert min(seen[outcome] for outcome in (WorldOutcome.SAME, WorldOutcome.HOLDS, WorldOutcome.REFUTED)) > 0, seen


@pytest.mark.slow
def test_what_is_found_of_offset_files_is_what_the_engine_decides() -> None:
    seen = asked_by_hand(OFFSET_FILES, Limits(states=20_000))
    assert min(seen[outcome] for outcome in (WorldOutcome.SAME, WorldOutcome.HOLDS, WorldOutcome.REFUTED)) > 0, seen

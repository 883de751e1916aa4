"""Wider worlds: what can be raised, what flips, and that what is called the same would have held as well."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from systems.basin import BASIN

from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.checking.widening import Found, WorldOutcome, found_in_wider, scope_with_raised, wider_worlds
from offsetproof.lang import Subject
from offsetproof.lang.cases import REFUTED
from offsetproof.lang.claim import ClaimKind
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.properties.files.catalogue import OFFSET_FILES
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Verdict


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

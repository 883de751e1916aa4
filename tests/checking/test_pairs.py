"""Two bounds or faults raised together: which pairs are asked, and what is said of those that are not related."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from time import monotonic

import pytest
from systems.basin import RAINY

from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.checking.widening import (
    Found,
    WiderWorld,
    WorldOutcome,
    _Deciding,
    found_in_wider,
    wider_pairs,
    wider_worlds,
)
from offsetproof.engines.explicit.related import are_related, touched_by
from offsetproof.ir.system import System
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Verdict


def quiet(_question: Question, _what: object, _done: int) -> None:
    """Nobody wants to know how far the work is."""


def asked(worlds: list[WiderWorld]) -> list[tuple[WiderWorld, Found]]:
    return [*zip(worlds, found_in_wider(worlds, 1, quiet), strict=True)]


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> Question:
    file = tmp_path_factory.mktemp("rainy") / "rainy.py"
    file.write_text(RAINY, encoding="utf-8")
    (question,) = questions_of(Request(load_subject(str(file)), ("B1",)))
    return question


@pytest.fixture(scope="module")
def alone(question: Question) -> list[tuple[WiderWorld, Found]]:
    return asked([*wider_worlds([question])])


def system_of(question: Question) -> System:
    return explicit_alone().models.reduced_system(question)[1]


def test_pairs_are_of_what_the_case_holds_with_alone(alone: list[tuple[WiderWorld, Found]]) -> None:
    assert [(world.raised, found.outcome) for world, found in alone] == [
        ((raised,), WorldOutcome.HOLDS) for raised in ("fills", "left", "right", "drip")
    ]
    every = {*combinations(("fills", "left", "right", "drip"), 2)}
    assert {pair.raised for pair in wider_pairs(alone)} == every
    refuted = [(world, Found(WorldOutcome.REFUTED) if world.raised == ("left",) else found) for world, found in alone]
    too_large = [(world, Found(WorldOutcome.TOO_LARGE)) for world, _ in alone]
    assert {pair.raised for pair in wider_pairs(refuted)} == {pair for pair in every if "left" not in pair}
    assert [*wider_pairs(too_large)] == []


def test_related_pair_is_decided_and_of_another_nothing_is_said(alone: list[tuple[WiderWorld, Found]]) -> None:
    """Both flip: that nothing is said of a pair does not mean that it holds."""
    pairs = asked([*wider_pairs(alone)])
    outcomes = {world.raised: (found.outcome, found.faults, found.steps) for world, found in pairs}
    assert outcomes.pop(("fills", "drip")) == (WorldOutcome.REFUTED, 1, 7)
    assert {*outcomes.values()} == {(WorldOutcome.UNRELATED, None, None)}
    (drip,) = [world for world, _ in pairs if world.raised == ("fills", "drip")]
    assert (drip.values, drip.changes) == ({"fills": 2, "drip": 1}, ["fills=2", "drip=1"])
    (taps,) = [world for world, _ in pairs if world.raised == ("fills", "left")]
    assert explicit_alone().only.decide(taps.wider).verdict is Verdict.REFUTED


BOTH = '''from offsetproof.lang import *


class Both(Model):
    """A door with two bolts: one alone changes nothing."""

    bounds = {"left": Default(1, "the left bolt", range(3)), "right": Default(1, "the right bolt", range(3))}
    scopes = (Scope("usual"),)
    steps: int = integer(0, 3)

    @action()
    def goes_in(self) -> None:
        require(self.steps == 0)
        self.steps = 1

    @action()
    def goes_on(self) -> None:
        require(self.scope.left >= 2, self.scope.right >= 2, self.steps < 3)
        self.steps += 1

    @always(id="B1", expected=HOLDS)
    def nobody_is_through(self) -> bool:
        return self.steps <= 2
'''


def test_pair_is_asked_where_neither_changes_anything_alone(tmp_path: Path) -> None:
    (tmp_path / "door.py").write_text(BOTH, encoding="utf-8")
    (question,) = questions_of(Request(load_subject(str(tmp_path / "door.py")), ("B1",)))
    alone = asked([*wider_worlds([question])])
    assert [found.outcome for _, found in alone] == [WorldOutcome.SAME, WorldOutcome.SAME]
    ((pair, found),) = asked([*wider_pairs(alone)])
    assert (pair.raised, found.outcome, found.steps) == (("left", "right"), WorldOutcome.REFUTED, 3)


def test_change_touches_the_steps_that_it_adds_or_makes_others(
    question: Question, alone: list[tuple[WiderWorld, Found]]
) -> None:
    own = system_of(question)
    touched = {world.raised[0]: touched_by(own, system_of(world.wider)) for world, _ in alone}
    assert touched == {
        "fills": {"tap_runs"},
        "left": {"left_is_turned"},
        "right": {"right_is_turned"},
        "drip": {"roof_drips"},
    }


def test_steps_are_related_where_one_enables_the_other_or_both_matter_to_the_claim(question: Question) -> None:
    system = system_of(question)

    def related(one: str, other: str, seconds: float = 60.0) -> bool:
        return are_related(system, frozenset({one}), frozenset({other}), seconds)

    assert related("left_is_turned", "left_runs")
    assert related("left_runs", "right_runs")
    assert not related("left_is_turned", "right_is_turned")
    assert not related("left_is_turned", "tap_runs")


def test_what_nobody_knows_counts_as_related(question: Question) -> None:
    system = system_of(question)
    assert are_related(system, frozenset(), frozenset({"tap_runs"}), 60.0)
    assert are_related(system, frozenset({"left_is_turned"}), frozenset({"left_runs"}), -1.0)


@pytest.mark.parametrize(
    ("states", "detail", "outcome"),
    [
        (None, "while the model was prepared", WorldOutcome.LEFT),
        (4, "", WorldOutcome.LEFT),
        (4, "an alarm was found", WorldOutcome.TOO_LARGE),
    ],
)
def test_world_with_an_alarm_to_which_only_the_trace_is_missing_is_not_left(
    states: int | None, detail: str, outcome: WorldOutcome, question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Found(WorldOutcome.TOO_LARGE, Reason.TIME, detail, states=states)
    monkeypatch.setattr(_Deciding, "_find", lambda *_: found)
    world = next(wider_worlds([question]))
    (given,) = found_in_wider([world], 1, quiet, monotonic() + 1000)
    assert given.outcome is outcome

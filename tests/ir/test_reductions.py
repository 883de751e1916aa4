"""Slicing and the dead-object reset keep verdicts and shortest lengths, judged by a naive search over the IR itself."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import assume, given
from systems.interpreted import TooManyStatesError, interpret
from systems.random_models import Drawn, models
from systems.reproducible import reproducible

from offsetproof.examples.toys import TOYS, Scratch, Toy
from offsetproof.ir.dead import reset_dead
from offsetproof.ir.faults import fault_budget, initial_with_cap, with_fault_cap
from offsetproof.ir.slicing import slice_of, without_dead_instances
from offsetproof.ir.system import System
from offsetproof.lang import (
    ClaimKind,
    Component,
    Model,
    Property,
    Setting,
    action,
    always,
    flag,
    integer,
    part,
    require,
)
from offsetproof.lang.stage import Staged


def answers(system: System, prop: Property) -> tuple[int | None, int | None]:
    """What must stay: the shortest length, and, where there is none, whether and how deep anything fails."""
    return interpret(system, prop.kind).answer


def must_stay(system: System, prop: Property, variants: Iterable[System]) -> None:
    """Holds variants of a system to the answers of the system."""
    try:
        expected = answers(system, prop)
    except TooManyStatesError:
        assume(False)
    for variant in variants:
        assert answers(variant, prop) == expected, prop.name


@reproducible(60)
@given(models())
def test_slicing_keeps_verdicts(drawn: Drawn) -> None:
    staged = Staged(drawn.model, drawn.setting)
    for prop in drawn.claims:
        system = staged.system([prop])
        must_stay(system, prop, [slice_of(system), without_dead_instances(system)])


@reproducible(60)
@given(models())
def test_dead_reset_keeps_verdicts(drawn: Drawn) -> None:
    staged = Staged(drawn.model, drawn.setting)
    for prop in drawn.claims:
        system = staged.system([prop])
        must_stay(system, prop, [reset_dead(system).system, reset_dead(slice_of(system)).system])


@reproducible(30)
@given(models())
def test_fault_caps_only_take_away_and_the_whole_budget_takes_nothing(drawn: Drawn) -> None:
    system = Staged(drawn.model, drawn.setting).system([drawn.claims[0]])
    kind, budget = drawn.claims[0].kind, fault_budget(system)
    assume(budget > 0)
    capped = with_fault_cap(system)
    try:
        lengths = [interpret(capped, kind, initial_with_cap(capped, cap)).length for cap in range(budget + 1)]
        whole = interpret(system, kind).length
    except TooManyStatesError:
        assume(False)
    assert lengths[-1] == whole
    assert lengths == sorted(lengths, key=lambda length: 10**6 if length is None else length, reverse=True)


WITH_CLAIMS = [toy for toy in TOYS if toy.prop.kind is not ClaimKind.NO_DEADLOCK]


@pytest.mark.parametrize("toy", WITH_CLAIMS, ids=lambda toy: toy.name)
def test_reductions_keep_the_answers_of_toys(toy: Toy) -> None:
    system = Staged(toy.model, toy.setting).system([toy.prop])
    must_stay(system, toy.prop, [slice_of(system), reset_dead(system).system, reset_dead(slice_of(system)).system])


def test_dead_reset_merges_states_that_differ_only_in_dead_fields() -> None:
    (prop,) = Scratch.claims
    system = Staged(Scratch, Setting(Scratch.scopes[0])).system([prop])
    reset = reset_dead(system)
    assert reset.fields == {"worker": ("worker.scratch",)}
    assert (interpret(system, prop.kind).states, interpret(reset.system, prop.kind).states) == (5, 4)


class Life(Component):
    """Ends, and may leave a note."""

    ended: bool = flag()
    note: int = integer(0, 2)

    def finished(self) -> bool:
        return self.ended


class Living(Model):
    """A life that takes a note and ends: its note is dead then."""

    life: Life = part(Life)
    seen: int = integer(0, 2)

    @action()
    def life_takes_note(self) -> None:
        require(not self.life.ended)
        self.life.note = 2

    @action()
    def life_ends(self) -> None:
        self.life.ended = True

    @always()
    def note_is_never_seen(self) -> bool:
        return self.seen == 0 and (self.life.ended or self.life.note < 2 or self.seen < 2)


class ReadAfterwards(Living):
    """Somebody else reads the note of the life that ended."""

    @action()
    def other_reads(self) -> None:
        require(self.life.ended)
        self.seen = self.life.note


class WakesUp(Living):
    """A life that ended wakes up, and its old note is read then."""

    @action()
    def life_wakes(self) -> None:
        require(self.life.ended, self.seen == 0)
        self.life.ended = False

    @action()
    def other_reads(self) -> None:
        require(not self.life.ended)
        self.seen = self.life.note


class WakesUpAfresh(WakesUp):
    """A life that ended wakes up without its note."""

    @action()
    def life_wakes(self) -> None:
        require(self.life.ended, self.seen == 0)
        self.life.ended = False
        self.life.note = 0


class WakesUpAndCopies(WakesUp):
    """A life that ended wakes up without its note, and in the same step the old one goes elsewhere."""

    @action()
    def life_wakes(self) -> None:
        require(self.life.ended, self.seen == 0)
        self.life.ended = False
        self.seen = self.life.note
        self.life.note = 0


class WakesUpSometimes(WakesUp):
    """The step that wakes it up is the one that keeps it asleep."""

    @action()
    def life_wakes(self) -> None:
        require(self.life.ended)
        self.life.ended = self.seen == 1
        self.seen = 0


class GuardReads(Living):
    """A guard asks for the note of a life that ended."""

    @action()
    def other_notices(self) -> None:
        require(self.life.ended, self.life.note == 2)
        self.seen = 1


@pytest.mark.parametrize(
    ("model", "dead"),
    [
        (Living, True),
        (ReadAfterwards, False),
        (WakesUp, False),
        (WakesUpAfresh, True),
        (WakesUpAndCopies, False),
        (WakesUpSometimes, False),
        (GuardReads, False),
    ],
)
def test_field_is_dead_only_if_nobody_reads_it_once_its_object_has_ended(model: type[Model], dead: bool) -> None:
    (prop,) = Living.claims
    system = Staged(model, Setting(model.scopes[0])).system([prop])
    reset = reset_dead(system)
    assert ("life.note" in reset.fields.get("life", ())) is dead
    must_stay(system, prop, [reset.system])

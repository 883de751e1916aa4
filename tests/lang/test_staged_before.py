"""An instance that was staged in one setting stands in another where all that it is made of is the same, only there."""

from __future__ import annotations

from random import Random
from typing import Any, ClassVar

import pytest

from offsetproof.checking.request import Request, questions_of
from offsetproof.ir.system import Instance
from offsetproof.lang import (
    Array,
    Assumption,
    Behaviour,
    Change,
    Component,
    Index,
    Listener,
    Model,
    Release,
    Scope,
    Setting,
    Subject,
    action,
    always,
    array,
    choose,
    flag,
    integer,
    part,
    require,
    same,
)
from offsetproof.lang.stage import Staged
from offsetproof.lang.staged_before import StagedBefore
from studies.subjects import ABOUT_ROCKETMQ

ROUNDS_UP = Behaviour("rounds-up", "mill", "what is left over counts")
GRINDS_FINE = Behaviour("grinds-fine", "mill", "a stone grinds twice as much")
SWINGS_ONCE = Behaviour("swings-once", "mill", "a sluice that is open does not swing")
COUNTS = Behaviour("counts", "mill", "a sluice counts how often it has swung")
DRY = Assumption("dry", "no corn is wet")
CALM, HASTY = Listener("calm", "waits"), Listener("hasty", "does not wait")
STONES = Index("stone", "stones")


class Stone(Component):
    turned: int = integer(0, 4)

    def fineness(self) -> int:
        return 1


def portion(stone: Stone) -> int:
    return stone.fineness()


PORTIONS = (portion,)


class Sluice(Component):
    open: bool = flag()

    def swing(self) -> None:
        self.open = True


class FineStone(Stone):
    def fineness(self) -> int:
        return 2


class SluiceOfOneSwing(Sluice):
    def swing(self) -> None:
        require(not self.open)
        super().swing()


class CountingSluice(Sluice):
    swung: int = integer(0, 2)


class Mill(Model):
    roles = ("mill",)
    scopes = (Scope("one", {"stones": 1}), Scope("two", {"stones": 2}))
    assumptions = (DRY,)
    listeners = (CALM, HASTY)
    stone: Array[Stone] = array(STONES, Stone)
    sluice: Sluice = part(Sluice)
    flour: int = integer(0, 8)

    @action(s=STONES)
    def turns(self, s: int) -> None:
        require(self.stone[s].turned < 4)
        self.stone[s].turned = self.stone[s].turned + 1

    @action(s=STONES)
    def grinds(self, s: int) -> None:
        require(self.flour < 4)
        self.flour = self.flour + PORTIONS[0](self.stone[s])

    @action()
    def swings(self) -> None:
        Sluice.swing(self.sluice)

    @action()
    def opens(self) -> None:
        self.sluice.swing()

    @action()
    def rests(self) -> None:
        self.sluice.reset()

    @action()
    def rounds(self) -> None:
        require(self.flour < 4)
        self.flour = self.flour + (1 if self.setting.behaves(ROUNDS_UP) else 0)

    @action()
    def dries(self) -> None:
        require(self.flour > 0)
        self.flour = 0 if self.setting.assumes(DRY) else self.flour - 1

    @action()
    def hurries(self) -> None:
        require(self.setting.listener == HASTY, self.flour < 4)
        self.flour = 4

    @action()
    def asks_for_release(self) -> None:
        require(self.setting.release == "1")
        self.flour = 2


class MillWithSieve(Mill):
    @same(Mill.turns)
    def turns(self, s: int) -> None:
        super().turns(s)
        self.flour = 0


SIEVES = Behaviour("sieves", "mill", "a turn empties the mill")
FIRST = Release("1")


class ChangedMill(Mill):
    releases = (
        FIRST,
        Release("2", frozenset({ROUNDS_UP, GRINDS_FINE, SWINGS_ONCE, COUNTS, SIEVES}), FIRST),
    )
    changed_by = (
        Change(GRINDS_FINE, parts=(FineStone,)),
        Change(SWINGS_ONCE, parts=(SluiceOfOneSwing,)),
        Change(COUNTS, parts=(CountingSluice,)),
        Change(SIEVES, steps=(MillWithSieve,)),
    )


def setting(*fixes: Behaviour, scope: int = 0, **named: Any) -> Setting:
    return Setting(Mill.scopes[scope], {"mill": FIRST}, tuple(each.fix for each in fixes), **named)


@pytest.mark.parametrize(
    ("other", "staged_again"),
    [
        (setting(), set()),
        (setting(ROUNDS_UP), {"rounds"}),
        (setting(GRINDS_FINE), {"grinds"}),
        (setting(SWINGS_ONCE), {"opens", "swings"}),
        (setting(SIEVES), {"turns"}),
        (setting(COUNTS), {"rests"}),
        (setting(scope=1), {"turns", "grinds"}),
        (setting(ROUNDS_UP, GRINDS_FINE), {"rounds", "grinds"}),
        (setting(assumptions=(DRY,)), {"dries"}),
        (setting(listener=HASTY), {"hurries"}),
    ],
    ids=["same", "behaviour", "by-table", "by-class", "step", "fields", "scope", "two", "assumption", "listener"],
)
def test_only_what_can_be_another_instance_is_staged_again(other: Setting, staged_again: set[str]) -> None:
    before = StagedBefore()
    first, second = (Staged(ChangedMill, each, before=before) for each in (setting(), other))
    known = {inst.label: inst for inst in first.instances}
    own = {inst.label[0] for inst in second.instances if inst is not known.get(inst.label)}
    assert own == {*staged_again, "asks_for_release"}


def test_reset_of_a_part_has_the_fields_that_a_change_brings() -> None:
    before = StagedBefore()
    _, counting = (Staged(ChangedMill, each, before=before) for each in (setting(), setting(COUNTS)))
    (rests,) = (inst for inst in counting.instances if inst.label[0] == "rests")
    assert {*rests.updates} == {"sluice.open", "sluice.swung"}


def test_shared_instance_asks_for_behaviours_and_has_the_paths_as_if_it_were_staged() -> None:
    before = StagedBefore()
    _, second = (Staged(ChangedMill, each, before=before) for each in (setting(), setting(GRINDS_FINE)))
    fresh = Staged(ChangedMill, setting(GRINDS_FINE))
    assert second.asked_for == fresh.asked_for
    assert second.asked_by_code == fresh.asked_by_code
    assert ROUNDS_UP in second.asked_by_code
    assert second.ways == fresh.ways


def settings_of(subject: Subject) -> list[tuple[type[Model], Setting]]:
    asked = questions_of(Request(subject, every_release=True))
    distinct = {(question.model, question.setting.key): question.setting for question in asked}
    return [(model, each) for (model, _), each in distinct.items()]


def must_be_as_fresh(staged: Staged) -> None:
    fresh = Staged(staged.model, staged.setting, asks_long=False)
    assert [inst.label for inst in staged.instances] == [inst.label for inst in fresh.instances]
    for own, other in zip(staged.instances, fresh.instances, strict=True):
        assert parts_of(own) == parts_of(other), own.name
    assert staged.ways == fresh.ways
    assert (staged.asked_for, staged.asked_by_code) == (fresh.asked_for, fresh.asked_by_code)


def parts_of(inst: Instance) -> tuple[object, ...]:
    """What an instance is made of; equal nodes are the same node."""
    return inst.enabled, inst.cut, dict(inst.updates), inst.failures, inst.actor, inst.fault


@pytest.mark.parametrize("count", [6, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("subject", ABOUT_ROCKETMQ, ids=lambda subject: subject.name)
def test_settings_of_a_subject_are_staged_as_if_each_were_the_first(subject: Subject, count: int) -> None:
    settings = settings_of(subject)
    before = StagedBefore()
    for model, each in Random(32).sample(settings, min(count, len(settings))):
        must_be_as_fresh(Staged(model, each, asks_long=False, before=before))


class TallMill(Mill):
    def height(self) -> int:
        return 1

    def shown(self) -> int:
        return 1

    @action()
    def shows(self) -> None:
        self.flour = self.shown()


class ShowsHeight(TallMill):
    def shown(self) -> int:
        return super().height()


class HigherMill(TallMill):
    def height(self) -> int:
        return 2


class BothMills(ShowsHeight, HigherMill):
    @action()
    def falls(self) -> None:
        require(self.flour == 8)
        self.flour = 0


class Weight(Component):
    def weight_of(self) -> int:
        return self.heaviness()  # type: ignore[attr-defined, no-any-return]  # it is called with a mill


class WeighingMill(Mill):
    weight: ClassVar[type[Weight]] = Weight

    def heaviness(self) -> int:
        return 1

    @action()
    def weighs(self) -> None:
        self.flour = self.weight.weight_of(self)  # type: ignore[arg-type]  # see there


class HeavyMill(WeighingMill):
    def heaviness(self) -> int:
        return 2


class ClaimingMill(Mill):
    @always
    def is_coarse(self) -> bool:
        return self.stone[0].fineness() == 1

    @action()
    def judges(self) -> None:
        self.flour = choose(self.is_coarse.function(self), 1, 2)

    @action()
    def judges_by_another(self) -> None:
        require(nothing.function(self))


@always
def nothing(mill: Mill) -> bool:
    return mill.flour >= 0


WITHOUT = setting()
AMONG = (WITHOUT,)


class ComparingMill(Mill):
    @action()
    def compares(self) -> None:
        self.flour = 1 if self.setting == WITHOUT else 2

    @action()
    def looks_among(self) -> None:
        self.flour = 1 if self.setting in AMONG else 2

    @action()
    def breaks(self) -> None:
        require(self.flour == 1)
        raise ValueError(f"it breaks in {self.setting}")


HIGH = Behaviour("high", "mill", "it is higher")
BOTH = Behaviour("both", "mill", "it falls")
SHOWS = Behaviour("shows", "mill", "it shows how high it is")
IN_ORDER = (Change(SHOWS, steps=(ShowsHeight,)), Change(HIGH, steps=(HigherMill,)), Change(BOTH, steps=(BothMills,)))


class OrderedMill(TallMill):
    releases = (FIRST, Release("2", frozenset({SHOWS, HIGH, BOTH}), FIRST))
    changed_by = IN_ORDER


class WeightierMill(WeighingMill):
    releases = (FIRST, Release("2", frozenset({HIGH}), FIRST))
    changed_by = (Change(HIGH, steps=(HeavyMill,)),)


class FinerClaimingMill(ClaimingMill):
    releases = (FIRST, Release("2", frozenset({GRINDS_FINE}), FIRST))
    changed_by = (Change(GRINDS_FINE, parts=(FineStone,)),)


@pytest.mark.parametrize(
    ("model", "one", "other"),
    [
        (OrderedMill, (SHOWS, HIGH), (SHOWS, HIGH, BOTH)),
        (WeightierMill, (), (HIGH,)),
        (FinerClaimingMill, (), (GRINDS_FINE,)),
        (ComparingMill, (), (ROUNDS_UP,)),
    ],
    ids=["order-of-classes", "class-in-a-class", "claim-in-a-class", "setting-as-a-whole"],
)
def test_what_an_action_gets_to_by_other_ways_tells_settings_apart(
    model: type[Model], one: tuple[Behaviour, ...], other: tuple[Behaviour, ...]
) -> None:
    for pair in ((one, other), (other, one)):
        before = StagedBefore()
        for each in pair:
            must_be_as_fresh(Staged(model, setting(*each) if each else WITHOUT, asks_long=False, before=before))

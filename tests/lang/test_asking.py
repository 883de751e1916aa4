"""An instance stands in other scopes where all that was asked while it was staged has the same answers, only there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import permutations
from typing import ClassVar

import pytest

from offsetproof.lang import (
    Array,
    Bag,
    Component,
    Default,
    Fault,
    Fifo,
    Index,
    Model,
    OffsetSet,
    Scope,
    Setting,
    action,
    array,
    bag,
    fifo,
    flag,
    holds,
    integer,
    offset_set,
    optional,
    part,
    require,
    staged_before,
)
from offsetproof.lang.asking import Question, collect_questions
from offsetproof.lang.stage import Staged
from offsetproof.lang.staged_before import StagedBefore
from tests.lang.test_staged_before import must_be_as_fresh

CARTS = Index("cart", "carts")
SPILL = Fault("spill", "a cart tips over")
WIDE = Scope("wide", {"carts": 1, "depth": 1, "queue": 1}, {SPILL: 1})
WORLDS = (WIDE,)


class Cart(Component):
    load: int = integer(0, "depth")
    stones: OffsetSet = offset_set("carts")
    driver: int | None = optional(integer(0, "depth"))


class Order(Component):
    what: int = integer(0, 3, lambda scope: scope.depth)


class Quarry(Model):
    bounds: ClassVar = {"carts": Default(1, "carts"), "depth": Default(1, "depth"), "queue": Default(1, "orders")}
    scopes = (Scope("usual", faults={SPILL: 1}),)
    cart: Array[Cart] = array(CARTS, Cart)
    lamp: Array[bool] = array(CARTS, flag())
    orders: Fifo[Order] = fifo(Order, "queue")
    calls: Bag = bag({"who": CARTS}, "depth")
    at: int = integer(0, "carts")
    goal: int = integer(0, 3)
    tally: int = integer(0, 9)

    def initially(self) -> None:
        self.goal = self.scope.depth

    @action()
    def plain(self) -> None:
        self.tally = 3

    @action()
    def asks_bound(self) -> None:
        self.tally = self.scope.depth

    @action()
    def asks_bound_sometimes(self) -> None:
        self.tally = self.scope.depth if self.scope.carts > 1 else 5

    @action()
    def asks_name(self) -> None:
        self.tally = 1 if self.scope.name == "wide" else 2

    @action()
    def compares_scopes(self) -> None:
        self.tally = 1 if self.scope in WORLDS else 2

    @action()
    def reads(self) -> None:
        self.tally = self.cart[0].load + 1

    @action()
    def writes_item_that_may_not_be(self) -> None:
        try:
            self.lamp[1] = True
        except IndexError:
            self.tally = 1

    @action()
    def looks_for_item(self) -> None:
        try:
            self.tally = 1 if self.cart[1] is not None else 3
        except IndexError:
            self.tally = 2

    @action()
    def looks_up(self) -> None:
        require(self.lamp[self.at])
        self.tally = 0

    @action()
    def loops(self) -> None:
        for cart in self.cart:
            cart.load = 0

    @action()
    def counts(self) -> None:
        self.tally = len(self.lamp)

    @action()
    def loops_in_the_dark(self) -> None:
        if not self.lamp[0]:
            self.tally = sum(1 for _ in CARTS.values(self.scope))

    @action()
    def resets(self) -> None:
        self.cart[0].reset()

    @action()
    def holds_driver(self) -> None:
        require(holds(self.cart[0], Cart.driver, 1))
        self.tally = 0

    @action()
    def orders_more(self) -> None:
        self.orders.push(what=0)

    @action()
    def takes_order(self) -> None:
        self.orders.remove(0)

    @action()
    def calls_one(self) -> None:
        self.calls.put(who=0)

    @action()
    def is_silent(self) -> None:
        require(self.calls.empty)
        self.tally = 0

    @action(fault=SPILL)
    def spills(self) -> None:
        self.tally = 0

    @action(c=CARTS)
    def tips(self, c: int) -> None:
        self.cart[c].stones = OffsetSet()
        self.lamp[c] = False


class Goal(Component):
    goal: int = integer(0, 3)


class QuarryWithGoal(Quarry):
    goals: Goal = part(Goal)

    def initially(self) -> None:
        super().initially()
        self.goals.goal = self.scope.depth

    @action()
    def begins_again(self) -> None:
        self.goals.reset()


def setting(name: str = "usual", *, spill: int = 1, **bounds: int) -> Setting:
    numbers = {"carts": 1, "depth": 1, "queue": 1, **bounds}
    return Setting(Scope(name, numbers, {SPILL: spill} if spill >= 0 else {}))


SETTINGS = (
    setting(),
    setting(spill=2),
    setting(spill=0),
    setting(carts=2),
    setting(carts=2, depth=2),
    setting(depth=2),
    setting(queue=2),
    Setting(WIDE),
)


def staged_again(first: Setting, second: Setting) -> set[str]:
    """The actions that the second setting has not from the first."""
    before = StagedBefore()
    one, other = (Staged(QuarryWithGoal, each, asks_long=False, before=before) for each in (first, second))
    known = {id(inst) for inst in one.instances}
    return {inst.label[0] for inst in other.instances if id(inst) not in known}


SCOPE_ITSELF = {"asks_name", "compares_scopes"}
OF_CARTS = {"asks_bound_sometimes", "calls_one", "counts", "is_silent", "looks_for_item", "looks_up", "loops"}
OF_CARTS |= {"loops_in_the_dark", "resets", "tips", "writes_item_that_may_not_be"}
OF_DEPTH = {"asks_bound", "begins_again", "calls_one", "holds_driver", "is_silent", "loops", "reads", "resets"}


@pytest.mark.parametrize(
    ("other", "again"),
    [
        (Setting(WIDE), set()),
        (setting(spill=2), {"spills"}),
        (setting(carts=2), OF_CARTS),
        (setting(depth=2), {*OF_DEPTH, "takes_order"}),
        (setting(queue=2), {"orders_more", "takes_order"}),
    ],
    ids=["name", "fault", "carts", "depth", "queue"],
)
def test_only_what_is_asked_for_and_answered_otherwise_is_staged_again(other: Setting, again: set[str]) -> None:
    assert staged_again(setting(), other) == again | SCOPE_ITSELF


def test_bound_that_is_asked_sometimes_tells_apart_only_the_scopes_in_which_it_is_asked() -> None:
    asked = "asks_bound_sometimes"
    assert asked not in staged_again(setting(), setting(depth=2))
    assert asked in staged_again(setting(carts=2), setting(carts=2, depth=2))


def each_must_be_as_fresh_after_any_other() -> None:
    for pair in permutations(SETTINGS, 2):
        before = StagedBefore()
        for each in pair:
            must_be_as_fresh(Staged(QuarryWithGoal, each, asks_long=False, before=before))


def test_instances_are_those_that_are_staged_afresh_whatever_was_staged_before() -> None:
    each_must_be_as_fresh_after_any_other()


class AllBut(set[Question]):
    """Questions without those of one kind."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def add(self, question: Question) -> None:
        if question[0] != self.kind:
            super().add(question)


@pytest.mark.parametrize("kind", ["field", "bound", "scope", "members", "item", "start", "blank"])
def test_each_kind_of_question_is_needed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def collect_others(into: set[Question]) -> Iterator[None]:
        others = AllBut(kind)
        with collect_questions(others):
            yield
        into |= others

    monkeypatch.setattr(staged_before, "collect_questions", collect_others)
    with pytest.raises(AssertionError):
        each_must_be_as_fresh_after_any_other()

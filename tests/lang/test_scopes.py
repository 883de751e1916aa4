"""Scopes: a model's defaults for the bounds that they do not name, and faults as objects or by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import IntEnum

import pytest

from offsetproof.lang import DeclarationError, Default, Fault, Model, Scope, UnknownNameError, action, flag
from offsetproof.lang.model import faults_of

SLIP = Fault("slip", "a foot slips", source="shoes")


class Shoe(IntEnum):
    BOOT = 0
    CLOG = 1


BOUNDS: Mapping[str, Default] = {
    "steps": Default(4, "steps to take", range(1, 9)),
    "shoe": Default(Shoe.CLOG, "what is worn"),
    "stops": Default(0, "stops on the way"),
}
MORE_BOUNDS: Mapping[str, Default] = {**BOUNDS, "talks": Default(3, "talks on the way")}


class Walk(Model):
    bounds = BOUNDS
    scopes = (
        Scope("usual"),
        Scope("long", {"stops": 1, "steps": 8}, faults={SLIP: 2}),
        Scope("by-name", faults={"slip": 2}),
    )
    down: bool = flag()

    @action(fault=SLIP)
    def walker_slips(self) -> None:
        self.down = True


def test_scope_has_the_defaults_of_what_it_does_not_name_in_the_models_order() -> None:
    usual, long, _ = Walk.scopes
    assert list(usual.bounds.items()) == [("steps", 4), ("shoe", Shoe.CLOG), ("stops", 0)]
    assert list(long.bounds.items()) == [("steps", 8), ("shoe", Shoe.CLOG), ("stops", 1)]
    assert usual.describe() == "steps=4, shoe=CLOG"


def test_completing_twice_is_completing_once_and_a_subclass_keeps_its_own_scopes() -> None:
    class Stroll(Walk):
        bounds = MORE_BOUNDS

    assert Walk.scopes == tuple(scope.completed(Walk.bounds) for scope in Walk.scopes)
    assert [scope.bounds["talks"] for scope in Stroll.scopes] == [3, 3, 3]
    assert [scope.bounds["steps"] for scope in Stroll.scopes] == [4, 8, 4]


def test_model_without_defaults_leaves_its_scopes_as_they_are() -> None:
    scope = Scope("odd", {"b": 2, "a": 1})
    assert scope.completed({"a": range(3)}) is not None
    assert sorted(scope.completed({"a": range(3)}).bounds.items()) == [("a", 1), ("b", 2)]
    assert list(scope.completed({}).bounds) == ["b", "a"]


def test_bound_that_the_defaults_do_not_have_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"no bound named 'stop'; did you mean stops\?"):
        Scope("typo", {"stop": 1}).completed(Walk.bounds)


def test_fault_is_the_same_given_as_an_object_or_by_name() -> None:
    _, long, by_name = Walk.scopes
    assert (long.faults, by_name.faults) == ({"slip": 2}, {"slip": 2})
    assert replace(by_name, faults={SLIP: 1}).faults == {"slip": 1}
    assert Walk.actions["walker_slips"].fault == "slip"
    assert faults_of(Walk) == (SLIP,)


def test_two_budgets_of_one_fault_are_refused() -> None:
    with pytest.raises(DeclarationError, match="scope twice: fault slip has two budgets; keep one"):
        Scope("twice", {}, {SLIP: 1, "slip": 5})

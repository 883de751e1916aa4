"""Scopes: a model's defaults for the bounds that they do not name, and faults as objects or by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import IntEnum
from functools import partial
from typing import Any

import pytest

from offsetproof.lang import (
    DeclarationError,
    Default,
    Fault,
    Index,
    Model,
    Scope,
    UnknownNameError,
    action,
    array,
    bag,
    flag,
    integer,
    offset,
    require,
)
from offsetproof.lang.model import faults_of
from offsetproof.lang.scope import resolve
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged

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


class SilentError(Exception):
    """An error that has no text that could be had."""

    def __str__(self) -> str:
        raise LookupError


def fails(_scope: Scope) -> int:
    raise SilentError


class Doubled:
    """An object that computes a number of a scope, with code that nobody has read."""

    def __call__(self, scope: Scope) -> int:
        return 2 * len(scope.bounds)

    def number(self, scope: Scope) -> int:
        return self(scope)


@pytest.mark.parametrize(("bound", "why"), [
    (Doubled(), "Doubled is not a function that can be read; a bound is computed by `lambda scope: ...` or def"),
    (Doubled().number, "method is not a function that can be read; a bound is computed by `lambda scope: ...` or def"),
    (partial(max, 3), "partial is not a function that can be read; a bound is computed by `lambda scope: ...` or def"),
    (fails, "a bound cannot be computed in scope one: SilentError ("),
    (lambda scope: scope.nothing.more, "no bound of scope one named 'nothing'; choose from n"),
    (lambda scope: scope.name.more, "a bound cannot be computed in scope one: AttributeError: 'str' object has no"),
])  # fmt: skip
def test_bound_that_cannot_be_computed_or_read_is_refused(bound: Any, why: str) -> None:
    with pytest.raises((DeclarationError, UnknownNameError), match=f"^{re.escape(why)}"):
        resolve(bound, Scope("one", {"n": 1}))


@pytest.mark.parametrize("declared", [
    lambda odd: integer(0, odd), lambda odd: integer(odd, 9), lambda odd: integer(0, 9, odd), lambda odd: offset(odd),
    lambda odd: array(Index("place", odd), flag()), lambda odd: bag({}, odd),
])  # fmt: skip
def test_object_as_a_bound_is_refused_wherever_a_bound_may_stand(declared: Callable[[Any], Any]) -> None:
    class Odd(Model):
        x: Any = declared(Doubled())

        @action()
        def steps(self) -> None:
            require(False)

    with pytest.raises(DeclarationError, match="Doubled is not a function that can be read"):
        Staged(Odd, Setting(Odd.scopes[0]))


def test_narrower_bounds_are_below_the_scopes_own_and_go_where_somebody_changes_these() -> None:
    scope = Scope("wide", {"n": 3}, narrower={"n": 1})
    assert scope.with_bounds({"n": 3}).narrower == {"n": 1}
    assert (scope.with_bounds(scope.narrower).name, scope.with_bounds(scope.narrower).narrower) == ("wide*", {})
    for name, value, most in (("n", 3, 3), ("n", -1, 3), ("m", 1, 0)):
        with pytest.raises(
            DeclarationError, match=f"scope wide: narrower {name}={value} is not below its bound, {most}"
        ):
            Scope("wide", {"n": 3}, narrower={name: value})

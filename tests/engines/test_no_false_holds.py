"""Models that an earlier version answered wrongly: each has to be refuted, or refused with a place, never HOLD."""

from __future__ import annotations

from enum import Enum, IntEnum, StrEnum

import pytest

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang import (
    ANYTHING,
    Array,
    Component,
    DeclarationError,
    Index,
    Model,
    RefusedError,
    Scope,
    action,
    always,
    array,
    choose,
    every,
    flag,
    integer,
    one_of,
    part,
    require,
)
from offsetproof.lang.setting import Setting
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Result, Verdict

SCOPE = Scope("small", {})


def decide(model: type[Model], reductions: Reductions | None = None, scope: Scope = SCOPE) -> Result:
    question = Question(model, Setting(scope), model.claims[0], reductions=reductions or Reductions())
    return Explicit().decide(question)


class Shifted(Component):
    p: bool = flag()
    q: bool = flag()
    x: int = integer(0, 1)

    def finished(self) -> bool:
        return every([self.p, self.q])


class Shifting(Model):
    """A step that moves one field of the condition into another, so that substituting one by one goes wrong."""

    o: Shifted = part(Shifted)

    @action()
    def sets_x(self) -> None:
        require(not self.o.p)
        self.o.x = 1

    @action()
    def shifts(self) -> None:
        require(not self.o.q)
        self.o.q = self.o.p
        self.o.p = True

    @always
    def x_is_never_seen_half_way(self) -> bool:
        return not (self.o.p and not self.o.q and self.o.x == 1)


@pytest.mark.parametrize("dead", [False, True])
def test_dead_reset_substitutes_all_at_once(dead: bool) -> None:
    assert decide(Shifting, Reductions(dead=dead)).verdict is Verdict.REFUTED


class Word(StrEnum):
    LOW = "low"
    HIGH = "high"


class Number(IntEnum):
    ZERO = 0
    ONE = 1


@pytest.mark.parametrize("kind", [Word, Number])
def test_enums_that_equal_other_values_are_refused(kind: type[Enum]) -> None:
    class Holds(Model):
        level: Enum = one_of(kind)

        @always
        def anything(self) -> bool:
            return True

    with pytest.raises(DeclarationError, match="is also an int or str"):
        decide(Holds)


class MisspeltFault(Model):
    scopes = (Scope("lossy", {}, {"loss": 1}),)
    lost: bool = flag()

    @action(fault="los")
    def loses(self) -> None:
        self.lost = True

    @always
    def nothing_is_lost(self) -> bool:
        return not self.lost


def test_fault_kind_that_no_scope_knows_is_a_declaration_error() -> None:
    with pytest.raises(DeclarationError, match=r"no scope has a budget for fault 'los' \(they have loss\)"):
        decide(MisspeltFault, scope=MisspeltFault.scopes[0])


class StartsAtTheLowest(Model):
    x: int = integer(0, 3, ANYTHING)

    def initially(self) -> None:
        self.x = 0

    @always
    def starts_at_zero(self) -> bool:
        return self.x == 0


def test_initially_can_choose_the_lowest_of_anything() -> None:
    result = decide(StartsAtTheLowest)
    assert (result.verdict, result.counts.initial) == (Verdict.HOLDS, 1)


FLAGS = Index("flag", 3)


class AddsFlags(Model):
    n: int = integer(0, 3)
    flags: Array[bool] = array(FLAGS, flag())

    @action(i=FLAGS)
    def raises_flag(self, i: int) -> None:
        require(not self.flags[i])
        self.flags[i] = True
        self.n = self.n + 1

    @always
    def fewer_than_three(self) -> bool:
        return sum(choose(flag, 1, 0) for flag in self.flags) < 3 or self.n < 3

    @always
    def flags_are_numbers(self) -> bool:
        return sum(self.flags) < 3


def test_flags_are_counted_by_choice_and_do_not_add_up_by_themselves() -> None:
    result = decide(AddsFlags)
    assert result.replay is not None
    assert (result.verdict, len(result.replay.labels)) == (Verdict.REFUTED, 3)
    with pytest.raises(RefusedError, match=r"write choose\(x, 1, 0\) for one that is to count"):
        Explicit().decide(Question(AddsFlags, Setting(AddsFlags.scopes[0]), AddsFlags.claims[1]))


class FinishesBadly(Component):
    x: int = integer(0, 1)

    def finished(self) -> bool:
        raise ValueError("no end")


def test_finished_that_raises_is_a_declaration_error_with_a_place() -> None:
    class Holds(Model):
        o: FinishesBadly = part(FinishesBadly)

        @always
        def anything(self) -> bool:
            return True

    with pytest.raises(DeclarationError, match=r"test_no_false_holds\.py:\d+: FinishesBadly.finished\(\) raises"):
        decide(Holds)


def test_interrupt_while_looking_for_fewer_faults_keeps_the_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lossy(Model):
        scopes = (Scope("lossy", {}, {"loss": 1}),)
        lost: bool = flag()

        @action(fault="loss")
        def loses(self) -> None:
            self.lost = True

        @always
        def nothing_is_lost(self) -> bool:
            return not self.lost

    def interrupted(*_args: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr("offsetproof.engines.explicit.fewest_faults.initial_with_cap", interrupted)
    result = decide(Lossy, scope=Lossy.scopes[0])
    assert result.verdict is Verdict.REFUTED
    assert result.interrupted
    assert result.notes == ("whether fewer faults suffice was not established: interrupted",)

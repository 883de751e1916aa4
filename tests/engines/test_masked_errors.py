"""What goes wrong or is cut stays, though its kind of fault is never taken: once a cap on faults hid it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from systems.interpreted import first_false

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.preparing import reduce_system
from offsetproof.engines.smt.engine import Smt
from offsetproof.engines.stateful.engine import Effort, Stateful
from offsetproof.exports.exported import MODEL_ERROR, export_system
from offsetproof.ir.faults import fault_budget
from offsetproof.lang import (
    Array,
    Damage,
    Fault,
    Index,
    Model,
    Scope,
    Setting,
    action,
    always,
    array,
    bound,
    every,
    flag,
    integer,
    require,
)
from offsetproof.lang.claim import NO_DEADLOCK, Property
from offsetproof.lang.stage import Staged
from offsetproof.severity.effect import effect_of
from offsetproof.verdict.exits import Exit, exit_of
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Reason, Result, Verdict

LOSS, CRASH = Fault("loss", "a message is lost"), Fault("crash", "a process dies")
SCOPES = (Scope("one each", {}, faults={LOSS: 1, CRASH: 1}),)

ALL, NONE = Reductions(), Reductions(slicing=False, dead=False)
each_reduction = pytest.mark.parametrize("reductions", [ALL, NONE], ids=["reduced", "whole"])


class GoesWrong(Model):
    """A crash after a loss always goes wrong, so its counter never moves."""

    scopes = SCOPES
    x: int = integer(0, 2)
    y: int = integer(0, 1)

    @action(fault=LOSS)
    def loses(self) -> None:
        self.x = 1

    @action(fault=CRASH)
    def crashes(self) -> None:
        require(self.x == 1)
        self.x = 7

    @action()
    def works(self) -> None:
        self.y = 1 - self.y

    @always
    def both_are_small(self) -> bool:
        return self.y + self.x < 3


class IsCut(Model):
    """A crash is only ever cut; after a loss it is all that could happen."""

    scopes = SCOPES
    x: int = integer(0, 1)

    @action(fault=LOSS)
    def loses(self) -> None:
        self.x = 1

    @action(fault=CRASH)
    def crashes(self) -> None:
        bound(False)

    @always
    def x_is_small(self) -> bool:
        return self.x < 2


class BesideMuch(Model):
    """Beside the faults a token goes round 250 places and twelve switches are flipped: 2,048,000 states."""

    scopes = SCOPES
    x: int = integer(0, 2)
    at: int = integer(0, 249)
    on: Array[bool] = array(Index("switch", 12), flag())

    @action(fault=LOSS)
    def loses(self) -> None:
        self.x = 1

    @action(place=Index("place", 250))
    def token_moves(self, place: int) -> None:
        require(self.at == place)
        self.at = (place + 1) % 250

    @action(switch=Index("switch", 12))
    def switch_is_flipped(self, switch: int) -> None:
        self.on[switch] = not self.on[switch]

    @always
    def all_is_small(self) -> bool:
        return self.x < 2 or (self.at == 0 and every(self.on))


class GoesWrongBesideMuch(BesideMuch):
    """Goes wrong in one of its states."""

    @action(fault=CRASH)
    def crashes(self) -> None:
        require(self.x == 1, self.at == 77, every(self.on))
        self.x = 7


class IsCutBesideMuch(BesideMuch):
    """Is cut in one of its states."""

    @action(fault=CRASH)
    def crashes(self) -> None:
        require(self.x == 1, self.at == 77, every(self.on))
        bound(False)


Decide = Callable[[Question], Result]


def asked(model: type[Model], prop: Property | None = None, reductions: Reductions = ALL) -> Question:
    return Question(model, Setting(model.scopes[0]), prop or model.claims[0], reductions=reductions)


def by_explicit(question: Question) -> Result:
    return Explicit().decide(question)


def by_smt(question: Question) -> Result:
    return Smt(depth=6).decide(question)


def by_stateful(question: Question) -> Result:
    return Stateful(Effort(walk_steps=5_000, examples=0)).decide(question)


@each_reduction
@pytest.mark.parametrize("decide", [by_explicit, by_smt, by_stateful])
def test_error_of_a_fault_after_all_others_is_an_error(decide: Decide, reductions: Reductions) -> None:
    result = decide(asked(GoesWrong, reductions=reductions))
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, Reason.OVERFLOW)


@each_reduction
@pytest.mark.parametrize("decide", [by_explicit, by_smt])
@pytest.mark.parametrize("prop", [NO_DEADLOCK, *IsCut.claims], ids=lambda prop: prop.name)
def test_fault_that_is_only_ever_cut_is_no_deadlock(decide: Decide, prop: Property, reductions: Reductions) -> None:
    result = decide(asked(IsCut, prop, reductions))
    assert result.verdict is Verdict.HOLDS
    assert result.counts.bound_cuts in (0, 2)


@pytest.mark.parametrize(("most", "fails_at"), [(0, None), (1, None), (2, 1)])
def test_export_counts_a_fault_that_only_goes_wrong(most: int, fails_at: int | None) -> None:
    question = asked(GoesWrong)
    system, _ = reduce_system(Staged(GoesWrong, question.setting).system([question.prop]), question)
    assert [v.name for v in system.variables if v.name.startswith("faults")] == ["faults[loss]"]
    assert fault_budget(system) == 2
    export = export_system("it", question.setting, GoesWrong, system, (question.prop,), fault_cap=most)
    assert first_false(export.system, [export.condition(MODEL_ERROR).node]) == (fails_at,)


class Repaired(Model):
    """Breaks once; what would repair it is only ever cut."""

    fine: bool = flag(True)
    broken_once: bool = flag()

    @action()
    def breaks(self) -> None:
        require(not self.broken_once)
        self.fine = False
        self.broken_once = True

    @action()
    def is_repaired(self) -> None:
        require(not self.fine)
        bound(False)
        self.fine = True

    @always
    def stays_fine(self) -> bool:
        return self.fine


@each_reduction
def test_violation_that_only_a_bound_keeps_from_being_repaired_is_not_called_permanent(reductions: Reductions) -> None:
    question = asked(Repaired, reductions=reductions)
    replay = by_explicit(question).replay
    assert replay is not None
    effect = effect_of(replay, question, Staged(Repaired, question.setting), Damage(lost=lambda _model: 0))
    assert (effect.kind, effect.lost) == ("unknown", None)
    assert effect.detail == "a continuation ends where only a bound of the scope forbids is_repaired"


@pytest.mark.slow
def test_error_of_a_fault_after_all_others_is_an_error_beside_two_million_states() -> None:
    result = by_explicit(asked(GoesWrongBesideMuch))
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, Reason.OVERFLOW)
    assert exit_of(result) is Exit.MODEL_ERROR


@pytest.mark.slow
@pytest.mark.parametrize("prop", [NO_DEADLOCK, *BesideMuch.claims], ids=lambda prop: prop.name)
def test_fault_that_is_only_ever_cut_is_cut_beside_two_million_states(prop: Property) -> None:
    result = by_explicit(asked(IsCutBesideMuch, prop))
    assert (result.verdict, result.counts.states, result.counts.bound_cuts) == (Verdict.HOLDS, 2_048_000, 1)

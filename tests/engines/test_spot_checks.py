"""A HOLDS is held against the reference semantics on some of its states; what differs is never a verdict."""

from __future__ import annotations

import pytest

from offsetproof.compiled import instructions
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.ir.kind import Kind
from offsetproof.lang import Model, Scope, action, always, integer, require
from offsetproof.lang.setting import Setting
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import DisagreementError, Result, Verdict


class Climbs(Model):
    x: int = integer(0, 5)
    y: int = integer(0, 5)

    @action()
    def climbs(self) -> None:
        require(self.x < self.y + 1, self.x < 5)
        self.x = self.x + 1

    @action()
    def follows(self) -> None:
        require(self.y < self.x)
        self.y = self.y + 1

    @always
    def close(self) -> bool:
        return self.x <= self.y + 1


def decide(model: type[Model]) -> Result:
    return Explicit().decide(Question(model, Setting(Scope("small", {})), model.claims[0]))


def test_sound_model_holds_and_says_how_many_states_were_checked() -> None:
    result = decide(Climbs)
    assert (result.verdict, result.counts.states) == (Verdict.HOLDS, 11)
    assert "spot check: the steps of 8 reached states agree with the reference semantics" in result.notes


@pytest.mark.parametrize(("kind", "wrong"), [(Kind.ADD, Kind.SUB), (Kind.LE, Kind.EQ)])
def test_wrong_instruction_is_a_disagreement_and_not_a_verdict(
    monkeypatch: pytest.MonkeyPatch, kind: Kind, wrong: Kind
) -> None:
    monkeypatch.setitem(instructions.WRITERS, kind, instructions.WRITERS[wrong])
    with pytest.raises(DisagreementError, match="the compiled"):
        decide(Climbs)


CALLS: list[int] = []


class CountsItsCalls(Model):
    x: int = integer(0, 3)
    y: int = integer(0, 3)

    @action()
    def grows(self) -> None:
        require(self.x < 3)
        CALLS.append(1)
        self.x = self.x + 1 if len(CALLS) < 3 else 0
        self.y = self.x

    @always
    def same(self) -> bool:
        return self.x == self.y


def test_side_effect_is_a_disagreement_even_where_nothing_is_violated() -> None:
    CALLS.clear()
    with pytest.raises(DisagreementError, match=r"the staged model and its reference disagree on grows"):
        decide(CountsItsCalls)

"""A HOLDS is compared with the reference semantics on some of its states; what differs is never a verdict."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from systems.seeded import misread, unread

from offsetproof.compiled import instructions
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.situations import EACH, CoverageGoal, Sample, StateBlock, sample_states
from offsetproof.engines.explicit.spot import WHOLE, Comparing, Looked, spot_check
from offsetproof.ir.kind import Kind
from offsetproof.ir.system import Instance, State, show_label
from offsetproof.lang import (
    Index,
    Model,
    Scope,
    Step,
    action,
    always,
    bound,
    each_step,
    flag,
    integer,
    require,
    smaller,
    sometimes,
)
from offsetproof.lang.reference import NotTaken
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


def decide(model: type[Model], scope: Scope | None = None) -> Result:
    return Explicit().decide(Question(model, Setting(scope or Scope("small", {})), model.claims[0]))


def test_sound_model_holds_and_says_what_was_checked() -> None:
    result = decide(Climbs)
    assert (result.verdict, result.counts.states) == (Verdict.HOLDS, 11)
    told = re.fullmatch(
        r"spot check: (\d+) steps, (\d+) that cannot be taken, and the claims on (\d+) states agree with the model's "
        "own Python",
        result.notes[-1],
    )
    assert told is not None
    steps, disabled, judged = map(int, told.groups())
    assert steps >= 2 * EACH
    assert disabled >= 2 * EACH
    assert 8 <= judged <= 11


@pytest.mark.parametrize(("kind", "wrong"), [(Kind.ADD, Kind.SUB), (Kind.LE, Kind.EQ)])
def test_wrong_instruction_is_a_disagreement_and_not_a_verdict(
    monkeypatch: pytest.MonkeyPatch, kind: Kind, wrong: Kind
) -> None:
    monkeypatch.setitem(instructions.WRITERS, kind, instructions.WRITERS[wrong])
    with pytest.raises(DisagreementError, match="the compiled"):
        decide(Climbs)


def counting() -> type[Model]:
    """A model that counts its calls where no state knows of it."""
    calls: list[int] = []

    class CountsItsCalls(Model):
        x: int = integer(0, 3)
        y: int = integer(0, 3)

        @action()
        def grows(self) -> None:
            require(self.x < 3)
            calls.append(1)
            self.x = self.x + 1 if len(calls) < 3 else 0
            self.y = self.x

        @always
        def same(self) -> bool:
            return self.x == self.y

    return CountsItsCalls


def test_side_effect_that_reading_overlooks_is_a_disagreement_even_where_nothing_is_violated() -> None:
    with unread(), pytest.raises(DisagreementError, match=r"grows gives x 0 in Python and [1-3] in the compiled model"):
        decide(counting())


GUEST = Index("guest", "guests")


class Crowded(Model):
    """Guests come, go, may fall down the stairs once, and find a house that is full by the scope's bound."""

    inside: int = integer(0, 40)
    fallen: int = integer(0, 40)
    late: bool = flag()

    @action(g=GUEST)
    def guest_comes(self, g: int) -> None:
        require(self.inside % 3 == g)
        bound(self.inside < 37)
        self.inside = self.inside + 1

    @action(g=GUEST)
    def guest_goes(self, g: int) -> None:
        require(self.inside > 10, self.inside % 3 == g)
        self.inside = self.inside - 1
        self.late = not self.late

    @action(fault="stairs")
    def guest_falls(self) -> None:
        require(self.inside > 20)
        self.fallen = self.inside

    @action()
    def nobody_leaves_earth(self) -> None:
        require(self.inside > 38)
        self.late = True

    @always
    def fits(self) -> bool:
        return self.inside <= 38 and self.fallen <= 37

    @sometimes
    def is_full(self) -> bool:
        return self.inside == 37


CROWDED = Scope("crowd", {"guests": 3}, faults={"stairs": 1})


def looks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, NotTaken | None, State]]:
    """Every look at an instance, in their order: which, what came of it, and the state."""
    found: list[tuple[str, NotTaken | None, State]] = []
    right = Comparing.compare_step

    def noted(self: Comparing, inst: Instance, state: Sample) -> NotTaken | None:
        outcome = right(self, inst, state)
        found.append((show_label(inst.label), outcome, state.whole))
        return outcome

    monkeypatch.setattr(Comparing, "compare_step", noted)
    assert decide(Crowded, CROWDED).verdict is Verdict.HOLDS
    monkeypatch.setattr(Comparing, "compare_step", right)
    return found


def test_each_instance_is_looked_at_where_it_is_taken_cut_and_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    states: dict[tuple[str, NotTaken | None], set[State]] = defaultdict(set)
    looked = looks(monkeypatch)
    for name, outcome, whole in looked:
        states[name, outcome].add(whole)
    names = [*(f"guest_{what}(g={g})" for what in ("comes", "goes") for g in range(3)), "guest_falls"]
    assert {name for name, _ in states} == {*names, "nobody_leaves_earth"}
    few = [(name, how) for name in names for how in (None, NotTaken.DISABLED) if len(states[name, how]) < EACH]
    assert few == []
    assert len(states["guest_comes(g=1)", NotTaken.CUT]) >= 2
    assert [outcome for _, outcome, _ in looked].count(NotTaken.CUT) >= EACH
    assert [name for name, how in states if how is NotTaken.CUT] == ["guest_comes(g=1)"]
    assert len(states["nobody_leaves_earth", NotTaken.DISABLED]) >= EACH


def test_looks_come_from_everywhere_in_the_visited_set(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = {whole[0] for _, _, whole in looks(monkeypatch)}
    assert inside >= {0, 1, 10, 11, 20, 21, 36, 37}


def test_two_runs_look_at_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looks(monkeypatch) == looks(monkeypatch)


def test_check_without_time_says_which_actions_were_not_among_what_it_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    def hurried(*given: Any) -> Looked:
        *seen, limits = given
        return spot_check(*seen, replace(limits, seconds=0.0))

    monkeypatch.setattr("offsetproof.engines.explicit.results.spot_check", hurried)
    result = decide(Crowded, CROWDED)
    assert result.verdict is Verdict.HOLDS
    assert "; 7 action instances that were taken were not among them" in result.notes[0]


def test_looks_have_their_time_although_finding_states_for_them_takes_all_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    processor = [0.0]

    def slow(blocks: Iterable[StateBlock], wanted: Iterable[CoverageGoal], cost_max: int, until: float) -> None:
        assert until == WHOLE.seconds / 2
        sample_states(blocks, wanted, cost_max, until)
        processor[0] += WHOLE.seconds

    monkeypatch.setattr("time.thread_time", lambda: processor[0])
    unhurried = decide(Crowded, CROWDED)
    monkeypatch.setattr("offsetproof.engines.explicit.spot.sample_states", slow)
    assert decide(Crowded, CROWDED).notes == unhurried.notes


def stepping(where: Sequence[int]) -> type[Model]:
    """A model with a claim about steps that Python breaks on steps from some states."""

    class Stepping(Model):
        x: int = integer(0, 60)

        @action()
        def rises(self) -> None:
            self.x = smaller(self.x + 1, 60)

        @each_step()
        def never_falls(before: Model, after: Model, _step: Step) -> bool:  # noqa: N805 - a claim is no method
            return after.x >= before.x and not misread(False, before.x in where)  # type: ignore[attr-defined]  # a field

    return Stepping


def test_claim_about_steps_that_python_breaks_is_a_disagreement() -> None:
    with unread(), pytest.raises(DisagreementError, match=r"rises breaks never_falls in Python .* where x=41"):
        decide(stepping([41]))
    with unread():
        assert decide(stepping([])).verdict is Verdict.HOLDS


def folding(wrong: int) -> type[Model]:
    """A model whose staging believes that a field never moves, so that nothing searched has it."""

    class Folding(Model):
        x: int = integer(0, 30)
        mark: int = integer(0, 3)

        @action()
        def turns(self) -> None:
            self.x = (self.x + 1) % 31
            if self.x == 17:
                self.mark = misread(0, wrong)

        @always
        def stays_unmarked(self) -> bool:
            return self.mark == 0 and self.x <= 30

    return Folding


def test_field_that_is_folded_away_is_compared_as_well() -> None:
    with unread(), pytest.raises(DisagreementError, match="turns gives mark 2 in Python and 0 in the compiled model"):
        decide(folding(2))
    with unread():
        assert decide(folding(0)).verdict is Verdict.HOLDS


def sliced(wrong: int) -> type[Model]:
    """A model with an action that the slice leaves out, though in Python it moves what the claim reads."""

    class Sliced(Model):
        x: int = integer(0, 30)
        idle: int = integer(0, 9)

        @action()
        def turns(self) -> None:
            self.x = (self.x + 1) % 31

        @action()
        def idles(self) -> None:
            self.idle = (self.idle + 1) % 10
            if self.idle == 7:
                self.x = misread(self.x, (self.x + wrong) % 31)

        @always
        def stays(self) -> bool:
            return (self.x + 1) * 2 != 13

    return Sliced


def test_action_that_is_sliced_away_is_compared_as_well() -> None:
    with unread(), pytest.raises(DisagreementError, match=r"idles gives x \d+ in Python and \d+ in the compiled model"):
        decide(sliced(1))
    with unread():
        assert decide(sliced(0)).verdict is Verdict.HOLDS

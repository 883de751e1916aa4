"""An action whose parameter ranges over a set is the same as one with a guard that asks for the set, by hand."""

from __future__ import annotations

import pytest
from engines.naive import Naive

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.smt.engine import Smt
from offsetproof.lang import (
    Index,
    Model,
    OffsetSet,
    Property,
    Setting,
    action,
    always,
    offset_set,
    require,
)
from offsetproof.lang.stage import Staged
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Verdict

WORKERS = Index("worker", 3)


class Pool(Model):
    """Three workers: each waits, then is woken, then may hand its place to any that waits."""

    waiting: OffsetSet = offset_set(3)
    awake: OffsetSet = offset_set(3)

    @action(w=WORKERS, actor="worker[w]")
    def waits(self, w: int) -> None:
        require(not self.waiting.has(w), not self.awake.has(w))
        self.waiting = self.waiting.add(w)

    @always()
    def never_waits_awake(self) -> bool:
        return self.waiting & self.awake == OffsetSet()

    @always()
    def never_all_awake(self) -> bool:
        return self.awake.count() < 3


class Chosen(Pool):
    @action(w=WORKERS, among={"w": lambda model: model.waiting})
    def wakes(self, w: int) -> None:
        self.waiting = self.waiting.remove(w)
        self.awake = self.awake.add(w)

    @action(
        w=WORKERS, v=WORKERS, among={"w": lambda model: model.awake, "v": lambda model: model.waiting - model.awake}
    )
    def hands_over(self, w: int, v: int) -> None:
        self.waiting = self.waiting.remove(v)
        self.awake = self.awake.remove(w).add(v)


class ComparedQuestion(Pool):
    @action(w=WORKERS)
    def wakes(self, w: int) -> None:
        require(self.waiting.has(w))
        self.waiting = self.waiting.remove(w)
        self.awake = self.awake.add(w)

    @action(w=WORKERS, v=WORKERS)
    def hands_over(self, w: int, v: int) -> None:
        require(self.awake.has(w), (self.waiting - self.awake).has(v))
        self.waiting = self.waiting.remove(v)
        self.awake = self.awake.remove(w).add(v)


def question(model: type[Model], claim: Property) -> Question:
    plain = Reductions(slicing=False, dead=False)
    return Question(model, Setting(model.scopes[0]), claim, reductions=plain)


@pytest.mark.parametrize(("claim", "length"), [(Pool.never_waits_awake, None), (Pool.never_all_awake, 6)])
def test_elements_of_a_set_are_what_a_guard_by_hand_lets_through(claim: Property, length: int | None) -> None:
    chosen, guarded = (Explicit().decide(question(model, claim)) for model in (Chosen, ComparedQuestion))
    assert chosen.counts == guarded.counts
    assert chosen.verdict is guarded.verdict is (Verdict.HOLDS if length is None else Verdict.REFUTED)
    assert [None if r.replay is None else len(r.replay.labels) for r in (chosen, guarded)] == [length] * 2
    naive = Naive(Chosen, Setting(Chosen.scopes[0])).decide(claim)
    assert (naive.states, naive.transitions, naive.depth, naive.length) == (
        chosen.counts.states, chosen.counts.transitions, chosen.counts.depth, length
    )  # fmt: skip


def test_every_worker_is_idle_waiting_or_awake() -> None:
    assert Explicit().decide(question(Chosen, Pool.never_waits_awake)).counts.states == 3**3


def test_bounded_search_finds_the_same_shortest_story_through_elements_of_a_set() -> None:
    (found, by_hand) = (
        Smt(depth=8).decide(question(model, Pool.never_all_awake)) for model in (Chosen, ComparedQuestion)
    )
    assert found.replay is not None
    assert by_hand.replay is not None
    assert len(found.replay.labels) == len(by_hand.replay.labels) == 6


def test_both_are_the_same_system() -> None:
    chosen, guarded = (Staged(model, Setting(model.scopes[0])).instances for model in (Chosen, ComparedQuestion))
    assert [(inst.label, inst.guards, inst.updates) for inst in chosen] == [
        (inst.label, inst.guards, inst.updates) for inst in guarded
    ]

"""Arrays, components, queues and bags compare by what is in them, in both kinds of run; what has items is true."""

from __future__ import annotations

from enum import Enum
from itertools import product

import pytest

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.ir.node import evaluate
from offsetproof.lang import (
    ANYTHING,
    Array,
    Bag,
    Component,
    Fifo,
    Index,
    Model,
    Property,
    RefusedError,
    Setting,
    Step,
    action,
    always,
    array,
    bag,
    each_step,
    every,
    fifo,
    flag,
    implies,
    integer,
    one_of,
    optional,
    part,
)
from offsetproof.lang.reference import Reference
from offsetproof.lang.stage import Staged
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict

CELLS, KINDS = Index("cell", 2), Index("kind", 2)


class Letter(Component):
    value: int = integer(0, 1)


class Boxes(Model):
    a: Array[bool] = array(CELLS, flag())
    b: Array[bool] = array(CELLS, flag())
    one: Letter = part(Letter)
    two: Letter = part(Letter)
    q: Fifo[Letter] = fifo(Letter, 2)
    r: Fifo[Letter] = fifo(Letter, 2)
    g: Bag = bag({"kind": KINDS})
    h: Bag = bag({"kind": KINDS})
    arrays: bool = flag()
    components: bool = flag()
    queues: bool = flag()
    bags: bool = flag()
    queue: bool = flag()
    none: bool = flag()
    bagged: bool = flag()
    total: int = integer(0, 2)

    @action()
    def compares(self) -> None:
        self.arrays = self.a == self.b
        self.components = self.one != self.two
        self.queues = self.q == self.r
        self.bags = self.g != self.h
        self.queue = bool(self.q)
        self.none = not self.q
        self.bagged = bool(self.g)
        self.total = sum(letter.value for letter in self.q)


def by_hand(values: dict[str, int]) -> dict[str, int]:
    """What is compared, worked out from the leaves."""

    def held(name: str) -> list[int]:
        return [value for path, value in values.items() if path.startswith((f"{name}[", f"{name}."))]

    on_their_way = [values["q[0].value"], values["q[1].value"]][: values["q.count"]]
    return {
        "arrays": held("a") == held("b"), "components": held("one") != held("two"), "queues": held("q") == held("r"),
        "bags": held("g") != held("h"), "queue": values["q.count"] > 0, "none": values["q.count"] == 0,
        "bagged": any(held("g")), "total": sum(on_their_way),
    }  # fmt: skip


def test_both_kinds_of_run_compare_contents() -> None:
    setting = Setting(Boxes.scopes[0])
    reference, staged = Reference(Boxes, setting), Staged(Boxes, setting)
    (instance,) = staged.instances
    names = [variable.name for variable in staged.variables]
    queues = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 0, 1), (2, 1, 1)]
    bits = [*product((0, 1), repeat=10)]
    tried = [(q, r, bits[0]) for q in queues for r in queues] + [(queues[1], queues[1], rest) for rest in bits]
    for q, r, rest in tried:
        values = dict.fromkeys(names, 0)
        values.update(zip(("q.count", "q[0].value", "q[1].value", "r.count", "r[0].value", "r[1].value"), (*q, *r)))  # noqa: B905 - as many
        values.update(zip(_free(names), rest, strict=True))
        expected = {**values, **by_hand(values)}
        after = reference.take(tuple(values.values()), ("compares", ()))
        assert after == tuple(expected.values())
        updates = dict(zip(instance.updates, evaluate(instance.updates.values(), values), strict=True))
        assert {**values, **updates} == expected


def _free(names: list[str]) -> list[str]:
    """The leaves of arrays, components and bags."""
    found = [name for name in names if name[:2] in ("a[", "b[", "g[", "h[") or name in ("one.value", "two.value")]
    assert len(found) == 10
    return found


class Turns(Model):
    """Two arrays with equal contents, of which a step turns one cell over."""

    a: Array[bool] = array(CELLS, flag())
    b: Array[bool] = array(CELLS, flag(ANYTHING))

    @action(c=CELLS)
    def turns(self, c: int) -> None:
        self.a[c] = not self.a[c]

    @always
    def differ(self) -> bool:
        return self.a != self.b

    @each_step
    def changes(before: Model, after: Model, step: Step) -> bool:  # type: ignore[misc]  # noqa: N805, ARG002 - a claim is no method
        return before.a != after.a  # type: ignore[attr-defined]  # the model's field

    @each_step
    def stays(before: Model, after: Model, step: Step) -> bool:  # type: ignore[misc]  # noqa: N805, ARG002 - a claim is no method
        return before.a == after.a  # type: ignore[attr-defined]  # the model's field


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [(Turns.differ, Verdict.REFUTED), (Turns.changes, Verdict.HOLDS), (Turns.stays, Verdict.REFUTED)],
    ids=lambda value: getattr(value, "name", ""),
)
def test_claims_compare_contents_and_not_objects(claim: Property, verdict: Verdict) -> None:
    assert Explicit().decide(Question(Turns, Setting(Turns.scopes[0]), claim)).verdict is verdict


class AnyLetter(Component):
    """A letter whose value may be anything where it stands in a field of its own."""

    value: int = integer(0, 3, ANYTHING)


class Letters(Model):
    """A queue that starts with a letter in it, one that starts empty, and letters that could hold anything."""

    a: Fifo[AnyLetter] = fifo(AnyLetter, 2)
    z: Fifo[AnyLetter] = fifo(AnyLetter, 2)

    def initially(self) -> None:
        self.a.push(value=2)

    @action()
    def empties(self) -> None:
        self.a.reset()

    @always()
    def empty_queues_are_equal(self) -> bool:
        return implies(every([self.a.count == 0, self.z.count == 0]), self.a == self.z)

    @always()
    def unused_places_are_blank(self) -> bool:
        return implies(self.a.count == 0, self.a[0].value == 0)


@pytest.mark.parametrize("claim", Letters.claims, ids=lambda claim: claim.name)
def test_places_of_a_queue_that_nothing_uses_are_the_same_however_the_model_starts(claim: Property) -> None:
    result = Explicit().decide(Question(Letters, Setting(Letters.scopes[0]), claim))
    assert (result.verdict, result.counts.initial, result.counts.states) == (Verdict.HOLDS, 1, 2)


class First(Enum):
    A, B = range(2)


class Second(Enum):
    A, B = range(2)


class Kinds(Model):
    """Arrays of one encoding, and of kinds that cannot be compared."""

    first: Array[First] = array(CELLS, one_of(First))
    second: Array[Second] = array(CELLS, one_of(Second))
    number: Array[int | None] = array(CELLS, optional(integer(0, 1)))
    member: Array[First | None] = array(CELLS, optional(one_of(First)))

    @action(c=CELLS)
    def moves(self, c: int) -> None:
        self.first[c], self.second[c] = First.B, Second.B
        self.number[c], self.member[c] = 1, First.B

    @always
    def members_alike(self) -> bool:
        return self.first == self.second

    @always
    def optionals_alike(self) -> bool:
        return self.number == self.member


@pytest.mark.parametrize("claim", [Kinds.members_alike, Kinds.optionals_alike], ids=lambda claim: claim.name)
def test_arrays_of_two_kinds_are_not_compared_by_their_numbers(claim: Property) -> None:
    with pytest.raises(RefusedError, match=r"a comparison of .* cannot be staged"):
        Staged(Kinds, Setting(Kinds.scopes[0])).system((claim,))

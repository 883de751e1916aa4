"""Random small models, as Python source: a few fields, a few actions, claims, all drawn from a little grammar.

The source is executed as it stands, so that plain Python (`if`, `and`, chained comparisons) is what both kinds of
run have to agree on; `Drawn.source` is what a failing test shows. Actions may leave domains, index outside of arrays or
ask empty sets for their lowest offset; claims may not (they must be true or false everywhere).
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import strategies as st

from offsetproof.lang import ClaimKind, Model, Property, Setting
from offsetproof.lang.reference import Reference

Pick = Callable[[Sequence[Any]], Any]

_HEADER = """
from enum import Enum
from offsetproof.lang import *

class Colour(Enum):
    RED = 0
    GREEN = 1
    BLUE = 2

class Letter(Component):
    value: int = integer(0, 1)

class Life(Component):
    ended: bool = flag()
    phase: int = integer(0, 2)
    note: int = integer(0, 2)

    def finished(self) -> bool:
        return {finished}

class Drawn(Model):
    scopes = (Scope("drawn", {{"size": 2}}, faults={faults}),)
    f0: bool = flag({flag})
    f1: bool = flag()
    n0: int = integer(0, 2{start})
    n1: int = integer(-1, 2, 0)
    e0: Colour = one_of(Colour)
    s0: OffsetSet = offset_set(2)
    o0: int | None = optional(integer(1, 2))
    a0: Array[int] = array(Index("cell", "size"), integer(0, 1))
    life: Life = part(Life)
    letters: Fifo[Letter] = fifo(Letter, 2)
    bag: Bag = bag({{"kind": Index("kind", 2)}})
"""


@dataclass(frozen=True)
class Drawn:
    """A random model with its source."""

    source: str
    model: type[Model]

    @property
    def setting(self) -> Setting:
        """Its only scope."""
        return Setting(self.model.scopes[0])

    @property
    def claims(self) -> tuple[Property, ...]:
        """One claim of each kind, preferably one that is not decided by the initial states."""
        reference = Reference(self.model, self.setting)

        def undecided(prop: Property) -> bool:
            if prop.kind is ClaimKind.EACH_STEP:
                return True
            shows_when = prop.kind is ClaimKind.SOMETIMES
            return not any(reference.judge(prop, state) is shows_when for state in reference.initial())

        kinds = dict.fromkeys(prop.kind for prop in self.model.claims)
        ordered = sorted(self.model.claims, key=lambda prop: not undecided(prop))
        return tuple(next(prop for prop in ordered if prop.kind is kind) for kind in kinds)

    def __repr__(self) -> str:
        return self.source


_TAME = (
    "n0 = choose(self.n0 == 2, 0, self.n0 + 1)",
    "n0 = smaller(2, self.n0 + 1)",
    "n1 = larger(-1, self.n1 - 1)",
    "n1 = choose(self.n1 > 0, -1, self.n1 + 1)",
    "f0 = not self.f0",
    "f1 = self.n0 == 1",
    "f1 = self.f0",
    "s0 = self.s0.add(0)",
    "s0 = self.s0.add(1)",
    "s0 = self.s0 - OffsetSet(0)",
    "o0 = 1",
    "o0 = 2",
    "o0 = None",
    "e0 = Colour.RED",
    "e0 = Colour.GREEN",
    "e0 = Colour.BLUE",
    "a0[0] = 1",
    "a0[1] = 1 - self.a0[1]",
    "life.phase = smaller(self.life.phase + 1, 2)",
    "life.note = smaller(self.n0 + 1, 2)",
    "life.ended = self.f0",
    "letters.push(value=choose(self.f0, 1, 0))",
    "letters.remove(0)",
    "bag.put(kind=smaller(1, self.n0))",
    "bag.take(kind=choose(self.f1, 1, 0))",
    "life.ended = True",
    "life.ended = not self.life.ended",
    "life.phase = choose(self.f1, 0, 2)",
    "life.note = 1",
    "life.note = 2",
    "n0 = self.life.note",
    "f1 = self.life.note == 1",
)
"""Assignments that stay inside their domains, so that not every model fails at once."""


class Grammar:
    """Writes expressions and statements. `own` is whose fields they read; `total` leaves out what may raise."""

    def __init__(self, pick: Pick, own: Sequence[str], total: bool) -> None:
        self.pick, self._own, self.total = pick, own, total

    def own(self) -> str:
        return str(self.pick(self._own))

    def _join(self, forms: Sequence[Callable[[], str]]) -> str:
        return str(self.pick(forms)())

    def truth(self, depth: int) -> str:
        """A truth value."""
        leaves = [
            lambda: f"{self.own()}.{self.pick(['f0', 'f1', 'life.ended'])}",
            lambda: f"{self.own()}.e0 {self.pick(['==', '!='])} Colour.{self.pick(['RED', 'GREEN', 'BLUE'])}",
            lambda: f"{self.own()}.o0 is {self.pick(['None', 'not None'])}",
            lambda: f"{self.own()}.n0 {self.pick(['==', '!=', '<', '<=', '>', '>='])} {self.pick([0, 1, 2])}",
            lambda: f"{self.own()}.bag.{self.pick(['empty', 'has(kind=0)'])}",
        ]
        if depth <= 0:
            return self._join(leaves)
        t, n, s = (lambda: self.truth(depth - 1)), (lambda: self.number(depth - 1)), (lambda: self.offsets(depth - 1))
        return self._join(
            [
                *leaves,
                lambda: f"({n()} {self.pick(['==', '!=', '<', '<=', '>', '>='])} {n()})",
                lambda: f"(0 <= {n()} < {n()})",
                lambda: f"(not {t()})",
                lambda: f"({t()} {self.pick(['and', 'or'])} {t()})",
                lambda: f"(({t()}) {self.pick(['&', '|', '==', '!='])} ({t()}))",
                lambda: f"{self.pick(['every', 'some', 'all', 'any'])}([{t()}, {t()}])",
                lambda: f"implies({t()}, {t()})",
                lambda: f"choose({t()}, {t()}, {t()})",
                lambda: f"negation({t()})",
                lambda: f"among({n()}, {self.pick([0, 1])}, 2)",
                lambda: f"({s()} {self.pick(['<=', '==', '!='])} {s()})",
                lambda: f"{s()}.has({n()})",
                lambda: f"({n()} in {s()})",
                lambda: f"(True if {s()} else False)",
                lambda: f"{self.own()}.bag.has(kind={self.own()}.n0)",
            ]
        )

    def number(self, depth: int) -> str:
        """An integer."""
        leaves = [
            lambda: f"{self.own()}.{self.pick(['n0', 'n1', 'life.phase', 'life.note', 'letters.count'])}",
            lambda: str(self.pick([0, 1, 2])),
            lambda: f"{self.own()}.a0[{self.pick([0, 1])}]",
            lambda: f"{self.own()}.letters[0].value",
        ]
        if depth <= 0:
            return self._join(leaves)
        t, n, s = (lambda: self.truth(depth - 1)), (lambda: self.number(depth - 1)), (lambda: self.offsets(depth - 1))
        raising = [
            lambda: f"{self.own()}.a0[{n()}]",
            lambda: f"{s()}.{self.pick(['lowest', 'highest'])}()",
            lambda: f"{self.own()}.o0",
        ]
        return self._join(
            [
                *leaves,
                *([] if self.total else raising),
                lambda: f"({n()} {self.pick(['+', '-'])} {n()})",
                lambda: f"(-{n()})",
                lambda: f"{self.pick(['smaller', 'larger', 'min', 'max'])}({n()}, {n()})",
                lambda: f"choose({t()}, {n()}, {n()})",
                lambda: f"({n()} if {t()} else {n()})",
                lambda: f"{s()}.{self.pick(['lowest', 'highest'])}(default={n()})",
                lambda: f"{s()}.count()",
                lambda: (lambda own: f"({own}.o0 if {own}.o0 is not None else {n()})")(self.own()),
            ]
        )

    def offsets(self, depth: int) -> str:
        """An offset set."""
        leaves = [lambda: f"{self.own()}.s0", lambda: self.pick(["OffsetSet()", "OffsetSet(0)", "OffsetSet(0, 2)"])]
        if depth <= 0:
            return self._join(leaves)
        t, n, s = (lambda: self.truth(depth - 1)), (lambda: self.number(depth - 1)), (lambda: self.offsets(depth - 1))
        raising = [lambda: f"{s()}.{self.pick(['add', 'remove'])}({n()})"]
        return self._join(
            [
                *leaves,
                *([] if self.total else raising),
                lambda: f"({s()} {self.pick(['|', '&', '-'])} {s()})",
                lambda: f"choose({t()}, {s()}, {s()})",
                lambda: f"OffsetSet.below({n()})",
            ]
        )

    def statement(self, depth: int) -> list[str]:
        """A statement, as lines."""
        own = self.own()
        kinds = [
            "set",
            "number",
            "colour",
            "option",
            "cell",
            "send",
            "receive",
            "put",
            "take",
            "life",
            "reset",
            "guard",
            "bound",
            *["tame"] * 14,
            *["if"] * 4 * depth,
        ]
        kind = self.pick(kinds)
        if kind == "if":
            lines = [f"if {self.truth(1)}:", *("    " + line for line in self.statement(depth - 1))]
            return lines if self.pick([0, 1]) else [*lines, "else:", *("    " + x for x in self.statement(depth - 1))]
        one: dict[str, Callable[[], str]] = {
            "tame": lambda: f"{own}.{self.pick(_TAME)}".replace("self", own),
            "set": lambda: f"{own}.s0 = {self.offsets(2)}",
            "number": lambda: f"{own}.{self.pick(['n0', 'n1', 'life.note'])} = {self.number(2)}",
            "colour": lambda: f"{own}.e0 = choose({self.truth(1)}, Colour.{self.pick(['RED', 'BLUE'])}, {own}.e0)",
            "option": lambda: f"{own}.o0 = {self.pick(['None', self.number(1)])}",
            "cell": lambda: f"{own}.a0[{self.number(0)}] = {self.number(1)}",
            "send": lambda: f"{own}.letters.push(value={self.number(1)})",
            "receive": lambda: f"{own}.letters.remove(0)",
            "put": lambda: f"{own}.bag.put(kind={self.number(1)})",
            "take": lambda: f"{own}.bag.take(kind={self.number(1)})",
            "life": lambda: self.pick([f"{own}.life.ended = {self.truth(1)}", f"{own}.life.phase = {self.number(1)}"]),
            "reset": lambda: f"{own}.life.reset()",
            "guard": lambda: f"require({self.truth(1)})",
            "bound": lambda: f"bound({self.truth(1)})",
        }
        return [one[kind]()]


_ONE_SIDED = (
    ["self.n0 = 7"],
    ["bound(False)"],
    ["bound(self.scope.size > 2)"],
    ["bound(self.n0 < 1)"],
    ["self.n1 = self.n1 + 2"],
    ["self.a0[self.n0] = 1"],
    ["self.f0 = True", "bound(self.n1 < 0)"],
    ["bound(self.life.ended)", "self.life.note = 3"],
    ["require(self.o0 is not None)", "self.n0 = self.o0 + 1"],
)
"""What never, or not everywhere, is taken: it goes wrong, or only a bound forbids it."""

_TASK = """
class Task(Component):
    held: bool = flag()
    item: int = integer(0, 2)

    def finished(self) -> bool:
        return not self.held
"""
"""An object whose item is dead while nobody holds it."""

_TASK_STEPS = """
    task: Task = part(Task)

    @action()
    def task_begins(self) -> None:
        require(not self.task.held)
        self.task.held = True
        self.task.item = 2 - self.n0

    @action()
    def task_ends(self) -> None:
        require(self.task.held)
        self.n0 = self.task.item
        self.task.held = False
"""

_ONE_KIND: dict[str, int] = {"slip": 2}


def _action(pick: Pick, acts: Grammar, number: int, given: str) -> list[str]:
    """An action, as lines; `given` is what its decorator is given."""
    with_value = given.startswith("v")
    lines = [
        f"    @action({given}actor='{pick(['alice', 'bob'])}')",
        f"    def act{number}(self{', v' if with_value else ''}) -> None:",
    ]
    body = [f"require({acts.truth(1)})"] if pick([0, 0, 1]) else []
    if with_value:
        body.append(pick(["require(self.n0 == v)", "self.a0[v] = 1", "self.n0 = v", "self.letters.push(value=v)"]))
    for _ in range(pick([1, 1, 2])):
        body += acts.statement(1)
    return [*lines, *("        " + line for line in body)]


def _one_sided_action(pick: Pick, acts: Grammar, number: int, given: str) -> list[str]:
    """An action that goes wrong or is cut, and seldom more; as lines."""
    body = [f"require({acts.truth(1)})"] if pick([0, 1, 1]) else []
    body += pick(_ONE_SIDED)
    return [f"    @action({given})", f"    def odd{number}(self) -> None:", *("        " + line for line in body)]


def _fault_kinds(pick: Pick) -> dict[str, int]:
    """Two or three kinds of faults, with their budgets."""
    return {kind: pick([1, 1, 2]) for kind in pick([["slip", "loss"], ["slip", "loss", "crash"]])}


def _written(pick: Pick, several: bool) -> str:
    acts, claims = Grammar(pick, ["self"], total=several), Grammar(pick, ["self"], total=True)
    steps = Grammar(pick, ["before", "after"], total=True)
    ended = pick(["self.ended", "self.phase == 2", "self.ended and self.phase > 0", "False"])
    filled = {"finished": ended, "flag": pick(["", "True"]), "start": pick(["", ", ANYTHING"])}
    kinds = _fault_kinds(pick) if several else _ONE_KIND
    lines = _HEADER.format(**filled, faults=kinds).splitlines()
    faults = [f'fault="{kind}", ' for kind in kinds]
    ways = ["", "", 'v=Index("value", 2), ', *faults]
    for i in range(pick([2, 3, 3] if several else [3, 4, 5])):
        lines += _action(pick, acts, i, faults[0] if several and i == 0 else pick(ways))
    for i in range(pick([2, 2, 3]) if several else 0):
        lines += _one_sided_action(pick, acts, i, faults[-1] if i == 0 else pick(["", *faults]))
    lines += ["    def rest(self):", f"        return {claims.truth(1)}"]
    for i in range(4):
        for kind, name in (("always", "state"), ("sometimes", "witness"), ("at_rest", "resting")):
            lines += [f"    @{kind}()", f"    def {name}{i}(self):", f"        return {claims.truth(2)}"]
    lines += ["    @each_step()", "    def step(before, after, step):", f"        return {steps.truth(2)}"]
    return "\n".join(lines) + "\n"


def made(seed: int, *, several: bool = False) -> Drawn:
    """The random model with this number.

    With `several` it has several kinds of faults and actions that go wrong or are cut, and each third a task.
    """
    source = _written(Random(seed).choice, several)
    if several and seed % 3 == 0:
        source = source.replace("class Drawn", f"{_TASK.lstrip()}\nclass Drawn") + _TASK_STEPS
    names: dict[str, Any] = {"__name__": "drawn_model"}
    file = f"<drawn model {seed}{' of several faults' if several else ''}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), names)
    return Drawn(source, names["Drawn"])


def models() -> st.SearchStrategy[Drawn]:
    """Random models. One number decides everything: drawing each choice would favour the first ones far too much."""
    return st.integers(0, 1 << 32).map(made)

"""Whole random programs, as text, each from its number alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from textwrap import dedent

from programs.borderline import BORDERLINE
from programs.grammar import EXTRAS, Grammar
from programs.offences import OFFENCES, Offence
from programs.refused_snippets import REFUSED
from programs.statements import Lines, Statements, indented

_HEAD = """\
import functools
import random
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from enum import Enum
from typing import NamedTuple

from offsetproof.lang import *


class Colour(Enum):
    RED = 0
    GREEN = 1
    BLUE = 2


class MineError(Exception):
    pass


class Pair(NamedTuple):
    a: int
    b: int

    def total(self):
        return self.a + self.b


LADDER = (0, 1, 2)


def clipped(n):
    return larger(0, smaller(2, n))


def is_low(n, limit=1):
    if n < limit:
        return True
    return n == limit


def summed(n, times):
    return 0 if times == 0 else n + summed(n, times - 1)


def gathered(first, *others, last=0):
    return first + sum(others) - last


class Letter(Component):
    value: int = integer(0, 1)


class Life(Component):
    busy: bool = flag()
    n: int = integer(0, 2{life})

    def moves(self, n):
        self.n = clipped(n)

    def finished(self):
        return {finished}


class Worker(Component):
    busy: bool = flag()
    n: int = integer(0, 1)

    @property
    def idle(self):
        return not self.busy

"""

_FIELDS = {
    "e0": (
        "e0: Colour = one_of(Colour)",
        "e0: Colour = one_of(Colour, Colour.BLUE)",
        "e0: Colour = one_of(Colour, ANYTHING)",
    ),
    "n1": (
        "n1: int = integer(-1, 2, 0)",
        "n1: int = integer(-1, lambda scope: scope.size)",
        "n1: int = integer(-1, 2, ANYTHING)",
    ),
    "s0": (
        "s0: OffsetSet = offset_set(2)",
        's0: OffsetSet = offset_set("size", OffsetSet(1))',
        "s0: OffsetSet = offset_set(2, ANYTHING)",
    ),
    "o0": ("o0: int | None = optional(integer(1, 2))", "o0: int | None = optional(integer(1, 2), 2)"),
    "oe": ("oe: Colour | None = optional(one_of(Colour))",),
    "cells": (
        'cells: Array[int] = array(Index("cell", "size"), integer(0, 1))',
        'cells: Array[int] = array(Index("cell", 2), integer(0, 1, ANYTHING))',
    ),
    "flags": ('flags: Array[bool] = array(Index("flag", 2), flag())',),
    "life": ("life: Life = part(Life)",),
    "workers": ('workers: Array[Worker] = array(Index("worker", 2), Worker)',),
    "q": ("q: Fifo[Letter] = fifo(Letter, 2)", 'q: Fifo[Letter] = fifo(Letter, "size")'),
    "g": ('g: Bag = bag({"kind": Index("kind", 2)})', 'g: Bag = bag({"kind": Index("kind", 2)}, 2)'),
}


SNIPPETS = (*OFFENCES, *BORDERLINE, *REFUSED)
"""What programs have in them in their turn."""


@dataclass(frozen=True)
class Program:
    """A program's text, the forms that are in it, and the one thing in it that should not be there, if there is one."""

    seed: int
    source: str
    used: frozenset[str]
    offence: Offence | None


class _Writer:
    """Writes one program."""

    def __init__(self, seed: int, offence: Offence | None) -> None:
        self.random, self.offence = Random(seed), offence
        self.used: set[str] = set()
        text = "" if offence is None else offence.body + offence.claim + offence.members
        wanted = [name for name in EXTRAS if re.search(rf"\b{name}\b", text)]
        more = self.random.sample(EXTRAS, self.random.choice([1, 2, 2, 3]))
        self.fields = ["n0", "f0", *dict.fromkeys([*wanted, *more])]

    def grammar(self, *own: str, total: bool) -> Grammar:
        return Grammar(self.random, self.fields, self.used, own, total=total)

    def written(self) -> str:
        """The whole text."""
        pick, offence = self.random.choice, self.offence
        finished = pick(["self.busy", "self.n == 2", "False", "self.busy and self.n > 0"])
        lines = _HEAD.format(life=pick(["", ", 1"]), finished=finished).splitlines()
        if offence is not None and offence.before:
            lines += [*dedent(offence.before).strip("\n").splitlines(), ""]
        lines += ["", "class Drawn(Model):", *indented(self._members())]
        lines += self._loose_claims()
        return "\n".join(lines) + "\n"

    def _members(self) -> Lines:
        pick = self.random.choice
        budget = pick([0, 1, 1, 2])
        lines = [f'scopes = (Scope("drawn", {{"size": 2}}, {{"slip": {budget}}}),)']
        lines += [pick(["f0: bool = flag()", "f0: bool = flag(True)", "f0: bool = flag(ANYTHING)"])]
        lines += [
            pick(["n0: int = integer(0, 2)", 'n0: int = integer(0, "size", 1)', "n0: int = integer(0, 2, ANYTHING)"])
        ]
        lines += [pick(_FIELDS[name][:1] * 2 + _FIELDS[name]) for name in self.fields[2:]]
        lines += ["", "def is_even(self, n):", "    return n % 2 == 0"]
        lines += ["", "@property", "def is_first(self):", "    return self.n0 == 0"]
        offence = self.offence
        if offence is not None and offence.members:
            lines += ["", *dedent(offence.members).strip("\n").splitlines()]
        own = "" if offence is None else offence.members
        if "def initially" not in own and pick([0, 0, 1]):
            lines += ["", *self._initially()]
        actions = [self._action(i) for i in range(pick([2, 3, 3, 4]))]
        if offence is not None and offence.body:
            actions[pick(range(len(actions)))] = self._offending(offence)
        self.actions = [line.partition("(")[0][4:] for action in actions for line in action if line.startswith("def ")]
        for action in actions:
            lines += ["", *action]
        if "def rest" not in own:
            lines += ["", "def rest(self):", f"    return {self.grammar('self', total=True).truth(1)}"]
        return [*lines, "", "@always", "def state(self):", f"    return {self.grammar('self', total=True).truth(2)}"]

    def _initially(self) -> Lines:
        grammar = self.grammar("self", total=True)
        body = [f"require({grammar.truth(1)} or self.n0 >= 0)"] if self.random.random() < 0.5 else []
        tame = Statements(grammar)._tame()
        for _ in range(self.random.choice([1, 2])):
            name, write = self.random.choice(
                [form for form in tame if form[0] not in ("push", "remove", "put", "take")]
            )
            self.used.add(f"initially: {name}")
            body += write()
        if self.random.random() < 0.3:
            body = [f"if {grammar.truth(1)}:", *indented(body)]
        return ["def initially(self):", *indented(body)]

    def _action(self, number: int) -> Lines:
        grammar = self.grammar("self", total=False)
        pick = self.random.choice
        given, head = self._given(grammar)
        body = [f"require({grammar.truth(1)})"] if pick([0, 0, 1]) else []
        if head == "v":
            body.append(pick(["require(self.n0 == v)", "self.n0 = v", "require(v >= self.n0)"]))
            grammar.numbers.append("v")
        elif head == "c" and "e0" in self.fields:
            body.append(pick(["self.e0 = c", "require(self.e0 != c)", "self.f0 = self.e0 == c"]))
        for _ in range(pick([1, 1, 2, 3])):
            body += Statements(grammar).some(1)
        body += pick([[], [], Statements(grammar).some(2)])
        argument = f", {head}" if head else ""
        return [f"@action({given})", f"def act{number}(self{argument}):", *indented(body)]

    def _given(self, grammar: Grammar) -> tuple[str, str]:
        choices = [("", ""), ("", ""), ('v=Index("value", 2)', "v"), ("c=Colour", "c"), ('fault="slip"', "")]
        if "s0" in self.fields:
            among = self.random.choice(["model.s0", "model.s0 | OffsetSet(0)", "OffsetSet.below(model.n0)"])
            choices += [(f'v=Index("value", 2), among={{"v": lambda model: {among}}}', "v")] * 2
        given, head = self.random.choice(choices)
        grammar.used.add(f"@action({'among' if 'among' in given else given})")
        return given, head

    def _offending(self, offence: Offence) -> Lines:
        grammar = self.grammar("self", total=False)
        head = f"@action(v={offence.parameter})" if offence.parameter else "@action()"
        body = offence.body.splitlines()
        place = self.random.choice(["plain", "plain", "branch", "after"])
        if place == "branch":
            body = ["if self.n0 != 1 or self.f0:", *indented(body)]
        elif place == "after":
            body = ["self.n0 = (self.n0 + 1) % 3", *body]
        more = Statements(grammar).some(1) if self.random.random() < 0.4 else []
        return [head, f"def offends(self{', v' if offence.parameter else ''}):", *indented([*body, *more])]

    def _loose_claims(self) -> Lines:
        lines: Lines = []
        for kind in ("sometimes", "at_rest", "always"):
            truth = self.grammar("model", total=True).truth(2)
            lines += ["", "", f"@{kind}", f"def {kind}_drawn(model):", f"    return {truth}"]
        truth = self.grammar("before", "after", total=True).truth(2)
        steps = self.random.choice([f'step.action != "{self.random.choice(self.actions)}" or ', "", ""])
        lines += ["", "", "@each_step", "def step_drawn(before, after, step):", f"    return {steps}{truth}"]
        if self.offence is not None and self.offence.claim:
            is_step = re.search(r"\b(step|before)\b", self.offence.claim) is not None
            given, kind = ("before, after, step", "each_step") if is_step else ("model", "always")
            lines += ["", "", f"@{kind}", f"def offending({given}):", *indented(self.offence.claim.splitlines())]
        return lines


def program(seed: int) -> Program:
    """The program with this number. Every other one has an offence in it, each in its turn."""
    offence = SNIPPETS[(seed // 2) % len(SNIPPETS)] if seed % 2 else None
    writer = _Writer(seed, offence)
    return Program(seed, writer.written(), frozenset(writer.used), offence)

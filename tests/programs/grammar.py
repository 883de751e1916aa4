"""Random expressions and statements of a model, as text, from what the language allows.

Each form has a name, and notes when it is used, so that a test can ask whether every one of them was accepted in some
program. Claims are `total`: they leave out what may raise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random

Form = tuple[str, Callable[[], str]]

EXTRAS = ("e0", "n1", "s0", "o0", "oe", "cells", "flags", "life", "workers", "q", "g")
"""Fields that a program may have beside n0 and f0."""

_COMPARE = ("==", "!=", "<", "<=", ">", ">=")
_COLOURS = ("RED", "GREEN", "BLUE")


class Grammar:
    """Writes expressions about `own`, with the fields that the program has; `used` collects the names of forms."""

    def __init__(
        self, random: Random, fields: Iterable[str], used: set[str], own: Sequence[str] = ("self",), *, total: bool
    ) -> None:
        self.random, self.fields, self.used, self._own, self.total = random, frozenset(fields), used, own, total
        self.numbers: list[str] = []
        self.truths: list[str] = []
        self._fresh = 0

    def pick(self, *choices: object) -> str:
        return str(self.random.choice(choices))

    def own(self) -> str:
        return self.pick(*self._own)

    def fresh(self) -> str:
        """A name for a local."""
        self._fresh += 1
        return f"k{self._fresh}"

    def _one_of(self, forms: Sequence[Form]) -> str:
        name, write = self.random.choice(forms)
        self.used.add(name)
        return write()

    def _having(self, forms: dict[str, Sequence[Form]]) -> list[Form]:
        """The forms whose field the program has."""
        return [form for field, some in forms.items() if field in self.fields for form in some]

    def truth(self, depth: int = 1) -> str:
        """A truth value."""
        own, pick = self.own, self.pick
        leaves: list[Form] = [
            ("flag", lambda: f"{own()}.f0"),
            ("comparison", lambda: f"{own()}.n0 {pick(*_COMPARE)} {pick(0, 1, 2)}"),
            ("True", lambda: pick("True", "False")),
            *([("local truth", lambda: pick(*self.truths))] if self.truths else []),
            *self._having(
                {
                    "e0": [("member ==", lambda: f"{own()}.e0 {pick('==', '!=')} Colour.{pick(*_COLOURS)}")],
                    "o0": [("is None", lambda: f"{own()}.o0 is {pick('None', 'not None')}")],
                    "oe": [("optional member", lambda: f"{own()}.oe == {pick('None', 'Colour.RED')}")],
                    "flags": [("array of flags", lambda: f"{own()}.flags[{pick(0, 1)}]")],
                    "life": [("component's flag", lambda: f"{own()}.life.busy")],
                    "g": [
                        ("bag.empty", lambda: f"{own()}.g.empty"),
                        ("bag.has", lambda: f"{own()}.g.has(kind={own()}.n0)"),
                        ("truth of a bag", lambda: f"bool({own()}.g)"),
                    ],
                    "q": [("truth of a queue", lambda: f"({own()}.q.count > 0 or not {own()}.q)")],
                }
            ),
        ]
        if depth <= 0:
            return self._one_of(leaves)
        t, n, s = (lambda: self.truth(depth - 1)), (lambda: self.number(depth - 1)), (lambda: self.offsets(depth - 1))
        return self._one_of(
            [
                *leaves,
                ("comparison of numbers", lambda: f"({n()} {pick(*_COMPARE)} {n()})"),
                ("chain", lambda: f"({n()} {pick('<', '<=')} {n()} {pick('<', '!=')} {n()})"),
                ("not", lambda: f"(not {t()})"),
                ("and", lambda: f"({t()} {pick('and', 'or')} {t()})"),
                ("&", lambda: f"(({t()}) {pick('&', '|', '==', '!=')} ({t()}))"),
                ("any", lambda: f"{pick('any', 'all', 'every', 'some')}([{t()}, {t()}])"),
                ("any of a generator", lambda: f"{pick('any', 'all', 'every', 'some')}({n()} > i for i in range(3))"),
                ("if expression", lambda: f"({t()} if {t()} else {t()})"),
                ("implies", lambda: f"implies({t()}, {t()})"),
                ("choose truth", lambda: f"choose({t()}, {t()}, {t()})"),
                ("negation", lambda: f"negation({t()})"),
                ("among", lambda: f"among({n()}, {n()}, 2)"),
                ("in a tuple", lambda: f"({n()} {pick('in', 'not in')} (0, {n()}))"),
                ("in a range", lambda: f"({n()} in range({pick(1, 2, 3)}))"),
                ("bool", lambda: f"bool({n()})"),
                ("tuples", lambda: f"(({n()}, {n()}) {pick('==', '<', '<=', '!=')} ({n()}, 1))"),
                ("walrus", lambda: f"(({(k := self.fresh())} := {n()}) > 0 and {k} < 2)"),
                ("lambda", lambda: f"(lambda a, b=1: a > b)({n()})"),
                ("helper's truth", lambda: f"is_low({n()}, {n()})"),
                ("method's truth", lambda: f"{own()}.is_even({n()})"),
                ("property", lambda: f"{own()}.is_first"),
                *self._having(
                    {
                        "s0": [
                            ("sets compared", lambda: f"({s()} {pick('==', '!=', '<=', '>=')} {s()})"),
                            ("has", lambda: f"{s()}.has({n()})"),
                            ("in a set", lambda: f"({n()} in {s()})"),
                            ("truth of a set", lambda: f"(True if {s()} else False)"),
                            ("any of a set", lambda: f"any(i == {n()} for i in {s()})"),
                        ],
                        "cells": [
                            ("any of an array", lambda: f"any(c > {n()} for c in {own()}.cells)"),
                            ("in an array", lambda: f"({n()} in {own()}.cells)"),
                            ("arrays compared", lambda: f"({own()}.cells == {own()}.cells)"),
                        ],
                        "flags": [("some of flags", lambda: f"{pick('some', 'every')}({own()}.flags)")],
                        "workers": [
                            ("any of components", lambda: f"any(w.busy and w.n < {n()} for w in {own()}.workers)"),
                            (
                                "components compared",
                                lambda: f"({own()}.workers[0] {pick('==', '!=')} {own()}.workers[1])",
                            ),
                            ("zip", lambda: f"all(w.n >= i for w, i in zip({own()}.workers, (0, {n()})))"),
                            ("component's property", lambda: f"{own()}.workers[{pick(0, 1)}].idle"),
                        ],
                        "q": [("any of a queue", lambda: f"any(letter.value == {n()} for letter in {own()}.q)")],
                    }
                ),
            ]
        )

    def number(self, depth: int = 1) -> str:
        """An integer."""
        own, pick = self.own, self.pick
        leaves: list[Form] = [
            ("number", lambda: f"{own()}.n0"),
            ("constant", lambda: pick(0, 1, 2, -1)),
            *([("local", lambda: pick(*self.numbers))] if self.numbers else []),
            *self._having(
                {
                    "n1": [("negative number", lambda: f"{own()}.n1")],
                    "cells": [("array of numbers", lambda: f"{own()}.cells[{pick(0, 1)}]")],
                    "life": [("component's number", lambda: f"{own()}.life.n")],
                    "workers": [("component in an array", lambda: f"{own()}.workers[{pick(0, 1)}].n")],
                    "q": [
                        ("queue.count", lambda: f"{own()}.q.count"),
                        ("element", lambda: f"{own()}.q[{pick(0, 1)}].value"),
                    ],
                    "o0": [("number_of", lambda: f'{own()}.number_of("o0")')] if self.total else [],
                    "s0": [("count", lambda: f"{own()}.s0.count()")],
                }
            ),
        ]
        if depth <= 0:
            return self._one_of(leaves)
        t, n, s = (lambda: self.truth(depth - 1)), (lambda: self.number(depth - 1)), (lambda: self.offsets(depth - 1))
        raising: list[Form] = [
            ("division by a field", lambda: f"({n()} {pick('//', '%')} {n()})"),
            *self._having(
                {
                    "cells": [("array by a field", lambda: f"{own()}.cells[{n()}]")],
                    "s0": [("lowest or error", lambda: f"{s()}.{pick('lowest', 'highest')}()")],
                    "o0": [("optional", lambda: f"{own()}.o0")],
                }
            ),
        ]
        return self._one_of(
            [
                *leaves,
                *([] if self.total or self.random.random() < 0.8 else raising),
                ("+", lambda: f"({n()} {pick('+', '-')} {n()})"),
                ("*", lambda: f"({n()} * {n()})"),
                ("// and %", lambda: f"({n()} {pick('//', '%')} {pick(1, 2, 3, -1, -2)})"),
                ("constant // field", lambda: f"({pick(3, -3)} {pick('//', '%')} ({own()}.n0 + 1))"),
                ("-", lambda: f"({pick('-', '+')}{n()})"),
                ("abs", lambda: f"abs({n()})"),
                ("divmod", lambda: f"divmod({n()}, {pick(2, -2)})[{pick(0, 1)}]"),
                ("smaller", lambda: f"{pick('smaller', 'larger')}({n()}, {n()})"),
                ("min", lambda: f"{pick('min', 'max')}({n()}, {n()})"),
                ("min by key", lambda: f"min((0, 1, {n()}), key=lambda a: abs(a - {n()}))"),
                ("choose", lambda: f"choose({t()}, {n()}, {n()})"),
                ("number if", lambda: f"({n()} if {t()} else {n()})"),
                ("sum", lambda: f"sum(choose({t()}, 1, 0) for _ in range(2))"),
                ("sum with if", lambda: f"sum(1 for i in range(2) if {n()} > i)"),
                ("sorted", lambda: f"sorted([{n()}, {n()}, 1])[{pick(0, 1, -1)}]"),
                ("enumerate", lambda: f"sum(i * k for i, k in enumerate([{n()}, {n()}]))"),
                ("len", lambda: f"len([i for i in range(3) if i < {n()}])"),
                ("dict of numbers", lambda: f'{{"a": {n()}, "b": {n()}}}["{pick("a", "b")}"]'),
                ("reduce", lambda: f"functools.reduce(lambda a, b: a + b, [{n()}, {n()}])"),
                ("helper's number", lambda: f"clipped({n()})"),
                ("recursive helper", lambda: f"summed({n()}, 2)"),
                ("helper with stars", lambda: f"gathered({n()}, *[1, {n()}], last={n()})"),
                ("table of the module", lambda: f"LADDER[{pick(0, 1, 2)}]"),
                ("scope", lambda: f"({own()}.scope.size - {n()})"),
                ("tuple.index", lambda: f"(0, 1, {n()}).count({n()})"),
                ("record", lambda: f"Pair({n()}, 1).total()"),
                *self._having(
                    {
                        "s0": [
                            ("lowest", lambda: f"{s()}.{pick('lowest', 'highest')}(default={n()})"),
                            ("sum of a set", lambda: f"sum(i for i in {s()})"),
                        ],
                        "o0": [
                            (
                                "optional with else",
                                lambda: (lambda o: f"({o}.o0 if {o}.o0 is not None else {n()})")(own()),
                            )
                        ],
                        "cells": [("sum of an array", lambda: f"{pick('sum', 'max', 'min')}({own()}.cells)")],
                        "workers": [
                            ("sum of components", lambda: f"sum(w.n for w in {own()}.workers if w.busy)"),
                            ("reversed", lambda: f"[w.n for w in reversed({own()}.workers)][0]"),
                        ],
                        "q": [("sum of a queue", lambda: f"sum(letter.value for letter in {own()}.q)")],
                    }
                ),
            ]
        )

    def offsets(self, depth: int = 1) -> str:
        """An offset set."""
        own, pick = self.own, self.pick
        leaves: list[Form] = [
            *self._having({"s0": [("set", lambda: f"{own()}.s0")]}),
            ("constant set", lambda: pick("OffsetSet()", "OffsetSet(0)", "OffsetSet(0, 1)", "OffsetSet.of_mask(2)")),
        ]
        if depth <= 0:
            return self._one_of(leaves)
        t, n, s = (lambda: self.truth(depth - 1)), (lambda: self.number(depth - 1)), (lambda: self.offsets(depth - 1))
        return self._one_of(
            [
                *leaves,
                *([] if self.total else [("add", lambda: f"{s()}.{pick('add', 'remove')}({n()})")]),
                ("add, inside", lambda: f"{s()}.{pick('add', 'remove')}(abs({n()}))"),
                ("set operators", lambda: f"({s()} {pick('|', '&', '-')} {s()})"),
                ("choose set", lambda: f"choose({t()}, {s()}, {s()})"),
                ("below", lambda: f"OffsetSet.below({n()})"),
            ]
        )

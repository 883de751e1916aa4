"""Random statements of an action: assignments, guards, loops, branches, and what queues and bags can do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from programs.grammar import Grammar

Lines = list[str]
Statement = tuple[str, Callable[[], Lines]]


def indented(lines: Sequence[str], by: int = 1) -> Lines:
    """The lines, further to the right."""
    return ["    " * by + line for line in lines]


class Statements:
    """Writes statements with a grammar's expressions."""

    def __init__(self, grammar: Grammar) -> None:
        self.g = grammar

    def some(self, depth: int = 1) -> Lines:
        """One statement, mostly one that keeps its field inside."""
        forms = [*self._tame() * 3, *self._plain(), *(self._nested(depth) * 2 if depth > 0 else [])]
        name, write = self.g.random.choice(forms)
        self.g.used.add(name)
        return write()

    def _block(self, depth: int) -> Lines:
        """Statements of a branch or a loop; names that they bind are not known after it."""
        known = list(self.g.numbers), list(self.g.truths)
        lines = [line for _ in range(self.g.random.choice([1, 1, 2])) for line in self.some(depth - 1)]
        self.g.numbers, self.g.truths = known
        return lines

    def _tame(self) -> list[Statement]:
        g, own = self.g, self.g.own()
        n, t, s = g.number, g.truth, g.offsets
        having: dict[str, list[Statement]] = {
            "n1": [("n1 =", lambda: [f"{own}.n1 = larger(-1, smaller(2, {n()}))"])],
            "e0": [
                ("e0 =", lambda: [f"{own}.e0 = Colour.{g.pick('RED', 'GREEN', 'BLUE')}"]),
                ("e0 = choose", lambda: [f"{own}.e0 = choose({t()}, Colour.{g.pick('RED', 'BLUE')}, {own}.e0)"]),
            ],
            "s0": [
                ("s0 =", lambda: [f"{own}.s0 = {s()} & OffsetSet(0, 1)"]),
                ("s0 |=", lambda: [f"{own}.s0 {g.pick('|=', '-=', '&=')} OffsetSet({g.pick(0, 1)})"]),
            ],
            "o0": [
                ("o0 =", lambda: [f"{own}.o0 = {g.pick('None', 1, 2)}"]),
                ("o0 = expression", lambda: [f"{own}.o0 = {n()} % 2 + 1"]),
            ],
            "oe": [("oe =", lambda: [f"{own}.oe = {g.pick('None', 'Colour.RED', 'Colour.BLUE')}"])],
            "cells": [
                ("cells =", lambda: [f"{own}.cells[{g.pick(0, 1)}] = {n()} % 2"]),
                ("cells by a field", lambda: [f"{own}.cells[{n()} % 2] = choose({t()}, 1, 0)"]),
            ],
            "flags": [("flags =", lambda: [f"{own}.flags[{g.pick(0, 1)}] = {t()}"])],
            "life": [
                ("life.busy =", lambda: [f"{own}.life.busy = {t()}"]),
                ("life.n =", lambda: [f"{own}.life.n = {n()} % 3"]),
                ("reset", lambda: [f"{own}.life.reset()"]),
                ("method of a component", lambda: [f"{own}.life.moves({n()})"]),
            ],
            "workers": [
                ("workers.n =", lambda: [f"{own}.workers[{g.pick(0, 1)}].n = {n()} % 2"]),
                ("workers by a field", lambda: [f"{own}.workers[{n()} % 2].busy = {t()}"]),
                (
                    "component by a name",
                    lambda: [f"w = {own}.workers[{g.pick(0, 1)}]", "w.busy, w.n = not w.busy, 1 - w.n"],
                ),
            ],
            "q": [
                ("push", lambda: [f"{own}.q.push(value=abs({n()}) % 2)"]),
                ("remove", lambda: [f"{own}.q.remove({g.pick(0, 0, 1)})"]),
                ("q.reset", lambda: [f"{own}.q.reset()"]),
            ],
            "g": [
                ("put", lambda: [f"{own}.g.put(kind={n()} % 2)"]),
                ("take", lambda: [f"{own}.g.take(kind={n()} % 2)"]),
            ],
        }
        return [
            ("n0 =", lambda: [f"{own}.n0 = clipped({n(2)})"]),
            ("n0 = %", lambda: [f"{own}.n0 = ({n(2)}) % 3"]),
            ("f0 =", lambda: [f"{own}.f0 = {t(2)}"]),
            ("n0 = choose", lambda: [f"{own}.n0 = choose({own}.n0 == 2, 0, {own}.n0 + 1)"]),
            *(form for field, forms in having.items() if field in g.fields for form in forms),
        ]

    def _plain(self) -> list[Statement]:
        g, own = self.g, self.g.own()
        n, t = g.number, g.truth
        return [
            ("n0 may leave", lambda: [f"{own}.n0 = {n()}"]),
            ("n0 +=", lambda: [f"require({own}.n0 < 2)", f"{own}.n0 += 1"]),
            ("swap", lambda: [f"{own}.n0, {own}.f0 = clipped({n()}), {own}.n0 == 1"]),
            ("require", lambda: [f"require({t()})"]),
            ("bound", lambda: [f"bound({t()})"]),
            ("early return", lambda: [f"if {t()}:", "    return"]),
            ("local =", self._local),
            ("local truth =", self._local_truth),
            ("local list", lambda: [f"items = [{n()}, 1]", f"items.append({n()})", f"{own}.n0 = clipped(max(items))"]),
            (
                "local list changed",
                lambda: [f"items = [{n()}, 1]", "items[0] = items[1] + 1", f"{own}.n0 = clipped(items[0])"],
            ),
            (
                "local dict",
                lambda: [f'table = {{"a": {n()}}}', f'table["b"] = {n()}', f"{own}.n0 = clipped(sum(table.values()))"],
            ),
            (
                "nested function",
                lambda: ["def inner(a):", f"    return a + {n()}", f"{own}.n0 = clipped(inner({n()}))"],
            ),
            ("nested function that writes", lambda: ["def inner(a):", f"    {own}.n0 = clipped(a)", f"inner({n()})"]),
            (
                "closure over a list",
                lambda: [
                    "seen = [0]",
                    "def inner():",
                    "    seen[0] += 1",
                    "inner()",
                    f"{own}.n0 = clipped(seen[0] + {n()})",
                ],
            ),
            (
                "generator twice",
                lambda: [f"each = (i for i in range(3) if i < {n()})", f"{own}.n0 = clipped(sum(each) + sum(each))"],
            ),
            ("assert", lambda: [f"assert {own}.n0 >= 0"]),
            ("pass", lambda: ["pass"]),
            (
                "starred assignment",
                lambda: [f"first, *others = [{n()}, {n()}, 1]", f"{own}.n0 = clipped(first + sum(others))"],
            ),
        ]

    def _local(self) -> Lines:
        name = self.g.fresh()
        line = f"{name} = {self.g.number(2)}"
        self.g.numbers.append(name)
        return [line]

    def _local_truth(self) -> Lines:
        name = self.g.fresh()
        line = f"{name} = {self.g.truth(2)}"
        self.g.truths.append(name)
        return [line]

    def _nested(self, depth: int) -> list[Statement]:
        g, own = self.g, self.g.own()
        n, t = g.number, g.truth

        def block() -> Lines:
            return indented(self._block(depth))

        return [
            ("if", lambda: [f"if {t()}:", *block()]),
            ("if else", lambda: [f"if {t()}:", *block(), "else:", *block()]),
            ("elif", lambda: [f"if {t()}:", *block(), f"elif {t()}:", *block(), "else:", *block()]),
            ("for", lambda: [f"for i in range({g.pick(1, 2)}):", *block()]),
            ("for break", lambda: ["for i in range(3):", f"    if {n()} <= i:", "        break", *block()]),
            (
                "for else",
                lambda: [f"for i in (0, {n()}):", f"    if {t()}:", "        continue", *block(), "else:", *block()],
            ),
            ("while", lambda: [f"{(k := g.fresh())} = 0", f"while {k} < 2 and {t()}:", f"    {k} += 1", *block()]),
            (
                "match",
                lambda: [
                    f"match {n()}:",
                    "    case 0:",
                    *indented(block()),
                    "    case 1 | 2:",
                    *indented(block()),
                    "    case k if k > 2:",
                    *indented(block()),
                    "    case _:",
                    "        pass",
                ],
            ),
            (
                "match a tuple",
                lambda: [
                    f"match ({n()}, {t()}):",
                    "    case (a, b) if b:",
                    f"        {own}.n0 = clipped(a)",
                    "    case _:",
                    *indented(block()),
                ],
            ),
            ("try", lambda: ["try:", f"    {own}.n0 = clipped(1 // {n()})", "except ZeroDivisionError:", *block()]),
            (
                "own error",
                lambda: ["try:", f"    if {t()}:", "        raise MineError", *block(), "except MineError:", *block()],
            ),
            ("finally", lambda: ["try:", *block(), "finally:", f"    {own}.n0 = clipped({n()})"]),
            *(
                [
                    ("for a worker", lambda: [f"for w in {own}.workers:", f"    if {t()}:", "        w.n = 1 - w.n"]),
                    (
                        "for a numbered worker",
                        lambda: [
                            f"for i, w in enumerate({own}.workers):",
                            "    w.busy = i == 1",
                            f"    w.n = {n()} % 2",
                        ],
                    ),
                ]
                if "workers" in g.fields
                else []
            ),
            *(
                [("for a letter", lambda: [f"for letter in {own}.q:", "    letter.value = 1 - letter.value"])]
                if "q" in g.fields
                else []
            ),
            *([("for an offset", lambda: [f"for i in {own}.s0:", *block()])] if "s0" in g.fields else []),
            *(
                [
                    (
                        "match a member",
                        lambda: [
                            f"match {own}.e0:",
                            "    case Colour.RED:",
                            *indented(block()),
                            "    case Colour.BLUE | Colour.GREEN:",
                            *indented(block()),
                        ],
                    )
                ]
                if "e0" in g.fields
                else []
            ),
            *(
                [
                    (
                        "match None",
                        lambda: [
                            f"match {own}.o0:",
                            "    case None:",
                            *indented(block()),
                            "    case k:",
                            f"        {own}.n0 = clipped(k)",
                        ],
                    )
                ]
                if "o0" in g.fields
                else []
            ),
        ]

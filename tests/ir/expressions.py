"""Random expressions, each built twice: as a node through the smart constructors, and as a function on plain values.

The function knows nothing of nodes: truth values are bools, offset sets frozensets. `lowest` and `highest` are drawn
only behind a test for the empty set, where the language puts them, because nobody may read their answer for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

from hypothesis import strategies as st

from offsetproof.ir import build
from offsetproof.ir.kind import Sort
from offsetproof.ir.node import Node
from offsetproof.ir.system import Variable

VARIABLES = (
    Variable("p", Sort.BOOL, 0, 1, (0,)),
    Variable("q", Sort.BOOL, 0, 1, (0,)),
    Variable("i", Sort.INT, 0, 2, (0,)),
    Variable("j", Sort.INT, -1, 2, (0,)),
    Variable("s", Sort.SET, 0, 7, (0,)),
    Variable("t", Sort.SET, 0, 3, (0,)),
)

Values = Mapping[str, int]


@dataclass(frozen=True)
class Expression:
    """A node, and what it should compute from a state."""

    node: Node
    meaning: Callable[[Values], Any]
    text: str

    def expected(self, values: Values) -> int:
        """The meaning, as the integer that the IR has for it."""
        found = self.meaning(values)
        return sum(1 << offset for offset in found) if isinstance(found, frozenset) else int(found)

    def __repr__(self) -> str:
        return self.text


def states() -> Iterator[dict[str, int]]:
    """Every state of the variables: 2 * 2 * 3 * 4 * 8 * 4 of them."""
    names = [v.name for v in VARIABLES]
    for values in product(*(range(v.lo, v.hi + 1) for v in VARIABLES)):
        yield dict(zip(names, values, strict=True))


def mask_set(mask: int) -> frozenset[int]:
    """The offsets of a mask."""
    return frozenset(offset for offset in range(62) if mask >> offset & 1)


def _variable(variable: Variable) -> Expression:
    name = variable.name
    as_value: dict[Sort, Callable[[int], Any]] = {Sort.BOOL: bool, Sort.INT: int, Sort.SET: mask_set}
    return Expression(variable.node, lambda values: as_value[variable.sort](values[name]), name)


class Maker:
    """Draws expressions from a random source."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def of(self, sort: Sort, depth: int) -> Expression:
        """An expression of a sort."""
        return {Sort.BOOL: self.truth, Sort.INT: self.number, Sort.SET: self.offsets}[sort](depth)

    def _leaf(self, sort: Sort) -> Expression:
        return _variable(self.random.choice([v for v in VARIABLES if v.sort is sort]))

    def _choice(self, sort: Sort, depth: int) -> Expression:
        c, a, b = self.truth(depth - 1), self.of(sort, depth - 1), self.of(sort, depth - 1)
        return Expression(
            build.ite(c.node, a.node, b.node),
            lambda v: a.meaning(v) if c.meaning(v) else b.meaning(v),
            f"ite({c}, {a}, {b})",
        )

    def truth(self, depth: int) -> Expression:
        """A truth value."""
        if depth <= 0:
            return self.random.choice([self._leaf(Sort.BOOL), Expression(build.TRUE, lambda _: True, "true")])
        made = self.random.choice(
            [
                self._logic,
                self._logic,
                self._comparison,
                self._comparison,
                self._equality,
                self._equality,
                self._membership,
                lambda d: self._choice(Sort.BOOL, d),
            ]
        )
        return made(depth)

    def _logic(self, depth: int) -> Expression:
        a, b = self.truth(depth - 1), self.truth(depth - 1)
        return self.random.choice(
            [
                Expression(build.both(a.node, b.node), lambda v: a.meaning(v) and b.meaning(v), f"({a} and {b})"),
                Expression(build.either(a.node, b.node), lambda v: a.meaning(v) or b.meaning(v), f"({a} or {b})"),
                Expression(build.negate(a.node), lambda v: not a.meaning(v), f"not {a}"),
            ]
        )

    def _comparison(self, depth: int) -> Expression:
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.random.choice(
            [
                Expression(build.le(a.node, b.node), lambda v: a.meaning(v) <= b.meaning(v), f"({a} <= {b})"),
                Expression(build.lt(a.node, b.node), lambda v: a.meaning(v) < b.meaning(v), f"({a} < {b})"),
            ]
        )

    def _equality(self, depth: int) -> Expression:
        sort = self.random.choice(list(Sort))
        a, b = self.of(sort, depth - 1), self.of(sort, depth - 1)
        return Expression(build.eq(a.node, b.node), lambda v: a.meaning(v) == b.meaning(v), f"({a} == {b})")

    def _membership(self, depth: int) -> Expression:
        a, b = self.offsets(depth - 1), self.number(depth - 1)
        return Expression(build.has(a.node, b.node), lambda v: b.meaning(v) in a.meaning(v), f"({b} in {a})")

    def number(self, depth: int) -> Expression:
        """An integer."""
        if depth <= 0:
            constant = self.random.choice([-2, -1, 0, 1, 2, 3])
            return self.random.choice(
                [self._leaf(Sort.INT), Expression(build.const(constant), lambda _: constant, str(constant))]
            )
        return self.random.choice(
            [
                self._sum,
                self._sum,
                self._product,
                self._product,
                self._end,
                self._count,
                self._as_int,
                lambda d: self._choice(Sort.INT, d),
            ]
        )(depth)

    def _sum(self, depth: int) -> Expression:
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.random.choice(
            [
                Expression(build.add(a.node, b.node), lambda v: a.meaning(v) + b.meaning(v), f"({a} + {b})"),
                Expression(build.sub(a.node, b.node), lambda v: a.meaning(v) - b.meaning(v), f"({a} - {b})"),
            ]
        )

    def _product(self, depth: int) -> Expression:
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.random.choice(
            [
                Expression(build.mul(a.node, b.node), lambda v: a.meaning(v) * b.meaning(v), f"({a} * {b})"),
                Expression(build.div(a.node, b.node), lambda v: _divided(a, b, v)[0], f"({a} // {b})"),
                Expression(build.mod(a.node, b.node), lambda v: _divided(a, b, v)[1], f"({a} % {b})"),
            ]
        )

    def _end(self, depth: int) -> Expression:
        a, default = self.offsets(depth - 1), self.number(depth - 1)
        empty = build.eq(a.node, build.EMPTY)
        node, end = self.random.choice([(build.lowest, min), (build.highest, max)])
        return Expression(
            build.ite(empty, default.node, node(a.node)),
            lambda v: end(a.meaning(v)) if a.meaning(v) else default.meaning(v),
            f"{end.__name__}({a}, default={default})",
        )

    def _count(self, depth: int) -> Expression:
        a = self.offsets(depth - 1)
        return Expression(build.count(a.node), lambda v: len(a.meaning(v)), f"len({a})")

    def _as_int(self, depth: int) -> Expression:
        a = self.truth(depth - 1)
        return Expression(build.ite(a.node, build.const(1), build.const(0)), lambda v: int(a.meaning(v)), f"int({a})")

    def offsets(self, depth: int) -> Expression:
        """An offset set."""
        if depth <= 0:
            mask = self.random.choice([0, 1, 2, 5, 7])
            constant = Expression(build.const(mask, Sort.SET), lambda _: mask_set(mask), f"{set(mask_set(mask))}")
            return self.random.choice([self._leaf(Sort.SET), constant])
        return self.random.choice([self._combined, self._combined, self._single, lambda d: self._choice(Sort.SET, d)])(
            depth
        )

    def _combined(self, depth: int) -> Expression:
        a, b = self.offsets(depth - 1), self.offsets(depth - 1)
        return self.random.choice(
            [
                Expression(build.union(a.node, b.node), lambda v: a.meaning(v) | b.meaning(v), f"({a} | {b})"),
                Expression(build.meet(a.node, b.node), lambda v: a.meaning(v) & b.meaning(v), f"({a} & {b})"),
                Expression(build.minus(a.node, b.node), lambda v: a.meaning(v) - b.meaning(v), f"({a} - {b})"),
            ]
        )

    def _single(self, depth: int) -> Expression:
        a = self.number(depth - 1)
        if a.node.lo < 0 or a.node.hi > 8:
            return self._leaf(Sort.SET)
        return Expression(build.single(a.node), lambda v: frozenset([a.meaning(v)]), f"{{{a}}}")


def _divided(a: Expression, b: Expression, v: Values) -> tuple[int, int]:
    """Quotient and remainder; 0 and 0 where there is nothing to divide by."""
    return divmod(a.meaning(v), b.meaning(v)) if b.meaning(v) else (0, 0)


def expressions(*sorts: Sort) -> st.SearchStrategy[Expression]:
    """Random expressions of these sorts (of any, if none is named)."""

    def made(seed: int) -> Expression:
        random = Random(seed)
        return Maker(random).of(random.choice(sorts or tuple(Sort)), random.choice([1, 2, 3, 3, 4]))

    return st.integers(0, 1 << 32).map(made)

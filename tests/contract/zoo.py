"""A model with every operator of the IR in it: a table of worked examples, gone through row by row.

The other toys use the operators that their stories need. Here a step leaves a row only if each operator gives, on the
row's values, what the row says; plain Python on plain ints, bools and sets says it when this file is read. So a
wrong operator anywhere keeps the model from the end of the table, or lets it skip a row. Beside it stands a model that
can do nothing at all.
"""

from __future__ import annotations

from dataclasses import dataclass

from offsetproof.examples.toys import Toy
from offsetproof.lang import (
    Index,
    Model,
    OffsetSet,
    action,
    always,
    choose,
    every,
    flag,
    implies,
    integer,
    negation,
    offset_set,
    require,
    sometimes,
)
from offsetproof.verdict.result import Verdict

WIDE, NARROW = 4, 2
"""How many offsets the two sets range over: operators meet values of different widths."""


@dataclass(frozen=True)
class Row:
    """The values of one row: two integers (`a` may be negative), two truth values, two sets and what is of both.

    Sets are ascending tuples, because a model may not use Python's own.
    """

    a: int
    b: int
    p: bool
    q: bool
    s: tuple[int, ...]
    t: tuple[int, ...]
    union: tuple[int, ...]
    meet: tuple[int, ...]
    minus: tuple[int, ...]


def _row(a: int, b: int, p: bool, q: bool, s: set[int], t: set[int]) -> Row:
    """A row, with what plain Python says of its sets."""
    s_, t_, union, meet, minus = (tuple(sorted(each)) for each in (s, t, s | t, s & t, s - t))
    return Row(a, b, p, q, s_, t_, union, meet, minus)


ROWS = (
    _row(-1, 2, True, False, {0, 2, 3}, {1}),
    _row(2, 2, False, True, {1}, {1}),
    _row(3, 1, True, True, {1, 2}, {0, 1}),
    _row(0, 3, False, False, {0, 3}, {0}),
    _row(-2, 0, True, False, set(), set()),
)
"""Chosen so that every wrong operator of `contract.mistakes` is wrong on some row."""


class Zoo(Model):
    """Goes from row 0 to the end of the table: as many steps as rows, one state more, each at its own depth.

    `zero`, `never` and `nothing` are never written and change no value; reductions that put constants in their places
    have every operator to build anew.
    """

    row: int = integer(0, len(ROWS))
    a: int = integer(-2, 3, ROWS[0].a)
    b: int = integer(0, 3, ROWS[0].b)
    p: bool = flag(ROWS[0].p)
    q: bool = flag(ROWS[0].q)
    s: OffsetSet = offset_set(WIDE)
    t: OffsetSet = offset_set(NARROW)
    zero: int = integer(0, 1)
    never: bool = flag()
    nothing: OffsetSet = offset_set(NARROW)

    def initially(self) -> None:
        self.s, self.t = OffsetSet(*ROWS[0].s), OffsetSet(*ROWS[0].t)

    @action(k=Index("row", len(ROWS)))
    def leaves_row(self, k: int) -> None:
        require(self.row == k)
        require(every([*self.numbers(ROWS[k]), *self.truths(ROWS[k]), *self.sets(ROWS[k])]))
        self.row = k + 1
        if k + 1 < len(ROWS):
            after = ROWS[k + 1]
            self.a, self.b, self.p, self.q = after.a, after.b, after.p, after.q
            self.s, self.t = OffsetSet(*after.s), OffsetSet(*after.t)

    @action(k=Index("row", len(ROWS)))
    def skips_the_rest(self, k: int) -> None:
        """Never taken: every row has its own `b`."""
        require(self.row == k)
        require(every([*self.numbers(ROWS[k]), self.b != ROWS[k].b]))
        self.row = len(ROWS)

    def numbers(self, row: Row) -> list[bool]:
        """Is what the operators on integers give what the row says?"""
        a, b = self.a + self.zero, self.b + self.zero
        return [
            a + b == row.a + row.b,
            a - b == row.a - row.b,
            a * b == row.a * row.b,
            a // (b + 1) == row.a // (row.b + 1),
            a % (b + 1) == row.a % (row.b + 1),
            (a <= b) == (row.a <= row.b),
            (a == b) == (row.a == row.b),
        ]

    def truths(self, row: Row) -> list[bool]:
        """The same of truth values, and of choices by one."""
        p, q = self.p | self.never, self.q | self.never
        return [
            (p & negation(q)) == (row.p and not row.q),
            (p | q) == (row.p or row.q),
            (p == q) == (row.p == row.q),
            choose(p, self.a, self.b) == (row.a if row.p else row.b),
            choose(q, self.s, self.t) == OffsetSet(*(row.s if row.q else row.t)),
        ]

    def sets(self, row: Row) -> list[bool]:
        """The same of offset sets."""
        s, t = self.s | self.nothing, self.t | self.nothing
        return [
            (s | t) == OffsetSet(*row.union),
            (s & t) == OffsetSet(*row.meet),
            (s - t) == OffsetSet(*row.minus),
            (s == t) == (row.s == row.t),
            OffsetSet().add(self.b + self.zero) == OffsetSet(row.b),
            s.has(self.b) == (row.b in row.s),
            t.has(self.a) == (row.a in row.t),
            s.lowest(default=0) == min(row.s, default=0),
            s.highest(default=0) == max(row.s, default=0),
            s.count() == len(row.s),
        ]

    @always()
    def shows_the_values_of_its_row(self) -> bool:
        return every(implies(self.row == k, self.b == row.b) for k, row in enumerate(ROWS))

    @sometimes()
    def comes_to_the_end(self) -> bool:
        """In as many steps as there are rows; each row is one state before it."""
        return self.row == len(ROWS)


_N = len(ROWS)

ZOO = (
    Toy(Zoo, "shows_the_values_of_its_row", Verdict.HOLDS, _N + 1, _N, _N),
    Toy(Zoo, "comes_to_the_end", Verdict.HOLDS, _N, _N, _N, length=_N),
)
"""The questions about the zoo, with their answers, as in `offsetproof.examples.toys.TOYS`."""


class Stuck(Model):
    """Waits for somebody to set x, which nobody does: one state, from which nothing can be taken."""

    x: int = integer(0, 1)

    @action()
    def goes_on(self) -> None:
        require(self.x == 1)
        self.x = 0

    @always()
    def waits(self) -> bool:
        return self.x == 0

    @sometimes()
    def goes(self) -> bool:
        return self.x == 1


STUCK = (
    Toy(Stuck, "waits", Verdict.HOLDS, 1, 0, 0),
    Toy(Stuck, "goes", Verdict.REFUTED, 1, 0, 0),
    Toy(Stuck, "no_deadlock", Verdict.REFUTED, 0, 0, 0, length=0),
)
"""Questions about a model that cannot move."""

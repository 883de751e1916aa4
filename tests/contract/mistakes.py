"""Mistakes in translating an operator: for each node kind, other expressions that a table might give for it.

A mistake is told once, as an expression over the operator's arguments, and made in every language by that language's
own table: whoever has `<` for `<=` in C has it in TLA+, too. So a mistranslated table is a table with one wrong rule,
whatever its rules look like.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from offsetproof.ir.kind import Kind

Make = Callable[..., Any]
"""Makes an expression of a kind and its arguments, in a language: `make(Kind.ADD, a, b)`."""


@dataclass(frozen=True)
class Mistake:
    """A kind, what is wrong about its translation, and what it is translated to, given `make` and the arguments.

    Nothing that a mistake makes takes the lowest of a set: only the language knows what the empty set has.
    """

    kind: Kind
    name: str
    wrong: Callable[..., Any]

    def __str__(self) -> str:
        return f"{self.kind.label}: {self.name}"


def _all_but_last(kind: Kind) -> Callable[..., Any]:
    """In TLA+ a conjunction has any number of members."""
    return lambda make, *parts: make(kind, *parts[:-1]) if len(parts) > 2 else parts[0]


MISTAKES: tuple[Mistake, ...] = (
    Mistake(Kind.ADD, "subtracts", lambda make, a, b: make(Kind.SUB, a, b)),
    Mistake(Kind.ADD, "drops the right", lambda make, a, b: a),
    Mistake(Kind.SUB, "adds", lambda make, a, b: make(Kind.ADD, a, b)),
    Mistake(Kind.SUB, "swaps its arguments", lambda make, a, b: make(Kind.SUB, b, a)),
    Mistake(Kind.MUL, "adds", lambda make, a, b: make(Kind.ADD, a, b)),
    Mistake(Kind.MUL, "drops the right", lambda make, a, b: a),
    Mistake(Kind.DIV, "is the remainder", lambda make, a, b: make(Kind.MOD, a, b)),
    Mistake(Kind.DIV, "rounds up", lambda make, a, b: make(Kind.DIV, make(Kind.ADD, a, b), b)),
    Mistake(Kind.DIV, "swaps its arguments", lambda make, a, b: make(Kind.DIV, b, a)),
    Mistake(Kind.MOD, "is the quotient", lambda make, a, b: make(Kind.DIV, a, b)),
    Mistake(Kind.MOD, "is what is divided", lambda make, a, b: a),
    Mistake(Kind.EQ, "says the contrary", lambda make, a, b: make(Kind.NOT, make(Kind.EQ, a, b))),
    Mistake(Kind.EQ, "compares the left with itself", lambda make, a, b: make(Kind.EQ, a, a)),
    Mistake(Kind.LE, "leaves out equality", lambda make, a, b: make(Kind.NOT, make(Kind.LE, b, a))),
    Mistake(Kind.LE, "swaps its arguments", lambda make, a, b: make(Kind.LE, b, a)),
    Mistake(Kind.LE, "asks for equality", lambda make, a, b: make(Kind.EQ, a, b)),
    Mistake(Kind.NOT, "says the same", lambda make, a: a),
    Mistake(Kind.AND, "is an or", lambda make, *parts: make(Kind.OR, *parts)),
    Mistake(Kind.AND, "drops the last", _all_but_last(Kind.AND)),
    Mistake(Kind.OR, "is an and", lambda make, *parts: make(Kind.AND, *parts)),
    Mistake(Kind.OR, "drops the last", _all_but_last(Kind.OR)),
    Mistake(Kind.ITE, "swaps its branches", lambda make, c, a, b: make(Kind.ITE, c, b, a)),
    Mistake(Kind.ITE, "takes the first branch", lambda make, c, a, b: a),
    Mistake(Kind.ITE, "takes the second branch", lambda make, c, a, b: b),
    Mistake(Kind.UNION, "intersects", lambda make, a, b: make(Kind.MEET, a, b)),
    Mistake(Kind.UNION, "drops the right", lambda make, a, b: a),
    Mistake(Kind.MEET, "unites", lambda make, a, b: make(Kind.UNION, a, b)),
    Mistake(Kind.MEET, "drops the right", lambda make, a, b: a),
    Mistake(Kind.MINUS, "intersects", lambda make, a, b: make(Kind.MEET, a, b)),
    Mistake(Kind.MINUS, "swaps its arguments", lambda make, a, b: make(Kind.MINUS, b, a)),
    Mistake(Kind.MINUS, "drops the right", lambda make, a, b: a),
    Mistake(Kind.SINGLE, "is off by one", lambda make, i: make(Kind.SINGLE, make(Kind.ADD, i, _one(make, i)))),
    Mistake(Kind.SINGLE, "is always {1}", lambda make, i: make(Kind.SINGLE, _one(make, i))),
    Mistake(Kind.HAS, "says the contrary", lambda make, a, i: make(Kind.NOT, make(Kind.HAS, a, i))),
    Mistake(Kind.HAS, "is never true", lambda make, a, i: make(Kind.HAS, make(Kind.MINUS, a, a), i)),
    Mistake(Kind.LOWEST, "is the highest", lambda make, a: make(Kind.HIGHEST, a)),
    Mistake(Kind.LOWEST, "counts", lambda make, a: make(Kind.COUNT, a)),
    Mistake(Kind.HIGHEST, "counts", lambda make, a: make(Kind.COUNT, a)),
    Mistake(Kind.COUNT, "is the highest", lambda make, a: make(Kind.HIGHEST, a)),
)
"""The first mistake of each kind is the one that the slow tools are tried with in every run of the tests."""


def _one(make: Make, i: Any) -> Any:
    """The number one, without a constant: each language writes those in its own way."""
    return make(Kind.COUNT, make(Kind.SINGLE, i))

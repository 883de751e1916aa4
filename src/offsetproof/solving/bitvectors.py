"""Nodes as Z3 bit-vectors of their own intervals: unsigned where an interval starts at 0 or above, else signed.

A value is extended by its own sign before it meets a wider one, and every result is computed at the width of its own
interval, so nothing wraps. Truth values are Z3's; offset sets are masks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import z3

from offsetproof.ir.build import is_const
from offsetproof.ir.kind import Kind, Sort, complete
from offsetproof.ir.node import Node, topological

Term = Any
"""A Z3 expression (z3 has no types that a checker could use)."""


def width(node: Node) -> int:
    """The bits of a node's values."""
    if node.lo >= 0:
        return max(1, node.hi.bit_length())
    return max((-node.lo - 1).bit_length(), max(node.hi, 0).bit_length()) + 1


def variable(node: Node, name: str) -> Term:
    """A fresh Z3 constant for the values of a variable's node."""
    return z3.Bool(name) if node.sort is Sort.BOOL else z3.BitVec(name, width(node))


def value(node: Node, number: int) -> Term:
    """One of a node's values."""
    return z3.BoolVal(bool(number)) if node.sort is Sort.BOOL else z3.BitVecVal(number, width(node))


def in_range(node: Node, term: Term) -> list[Term]:
    """What keeps a variable inside its interval, where its width alone does not."""
    if node.sort is Sort.BOOL:
        return []
    bits = width(node)
    if node.lo < 0:
        return [term >= node.lo, term <= node.hi]
    low = [z3.UGE(term, node.lo)] if node.lo else []
    return low + ([z3.ULE(term, node.hi)] if node.hi < (1 << bits) - 1 else [])


def fit(node: Node, term: Term, bits: int) -> Term:
    """A node's value at another width."""
    more = bits - term.size()
    if more > 0:
        return z3.SignExt(more, term) if node.lo < 0 else z3.ZeroExt(more, term)
    return z3.Extract(bits - 1, 0, term) if more < 0 else term


def fit_signed(term: Term, bits: int) -> Term:
    """A signed term that another width holds, at that width."""
    more = bits - term.size()
    return z3.SignExt(more, term) if more > 0 else z3.Extract(bits - 1, 0, term) if more < 0 else term


def encode(root: Node, known: dict[Node, Term]) -> Term:
    """The term of a node; `known` holds the terms of the variables, and is filled with those of all nodes below."""
    for node in topological([root]):
        if node not in known:
            if is_const(node):
                known[node] = value(node, node.value)
            else:
                known[node] = ENCODERS[node.kind](node, *(known[arg] for arg in node.args))
    return known[root]


def read(model: Any, node: Node, term: Term) -> int:
    """The number that a model gives to a variable."""
    number = model.eval(term, model_completion=True)
    if node.sort is Sort.BOOL:
        return int(z3.is_true(number))
    return int(number.as_signed_long() if node.lo < 0 else number.as_long())


Encoder = Callable[..., Term]


def _both(node: Node, a: Term, b: Term, bits: int) -> tuple[Term, Term]:
    return fit(node.args[0], a, bits), fit(node.args[1], b, bits)


def _at_own_width(combine: Callable[[Term, Term], Term]) -> Encoder:
    return lambda node, a, b: combine(*_both(node, a, b, width(node)))


def _division_terms(node: Node, a: Term, b: Term) -> tuple[Term, Term, Term]:
    """Dividend, divisor and remainder, signed, at a width that holds them and their quotient."""
    bits = max(a.size(), b.size()) + 1
    left, right = _both(node, a, b, bits)
    return left, right, left % right


def _unless_by_zero(node: Node, divisor: Term, term: Term) -> Term:
    return fit_signed(z3.If(divisor == 0, z3.BitVecVal(0, term.size()), term), width(node))


def _div(node: Node, a: Term, b: Term) -> Term:
    """What is left after the remainder is taken away divides exactly."""
    left, right, rest = _division_terms(node, a, b)
    return _unless_by_zero(node, right, (left - rest) / right)


def _mod(node: Node, a: Term, b: Term) -> Term:
    _, right, rest = _division_terms(node, a, b)
    return _unless_by_zero(node, right, rest)


def _eq(node: Node, a: Term, b: Term) -> Term:
    if node.args[0].sort is Sort.BOOL:
        return a == b
    left, right = _both(node, a, b, max(a.size(), b.size()) + 1)
    return left == right


def _le(node: Node, a: Term, b: Term) -> Term:
    left, right = _both(node, a, b, max(a.size(), b.size()) + 1)
    return left <= right


def _ite(node: Node, c: Term, a: Term, b: Term) -> Term:
    if node.sort is Sort.BOOL:
        return z3.If(c, a, b)
    return z3.If(c, fit(node.args[1], a, width(node)), fit(node.args[2], b, width(node)))


def _single(node: Node, i: Term) -> Term:
    bits = max(width(node), i.size())
    return z3.Extract(width(node) - 1, 0, z3.BitVecVal(1, bits) << fit(node.args[0], i, bits))


def _has(node: Node, a: Term, i: Term) -> Term:
    mask, amount = _both(node, a, i, max(a.size(), i.size()) + 1)
    return z3.Extract(0, 0, z3.LShR(mask, amount)) == 1


def _bit(term: Term, i: int) -> Term:
    return z3.Extract(i, i, term) == 1


def _lowest(node: Node, a: Term) -> Term:
    result = value(node, node.hi)
    for i in reversed(range(a.size())):
        result = z3.If(_bit(a, i), value(node, i), result)
    return result


def _highest(node: Node, a: Term) -> Term:
    result = value(node, 0)
    for i in range(a.size()):
        result = z3.If(_bit(a, i), value(node, i), result)
    return result


def _count(node: Node, a: Term) -> Term:
    total = value(node, 0)
    for i in range(a.size()):
        total = total + z3.If(_bit(a, i), value(node, 1), value(node, 0))
    return total


ENCODERS: Mapping[Kind, Encoder] = complete(
    "the SMT encoding",
    {
        Kind.ADD: _at_own_width(lambda a, b: a + b),
        Kind.SUB: _at_own_width(lambda a, b: a - b),
        Kind.MUL: _at_own_width(lambda a, b: a * b),
        Kind.DIV: _div,
        Kind.MOD: _mod,
        Kind.EQ: _eq,
        Kind.LE: _le,
        Kind.NOT: lambda node, a: z3.Not(a),
        Kind.AND: lambda node, a, b: z3.And(a, b),
        Kind.OR: lambda node, a, b: z3.Or(a, b),
        Kind.ITE: _ite,
        Kind.UNION: _at_own_width(lambda a, b: a | b),
        Kind.MEET: _at_own_width(lambda a, b: a & b),
        Kind.MINUS: _at_own_width(lambda a, b: a & ~b),
        Kind.SINGLE: _single,
        Kind.HAS: _has,
        Kind.LOWEST: _lowest,
        Kind.HIGHEST: _highest,
        Kind.COUNT: _count,
    },
)
"""How each node kind is encoded."""

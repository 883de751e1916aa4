"""How far a state is from making a condition true or false: 0 where it is so, more the more would have to change.

The branch distance of search-based testing, as an expression: walks that are to come near a violation follow it. Only
a guide: nothing is ever concluded from it. Leaves out how many steps a change would take.
"""

from __future__ import annotations

from functools import lru_cache

from offsetproof.ir import build
from offsetproof.ir.kind import Kind, Sort
from offsetproof.ir.node import Node

_FAR = 8
"""The distance of what no state can change."""


@lru_cache(maxsize=1 << 16)
def distance(node: Node, wanted: bool) -> Node:
    """The distance of a condition from a truth value, an integer node.

    >>> x = build.var("x", 0, 7)
    >>> from offsetproof.ir.node import evaluate
    >>> evaluate([distance(build.le(x, build.const(4)), False)], {"x": 3})
    [2]
    """
    if build.is_const(node):
        return build.const(0 if bool(node.value) is wanted else _FAR)
    if node.kind is Kind.NOT:
        return distance(node.args[0], not wanted)
    if node.kind in (Kind.AND, Kind.OR):
        parts = [distance(arg, wanted) for arg in node.args]
        return build.add(*parts) if (node.kind is Kind.AND) is wanted else _smaller(*parts)
    if node.kind is Kind.ITE:
        then = build.add(distance(node.args[0], True), distance(node.args[1], wanted))
        other = build.add(distance(node.args[0], False), distance(node.args[2], wanted))
        return _smaller(then, other)
    if node.kind is Kind.LE:
        return (
            _excess(*node.args) if wanted else build.add(_excess(node.args[1], node.args[0]), _zero_or_one(node, False))
        )
    if node.kind is Kind.EQ and wanted:
        return _apart(*node.args)
    return _zero_or_one(node, wanted)


def _zero_or_one(node: Node, wanted: bool) -> Node:
    return build.ite(node if wanted else build.negate(node), build.const(0), build.const(1))


def _smaller(a: Node, b: Node) -> Node:
    return build.ite(build.le(a, b), a, b)


def _excess(a: Node, b: Node) -> Node:
    """a - b where a is the larger, else 0."""
    return build.ite(build.le(a, b), build.const(0), build.sub(a, b))


def _apart(a: Node, b: Node) -> Node:
    if a.sort is Sort.SET:
        return build.count(build.union(build.minus(a, b), build.minus(b, a)))
    if a.sort is Sort.BOOL:
        return build.ite(build.eq(a, b), build.const(0), build.const(1))
    return build.add(_excess(a, b), _excess(b, a))

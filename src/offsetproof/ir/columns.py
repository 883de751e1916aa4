"""Evaluating nodes on many states at once: one column of values per variable gives one column per node.

The meaning is that of `MEANING`, number by number. It serves to look for states in which something is so; what is found
is judged by others, so a verdict never depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from offsetproof.ir.kind import Kind, complete
from offsetproof.ir.node import Node

Column = npt.NDArray[np.int64]
"""A value per state; truth values are 0 and 1, offset sets are masks."""

_ONE = np.int64(1)


def _has(_node: Node, a: Column, i: Column) -> Column:
    return (a >> np.clip(i, 0, 63) & 1) * (i >= 0)


def _highest(_node: Node, a: Column) -> Column:
    for shift in (1, 2, 4, 8, 16, 32):
        a = a | a >> shift
    return np.maximum(_bits(a) - 1, 0)


def _bits(a: Column) -> Column:
    return np.bitwise_count(a).astype(np.int64)


def _either(_node: Node, c: Column, a: Column, b: Column) -> Column:
    return np.where(c != 0, a, b)


def _safe(b: Column) -> Column:
    return np.where(b == 0, 1, b)


Rule = Callable[..., Column]

COLUMNS: dict[Kind, Rule] = complete(
    "columns",
    {
        Kind.ADD: lambda node, a, b: a + b,
        Kind.SUB: lambda node, a, b: a - b,
        Kind.MUL: lambda node, a, b: a * b,
        Kind.DIV: lambda node, a, b: np.where(b == 0, 0, a // _safe(b)),
        Kind.MOD: lambda node, a, b: np.where(b == 0, 0, a % _safe(b)),
        Kind.EQ: lambda node, a, b: (a == b).astype(np.int64),
        Kind.LE: lambda node, a, b: (a <= b).astype(np.int64),
        Kind.NOT: lambda node, a: 1 - a,
        Kind.AND: lambda node, a, b: a & b,
        Kind.OR: lambda node, a, b: a | b,
        Kind.ITE: _either,
        Kind.UNION: lambda node, a, b: a | b,
        Kind.MEET: lambda node, a, b: a & b,
        Kind.MINUS: lambda node, a, b: a & ~b,
        Kind.SINGLE: lambda node, i: np.left_shift(_ONE, i),
        Kind.HAS: _has,
        Kind.LOWEST: lambda node, a: np.where(a == 0, node.hi, _bits((a & -a) - 1)),
        Kind.HIGHEST: _highest,
        Kind.COUNT: lambda node, a: _bits(a),
    },
)
"""What each kind computes, given the node itself and the columns of its arguments; a constant is a column of one."""


def columns(nodes: Iterable[Node], of: Callable[[str], Column]) -> dict[Node, Column]:
    """The column of every node; arguments must come before their users. `of` gives that of a variable.

    >>> from offsetproof.ir import build, node
    >>> above = build.lt(build.const(1), build.var("x", 0, 3))
    >>> columns(node.topological([above]), lambda name: np.array([0, 1, 2, 3]))[above]
    array([0, 0, 1, 1])
    """
    known: dict[Node, Column] = {}
    for node in nodes:
        if node.kind is Kind.CONST:
            known[node] = np.array(node.value, np.int64)
        elif node.kind is Kind.VAR:
            known[node] = of(node.name)
        else:
            known[node] = COLUMNS[node.kind](node, *(known[arg] for arg in node.args))
    return known

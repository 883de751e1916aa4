"""How much one call may compute: compiled code that runs until its end can be neither interrupted nor limited."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

MOST = 1 << 20
"""The most items that one call makes or goes through, and the greatest exponent."""

Known = Callable[[str], object]
"""The value of a name from outside of a function; None where there is none."""

_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: lambda base, exponent: base ** min(max(exponent, 0), 64),  # great is enough
    ast.LShift: lambda number, places: number << min(max(places, 0), 64),
}


def excess(node: ast.Call | ast.BinOp, known: Known) -> str | None:
    """What is too much about a range, a power or a repetition; None where nothing is, or nobody can tell.

    >>> excess(ast.parse("range(10 ** 9)", mode="eval").body, lambda name: None)
    'a range of over 1,048,576 numbers'
    """
    if isinstance(node, ast.Call):
        ends = [number for number in (_number(arg, known) for arg in node.args) if number is not None]
        is_range = getattr(node.func, "id", "") == "range" and len(ends) == len(node.args) in (1, 2, 3)
        numbers = range(*ends) if is_range and 0 not in ends[2:] else range(0)
        return f"a range of over {MOST:,} numbers" if numbers[MOST:] else None
    left, right = _number(node.left, known) or 0, _number(node.right, known) or 0
    if isinstance(node.op, ast.Pow) and right > MOST:
        return f"a power with an exponent of over {MOST:,}"
    is_repeated = any(_has_items(each) for each in (node.left, node.right))
    return f"a repetition of over {MOST:,} times" if is_repeated and max(left, right) > MOST else None


def _has_items(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple) or isinstance(getattr(node, "value", None), str | bytes)


def _number(node: ast.expr, known: Known) -> int | None:
    """The whole number that an expression stands for, as far as its source tells."""
    if isinstance(node, ast.BinOp):
        left, right, compute = _number(node.left, known), _number(node.right, known), _OPERATORS.get(type(node.op))
        return None if left is None or right is None or compute is None else compute(left, right)
    value = node.value if isinstance(node, ast.Constant) else known(node.id) if isinstance(node, ast.Name) else None
    return value if type(value) is int else None

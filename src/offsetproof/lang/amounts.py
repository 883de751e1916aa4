"""How much one call may compute: what runs in compiled code until its end can be neither interrupted nor limited."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

MOST = 1 << 20
"""The most items that one call makes or goes through, and the greatest exponent."""

Known = Callable[[ast.expr], tuple[bool, Any]]
"""Whether the value of an expression is known without running the code, and the value."""

_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def excess(node: ast.expr, known: Known) -> str | None:
    """What is too much about a range, a power or a repetition, in words; None where nothing is, or nobody can tell.

    >>> excess(ast.parse("range(10 ** 9)", mode="eval").body, lambda node: (False, None))
    'a range of over 1,048,576 numbers'
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        ends = [_number(arg, known) for arg in node.args]
        if _steps([end for end in ends if end is not None], len(ends)) > MOST:
            return f"a range of over {MOST:,} numbers"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and _is_over(node.right, known):
        return f"a power with an exponent of over {MOST:,}"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for items, times in ((node.left, node.right), (node.right, node.left)):
            text = isinstance(items, ast.Constant) and isinstance(items.value, str | bytes)
            if (text or isinstance(items, ast.List | ast.Tuple)) and _is_over(times, known):
                return f"{'a string' if text else 'a list'} that is repeated over {MOST:,} times"
    return None


def _steps(ends: list[int], count: int) -> int:
    """How many whole steps a range has, of whose `count` ends these are known; 0 where that cannot be told."""
    if len(ends) != count or not 1 <= count <= 3 or 0 in ends[2:]:
        return 0
    numbers = range(*ends)
    return (numbers.stop - numbers.start) // numbers.step


def _is_over(node: ast.expr, known: Known) -> bool:
    number = _number(node, known)
    return number is not None and number > MOST


def _number(node: ast.expr, known: Known) -> int | None:
    """The whole number that an expression stands for, as far as it is known; of a great power just that it is great."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.BinOp):
        left, right = _number(node.left, known), _number(node.right, known)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Pow):
            return left ** min(right, 64) if right >= 0 else None
        compute = _OPERATORS.get(type(node.op))
        return compute(left, right) if compute else None
    is_known, value = known(node)
    return value if is_known and type(value) is int else None

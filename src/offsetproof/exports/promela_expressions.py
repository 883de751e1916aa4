"""Nodes as Promela expressions: C's integers, truth values 0 and 1, offset sets as masks.

Promela has no functions, so that the ends and the size of a set are unrolled over its width. SPIN computes in signed
32-bit words; a node that may not fit into 31 bits is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from offsetproof.ir.kind import Kind, Sort, TooWideError, complete, width
from offsetproof.ir.node import Node, topological

INT_MAX = (1 << 31) - 1
"""The largest magnitude that SPIN computes with."""

TEXT_MAX = 200_000
"""The longest expression that is written out: parts that are used several times are repeated, and may multiply."""


class TooLongError(Exception):
    """An expression that shares so much with itself that Promela, which cannot name parts, would need pages for it."""


def _add(node: Node, a: str, b: str) -> str:
    right = node.args[1]
    return f"({a} - {-right.value})" if right.kind is Kind.CONST and right.value < 0 else f"({a} + {b})"


def _has(node: Node, offsets: str, offset: str) -> str:
    found = f"(({offsets} >> {offset}) & 1)"
    index, last = node.args[1], width(node.args[0].hi) - 1
    if index.lo >= 0 and index.hi <= last:
        return found
    return f"(({offset} >= 0) && ({offset} <= {last}) && {found})"


def _lowest(node: Node, offsets: str) -> str:
    text = str(node.hi)
    for offset in reversed(range(node.hi)):
        text = f"(({offsets} & {1 << offset}) -> {offset} : {text})"
    return text


def _highest(node: Node, offsets: str) -> str:
    text = "0"
    for offset in range(1, node.hi + 1):
        text = f"(({offsets} & {1 << offset}) -> {offset} : {text})"
    return text


def _count(node: Node, offsets: str) -> str:
    return f"({' + '.join(f'(({offsets} >> {offset}) & 1)' for offset in range(node.hi))})"


RULES: dict[Kind, Callable[..., str]] = complete(
    "the Promela export",
    {
        Kind.ADD: _add,
        Kind.SUB: lambda node, a, b: f"({a} - {b})",
        Kind.EQ: lambda node, a, b: f"({a} == {b})",
        Kind.LE: lambda node, a, b: f"({a} <= {b})",
        Kind.NOT: lambda node, a: f"!{a}",
        Kind.AND: lambda node, a, b: f"({a} && {b})",
        Kind.OR: lambda node, a, b: f"({a} || {b})",
        Kind.ITE: lambda node, c, a, b: f"({c} -> {a} : {b})",
        Kind.UNION: lambda node, a, b: f"({a} | {b})",
        Kind.MEET: lambda node, a, b: f"({a} & {b})",
        Kind.MINUS: lambda node, a, b: f"({a} & ~{b})",
        Kind.SINGLE: lambda node, i: f"(1 << {i})",
        Kind.HAS: _has,
        Kind.LOWEST: _lowest,
        Kind.HIGHEST: _highest,
        Kind.COUNT: _count,
    },
)
"""The text of each kind, given the node itself and the texts of its arguments."""


def expression(root: Node, names: Mapping[str, str]) -> str:
    """A node as text, with variables under their names in the model.

    Raises TooWideError where a value may need more than 31 bits, TooLongError where the text would fill a book.

    >>> from offsetproof.ir.build import add, const, le, var
    >>> x = var("c[0].x", 0, 7)
    >>> expression(le(add(x, var("y", 0, 3)), const(4)), {"c[0].x": "c_0_x", "y": "y"})
    '((c_0_x + y) <= 4)'
    """
    texts: dict[Node, str] = {}
    for node in topological([root]):
        refuse_wide(node.lo, node.hi, repr(node) if not node.args else node.kind.label)
        if node.kind is Kind.CONST:
            texts[node] = constant(node.value, node.sort)
        elif node.kind is Kind.VAR:
            texts[node] = names[node.name]
        else:
            texts[node] = RULES[node.kind](node, *(texts[arg] for arg in node.args))
        if len(texts[node]) > TEXT_MAX:
            raise TooLongError(
                f"an expression of the model takes more than {TEXT_MAX:,} characters of Promela, which has no names "
                "for parts; export to TLA+ or Stateright instead"
            )
    return texts[root]


def constant(value: int, sort: Sort = Sort.INT) -> str:
    """A value of a sort as text.

    >>> constant(-2), constant(1, Sort.BOOL)
    ('(-2)', 'true')
    """
    if sort is Sort.BOOL:
        return "true" if value else "false"
    return str(value) if value >= 0 else f"({value})"


def refuse_wide(lo: int, hi: int, what: str) -> None:
    """TooWideError for an interval that SPIN's integers do not hold."""
    if max(-lo, hi) > INT_MAX:
        raise TooWideError(
            f"{what} ranges from {lo} to {hi}, and SPIN computes with 31 bits; use smaller domains, or export to "
            "TLA+ or Stateright"
        )

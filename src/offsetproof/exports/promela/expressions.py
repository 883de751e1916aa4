"""Nodes as Promela expressions: C's integers, truth values 0 and 1, offset sets as masks.

Promela has no functions, so that the ends and the size of a set are unrolled over its width. SPIN computes in signed
32-bit words; a node that may not fit into 31 bits is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from offsetproof.exports.c_expressions import ALIKE, Rule, constant
from offsetproof.ir.kind import Kind, TooWideError, complete, width
from offsetproof.ir.node import Node, topological
from offsetproof.verdict.prerequisite import NotStartedError

INT_MAX = (1 << 31) - 1
"""The largest magnitude that SPIN computes with."""

TEXT_MAX = 200_000
"""The longest expression that is written out: parts that are used several times are repeated, and may multiply."""


def _has(node: Node, offsets: str, offset: str) -> str:
    bit = f"(({offsets} >> {offset}) & 1)"
    index, last = node.args[1], width(node.args[0].hi) - 1
    if index.lo >= 0 and index.hi <= last:
        return bit
    return f"(({offset} >= 0) && ({offset} <= {last}) && {bit})"


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


def _div(node: Node, a: str, b: str) -> str:
    """C rounds towards 0, and divides nothing by 0."""
    quotient = f"({a} / {b})"
    if not _is_rounded_down(node):
        quotient = f"(({_off(a, b)}) -> {quotient} - 1 : {quotient})"
    return _unless_by_zero(node, b, quotient)


def _mod(node: Node, a: str, b: str) -> str:
    rest = f"({a} % {b})"
    if not _is_rounded_down(node):
        rest = f"(({_off(a, b)}) -> {rest} + {b} : {rest})"
    return _unless_by_zero(node, b, rest)


def _off(a: str, b: str) -> str:
    """Has rounding towards 0 rounded up?"""
    return f"({a} % {b}) != 0 && ({a} < 0) != ({b} < 0)"


def _is_rounded_down(node: Node) -> bool:
    dividend, divisor = node.args
    return dividend.lo >= 0 and divisor.lo >= 0


def _unless_by_zero(node: Node, divisor: str, text: str) -> str:
    never = node.args[1].lo > 0 or node.args[1].hi < 0
    return text if never else f"(({divisor} == 0) -> 0 : {text})"


def _count(node: Node, offsets: str) -> str:
    return f"({' + '.join(f'(({offsets} >> {offset}) & 1)' for offset in range(node.hi))})"


RULES: dict[Kind, Rule] = complete(
    "the Promela export",
    {
        **ALIKE,
        Kind.DIV: _div,
        Kind.MOD: _mod,
        Kind.ITE: lambda node, c, a, b: f"({c} -> {a} : {b})",
        Kind.MINUS: lambda node, a, b: f"({a} & ~{b})",
        Kind.SINGLE: lambda node, i: f"(1 << {i})",
        Kind.HAS: _has,
        Kind.LOWEST: _lowest,
        Kind.HIGHEST: _highest,
        Kind.COUNT: _count,
    },
)
"""How each kind is written."""


def expression(root: Node, names: Mapping[str, str]) -> str:
    """A node as text, with variables under their names in the model.

    Raises TooWideError where a value may need more than 31 bits, NotStartedError where the text would fill a book.

    >>> from offsetproof.ir.build import add, const, le, var
    >>> x = var("c[0].x", 0, 7)
    >>> expression(le(add(x, var("y", 0, 3)), const(4)), {"c[0].x": "c_0_x", "y": "y"})
    '((c_0_x + y) <= 4)'
    """
    texts: dict[Node, str] = {}
    for node in topological([root]):
        refuse_wide(node.lo, node.hi, _what(node))
        if node.kind is Kind.CONST:
            texts[node] = constant(node.value, node.sort)
        elif node.kind is Kind.VAR:
            texts[node] = names[node.name]
        else:
            texts[node] = RULES[node.kind](node, *(texts[arg] for arg in node.args))
        if len(texts[node]) > TEXT_MAX:
            raise NotStartedError(
                f"an expression of the model takes more than {TEXT_MAX:,} characters of Promela, which has no names "
                "for parts; export to TLA+ or Stateright instead"
            )
    return texts[root]


def _what(node: Node) -> str:
    if node.kind is Kind.CONST:
        return "a constant"
    return f"field {node.name}" if node.kind is Kind.VAR else f"a value ({node.kind.label})"


def refuse_wide(lo: int, hi: int, what: str) -> None:
    """TooWideError for an interval that SPIN's integers do not hold."""
    if max(-lo, hi) > INT_MAX:
        values = f"is {lo}" if lo == hi else f"ranges from {lo} to {hi}"
        raise TooWideError(
            f"{what} {values}, and SPIN computes with 31 bits; use smaller domains, or export to TLA+ or Stateright"
        )

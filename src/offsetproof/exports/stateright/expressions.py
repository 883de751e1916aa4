"""Nodes as Rust expressions: truth values are `bool`, integers `i64`, offset sets masks in `u64`.

Parts that are used more than once are named, so that a text is as long as its expression has different parts. They are
computed whether or not a choice needs them, which no part minds: its interval says that it never overflows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from offsetproof.exports.c_expressions import ALIKE, Rule, constant
from offsetproof.exports.wrapping import bare
from offsetproof.ir.kind import Kind, Sort, complete
from offsetproof.ir.node import Node, topological

FUNCTIONS = """\
/// Is the offset in the set? None outside of the mask is.
fn has(set: u64, offset: i64) -> bool {
    (0..64).contains(&offset) && set >> offset & 1 == 1
}

/// The lowest offset of a set; the given one if it is empty.
fn lowest(set: u64, empty: i64) -> i64 {
    if set == 0 { empty } else { i64::from(set.trailing_zeros()) }
}

/// The highest offset of a set; 0 if it is empty.
fn highest(set: u64) -> i64 {
    if set == 0 { 0 } else { 63 - i64::from(set.leading_zeros()) }
}

/// How many offsets the set holds.
fn count(set: u64) -> i64 {
    i64::from(set.count_ones())
}

/// A quotient, rounded down; 0 where the divisor is 0.
fn div(a: i64, b: i64) -> i64 {
    if b == 0 { 0 } else { (a - modulo(a, b)) / b }
}

/// A remainder with the divisor's sign; 0 where the divisor is 0.
fn modulo(a: i64, b: i64) -> i64 {
    if b == 0 { 0 } else { (a % b + b) % b }
}
"""
"""What the expressions call."""


def _ite(_node: Node, c: str, a: str, b: str) -> str:
    otherwise = bare(b) if b.startswith("(if ") else f"{{ {bare(b)} }}"
    return f"(if {bare(c)} {{ {bare(a)} }} else {otherwise})"


RULES: dict[Kind, Rule] = complete(
    "the Stateright export",
    {
        **ALIKE,
        Kind.DIV: lambda node, a, b: f"div({a}, {b})",
        Kind.MOD: lambda node, a, b: f"modulo({a}, {b})",
        Kind.ITE: _ite,
        Kind.MINUS: lambda node, a, b: f"({a} & !{b})",
        Kind.SINGLE: lambda node, i: f"(1u64 << {i})",
        Kind.HAS: lambda node, a, i: f"has({a}, {i})",
        Kind.LOWEST: lambda node, a: f"lowest({a}, {node.hi})",
        Kind.HIGHEST: lambda node, a: f"highest({a})",
        Kind.COUNT: lambda node, a: f"count({a})",
    },
)
"""How each kind is written."""

TYPES = {Sort.BOOL: "bool", Sort.INT: "i64", Sort.SET: "u64"}
"""What each sort is stored and computed in."""


def expressions(roots: Iterable[Node], reads: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The `let`s that name shared parts, and the texts of the roots.

    `reads` says how each variable is read.

    >>> from offsetproof.ir.build import add, le, var
    >>> x, y = var("x", 0, 7), var("y", 0, 3)
    >>> expressions([le(add(x, y), x), add(x, y)], {"x": "x", "y": "y"})
    (['let v0: i64 = x + y;'], ['(v0 <= x)', 'v0'])
    """
    wanted = list(roots)
    uses = Counter(arg for node in topological(wanted) for arg in node.args)
    uses.update(wanted)
    texts: dict[Node, str] = {}
    lets: list[str] = []
    for node in topological(wanted):
        if node.kind is Kind.CONST:
            texts[node] = constant(node.value, node.sort)
        elif node.kind is Kind.VAR:
            texts[node] = reads[node.name]
        else:
            texts[node] = RULES[node.kind](node, *(texts[arg] for arg in node.args))
            if uses[node] > 1:
                name = f"v{len(lets)}"
                lets.append(f"let {name}: {TYPES[node.sort]} = {bare(texts[node])};")
                texts[node] = name
    return lets, [texts[root] for root in wanted]

"""What Promela and Rust write alike: sums, comparisons, truth values, sets as masks; each operation in brackets."""

from __future__ import annotations

from collections.abc import Callable

from offsetproof.exports.wrapping import bare, outside
from offsetproof.ir.kind import Kind, Sort
from offsetproof.ir.node import Node

Rule = Callable[..., str]
"""Writes a node, given the node itself and the texts of its arguments."""


def constant(value: int, sort: Sort = Sort.INT) -> str:
    """A value of a sort as text.

    >>> constant(-2), constant(1, Sort.BOOL)
    ('(-2)', 'true')
    """
    if sort is Sort.BOOL:
        return "true" if value else "false"
    return str(value) if value >= 0 else f"({value})"


def _add(node: Node, a: str, b: str) -> str:
    right = node.args[1]
    return f"({a} - {-right.value})" if right.kind is Kind.CONST and right.value < 0 else f"({a} + {b})"


def _not(node: Node, a: str) -> str:
    """The opposite relation of a relation, else what is not so."""
    sign, opposite = _OPPOSITES.get(node.args[0].kind, ("", ""))
    relation = bare(a)
    position = outside(relation).find(sign) if sign else -1
    return f"({relation[:position]}{opposite}{relation[position + len(sign) :]})" if position >= 0 else f"!{a}"


_OPPOSITES = {Kind.EQ: (" == ", " != "), Kind.LE: (" <= ", " > ")}


def _join_by(sign: str) -> Rule:
    """A list of conditions, however they are nested."""

    def rule(node: Node, *texts: str) -> str:
        parts = [bare(text) if arg.kind is node.kind else text for arg, text in zip(node.args, texts, strict=True)]
        return f"({f' {sign} '.join(parts)})"

    return rule


ALIKE: dict[Kind, Rule] = {
    Kind.ADD: _add,
    Kind.SUB: lambda node, a, b: f"({a} - {b})",
    Kind.MUL: lambda node, a, b: f"({a} * {b})",
    Kind.EQ: lambda node, a, b: f"({a} == {b})",
    Kind.LE: lambda node, a, b: f"({a} <= {b})",
    Kind.NOT: _not,
    Kind.AND: _join_by("&&"),
    Kind.OR: _join_by("||"),
    Kind.UNION: lambda node, a, b: f"({a} | {b})",
    Kind.MEET: lambda node, a, b: f"({a} & {b})",
}
"""The kinds that both languages write alike."""

"""Expressions in words: what tells the parts of a guard apart, and how people read which of them was changed.

A field is named by its family: its path without the numbers in it, so that all instances of an action, in all scopes,
say the same about what they read and write. Enum members are shown by name, optionals as the values that they hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from offsetproof.ir.build import is_const
from offsetproof.ir.faults import SPENT
from offsetproof.ir.kind import Kind, Sort, complete
from offsetproof.ir.node import Node, variables
from offsetproof.lang.domain import Domain, Members, Optionals

Domains = Mapping[str, Domain]
"""The domain of each variable, by its name."""

_LENGTH = 70
_INDEX = re.compile(r"\[[^\]]*\]")
_WAY = re.compile(r"(?:\w+(?:\[\])?\.)+(?=\w+(?:\[\])?\.\w)")


def family(name: str) -> str:
    """A variable's path without its indices.

    >>> family("consumer[0].process_queue[1].dropped")
    'consumer[].process_queue[].dropped'
    """
    return name if name.startswith(SPENT) else _INDEX.sub("[]", name)


def families(roots: Iterable[Node]) -> frozenset[str]:
    """The families of everything that the roots read."""
    return frozenset(map(family, variables(roots)))


def phrase(node: Node, domains: Domains) -> str:
    """An expression as people write it, with families for its variables."""
    if node.kind is Kind.VAR:
        return family(node.name)
    if is_const(node):
        return _constant(node)
    if node.kind in (Kind.AND, Kind.OR):
        operands = list(dict.fromkeys(_operands(node, node.kind, domains)))
        return operands[0] if len(operands) == 1 else f"({f' {node.kind.label} '.join(operands)})"
    if node.kind is Kind.ADD and _reads_optional(node, domains):
        return phrase(node.args[0], domains)
    if node.kind is Kind.EQ:
        return _comparison_text(node, domains, "==", "is")
    if node.kind is Kind.NOT and node.args[0].kind is Kind.EQ:
        return _comparison_text(node.args[0], domains, "!=", "is not")
    if node.kind is Kind.NOT and node.args[0].kind is Kind.LE:
        left, right = node.args[0].args
        return f"{phrase(left, domains)} > {phrase(right, domains)}"
    return _WORDS[node.kind](*(phrase(arg, domains) for arg in node.args))


def _operands(node: Node, kind: Kind, domains: Domains) -> list[str]:
    """The operands of a chain of one kind, each in words."""
    if node.kind is kind:
        return [text for arg in node.args for text in _operands(arg, kind, domains)]
    return [phrase(node, domains)]


def _constant(node: Node) -> str:
    if node.sort is Sort.SET:
        return f"{{{', '.join(str(i) for i in range(node.value.bit_length()) if node.value >> i & 1)}}}"
    return str(bool(node.value)) if node.sort is Sort.BOOL else str(node.value)


def shorten_text(text: str) -> str:
    """A condition's text with only the last two members of each path, and cut where it is still long.

    >>> shorten_text("(consumer[].process_queue[].dropped or not consumer[].paused)")
    'process_queue[].dropped or not consumer[].paused'
    """
    text = _WAY.sub("", text)
    if text.startswith("(") and text.endswith(")") and _is_balanced(text[1:-1]):
        text = text[1:-1]
    return text if len(text) <= _LENGTH else f"{text[: _LENGTH - 3]}..."


def _is_balanced(text: str) -> bool:
    depth = 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return False
    return True


def _reads_optional(node: Node, domains: Domains) -> bool:
    """Is this the value of an optional that is there? (Its number is one more than the value's, counted from lo.)"""
    left, right = node.args
    domain = domains.get(left.name) if left.kind is Kind.VAR else None
    return isinstance(domain, Optionals) and is_const(right) and right.value == domain.inner.lo - 1


def _comparison_text(node: Node, domains: Domains, sign: str, identity: str) -> str:
    left, right = node.args
    domain = domains.get(left.name) if left.kind is Kind.VAR else None
    if not is_const(right) or not isinstance(domain, Members | Optionals):
        return f"{phrase(left, domains)} {sign} {phrase(right, domains)}"
    value = domain.decode(right.value)
    if value is None:
        return f"{phrase(left, domains)} {identity} None"
    return f"{phrase(left, domains)} {sign} {getattr(value, 'name', value)}"


_WORDS: dict[Kind, Callable[..., str]] = complete(
    "the wording of mutants",
    {
        Kind.ADD: lambda a, b: f"{a} - {b[1:]}" if b.startswith("-") else f"{a} + {b}",
        Kind.SUB: lambda a, b: f"{a} - ({b})",
        Kind.MUL: lambda a, b: f"({a}) * ({b})",
        Kind.DIV: lambda a, b: f"({a}) // ({b})",
        Kind.MOD: lambda a, b: f"({a}) % ({b})",
        Kind.EQ: lambda a, b: f"{a} == {b}",
        Kind.LE: lambda a, b: f"{a} <= {b}",
        Kind.NOT: lambda a: f"not ({a})" if " " in a and not a.startswith("(") else f"not {a}",
        Kind.AND: lambda a, b: f"({a} and {b})",
        Kind.OR: lambda a, b: f"({a} or {b})",
        Kind.ITE: lambda c, a, b: f"({a} if {c} else {b})",
        Kind.UNION: lambda a, b: f"({a} | {b})",
        Kind.MEET: lambda a, b: f"({a} & {b})",
        Kind.MINUS: lambda a, b: f"({a} - {b})",
        Kind.SINGLE: lambda i: f"{{{i}}}",
        Kind.HAS: lambda a, i: f"{i} in {a}",
        Kind.LOWEST: lambda a: f"lowest of {a}",
        Kind.HIGHEST: lambda a: f"highest of {a}",
        Kind.COUNT: lambda a: f"size of {a}",
    },
)
"""How each kind is written; comparisons with enum members and None are made apart."""

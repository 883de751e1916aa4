"""Conditions taken apart: the parts that must all be true, and the alternatives of which one must be."""

from __future__ import annotations

from offsetproof.ir.build import FALSE, TRUE, negate
from offsetproof.ir.kind import Kind
from offsetproof.ir.node import Node

Clause = tuple[Node, ...]
"""Conditions that are true together."""


def conjuncts(condition: Node) -> Clause:
    """The parts of a condition, each once; it is true where all of them are.

    >>> from offsetproof.ir.build import both, either, var
    >>> from offsetproof.ir.kind import Sort
    >>> a, b = var("a", 0, 1, Sort.BOOL), var("b", 0, 1, Sort.BOOL)
    >>> conjuncts(negate(either(a, negate(b))))
    (not(a), b)
    """
    if condition is TRUE:
        return ()
    if condition.kind is Kind.AND:
        parts = [part for arg in condition.args for part in conjuncts(arg)]
    elif condition.kind is Kind.NOT and condition.args[0].kind is Kind.OR:
        parts = [part for arg in condition.args[0].args for part in conjuncts(negate(arg))]
    else:
        parts = [condition]
    return tuple(dict.fromkeys(parts))


def alternatives(condition: Node, most: int) -> tuple[Clause, ...]:
    """Clauses of which one is true where the condition is; a part that would make more than `most` stays whole."""
    if condition is FALSE:
        return ()
    clauses: list[Clause] = [()]
    for part in conjuncts(condition):
        choices = _choices(part, most)
        if len(choices) * len(clauses) > most:
            choices = ((part,),)
        clauses = [tuple(dict.fromkeys((*clause, *choice))) for clause in clauses for choice in choices]
    return tuple(dict.fromkeys(clauses))


def _choices(part: Node, most: int) -> tuple[Clause, ...]:
    if part.kind is Kind.OR:
        parts = part.args
    elif part.kind is Kind.NOT and part.args[0].kind is Kind.AND:
        parts = tuple(negate(arg) for arg in part.args[0].args)
    else:
        return ((part,),)
    return tuple(clause for each in parts for clause in alternatives(each, most))

"""What a claim or another function of a model gave on one path, as a node: its truth, its premise, an amount."""

from __future__ import annotations

from collections.abc import Sequence

from offsetproof.ir import build
from offsetproof.ir.node import Node
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.sorts import ValueSort, sort_of
from offsetproof.lang.symbolic import SymBool, SymImplication, node_of

NOT_ASKED = object()
"""In place of a claim's truth where it is about states at rest, and this is none."""


def truth_node(value: object, what: str, place: str) -> Node:
    """The truth; DeclarationError for what is neither true nor false."""
    if value is NOT_ASKED:
        return build.TRUE
    if isinstance(value, SymBool):
        return value.node
    if not isinstance(value, bool):
        raise DeclarationError(f"{place}: {what} gave something other than True or False; compare it with a value")
    return build.truth(value)


def says_nothing_by_true(values: Sequence[object]) -> bool:
    """Does a claim's plain True stand for "nothing to say here", as in `if ...: return True`, not for its judgement?

    It is the judgement where the claim says False as plainly, as `all(...)` does, or says nothing else.
    """
    says_false = any(value is False for value in values)
    return not says_false and any(isinstance(value, SymBool) for value in values)


def premise_node(value: object, *, quiet: bool) -> Node:
    """Where a claim says something, on one path: where its implication's condition is true.

    Nowhere if it was not asked, or if it is plainly true and `quiet` says what that means.
    """
    if isinstance(value, SymImplication):
        return value.premise
    return build.truth(value is not NOT_ASKED and not (quiet and value is True))


def amount_node(value: object, what: str, place: str) -> Node:
    """The number, of an offset set how many are in it; DeclarationError for anything else."""
    sort = sort_of(value)
    if sort is ValueSort.OFFSETS:
        return build.count(node_of(value))
    if sort is not ValueSort.NUMBER:
        raise DeclarationError(f"{place}: {what} must be an offset set or a number")
    return node_of(value)

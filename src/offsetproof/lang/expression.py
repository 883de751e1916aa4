"""Functions that compute without splitting a staged run, and work on real values alike.

`min`, `max`, `and`, `any` are allowed in models too, but each asks a symbolic value for its truth and so doubles the
paths of an action; these do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from offsetproof.ir import build
from offsetproof.ir.node import Node
from offsetproof.lang.offsets import SymSet
from offsetproof.lang.sorts import ValueSort, may_be_equal, members_of, must_be, must_match, sort_of
from offsetproof.lang.symbolic import Sym, SymBool, SymEnum, SymImplication, SymInt, node_of

Value = TypeVar("Value")


def smaller(a: int, b: int) -> int:
    """The smaller of two integers.

    >>> smaller(3, 2)
    2
    """
    must_be(ValueSort.NUMBER, "smaller()", a, b)
    return choose(a <= b, a, b)


def larger(a: int, b: int) -> int:
    """The larger of two integers."""
    must_be(ValueSort.NUMBER, "larger()", a, b)
    return choose(b <= a, a, b)


def choose(condition: bool, yes: Value, no: Value) -> Value:
    """`yes if condition else no`, for two values of one sort; RefusedError for others.

    >>> choose(True, 1, 2)
    1
    """
    must_be(ValueSort.TRUTH, "choose()", condition)
    must_match("choose()", yes, no)
    if not isinstance(condition, Sym):
        return yes if condition else no
    node = build.ite(condition.node, node_of(yes), node_of(no))
    return _typed_value(_like(yes if isinstance(yes, Sym) else no, node))


def _typed_value(value: Any) -> Any:
    return value


def _like(value: object, node: Node) -> Sym:
    """The symbolic value of a node that has the sort of another value."""
    sort = sort_of(value)
    if sort is ValueSort.MEMBER:
        return SymEnum(node, members_of(value))
    if sort is ValueSort.OFFSETS:
        return SymSet(node)
    return SymBool(node) if sort is ValueSort.TRUTH else SymInt(node)


def every(conditions: Iterable[bool]) -> bool:
    """Are all of them true? (`all` without splitting.)

    >>> every([True, False])
    False
    """
    return _gather_conditions(conditions, build.conjunction, all)


def some(conditions: Iterable[bool]) -> bool:
    """Is any of them true? (`any` without splitting.)"""
    return _gather_conditions(conditions, build.disjunction, any)


def _gather_conditions(
    conditions: Iterable[bool], join: Callable[[list[Node]], Node], decide: Callable[[list[bool]], bool]
) -> bool:
    """What `join` makes of nodes, where some are staged, and `decide` of real values alone."""
    values = list(conditions)
    if {*map(type, values)} <= {bool}:
        return decide(values)  # as below, sooner: so it is on the reference semantics
    must_be(ValueSort.TRUTH, "a list of conditions", *values)
    if any(isinstance(value, Sym) for value in values):
        return _typed_value(SymBool(join([node_of(value) for value in values])))  # type: ignore[no-any-return]  # a staged truth value
    return decide(values)


def negation(condition: bool) -> bool:
    """`not condition` without splitting."""
    return _gather_conditions([condition], lambda nodes: build.negate(nodes[0]), lambda values: not values[0])


def implies(condition: bool, consequence: bool) -> bool:
    """Is the consequence true wherever the condition is? Both are evaluated; nothing splits.

    A claim that ends in it is counted where its condition is true.

    >>> implies(False, False)
    True
    """
    implication: Any = some([negation(condition), consequence])
    return SymImplication(implication.node, node_of(condition)) if isinstance(implication, Sym) else implication  # type: ignore[return-value]  # real or staged


def among(value: Value, *members: Value) -> bool:
    """Is the value one of these? (`in` a tuple, without splitting.)

    >>> among(2, 1, 2)
    True
    """
    return some(may_be_equal(value, member) and value == member for member in members)

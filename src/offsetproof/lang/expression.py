"""Functions that compute without splitting a staged run, and work on real values alike.

`min`, `max`, `and`, `any` are allowed in models too, but each asks a symbolic value for its truth and so doubles the
paths of an action; these do not.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, TypeVar

from offsetproof.ir import build
from offsetproof.ir.node import Node
from offsetproof.lang.errors import refuse
from offsetproof.lang.offsets import OffsetSet, SymSet, _set_node
from offsetproof.lang.symbolic import Sym, SymBool, SymEnum, SymInt, node_of, wrap

Value = TypeVar("Value")


def smaller(a: int, b: int) -> int:
    """The smaller of two integers.

    >>> smaller(3, 2)
    2
    """
    return choose(a <= b, a, b)


def larger(a: int, b: int) -> int:
    """The larger of two integers."""
    return choose(b <= a, a, b)


def choose(condition: bool, yes: Value, no: Value) -> Value:
    """`yes if condition else no`, for two values of one type.

    >>> choose(True, 1, 2)
    1
    """
    if not isinstance(condition, Sym):
        return yes if condition else no
    c = _truth_node(condition)
    if isinstance(yes, OffsetSet | SymSet) or isinstance(no, OffsetSet | SymSet):
        return _typed(SymSet(build.ite(c, _set_node(yes), _set_node(no))))
    if isinstance(yes, Enum | SymEnum) or isinstance(no, Enum | SymEnum):
        return _typed(_choose_member(c, yes, no))
    a, b = node_of(yes), node_of(no)
    if a.sort is not b.sort:
        a, b = build.as_int(a), build.as_int(b)
    return _typed(wrap(build.ite(c, a, b)))


def _typed(value: Any) -> Any:
    return value


def _choose_member(c: Node, yes: object, no: object) -> SymEnum:
    members = _members(yes) or _members(no)
    return SymEnum(build.ite(c, _member(yes, members), _member(no, members)), members)


def _members(value: object) -> tuple[Enum, ...]:
    if isinstance(value, SymEnum):
        return value.members
    return tuple(type(value)) if isinstance(value, Enum) else ()


def _member(value: object, members: tuple[Enum, ...]) -> Node:
    if isinstance(value, SymEnum) and value.members == members:
        return value.node
    if isinstance(value, Enum) and value in members:
        return build.const(members.index(value))
    raise refuse("a choice between two types", "give both branches a member of the same enum")


def every(conditions: Iterable[bool]) -> bool:
    """Are all of them true? (`all` without splitting.)

    >>> every([True, False])
    False
    """
    return _gathered(conditions, build.conjunction)


def some(conditions: Iterable[bool]) -> bool:
    """Is any of them true? (`any` without splitting.)"""
    return _gathered(conditions, build.disjunction)


def _gathered(conditions: Iterable[bool], join: Any) -> bool:
    values = list(conditions)
    node = join([_truth_node(value) for value in values])
    if any(isinstance(value, Sym) for value in values):
        return _typed(SymBool(node))  # type: ignore[no-any-return]  # a staged truth value
    return bool(node.value)


def _truth_node(value: object) -> Node:
    if isinstance(value, SymBool):
        return value.node
    if isinstance(value, SymInt):
        return build.negate(build.eq(value.node, build.const(0)))
    return build.truth(bool(value))


def negation(condition: bool) -> bool:
    """`not condition` without splitting."""
    return _gathered([condition], lambda nodes: build.negate(nodes[0]))


def implies(condition: bool, consequence: bool) -> bool:
    """Is the consequence true wherever the condition is? Both are evaluated; nothing splits.

    >>> implies(False, False)
    True
    """
    return some([negation(condition), consequence])


def among(value: Value, *members: Value) -> bool:
    """Is the value one of these? (`in` a tuple, without splitting.)

    >>> among(2, 1, 2)
    True
    """
    return some(value == member for member in members)

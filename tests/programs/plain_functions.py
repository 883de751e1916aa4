"""The language's functions of values as plain Python, for `plain`. None is not a value that they take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def _given(*values: Any) -> None:
    if any(value is None for value in values):
        raise TypeError("None")


def choose(condition: Any, yes: Any, no: Any) -> Any:
    _given(condition, yes, no)
    return yes if condition else no


def smaller(a: Any, b: Any) -> Any:
    return min(a, b)


def larger(a: Any, b: Any) -> Any:
    return max(a, b)


def every(conditions: Iterable[Any]) -> bool:
    values = list(conditions)
    _given(*values)
    return all(values)


def some(conditions: Iterable[Any]) -> bool:
    values = list(conditions)
    _given(*values)
    return any(values)


def negation(condition: Any) -> bool:
    _given(condition)
    return not condition


def implies(condition: Any, consequence: Any) -> bool:
    _given(condition, consequence)
    return not condition or bool(consequence)


def among(value: Any, *members: Any) -> bool:
    return any(value == member for member in members)

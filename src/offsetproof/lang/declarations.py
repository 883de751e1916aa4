"""What a model's class attributes, its actions' parameters and its claims must be: the language cannot ask Python.

A slip here (one scope instead of a tuple of scopes, an id that is a number) would come up as a TypeError much later, in
a place that the model's author has never heard of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from offsetproof.lang.claim import Expectation, Property
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.scope import Index, Scope
from offsetproof.lang.setting import Assumption, Fix, Listener, Release

_UNWRITABLE = re.compile("[\0\ud800-\udfff]")

_KINDS: Mapping[str, type] = {
    "scopes": Scope,
    "releases": Release,
    "roles": str,
    "fixes": Fix,
    "assumptions": Assumption,
    "listeners": Listener,
    "left_out": str,
}
"""What the tuples hold that a model's class may have."""


def refuse_odd_declarations(model: Any, properties: Iterable[Property]) -> None:
    """DeclarationError for what is not of the kind that the language needs, and for names that are given twice."""
    for attribute, kind in _KINDS.items():
        value = getattr(model, attribute)
        if attribute in model.actions:  # whether an action may have this name is not judged here
            continue
        if not isinstance(value, tuple | list) or not all(isinstance(each, kind) for each in value):
            raise DeclarationError(
                f"{model.__name__}.{attribute} is {_short(value)}; it must be a tuple of {kind.__name__}, with a comma "
                "also behind a single one"
            )
        names = [getattr(each, "name", each) for each in value]
        _refuse_twice(f"{model.__name__}.{attribute}", names)
        _refuse_unwritable(f"{model.__name__}.{attribute}", *names)
    if not model.scopes:
        raise DeclarationError(f"{model.__name__} has no scope, so nothing would be checked; name one, or none at all")
    for scope in model.scopes:
        _refuse_odd_scope(scope)
    for action in model.actions.values():
        _refuse_odd_action(action)
    for prop in properties:
        _refuse_odd_claim(prop)


def _refuse_odd_scope(scope: Any) -> None:
    for what, numbers in (("bounds", scope.bounds), ("faults", scope.faults)):
        if not isinstance(numbers, Mapping):
            raise DeclarationError(f"the {what} of scope {scope.name} are {_short(numbers)}; write {{'name': number}}")
        for name, number in numbers.items():
            if not isinstance(name, str) or not isinstance(number, int):
                told = f"{_short(name)}: {_short(number)}"
                raise DeclarationError(f"scope {scope.name} has {told} among its {what}; write a name and a number")


def _refuse_odd_action(action: Any) -> None:
    for word in ("actor", "thread"):
        if not isinstance(getattr(action, word), str):
            raise DeclarationError(f"{action.place}: {action.name} has {word}={getattr(action, word)!r}; write a text")
    _refuse_unwritable(action.place, action.actor, action.thread, action.fault, action.logs, *action.stands_for)
    for name, sort in action.sorts:
        if not isinstance(sort, Index) and not (isinstance(sort, type) and issubclass(sort, Enum)):
            raise DeclarationError(
                f"{action.place}: {action.name} takes {name} from {_short(sort)}; give an Index or an Enum class"
            )


def _refuse_odd_claim(prop: Any) -> None:
    if not isinstance(prop.id, str):
        raise DeclarationError(f"{prop.place}: a claim's id is a text, not {_short(prop.id)}")
    _refuse_unwritable(prop.place, prop.id)
    for verdict in prop.expected.values():
        if not isinstance(verdict, Expectation):
            raise DeclarationError(f"{prop.place}: claim {prop.id} expects {_short(verdict)}; write HOLDS or REFUTED")


def _refuse_unwritable(where: str, *names: object) -> None:
    """NUL and halves of surrogate pairs: what is recorded with them in it could not be read again."""
    for name in names:
        if _UNWRITABLE.search(str(name)):
            raise DeclarationError(
                f"{where}: {_short(name)} has a character in it that no file could hold; leave it out"
            )


def _refuse_twice(where: str, names: list[object]) -> None:
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise DeclarationError(f"{where} has {twice!r} twice; the second would never be used")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

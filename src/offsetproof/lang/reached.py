"""The code that an action can get to, so that two models can be compared in it.

Code gets to methods and constants of a model by their names alone: `syntax` and `outside` let nothing else pass. So two
models have the same code behind an action where every name that can be reached from it stands for the same in every
place of both. More is counted as reached than may be: every member of that name, whosever it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any

from offsetproof.lang.action import Action
from offsetproof.lang.component import Component, components_in
from offsetproof.lang.errors import RefusedError, is_own
from offsetproof.lang.model import Model
from offsetproof.lang.outside import Outside
from offsetproof.lang.sources import attributes_in


@dataclass(frozen=True)
class ReachedCode:
    """An action as it was declared, and the names that it can get to, each with what it stands for in which places.

    Equal where the code is the same.
    """

    declared: tuple[object, ...]
    meanings: frozenset[tuple[str, object]]
    asks_listener: bool


Place = tuple[str, type[Component]]
"""A component's path in a model, without the numbers of arrays, and its class."""


def code_in(root: Model) -> CodeInPlaces:
    """The code of a model in some setting."""
    places = {(_NUMBERS.sub("[]", part._path), type(part)) for part in components_in(root)}
    return _code_in(tuple(sorted(places, key=lambda place: place[0])))


_NUMBERS = re.compile(r"\[\d+\]")


@lru_cache(maxsize=64)
def _code_in(places: tuple[Place, ...]) -> CodeInPlaces:
    return CodeInPlaces(places)


class CodeInPlaces:
    """The code of the components in these places, looked through once for each action."""

    def __init__(self, places: tuple[Place, ...]) -> None:
        self._places = places
        self._meanings: dict[str, object] = {}
        self._reached: dict[object, ReachedCode | None] = {}

    def code_behind(self, action: Action) -> ReachedCode | None:
        """What an action can get to; None where that cannot be said."""
        own: tuple[Callable[..., object], ...] = (action.method, *(elements for _, elements in action.among))
        key = (*own, action.sorts, action.actor, action.fault)
        if key not in self._reached:
            names = self._names_or_none(own)
            self._reached[key] = None if names is None else self._code(key, names)
        return self._reached[key]

    def _code(self, declared: tuple[object, ...], names: Collection[str]) -> ReachedCode:
        meanings = frozenset((name, self._meaning(name)) for name in names)
        return ReachedCode(declared, meanings, any("listener" in name for name in names))

    def _meaning(self, name: str) -> object:
        """What a name stands for in each place where it stands for anything, the nearest first."""
        if name not in self._meanings:
            found = ((path, tuple(map(id, _members(name, kind.__mro__)))) for path, kind in self._places)
            self._meanings[name] = tuple((path, members) for path, members in found if members)
        return self._meanings[name]

    def _names_or_none(self, functions: Iterable[Callable[..., object]]) -> frozenset[str] | None:
        try:
            return self._names(functions)
        except RefusedError:  # whoever reads the model says so
            return None

    def _names(self, functions: Iterable[Callable[..., object]]) -> frozenset[str] | None:
        """All names that these functions ask for, and the functions that stand behind these names; None as above."""
        names, waiting, seen = set[str](), [*functions], set[Callable[..., object]]()
        kinds = {base for _, kind in self._places for base in kind.__mro__} - {Component, Model}
        while waiting:
            function = waiting.pop()
            if function in seen:
                continue
            if not isinstance(function, FunctionType) or is_own(function.__code__.co_filename):
                return None
            seen.add(function)
            named = _named_in(function)
            more = {base for kind in named.kinds for base in kind.__mro__} - kinds - {Component, Model}
            asked = named.attributes | names if more else named.attributes - names
            kinds |= more
            names |= asked
            waiting += named.functions
            waiting += [each for name in asked for member in _members(name, kinds) for each in _functions_in(member)]
        return frozenset(names)


def _members(name: str, kinds: Collection[type]) -> Iterator[Any]:
    return (vars(kind)[name] for kind in kinds if name in vars(kind))


class _Named(Outside):
    """What a function, or a member of a class, names: attributes, functions, and classes of components."""

    def __init__(self) -> None:
        self.functions: list[FunctionType] = []
        self.kinds: list[type[Component]] = []
        self.attributes: frozenset[str] = frozenset()
        super().__init__(self.functions.append)

    def allow_component(self, kind: type[Component]) -> None:
        self.kinds.append(kind)


@lru_cache(maxsize=4096)
def _named_in(function: FunctionType) -> _Named:
    named = _Named()
    named.attributes = frozenset(attributes_in(function.__code__))
    named.allow_names(function)
    return named


def _functions_in(member: Any) -> Iterable[FunctionType]:
    """The functions of a member of a class: a method, a property, those that a field or a table is made with."""
    named = _Named()
    named.allow_member(member, "", "")
    return named.functions

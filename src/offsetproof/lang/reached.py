"""The code that an action can get to, so that two models can be compared in it.

Code gets to methods and constants of a model by their names alone: `syntax` and `outside` let nothing else pass. So two
models have the same code behind an action where every name that can be reached from it stands for the same in every
place of both. What `super()` finds depends on the order of classes as well: of those that define such names, and of
those that the code names. More is counted as reached than may be: every member of that name, whosever it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any

from offsetproof.lang.action import Action
from offsetproof.lang.component import Component, components_in
from offsetproof.lang.errors import RefusedError, is_own
from offsetproof.lang.model import Model
from offsetproof.lang.outside import Outside, Place
from offsetproof.lang.scope import Scope
from offsetproof.lang.setting import Setting
from offsetproof.lang.sources import attributes_in


@dataclass(frozen=True)
class ReachedCode:
    """An action as it was declared, and what the names that it can get to stand for in which places.

    Equal where the code is the same.
    """

    declared: tuple[object, ...]
    meanings: frozenset[tuple[str, object]]
    asks_listener: bool


PlaceInModel = tuple[str, type[Component]]
"""A component's path in a model, without the numbers of arrays, and its class."""


def code_in(root: Model) -> CodeInPlaces:
    """The code of a model in some setting."""
    places = {(_NUMBERS.sub("[]", part._path), type(part)) for part in components_in(root)}
    return _code_in(tuple(sorted(places, key=lambda place: place[0])))


_NUMBERS = re.compile(r"\[\d+\]")


@lru_cache(maxsize=64)
def _code_in(places: tuple[PlaceInModel, ...]) -> CodeInPlaces:
    return CodeInPlaces(places)


class CodeInPlaces:
    """The code of the components in these places, looked through once for each action."""

    def __init__(self, places: tuple[PlaceInModel, ...]) -> None:
        self._places = places
        self._reached: dict[object, ReachedCode | None] = {}

    def code_behind(self, action: Action) -> ReachedCode | None:
        """What an action can get to; None where that cannot be said."""
        own: tuple[Callable[..., object], ...] = (action.method, *(elements for _, elements in action.among))
        key = (*own, action.sorts, action.actor, action.fault)
        if key not in self._reached:
            try:
                named = self._names_and_kinds(own)
            except RefusedError:  # only where nobody has read the model
                named = None
            self._reached[key] = None if named is None else self._code(key, *named)
        return self._reached[key]

    def _code(self, declared: tuple[object, ...], names: set[str], named: Collection[type]) -> ReachedCode:
        bases = {base for _, kind in self._places for base in kind.__mro__}
        own = {base: (base if base in named else None, _own_members(names, base)) for base in bases}
        meanings = frozenset(
            (path, tuple(own[base] for base in kind.__mro__ if any(own[base]))) for path, kind in self._places
        )
        return ReachedCode(declared, meanings, any("listener" in name for name in names))

    def _names_and_kinds(self, functions: Iterable[Callable[..., object]]) -> tuple[set[str], set[type]] | None:
        """All names and classes that code asks for which these functions can get to; None as above."""
        names, named, seen = set[str](), set[type](), set[Callable[..., object]]()
        kinds = {base for _, kind in self._places for base in kind.__mro__} - {Component, Model}
        waiting = [_Named(functions)]
        while waiting:
            here = waiting.pop()
            if here.names_worlds:
                return None
            more = {base for kind in here.kinds for base in kind.__mro__} - kinds - {Component, Model}
            asked = here.attributes | names if more else here.attributes - names
            kinds |= more
            names |= asked
            named.update(here.kinds)
            waiting += [_named_by(vars(kind)[name]) for name in asked for kind in kinds if name in vars(kind)]
            for function in {*here.functions} - seen:
                if not isinstance(function, FunctionType) or is_own(function.__code__.co_filename):
                    return None
                seen.add(function)
                waiting.append(_named_in(function))
        return names, named


def _own_members(names: set[str], kind: type) -> tuple[tuple[str, int], ...]:
    """What a class itself has under these names."""
    return tuple((name, id(vars(kind)[name])) for name in sorted(names & vars(kind).keys()))


class _Named(Outside):
    """What a function, or a member of a class, names: attributes, functions, and classes of components."""

    def __init__(self, functions: Iterable[Callable[..., object]] = ()) -> None:
        self.functions = [*functions]
        self.kinds: list[type[Component]] = []
        self.attributes: frozenset[str] = frozenset()
        self.names_worlds = False
        super().__init__(self.functions.append)

    def allow(self, value: Any, name: str, place: Place) -> None:
        self.names_worlds |= type(value) in (Scope, Setting)
        super().allow(value, name, place)

    def judge_component(self, kind: type[Component]) -> None:
        self.kinds.append(kind)


@lru_cache(maxsize=4096)
def _named_in(function: FunctionType) -> _Named:
    named = _Named()
    named.attributes = frozenset(attributes_in(function.__code__))
    named.allow_names(function)
    return named


def _named_by(member: Any) -> _Named:
    """What a member of a class names: a method, a property, a claim, what a field or a table is made with."""
    named = _Named()
    named.allow_member(member, "", "")
    for claim in named.claims.values():
        named.take(claim)
    return named

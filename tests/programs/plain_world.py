"""What plain Python's models live in, for `plain`: scopes, sorts, one dict of values, and guards."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

ANYTHING = object()


class DisabledError(BaseException):
    """A guard that does not hold."""


class OutsideError(Exception):
    """A field holds what it may not hold."""


class set(builtins.set):  # type: ignore[type-arg]  # noqa: N801 - takes the place of the builtin
    """A set that is gone through the other way round."""

    def __iter__(self) -> Iterator[Any]:
        return reversed(list(super().__iter__()))


class frozenset(builtins.frozenset):  # type: ignore[type-arg]  # noqa: N801 - takes the place of the builtin
    """The same, of sets that cannot change."""

    def __iter__(self) -> Iterator[Any]:
        return reversed(list(super().__iter__()))


@dataclass(frozen=True)
class Index:
    name: str
    size: Any

    def values(self, scope: Scope) -> range:
        return range(resolve(self.size, scope))


@dataclass(frozen=True)
class Scope:
    name: str
    bounds: Mapping[str, int]
    faults: Mapping[str, int] = field(default_factory=dict)

    def __getattr__(self, name: str) -> int:
        if name.startswith("__") or name not in self.bounds:
            raise AttributeError(name)
        return self.bounds[name]


@dataclass(frozen=True)
class Setting:
    scope: Scope


def resolve(bound: Any, scope: Scope) -> int:
    value = getattr(scope, bound) if isinstance(bound, str) else bound(scope) if callable(bound) else bound
    return int(value)


def sort_values(sort: Any, scope: Scope) -> list[Any]:
    return list(sort.values(scope)) if isinstance(sort, Index) else list(sort)


@dataclass
class World:
    """What all fields hold now: by path, with what each may hold, in order."""

    scope: Scope
    domains: dict[str, list[Any]] = field(default_factory=dict)
    starts: dict[str, list[Any]] = field(default_factory=dict)
    blank: dict[str, Any] = field(default_factory=dict)
    now: dict[str, Any] = field(default_factory=dict)
    cut: bool = False

    def grow(self, path: str, domain: list[Any], start: Any) -> str:
        self.domains[path] = domain
        self.starts[path] = domain if start is ANYTHING else [start]
        self.now[path] = self.blank[path] = self.starts[path][0]
        return path

    def holds(self, path: str) -> bool:
        value = self.now[path]
        return any(type(value) is type(each) and value == each for each in self.domains[path])


_worlds: list[World] = []


def judged_in(world: World) -> None:
    """From now on guards and bounds are about this world."""
    _worlds[:] = [world]


def require(*conditions: Any) -> None:
    for condition in conditions:
        if not condition:
            raise DisabledError


def bound(condition: Any) -> None:
    if not condition:
        _worlds[0].cut = True

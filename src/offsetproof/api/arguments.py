"""What `offsetproof.check` is given beside subject and claims; what cannot be meant is refused by its name.

A TypeError or a ValueError says which argument it is, what was given, and what may be given.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TypeVar

from offsetproof.lang.scope import Scope, is_whole
from offsetproof.lang.setting import Assumption, Fix, Listener, Release

Named = TypeVar("Named", Release, Fix, Assumption)


@dataclass(frozen=True)
class Where:
    """Where claims are asked; what is left out is as each claim says."""

    scope: str | Scope | None
    bounds: Mapping[str, int | str]
    release: tuple[str | Release, ...]
    fixes: tuple[str | Fix, ...]
    assumptions: tuple[str | Assumption, ...]
    listener: str | Listener | None

    @classmethod
    def of(
        cls,
        scope: str | Scope | None,
        bounds: Mapping[str, int | str] | None,
        release: str | Release | Iterable[str | Release],
        fixes: str | Fix | Iterable[str | Fix],
        assumptions: str | Assumption | Iterable[str | Assumption],
        listener: str | Listener | None,
    ) -> Where:
        """As a user gives it; TypeError for what is of another kind."""
        if not isinstance(scope, str | Scope | None):
            raise not_one("scope", scope, "a scope's name, `all`, or a Scope")
        if not isinstance(listener, str | Listener | None):
            raise not_one("listener", listener, "a listener's name, or a Listener")
        return cls(
            scope,
            _bounds(bounds),
            _several("release", release, Release),
            _several("fixes", fixes, Fix),
            _several("assumptions", assumptions, Assumption),
            listener,
        )


@dataclass(frozen=True)
class Spent:
    """Which engine decides in how many processes, and what it may spend on each question: states, bytes, seconds."""

    engine: str
    depth: int
    seed: int
    max_states: int | None
    max_memory: int | None
    timeout: float | None
    workers: int = 1

    def refuse_odd(self) -> None:
        """TypeError for a limit that is not a number, ValueError for one that is too small."""
        if not isinstance(self.engine, str):
            raise not_one("engine", self.engine, "an engine's name, as `explicit`")
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is None and name in _OPTIONAL:
                continue
            if isinstance(value, bool) or not isinstance(value, Real if name == "timeout" else Integral):
                whole = "number" if name == "timeout" else "whole number"
                raise not_one(name, value, f"a {whole} from {least}; leave it out for no limit of your own")
            if not (least <= float(value) < math.inf):
                raise ValueError(f"{name} is a number from {least}, not {value}; leave it out for no limit of your own")
        if self.workers > 1 and self.engine != "explicit":
            raise ValueError(f"engine {self.engine} decides in one process; leave workers out")


_LEAST = {"depth": 0, "seed": 0, "max_states": 1, "max_memory": 1, "timeout": 0, "workers": 1}
"""The least that each limit may be."""

_OPTIONAL = frozenset({"max_states", "max_memory", "timeout"})


def _several(argument: str, given: str | Named | Iterable[str | Named], kind: type[Named]) -> tuple[str | Named, ...]:
    """What is given as one or as many."""
    given_alone: object = given
    if isinstance(given_alone, str | kind):
        return (given_alone,)
    many = tuple(given) if isinstance(given, Iterable) else (given,)
    for each in many:
        if not isinstance(each, str | kind):
            raise not_one(argument, each, f"a name, an object of {kind.__name__}, or several of these")
    return many


def _bounds(given: Mapping[str, int | str] | None) -> Mapping[str, int | str]:
    wanted = 'a dict of names and values, as {"messages": 3}'
    if not isinstance(given, Mapping | None):
        raise not_one("bounds", given, wanted)
    pairs: Iterable[tuple[object, object]] = (given or {}).items()
    if not all(isinstance(name, str) and (is_whole(value) or isinstance(value, str)) for name, value in pairs):
        raise not_one("bounds", given, wanted)
    return dict(given or {})


def not_one(argument: str, given: object, wanted: str) -> TypeError:
    """What is raised for an argument of another kind than it may be."""
    return TypeError(f"{argument} is {given!r}, which is of type {type(given).__name__}; give {wanted}")

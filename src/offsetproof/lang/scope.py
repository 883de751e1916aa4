"""Scopes name every bound; index sorts are the finite sets that parameters and arrays range over."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from offsetproof.lang.errors import DeclarationError, raised_place


class UnknownNameError(Exception):
    """A name (of a property, release, scope, bound...) that does not exist; carries the nearest that does."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        near = difflib.get_close_matches(name, self.known, n=1, cutoff=0.3)
        hint = f"did you mean {near[0]}?" if near else f"there is {', '.join(self.known) or 'none'}"
        super().__init__(f"no {kind} named {name!r}; {hint}")


@dataclass(frozen=True)
class Scope:
    """A small world to decide a claim in: every bound has a name, and the name appears in every verdict.

    Bounds read as attributes (`scope.messages`). `faults` are the budgets per fault kind; a kind that is absent cannot
    happen. A `large` scope is far beyond exhaustive search and contains the model's other scopes: random walks are for
    it, and what is refuted or reached in one of those is expected there too.

    >>> Scope("small", {"messages": 2}).with_bounds({"messages": 3}).messages
    3
    """

    name: str
    bounds: Mapping[str, int]
    faults: Mapping[str, int] = field(default_factory=dict)
    about: str = ""
    large: bool = False

    def __getattr__(self, name: str) -> int:
        if name.startswith("__") or "bounds" not in self.__dict__:
            raise AttributeError(name)
        if name not in self.bounds:
            raise UnknownNameError(f"bound of scope {self.name}", name, self.bounds)
        return self.bounds[name]

    def with_bounds(self, changes: Mapping[str, int]) -> Scope:
        """The scope with some bounds or fault budgets changed; UnknownNameError for names that it does not have."""
        for name, value in changes.items():
            if name not in self.bounds and name not in self.faults:
                raise UnknownNameError(f"bound of scope {self.name}", name, [*self.bounds, *self.faults])
            if value < 0:
                raise DeclarationError(f"bound {name}={value} of scope {self.name} is negative; give 0 or more")
        bounds = {name: changes.get(name, value) for name, value in self.bounds.items()}
        faults = {name: changes.get(name, value) for name, value in self.faults.items()}
        changed = bounds != dict(self.bounds) or faults != dict(self.faults)
        return Scope(f"{self.name}*" if changed else self.name, bounds, faults, self.about, self.large)

    def describe(self) -> str:
        """The bounds in words, those of 0 left away: `consumers=2, resets=1; faults stall<=1`."""
        text = ", ".join(f"{name}={value}" for name, value in self.bounds.items() if value)
        faults = ", ".join(f"{kind}<={budget}" for kind, budget in self.faults.items() if budget)
        return "; ".join(part for part in (text, f"faults {faults}" if faults else "") if part)


Bound = int | str | Callable[[Scope], int]
"""A number, the name of a bound of the scope, or a function of the scope."""


def resolve(bound: Bound, scope: Scope) -> int:
    """The number that a bound means in a scope."""
    if isinstance(bound, str):
        return int(getattr(scope, bound))
    try:
        number = bound(scope) if callable(bound) else bound
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        why = f"a bound cannot be computed in scope {scope.name}: {type(error).__name__}: {error}"
        raise DeclarationError(f"{raised_place(error)}: {why}") from error
    if not isinstance(number, int):
        raise DeclarationError(f"{number!r} is not a bound; write a number, a bound's name, or a function of the scope")
    return number


MANY_MAX = 100_000
"""More values of a sort, fields, or instances of actions than this are no small world; they would fill the memory."""


def refuse_too_many(what: str, count: int, scope: Scope) -> int:
    """The count; DeclarationError where it is beyond what any engine could take."""
    if count > MANY_MAX:
        raise DeclarationError(f"scope {scope.name} has more than {MANY_MAX:,} {what}; make its bounds smaller")
    return count


@dataclass(frozen=True)
class Index:
    """An index sort: the integers 0 to size - 1, where the size may be a bound of the scope.

    `name` is how people read it (`consumer`); array items and arguments show the plain number.
    """

    name: str
    size: Bound

    def values(self, scope: Scope) -> range:
        """The sort's values in a scope."""
        return range(refuse_too_many(f"values of {self.name}", resolve(self.size, scope), scope))


SortOfParameter = Index | type[Enum]
"""What an action's parameter may range over."""


def values_of(sort: SortOfParameter, scope: Scope) -> list[int | Enum]:
    """All values of a parameter's sort in a scope, in order."""
    return list(sort.values(scope)) if isinstance(sort, Index) else list(sort)

"""Scopes name every bound; index sorts are the finite sets that parameters and arrays range over."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from types import FunctionType
from typing import NoReturn, TypeVar

from offsetproof.lang.asking import SCOPE, note_question
from offsetproof.lang.errors import DeclarationError, RefusedError, raised_place, refuse, user_place
from offsetproof.raised import in_words

Known = TypeVar("Known")


class UnknownNameError(Exception):
    """A name (of a claim, release, scope, bound...) that does not exist; carries the nearest that does."""

    def __init__(self, kind: str, name: str, known: Iterable[str], message: str = "") -> None:
        """`message` is what is said instead, where no other name is meant: one is missing, or is a number."""
        self.kind, self.name, self.known = kind, name, sorted(known)
        super().__init__(message or f"no {kind} named {name!r}; {self._hint()}")

    def _hint(self) -> str:
        near = difflib.get_close_matches(self.name, self.known, n=1, cutoff=_ALIKE)
        if near and self.kind not in _NUMBERED:
            return f"did you mean {near[0]}?"
        if len(self.known) > _NAMES_MAX:
            section = _SECTIONS.get(self.kind)
            shown = (
                f"`offsetproof list [MODEL] {section}` shows them all" if section else f"there are {len(self.known)}"
            )
            return _FINDERS.get(self.kind, shown)
        return f"choose from {', '.join(self.known)}" if self.known else "there is none"


def one_named(kind: str, name: str, known: Mapping[str, Known]) -> Known:
    """What has this name; UnknownNameError with the nearest where nothing has."""
    if name not in known:
        raise UnknownNameError(kind, name, known)
    return known[name]


_SECTIONS = {
    "claim": "claims", "scope": "scopes", "release": "releases", "fix": "fixes", "assumption": "assumptions",
    "listener": "listeners", "fix or assumption": "fixes assumptions",
}  # fmt: skip
"""Where `list` shows names of a kind."""

_FINDERS = {
    "section or claim": "`offsetproof list` shows the sections, and `offsetproof list --about TEXT` looks in sentences",
    "recorded trace, claim or file": "`offsetproof show` has all recorded stories",
}
"""How to find a name of these kinds, where they are many."""

_NUMBERED = ("release",)
"""Kinds whose names are all alike: which one is meant is not told by its digits."""

_ALIKE, _NAMES_MAX = 0.5, 20
"""How much a name must be like another to be meant by it, and how many names a message may list."""


BoundSort = range | type[IntEnum]
"""What a bound may be, where that is not any number from 0: some numbers, or a choice, whose values have names."""

ANY_NUMBER = range(1 << 62)
"""What a bound may be of which the model says nothing."""


@dataclass(frozen=True)
class Default:
    """A bound that scopes need not name: what it is where they do not, what it means, and what it may be.

    Without `values` any number from 0 will do, or where the default is a member of an enum, any member of that. With
    `below` it is less than the bound of that name: which one of several.

    >>> Default(1, "members of the group", range(1, 63)).sort
    range(1, 63)
    """

    value: int
    about: str
    values: BoundSort | None = None
    below: str = ""

    @property
    def sort(self) -> BoundSort:
        """What the bound may be."""
        if self.values is not None:
            return self.values
        return type(self.value) if isinstance(self.value, IntEnum) else ANY_NUMBER


BoundKind = BoundSort | Default
"""What a model says of a bound: what it may be, or that with its default."""


@dataclass(frozen=True)
class Fault:
    """A kind of fault: what goes wrong, and what shows that it may.

    `@action(fault=...)` says which steps it is, and a scope's `faults` how often it may happen.
    """

    name: str
    about: str = ""
    source: str = ""


Budgets = Mapping[str, int] | Mapping[Fault, int] | Mapping[Fault | str, int]
"""How often each kind of fault may happen, by the kind or by its name alone."""


@dataclass(frozen=True, init=False)
class Scope:
    """A small world to decide a claim in: every bound has a name, and the name appears in every verdict.

    Bounds read as attributes (`scope.messages`); one that the model has a default for need not be named. `faults` are
    the budgets per kind of fault, given as a `Fault` or by its name; a kind that is absent cannot happen. A `large`
    scope is far beyond exhaustive search and contains the model's other scopes: random walks are for it, and what is
    refuted or reached in one of those is expected there too. `narrower` has smaller bounds, in which a search for
    repairs goes on where it does not end in the scope's own. DeclarationError for a name that is not a string, and for
    a bound or budget that is not a number from 0, or whose name is the scope's own.

    >>> Scope("small", {"messages": 2}).with_bounds({"messages": 3}).messages
    3
    """

    name: str
    bounds: Mapping[str, int]
    faults: Mapping[str, int]
    about: str
    large: bool
    narrower: Mapping[str, int]

    def __init__(
        self,
        name: str,
        bounds: Mapping[str, int] | None = None,
        faults: Budgets | None = None,
        about: str = "",
        large: bool = False,
        narrower: Mapping[str, int] | None = None,
    ) -> None:
        called: object = name
        if not isinstance(called, str) or not called:
            raise DeclarationError(
                f"{user_place()}: Scope({name!r}, ...): a scope's name is a string; write Scope('small', ...)"
            )
        budgets = {} if faults is None else faults
        if isinstance(budgets, Mapping):
            kinds = [kind.name if isinstance(kind, Fault) else kind for kind in budgets]
            twice = next((kind for kind in kinds if kinds.count(kind) > 1), None)
            if twice is not None:
                raise DeclarationError(f"{user_place()}: scope {name}: fault {twice} has two budgets; keep one")
            budgets = {kind.name if isinstance(kind, Fault) else kind: most for kind, most in budgets.items()}
        self.__dict__.update(
            name=name,
            bounds={} if bounds is None else bounds,
            faults=budgets,
            about=about,
            large=large,
            narrower={} if narrower is None else narrower,
        )
        self._refuse_odd_numbers()
        self._refuse_wider()

    def _refuse_odd_numbers(self) -> None:
        for kind, numbers in (("bound", self.bounds), ("fault budget", self.faults)):
            if not isinstance(numbers, Mapping):
                raise DeclarationError(
                    f"{user_place()}: scope {self.name}: {kind}s are {{'name': number}}, not {numbers!r}"
                )
            for name, value in numbers.items():
                if not is_whole(value) or value < 0:
                    raise DeclarationError(
                        f"{user_place()}: scope {self.name}: {kind} {name}={value!r} is not a number from 0"
                    )
        taken = next((name for name in self.bounds if hasattr(type(self), name) or name in _OWN_NAMES), None)
        if taken is not None:
            raise DeclarationError(f"{user_place()}: scope {self.name}: a bound cannot be called {taken!r}; rename it")
        both = next((name for name in self.bounds if name in self.faults), None)
        if both is not None:
            raise DeclarationError(f"{user_place()}: scope {self.name}: {both!r} is a bound and a fault; rename one")

    def _refuse_wider(self) -> None:
        for name, value in self.narrower.items():
            most = self.bounds.get(name, 0)
            if not is_whole(value) or not 0 <= value < most:
                raise DeclarationError(
                    f"{user_place()}: scope {self.name}: narrower {name}={value!r} is not below its bound, {most}"
                )

    def __getattribute__(self, name: str) -> int:
        if name in _OWN_NAMES:
            note_question(*SCOPE)
        return super().__getattribute__(name)  # type: ignore[no-any-return]  # what is no number is declared above

    def __getattr__(self, name: str) -> int:
        bounds = vars(self).get("bounds")
        if name.startswith("__") or bounds is None:
            raise AttributeError(name)
        note_question("bound", name)
        if name not in bounds:
            raise UnknownNameError(f"bound of scope {self.name}", name, bounds)
        return bounds[name]  # type: ignore[no-any-return]  # a bound is a number

    @property
    def key(self) -> tuple[object, ...]:
        """All that a model can read of it, hashable."""
        return self.name, self.about, self.large, tuple(self.bounds.items()), tuple(self.faults.items())

    def with_bounds(self, changes: Mapping[str, int]) -> Scope:
        """The scope with some bounds or fault budgets changed; UnknownNameError for names that it does not have."""
        for name in changes:
            if name not in self.bounds and name not in self.faults:
                raise UnknownNameError(f"bound of scope {self.name}", name, [*self.bounds, *self.faults])
        bounds = {name: changes.get(name, value) for name, value in self.bounds.items()}
        faults = {name: changes.get(name, value) for name, value in self.faults.items()}
        changed = bounds != dict(self.bounds) or faults != dict(self.faults)
        if not changed:
            return self
        return Scope(f"{self.name}*", bounds, faults, self.about, self.large)

    def fitted(self, kinds: Mapping[str, BoundKind]) -> Scope:
        """The scope with the bounds that are choices as members of them; UnknownNameError for one that may not be."""
        fits = {
            name: value_of(sort_in(kinds, name), name, value) for name, value in self.bounds.items() if name in kinds
        }
        fitted = replace(self, bounds={**self.bounds, **fits})
        for name, kind in kinds.items():
            if isinstance(kind, Default) and kind.below:
                _refuse_not_below(name, kind.below, fitted)
        return fitted

    def completed(self, kinds: Mapping[str, BoundKind]) -> Scope:
        """The scope with the defaults of all bounds that it does not name, in the order of `kinds`.

        Where there are defaults, UnknownNameError for a bound that `kinds` does not have.
        """
        defaults = {name: kind.value for name, kind in kinds.items() if isinstance(kind, Default)}
        unknown = next((name for name in self.bounds if defaults and name not in kinds), None)
        if unknown is not None:
            raise UnknownNameError("bound", unknown, kinds)
        bounds = {**defaults, **self.bounds}
        ordered = [*(name for name in kinds if name in bounds), *(name for name in bounds if name not in kinds)]
        return replace(self, bounds={name: bounds[name] for name in ordered})

    def describe(self) -> str:
        """The bounds in words, those of 0 left out: `consumers=2, resets=1; faults stall<=1`."""
        text = ", ".join(f"{name}={getattr(value, 'name', value)}" for name, value in self.bounds.items() if value)
        faults = ", ".join(f"{kind}<={budget}" for kind, budget in self.faults.items() if budget)
        return "; ".join(part for part in (text, f"faults {faults}" if faults else "") if part)


def _refuse_not_below(bound: str, other: str, scope: Scope) -> None:
    value, most = getattr(scope, bound), getattr(scope, other)
    if value >= most:
        message = f"bound {bound}={value} is not below {other}={most}"
        raise UnknownNameError(f"value of bound {bound}", str(value), [], message)


def is_whole(value: object) -> bool:
    """Is it an integer, and no truth value?"""
    return isinstance(value, int) and not isinstance(value, bool)


_OWN_NAMES = frozenset({"name", "bounds", "faults", "about", "large", "narrower"})


def sort_in(kinds: Mapping[str, BoundKind], bound: str) -> BoundSort:
    """What a bound may be, by what a model says of its bounds."""
    kind = kinds.get(bound, ANY_NUMBER)
    return kind.sort if isinstance(kind, Default) else kind


def value_of(sort: BoundSort, bound: str, value: int | str) -> int:
    """A bound's value, given by number or (of a choice) by name; UnknownNameError if the bound cannot be so."""
    if isinstance(sort, range):
        if isinstance(value, int) and value in sort:
            return value
        allowed = f"a number from {sort[0]} to {sort[-1]}" if len(sort) > 1 else f"always {sort[0]} here"
        known, message = [f"{sort[0]} to {sort[-1]}"], f"bound {bound} is {allowed}, not {value}"
        raise UnknownNameError(f"value of bound {bound}", str(value), known, message)
    named = {member.name: member for member in sort}
    if isinstance(value, str) and value in named:
        return named[value]
    if isinstance(value, int) and value in named.values():
        return sort(value)
    raise UnknownNameError(f"value of bound {bound}", str(value), named)


Bound = int | str | Callable[[Scope], int]
"""A number, the name of a bound of the scope, or a function of the scope."""


def resolve(bound: Bound, scope: Scope) -> int:
    """The number that a bound means in a scope."""
    if callable(bound) and not isinstance(bound, FunctionType):
        raise DeclarationError(
            f"{type(bound).__name__} is not a function that can be read; "
            "a bound is computed by `lambda scope: ...` or def"
        )
    try:
        value = getattr(scope, bound) if isinstance(bound, str) else bound(scope) if callable(bound) else bound
    except (UnknownNameError, DeclarationError, RefusedError):
        raise
    except Exception as error:
        why = f"a bound cannot be computed in scope {scope.name}: {in_words(error)}"
        raise DeclarationError(f"{why} ({raised_place(error)})") from error
    if not is_whole(value):
        raise DeclarationError(f"{value!r} is not a whole number; a bound is one, or the name of one, or computes one")
    return value


MANY_MAX = 100_000
"""More values of a sort, fields, or instances of actions than this are not a small world: they would fill memory."""


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

    def __iter__(self) -> NoReturn:
        raise refuse(f"a loop over Index {self.name!r}", f"write range({self._read_as}), or loop over the array")

    @property
    def _read_as(self) -> str:
        return f"self.scope.{self.size}" if isinstance(self.size, str) else f"{self.size}"

    def values(self, scope: Scope) -> range:
        """The sort's values in a scope."""
        return range(refuse_too_many(f"values of {self.name}", resolve(self.size, scope), scope))


SortOfParameter = Index | type[Enum]
"""What an action's parameter may range over."""


def is_sort(value: object) -> bool:
    """May a parameter range over it?"""
    return isinstance(value, Index) or (isinstance(value, type) and issubclass(value, Enum))


def values_of(sort: SortOfParameter, scope: Scope) -> list[int | Enum]:
    """All values of a parameter's sort in a scope, in order."""
    return list(sort.values(scope)) if isinstance(sort, Index) else list(sort)

"""The functions that declare fields, nested components and arrays in a class body.

They say to a type checker what reading the field gives; the one cast for that is in `declared`.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeVar, overload

from offsetproof.lang.array import Array
from offsetproof.lang.component import ANYTHING, Component, Declared, Field, Nested
from offsetproof.lang.domain import Flags, Integers, Members, OffsetSets, Optionals
from offsetproof.lang.errors import DeclarationError, user_place
from offsetproof.lang.offsets import OffsetSet
from offsetproof.lang.scope import Bound, Index, resolve
from offsetproof.lang.tree import Tree

Item = TypeVar("Item")
Part = TypeVar("Part", bound=Component)


def as_read(member: Declared) -> Any:
    """The one cast between what a class body declares and what reading it gives."""
    return member


def flag(initial: bool = False, *, ghost: bool = False) -> bool:
    """A field that is True or False."""
    return as_read(Field(lambda scope: Flags(), initial, ghost, stated=initial is not False))  # type: ignore[no-any-return]  # see as_read


def integer(lo: Bound, hi: Bound, initial: Bound | None = None, *, ghost: bool = False) -> int:
    """A field that holds the integers lo to hi; starts at lo unless told otherwise."""
    start = lo if initial is None else initial
    first = start if start is ANYTHING or isinstance(start, int) else (lambda scope: resolve(start, scope))
    domain = lambda scope: Integers(resolve(lo, scope), resolve(hi, scope))  # noqa: E731 - a field's domain has no name
    budget = hi if isinstance(hi, str) and initial == hi else ""
    return as_read(Field(domain, first, ghost, stated=initial is not None, budget=budget))  # type: ignore[no-any-return]  # see as_read


def offset(limit: Bound = "messages", *, ghost: bool = False) -> int:
    """A queue offset, 0 to the scope's number of messages (the next offset to come is one)."""
    return integer(0, limit, ghost=ghost)


def offset_set(limit: Bound = "messages", initial: OffsetSet = OffsetSet(), *, ghost: bool = False) -> OffsetSet:
    """A set of offsets of stored messages: below the scope's number of messages. Starts empty unless told otherwise."""
    domain = lambda scope: OffsetSets(resolve(limit, scope))  # noqa: E731 - a field's domain has no name
    return as_read(Field(domain, initial, ghost, stated=True))  # type: ignore[no-any-return]  # see as_read


Member = TypeVar("Member", bound=Enum)


def one_of(kind: type[Member], initial: Member | None = None, *, ghost: bool = False) -> Member:
    """A field that holds a member of an enum; starts at its first. DeclarationError for what is not an enum."""
    given: object = kind
    if not (isinstance(given, type) and issubclass(given, Enum)):
        raise DeclarationError(f"{user_place()}: {kind!r} is not an enum; declare `class Mode(Enum)` and name it here")
    first = next(iter(kind)) if initial is None else initial
    return as_read(Field(lambda scope: Members(kind), first, ghost, stated=initial is not None))  # type: ignore[no-any-return]  # see as_read


@overload
def optional(field: int, initial: int | None = None) -> int | None: ...
@overload
def optional(field: Member, initial: Member | None = None) -> Member | None: ...
def optional(field: Any, initial: Any = None) -> Any:
    """A field that is None or what the given field holds; starts as None. Reading it asks which."""
    if not isinstance(field, Field):
        raise DeclarationError(f"{user_place()}: optional() wraps a field: optional(integer(0, 3)), optional(offset())")
    if field.stated:
        raise DeclarationError(
            f"{user_place()}: where an optional field starts is said as optional(field, initial), not in the field"
        )
    domain = lambda scope: Optionals(field.domain(scope))  # noqa: E731 - a field's domain has no name
    return as_read(Field(domain, initial, field.ghost, stated=initial is not None))


def part(kind: type[Part]) -> Part:
    """A field that is a component itself, given as its class."""
    must_be_component(kind)
    return as_read(Nested(lambda tree, path: kind(tree, path), kind))  # type: ignore[no-any-return]  # see as_read


@overload
def array(sort: Index, item: type[Part]) -> Array[Part]: ...
@overload
def array(sort: Index, item: Item) -> Array[Item]: ...
def array(sort: Index, item: Any) -> Any:
    """One component (given as its class) or scalar field per value of the sort."""
    if not isinstance(sort, Index):
        raise DeclarationError(f'{user_place()}: an array ranges over an index sort: array(Index("worker", 2), ...)')
    if not isinstance(item, Declared):
        must_be_component(item)
    kind = item if isinstance(item, type) else getattr(item, "kind", None)

    def make(tree: Tree, path: str) -> Array[Any]:
        places = [f"{path}[{i}]" for i in sort.values(tree.setting.scope)]
        return Array(
            tree, path, [item(tree, index) if isinstance(item, type) else item.grow(tree, index) for index in places]
        )

    return as_read(Nested(make, kind))


def must_be_component(kind: object, way_out: str = "write flag(), integer(lo, hi), ...") -> None:
    """DeclarationError for what is not a class of components."""
    if not (isinstance(kind, type) and issubclass(kind, Component)):
        given = kind.__name__ if isinstance(kind, type) else repr(kind)
        raise DeclarationError(f"{user_place()}: {given} is neither a class of components nor a field; {way_out}")

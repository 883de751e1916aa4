"""What a model names that could change, and must not: pictures of lists, dicts, sets, and of what classes have.

They are looked at after every staged run of a piece of code, so that what changes and changes back is noticed, too.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import chain
from typing import Any

from offsetproof.lang.errors import place_of_class


@dataclass(frozen=True)
class Watched:
    """Something that could change, where it is named (a class: where that is), and a picture of what it was."""

    name: str
    where: str | type
    value: Any
    before: Any
    holders: tuple[_Holder, ...] = ()

    @classmethod
    def now(cls, value: Any, name: str, where: str | type) -> Watched:
        """With a picture of what it is now."""
        if _has_attributes(value):
            return cls(name, where, value, _Attributes(value))
        return cls(name, where, value, picture(value), tuple(_holders(value)))

    @cached_property
    def looks_unchanged(self) -> Callable[[], bool]:
        """A quick look, which is taken after every run of a piece of code: where it says False, ask `is_changed`."""
        if not isinstance(self.before, _Attributes):
            return lambda: all(map(_Holder.has_the_same, self.holders))
        if isinstance(self.value, type):  # it keeps its dict, which others may exchange
            return self.before.look(vars(self.value))
        return lambda: not self.is_changed

    @property
    def is_changed(self) -> bool:
        """Is it not any more what it was?"""
        if isinstance(self.before, _Attributes):
            return not self.before.are_those_of(self.value)
        if all(map(_Holder.has_the_same, self.holders)):
            return False
        return bool(picture(self.value) != self.before)

    @property
    def can_flip(self) -> bool:
        """Could it change and change back? Not where there is nothing but functions and fields, and no `del`."""
        return not isinstance(self.before, _Attributes) or self.before.has_constants

    @property
    def place(self) -> str:
        """`file:line`."""
        return self.where if isinstance(self.where, str) else place_of_class(self.where)


class _Holder:
    """A list, dict or set, and the very objects that were in it, in their order. To compare these is fast."""

    __slots__ = ("items", "value")

    def __init__(self, value: Any) -> None:
        self.value, self.items = value, tuple(_items(value))

    def has_the_same(self) -> bool:
        """Are they still in it, and nothing else? If not, it may still be equal to what it was."""
        count = 2 * len(self.value) if isinstance(self.value, dict) else len(self.value)
        return count == len(self.items) and all(map(operator.is_, _items(self.value), self.items))


def _items(value: Any) -> Iterable[Any]:
    return chain(value.keys(), value.values()) if isinstance(value, dict) else value


def _holders(value: Any) -> Iterator[_Holder]:
    """All that can change in what `picture` looks at."""
    if isinstance(value, dict | list | set):
        yield _Holder(value)
    if isinstance(value, dict | list | tuple | set | frozenset):
        for item in _items(value):
            yield from _holders(item)


def _has_attributes(value: Any) -> bool:
    return isinstance(value, type | types.FunctionType | Enum)


class _Attributes:
    """The attributes of a class, a function or a member of an enum, but for what Python keeps there itself."""

    def __init__(self, owner: Any) -> None:
        space = vars(owner)
        self.names = tuple(name for name in space if not name.startswith("_"))
        self.values = tuple(space[name] for name in self.names)
        self.count = len(space)
        self.has_constants = any(not _is_declared(value) for value in self.values)

    def look(self, space: Mapping[str, Any]) -> Callable[[], bool]:
        """Asks whether there is neither another object nor another number of them in the owner's dict."""
        get, names, values, count = space.get, self.names, self.values, self.count
        return lambda: len(space) == count and all(map(operator.is_, map(get, names), values))

    def are_those_of(self, owner: Any) -> bool:
        """Does it still have these very objects, and no others?"""
        space = vars(owner)
        if not all(map(operator.is_, map(space.get, self.names), self.values)):
            return False
        return len(space) == self.count or not {name for name in space if not name.startswith("_")} - {*self.names}


def _is_declared(value: Any) -> bool:
    """Is it a function, a field or a claim, as a class has them?"""
    return callable(value) or isinstance(value, property) or hasattr(type(value), "declared_kind")


def picture(value: Any) -> Any:
    """A picture of a list, dict or set, of all that is in it: equal for equal contents, and never changing itself.

    >>> picture([1, {"a": 2}]) == picture([1, {"a": 2}]), picture([1]) == picture([True])
    (True, False)
    """
    if isinstance(value, dict):
        return "dict", tuple((picture(key), picture(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return type(value).__name__, tuple(map(picture, value))
    if isinstance(value, set | frozenset):
        return "set", frozenset(map(picture, value))
    if isinstance(value, bool | int | float | str | bytes):
        return type(value).__name__, value
    return _Same(value)


class _Same:
    """An object that is equal to nothing but itself."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)

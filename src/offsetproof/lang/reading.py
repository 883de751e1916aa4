"""Reading a model's source before it runs: what may stand in it is a list, and everything else is refused.

All that staging can reach is read: actions, claims, `initially`, `rest`, `finished`, and whatever they name, in any
module. The list has what is known to mean the same on real and on symbolic values; what it leaves out is refused with
file and line and what to write instead. What only shows while the code runs is refused there (`symbolic`, `sorts`,
`tree`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import FunctionType
from typing import Any

from offsetproof.lang.action import Action
from offsetproof.lang.claim import Claim, Property
from offsetproof.lang.component import Component, Field, Nested, classes_in
from offsetproof.lang.errors import is_own
from offsetproof.lang.outside import Outside
from offsetproof.lang.scope import Index, SortOfParameter
from offsetproof.lang.source_paths import shown_place
from offsetproof.lang.sources import definitions_of
from offsetproof.lang.syntax import Syntax


@lru_cache(maxsize=64)
def reading_of(model: type[Component]) -> Reading:
    """The reading of a model; kept, because many settings share it."""
    return Reading(model)


class Reading:
    """What has been read of one model.

    `outside` knows what the code uses that is not a field; ask it after staging whether that is unchanged.
    """

    def __init__(self, model: type[Component]) -> None:
        self.outside = Outside(self._note)
        self._seen: dict[tuple[int, ...], object] = {}
        self._waiting: list[FunctionType] = []
        self._members: dict[str, list[Any]] = defaultdict(list)
        for kind in classes_in(model):
            if not kind.__module__.startswith("offsetproof.lang."):
                self.outside.watch(kind, f"the class {kind.__name__}", kind)
                for name, value in vars(kind).items():
                    self._members[name].append(value)
        self._declarations()

    def _declarations(self) -> None:
        """Reads the functions that say how large fields, sorts, queues and bags are, and where they start."""
        for members in list(self._members.values()):
            for member in members:
                self._take(member)

    def read(self, function: Callable[..., object]) -> None:
        """Reads a function and all that it names; RefusedError at the first thing that is not allowed."""
        self._take(function)
        while self._waiting:
            waiting = self._waiting[-1]  # what is refused stays, to be refused again
            for definition in definitions_of(waiting):
                Syntax(waiting, definition, self).check()
            for default in (*(waiting.__defaults__ or ()), *(waiting.__kwdefaults__ or {}).values()):
                place = shown_place(waiting.__code__.co_filename, waiting.__code__.co_firstlineno)
                self.outside.allow(default, f"a default of {waiting.__name__}()", place)
            self._waiting.remove(waiting)

    def is_member(self, name: str) -> bool:
        """Does some component of the model define this name?"""
        return name in self._members

    def take_member(self, name: str, place: str) -> None:
        """Takes note of a name that is asked of an object: whatever components define under it is read, or allowed."""
        for value in self._members.get(name, ()):
            if isinstance(value, FunctionType | property | classmethod | staticmethod | Property | Claim):
                self._take(value)
            elif not hasattr(type(value), "declared_kind"):
                self.outside.allow(value, name, place)

    def take_sort(self, sort: SortOfParameter, name: str, place: str) -> None:
        """Takes note of what an action's parameter ranges over: any of its members may be asked for what it has."""
        self._take(sort)
        if not isinstance(sort, Index):
            self.outside.allow(sort, f"the sort of {name}", place)

    def _take(self, value: Any) -> None:
        """Takes note of the functions that a member of a class, or what the language keeps of one, is made from."""
        for inner in _given_to(value):
            self._take(inner)
        if isinstance(value, property):
            value = value.fget
        if isinstance(value, classmethod | staticmethod):
            value = value.__func__
        if isinstance(value, Property | Claim):
            value = value.function
        if isinstance(value, Action):
            value = value.method
        if isinstance(value, FunctionType):
            self._note(value)

    def _note(self, function: FunctionType) -> None:
        """Will read a function; of the language's own what it stands for."""
        given = (
            *(function.__closure__ or ()),
            *(function.__defaults__ or ()),
            *(function.__kwdefaults__ or {}).values(),
        )
        parts = (function.__code__, function.__globals__, *given)
        key = tuple(map(id, parts))  # equal code of two files means other things in each
        if key in self._seen:
            return
        self._seen[key] = parts
        if is_own(function.__code__.co_filename):
            for cell in function.__closure__ or ():
                self._take(cell.cell_contents)
        else:
            self._waiting.append(function)


def _given_to(value: Any) -> tuple[Any, ...]:
    """What a field, a sort or a nested component was declared with, as far as it may be functions."""
    if isinstance(value, Field):
        return value.domain, value.initial
    if isinstance(value, Nested):
        return (value.make,)
    if isinstance(value, Index):
        return (value.size,)
    return tuple(value.values()) if isinstance(value, Mapping) else ()

"""Reading a model before it runs: it is made of known parts only, and everything else is refused.

All that staging can reach is read, in any module: the classes of the model with all their functions, actions, claims,
and whatever these name. `syntax` has the constructs that may stand in a function, `outside` the values that it may use.
What only shows while the code runs is refused there (`symbolic`, `sorts`, `tree`), and what answers differently when it
runs again by `again`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from functools import lru_cache
from types import FunctionType

from offsetproof.lang.component import classes_in
from offsetproof.lang.constructs import ATTRIBUTES, RESERVED
from offsetproof.lang.errors import RefusedError
from offsetproof.lang.model import Model
from offsetproof.lang.outside import Outside
from offsetproof.lang.scope import Scope
from offsetproof.lang.sources import definitions_of
from offsetproof.lang.syntax import Syntax

_AS_FIELD = "declare a field: integer(), flag(), one_of(a class of Enum), optional()"


@lru_cache(maxsize=64)
def reading_of(model: type[Model]) -> Reading:
    """The reading of a model; kept, because many settings share it."""
    return Reading(model)


class Reading:
    """What has been read of one model."""

    def __init__(self, model: type[Model]) -> None:
        self.outside = Outside(self._note)
        self._waiting: list[FunctionType] = []
        self._seen: dict[tuple[int, ...], object] = {}
        self._asked: dict[str, tuple[str, bool]] = {}
        self._fields: set[str] = set()
        self.attributes: set[str] = set()
        for scope in model.scopes:
            self.know(scope)
        self.outside.names.update(model.bounds)
        for kind in classes_in(model):
            self.outside.allow(kind, kind.__name__, kind)
            self._fields.update(kind._declared)
        for action in model.actions.values():
            for _, value in (*action.sorts, *action.among):
                self.outside.take(value)
        self._read_waiting()

    def know(self, scope: Scope) -> None:
        """Code may ask for the bounds of this scope."""
        self.outside.names.update(scope.bounds)

    def read(self, function: Callable[..., object]) -> None:
        """Reads a function and all that it names; RefusedError at the first thing that is not allowed."""
        self.outside.take(function)
        self._read_waiting()

    def must_be_unchanged(self) -> None:
        """RefusedError where staging has changed something that was read."""
        self.outside.must_be_unchanged()

    def _read_waiting(self) -> None:
        while self._waiting:
            function = self._waiting[-1]  # what is refused stays, to be refused again
            for definition in definitions_of(function):
                Syntax(function, definition, self._ask, in_message=function.__name__ == "__repr__").check()
            self.outside.allow_names(function)
            self._waiting.remove(function)
            for (name, _), claim in [*self.outside.claims.items()]:
                if name in self.attributes:
                    self.outside.take(claim)
        for name, (place, is_assigned) in self._asked.items():
            self._judge(name, place, is_assigned=is_assigned)
        self._asked.clear()

    def _note(self, function: FunctionType) -> None:
        """Will read a function, if it was not; equal code of two files means other things in each."""
        given = (*(function.__closure__ or ()), *(function.__defaults__ or ()))
        parts = (function.__code__, function.__globals__, function.__kwdefaults__, *given)
        key = tuple(map(id, parts))
        if key not in self._seen:
            self._seen[key] = parts
            self._waiting.append(function)

    def _ask(self, name: str, place: str, is_assigned: bool) -> None:
        """Notes an attribute; which there are is known once everything has been read."""
        self.attributes.add(name)
        _, before = self._asked.get(name, (place, False))
        self._asked[name] = (place, is_assigned or before)

    def _judge(self, name: str, place: str, *, is_assigned: bool) -> None:
        if name in RESERVED or (name.startswith("__") and name.endswith("__")):
            raise RefusedError(f"the attribute {name}, which is the language's own,", "use fields and methods", place)
        known = self._fields if is_assigned else self.outside.names | ATTRIBUTES
        if name not in known and is_assigned and name in self.outside.names:
            raise RefusedError(f"a change of .{name}, which has a plain value and is no field,", _AS_FIELD, place)
        if name not in known:
            what = f"a change of .{name}, which is not" if is_assigned else f"the attribute {name}, which is neither"
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else ""
            what += " a field," if is_assigned else " declared nor a bound,"
            raise RefusedError(what, f"declare a field{hint}", place)

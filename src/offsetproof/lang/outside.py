"""What code of a model may use that is not a field: constants, pure functions, the model's own functions.

A value from outside of a function (of its module, of an enclosing function, a default) is allowed if it cannot change,
or if it is a list, dict or set of such values that nobody changes. The latter is watched: whoever stages a model asks
afterwards whether they are still what they were.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import math
import operator
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import Enum
from typing import Any, Protocol

from offsetproof.lang import expression
from offsetproof.lang.action import bound, require
from offsetproof.lang.component import holds
from offsetproof.lang.errors import RefusedError, is_own, place_of
from offsetproof.lang.offsets import OffsetSet
from offsetproof.lang.unchanged import Watched

BUILTINS = frozenset(
    [
        *("abs", "all", "any", "bool", "dict", "divmod", "enumerate", "frozenset", "int", "len", "list", "max", "min"),
        *("range", "reversed", "set", "sorted", "sum", "super", "tuple", "zip"),
    ]
)
"""Builtins that compute from their arguments alone, and alike on symbolic values (or refuse those themselves)."""

FOR_MESSAGES = frozenset({"str", "repr", "format"})
"""Builtins that make strings, which only messages of errors may be made of."""

_FORBIDDEN = {
    **dict.fromkeys(("isinstance", "issubclass", "type", "id"), "decide by a field or an enum, not by a Python type"),
    **dict.fromkeys(("print", "input", "open", "breakpoint"), "a model only reads and writes its fields"),
    **dict.fromkeys(("getattr", "setattr", "hasattr", "delattr", "vars"), "write the field's name, or use an array"),
    **dict.fromkeys(("iter", "next", "map", "filter"), "write a loop or a comprehension"),
    **dict.fromkeys(("hash", "callable", "object"), "compare values instead"),
    **dict.fromkeys(("float", "complex", "round", "pow"), "compute with whole numbers"),
    **dict.fromkeys(FOR_MESSAGES, "build strings in messages of errors only"),
}
_ELSEWHERE = {
    "random": "let a parameter of the action range over what may be chosen",
    "secrets": "let a parameter of the action range over what may be chosen",
    "time": "model time as a field that an action moves on",
    "datetime": "model time as a field that an action moves on",
}

_PURE = (
    *(expression.smaller, expression.larger, expression.choose, expression.every, expression.some),
    *(expression.negation, expression.implies, expression.among, require, bound, holds),
    *(functools.reduce, typing.cast, math.gcd, math.isqrt, math.comb),
    *(itertools.chain, itertools.combinations, itertools.pairwise, itertools.permutations, itertools.product),
    *(operator.add, operator.sub, operator.mul, operator.eq, operator.ne, operator.lt, operator.le, operator.gt),
    *(operator.ge, operator.and_, operator.or_),
)

_CONSTANT_TYPES = (bool, int, str, float, bytes, type(None), type(...), range, OffsetSet, Enum)

Read = Callable[[types.FunctionType], None]
"""Takes note of a function that has to be read, too."""


class NameTaker(Protocol):
    """Who takes note of what a model's code names."""

    outside: Outside

    def is_member(self, name: str) -> bool:
        """Does some component of the model define this name?"""

    def take_member(self, name: str, place: str) -> None:
        """Takes note of a name that is asked of an object."""


@dataclass
class Outside:
    """What was met outside of functions that could change, and what it was then; `read` hears of functions."""

    read: Read
    watched: dict[int, Watched] = field(default_factory=dict)
    _seen: dict[int, Any] = field(default_factory=dict)
    _flipping: list[Watched] = field(default_factory=list)

    def allow(self, value: Any, name: str, place: str) -> None:
        """RefusedError, naming the place, unless a model may use this value."""
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value
        try:
            fault = self._fault(value, name, place)
            if fault is not None:
                raise RefusedError(*fault, place)
        except RefusedError:
            del self._seen[id(value)]  # to be refused again
            raise

    def allow_unordered(self, value: set[Any] | frozenset[Any], name: str, place: str) -> None:
        """The same of a set, where its order means nothing."""
        self.watch(value, name, place)
        for item in value:
            self.allow(item, f"an item of {name}", place)

    def watch(self, value: Any, name: str, place: str | type) -> None:
        """From now on a value must stay as it is: a list, dict or set, or what a class or a function has.

        `place` is where it is named, or a class that it belongs to.
        """
        if id(value) not in self.watched:
            self.watched[id(value)] = watched = Watched.now(value, name, place)
            if watched.can_flip:
                self._flipping.append(watched)

    def must_not_flip(self, also: Sequence[Watched] = ()) -> None:
        """The same, for what could change now and change back before anybody asks again."""
        self._refuse_changed(itertools.chain(also, self._flipping))

    def must_be_unchanged(self, also: Sequence[Watched] = ()) -> None:
        """RefusedError where something that was met, or what is `also` watched, is not any more what it was."""
        self._refuse_changed(itertools.chain(also, self.watched.values()))

    @staticmethod
    def _refuse_changed(watched: Iterable[Watched]) -> None:
        for each in watched:
            if not each.looks_unchanged() and each.is_changed:
                raise RefusedError(
                    f"code that changes {each.name}, which is not a field,", "keep all state in fields", each.place
                )

    def _fault(self, value: Any, name: str, place: str) -> tuple[str, str] | None:
        """What is wrong with using a value, and what to do instead; None if nothing is."""
        if isinstance(value, Enum):
            self.allow(type(value), type(value).__name__, place)
            return None
        if isinstance(value, _CONSTANT_TYPES) or any(value is each for each in _PURE):
            return _constant_fault(value, name)
        if isinstance(value, types.FunctionType):
            return self._function_fault(value, name)
        if isinstance(value, type):
            return self._class_fault(value, name, place)
        return self._collection_fault(value, name, place)

    def _collection_fault(self, value: Any, name: str, place: str) -> tuple[str, str] | None:
        if isinstance(value, set | frozenset):
            return (
                f"{name}, a Python set, whose order is not fixed,",
                "keep a tuple; or ask a set of the module what is `in` it",
            )
        if isinstance(value, tuple):
            if is_record(type(value)):
                self.allow(type(value), f"the class of {name}", place)
            return self._items_fault(value, name, place)
        if isinstance(value, list | dict):
            self.watch(value, name, place)
            items = value if not isinstance(value, dict) else (*value.keys(), *value.values())
            return self._items_fault(items, name, place)
        if is_dataclass(value) and not isinstance(value, type):
            return self._instance_fault(value, name, place)
        return self._other_fault(value, name, place)

    def _items_fault(self, items: Iterable[Any], name: str, place: str) -> tuple[str, str] | None:
        for item in items:
            self.allow(item, f"an item of {name}", place)
        return None

    def _function_fault(self, value: types.FunctionType, name: str) -> tuple[str, str] | None:
        if is_own(value.__code__.co_filename):
            if value.__closure__:
                return None
            return f"{name}(), which declares,", "call it at the level of the module or the class"
        if _is_of_library(value):
            return _of_library(value, name)
        self.read(value)
        self.watch(value, f"{name}()", place_of(value).partition(" ")[0])
        return None

    def _class_fault(self, value: type, name: str, place: str) -> tuple[str, str] | None:
        own = value.__module__.startswith("offsetproof.lang.")
        if own or value.__name__ in BUILTINS:
            return None
        if _is_component(value):
            return None
        if issubclass(value, Enum | Exception) or is_record(value):
            return self._members_fault(value, name, place)
        if issubclass(value, BaseException):
            return f"{name}, which ends more than an action,", "raise an Exception of your own, or ValueError"
        return f"objects of class {name}", "use fields, a NamedTuple or a frozen dataclass"

    def _members_fault(self, kind: type, name: str, place: str) -> tuple[str, str] | None:
        """Whatever a class of values has may be asked of any of them: all its functions are read, all else watched."""
        for base in kind.__mro__:
            if not _is_of_library(base):
                self.watch(base, base.__name__, place)
                for function in functions_of(base):
                    self.read(function)
                self._attributes(base, name, place)
        for member in list(kind) if issubclass(kind, Enum) else ():
            self.watch(member, f"{kind.__name__}.{member.name}", place)
            self.allow(member.value, f"{name}.{member.name}", place)
            self._attributes(member, f"{name}.{member.name}", place)
        for each in fields(kind) if is_dataclass(kind) else ():
            if each.default_factory is not MISSING:
                self.allow(each.default_factory, f"the factory of {name}.{each.name}", place)
        return None

    def _attributes(self, owner: Any, name: str, place: str) -> None:
        for attribute, value in list(vars(owner).items()):
            if not attribute.startswith("_") and isinstance(value, list | dict | set | tuple | frozenset):
                self.allow(value, f"{name}.{attribute}", place)

    def _instance_fault(self, value: Any, name: str, place: str) -> tuple[str, str] | None:
        kind = type(value)
        if not kind.__dataclass_params__.frozen:
            return f"{name}, an object that can change,", "make its dataclass frozen, or keep its values in fields"
        if not kind.__module__.startswith("offsetproof.lang."):
            self.allow(kind, f"the class of {name}", place)
            for each in fields(value):
                self.allow(getattr(value, each.name), f"{name}.{each.name}", place)
        return None

    def _other_fault(self, value: Any, name: str, place: str) -> tuple[str, str] | None:
        if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
            if _is_of_library(value.__func__):
                return _of_library(value, name)
            self.allow(value.__self__, f"the object of {name}", place)
            return self._function_fault(value.__func__, name)
        if isinstance(value, types.ModuleType):
            return f"the module {name}", "name what you use of it"
        if isinstance(value, types.BuiltinFunctionType | types.BuiltinMethodType | types.MethodType):
            return _of_library(value, name)
        what = f"{name}, a {type(value).__name__} that is not a field,"
        return what, "keep all state in fields; constants may be tuples"


def _constant_fault(value: object, name: str) -> tuple[str, str] | None:
    """What derives from a number or a string may do more than these do."""
    if type(value) in _CONSTANT_TYPES or not isinstance(value, _CONSTANT_TYPES):
        return None
    return (
        f"{name}, of the class {type(value).__name__} that is more than a plain value,",
        "use plain values, or an Enum",
    )


def _is_of_library(made: types.FunctionType | type) -> bool:
    return made.__module__.partition(".")[0] in sys.stdlib_module_names


def functions_of(kind: type) -> Iterator[types.FunctionType]:
    """The functions that a class itself defines, those of properties and class methods too; none that Python made."""
    for member in vars(kind).values():
        inner = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
        if isinstance(inner, types.FunctionType) and not _is_made_by_python(inner):
            yield inner


def _is_made_by_python(function: types.FunctionType) -> bool:
    """Is it one that a dataclass or a NamedTuple has been given?"""
    made_in = function.__globals__.get("__name__", "").partition(".")[0]
    return function.__code__.co_filename.startswith("<") or made_in in sys.stdlib_module_names


def _of_library(value: Any, name: str) -> tuple[str, str]:
    """What to say of a function that is not of the model."""
    owner = type(getattr(value, "__self__", None))
    module: str = getattr(value, "__module__", None) or owner.__module__
    if module == "builtins":
        return f"{name}()", _FORBIDDEN.get(name, "a model only reads and writes its fields")
    own = "" if name.startswith(f"{module}.") else f" of {module}"
    return f"{name}(){own}", _ELSEWHERE.get(module.lstrip("_"), "compute with fields, and the language's functions")


def builtin_fault(name: str) -> tuple[str, str]:
    """What to say of a builtin that is not among the allowed ones."""
    return f"{name}()", _FORBIDDEN.get(name, "a model only reads and writes its fields")


def is_builtin(name: str) -> bool:
    """Is there a builtin of this name?"""
    return hasattr(builtins, name)


def is_record(kind: type) -> bool:
    """Is it a class of values that cannot change: a NamedTuple, a frozen dataclass without its own `__new__`?"""
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return True
    params = vars(kind).get("__dataclass_params__")
    return params is not None and params.frozen and "__new__" not in vars(kind)


def _is_component(kind: type) -> bool:
    return any(
        base.__module__ == "offsetproof.lang.component" and base.__name__ == "Component" for base in kind.__mro__
    )

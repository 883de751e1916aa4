"""What a class body may declare under which name: one declaration per name, and none that hides another unseen.

Python lets a later definition replace an earlier one, a method hide an action, and one base class win over another,
all without a word; the model would be left without what was replaced, and a claim could hold for want of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, ClassVar, get_origin

from offsetproof.lang.errors import DeclarationError, place_of, user_place

ACTION_MARK = "__offsetproof_action__"
"""The attribute of a method that says that it is an action."""

_MAY_BE_DEFINED = frozenset({"__repr__", "__class_getitem__"})
"""Special methods that a component may define: no run of a model calls them."""

_MADE_BY_PYTHON = frozenset({"__classcell__", "__classdictcell__", "__static_attributes__", "__firstlineno__"})


def kind_of(value: object) -> str:
    """What a name in a class body stands for, in a word.

    >>> kind_of(len), kind_of(3)
    ('method', 'constant')
    """
    if getattr(value, ACTION_MARK, None) is not None:
        return "action"
    own = getattr(type(value), "declared_kind", None)
    if isinstance(own, str):
        return own
    if isinstance(value, property):
        return "property"
    return "method" if callable(value) or isinstance(value, classmethod | staticmethod) else "constant"


@dataclass(frozen=True, eq=False)
class Made:
    """What a decorator, or a class with declarations, has made: whoever has one of the values has it.

    `problem` says what is wrong where nobody has; `in_function` whether a function made it.
    """

    values: tuple[object, ...]
    place: str
    problem: str
    in_function: bool

    @property
    def is_class(self) -> bool:
        """Is it a class with declarations, which a model may derive from?"""
        return isinstance(self.values[0], type)

    @property
    def is_claim(self) -> bool:
        """Is it a claim, and neither a class nor the method of an action?"""
        return not self.is_class and not isinstance(self.values[0], FunctionType)

    @property
    def error(self) -> DeclarationError:
        """What is raised where nobody has it."""
        return DeclarationError(f"{self.place}: {self.problem}")

    def is_among(self, ids: Container[int]) -> bool:
        """Is one of the values among objects with these ids?"""
        return any(id(value) in ids for value in self.values)


class Body(dict[str, Any]):
    """The names of a class body while it runs, and what it made; a name that is declared twice is refused."""

    def __init__(self, owner: str) -> None:
        super().__init__()
        self.owner = owner
        self.made: list[Made] = []

    def __setitem__(self, name: str, value: Any) -> None:
        if name in self and not is_special(name):
            before, now = kind_of(self[name]), kind_of(value)
            if {before, now} not in ({"property"}, {"constant"}) and not _is_overload(self[name]):
                raise DeclarationError(
                    f"{user_place()}: {self.owner}.{name} is declared twice, as {_a(before)} and as {_a(now)}; only "
                    "the second would be left, so rename one"
                )
        super().__setitem__(name, value)


def for_models(cls: type) -> Iterator[tuple[str, str]]:
    """What a class declares itself that only a model can have, each with its place."""
    for name, value in vars(cls).items():
        kind = kind_of(value)
        if not _is_of_language(cls) and (kind in ("action", "claim") or (name in _OF_MODELS and kind == "method")):
            yield f"{kind} {cls.__name__}.{name}", _place(value)


_OF_MODELS = frozenset({"initially", "rest"})
"""Methods that only a model has: nothing calls those of its parts."""


def is_special(name: str) -> bool:
    """Is it a name that Python has for something?"""
    return name.startswith("__") and name.endswith("__")


def _is_overload(value: object) -> bool:
    """Is it what `typing.overload` leaves behind?"""
    return isinstance(value, FunctionType) and value.__module__ == "typing"


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def check_class(cls: type, root: type) -> None:
    """DeclarationError for the first name of a component's class that is declared in a way that cannot work.

    `root` is the language's base class of all components. Its own names and those of its subclasses in the language are
    taken, but for what they list in `_overridable`, each with the kind that it has to be.
    """
    if _is_of_language(cls):
        return
    _refuse_mixed_in(cls, root)
    own = {name: value for name, value in vars(cls).items() if name not in _MADE_BY_PYTHON}
    for name, value in own.items():
        _refuse_special(name, value)
        _refuse_taken(cls, root, name, value)
        _refuse_hiding(cls, name, value)
        _refuse_shared(cls, name, value)
    _refuse_ambiguous(cls)
    _refuse_without_domain(cls)


def _refuse_mixed_in(cls: type, root: type) -> None:
    """What is mixed in without being a component is not part of what is read and checked."""
    for base in cls.__mro__[1:]:
        if not issubclass(base, root) and base.__module__ not in ("builtins", "typing", "abc"):
            raise DeclarationError(
                f"{user_place()}: {cls.__name__} has the base class {base.__name__}, which is not a component; derive "
                f"{base.__name__} from Component"
            )


def _refuse_special(name: str, value: Any) -> None:
    function = getattr(value, "__func__", value)  # Python makes some of them class methods
    if is_special(name) and isinstance(function, FunctionType) and name not in _MAY_BE_DEFINED:
        way_out = "initially() in the model" if name == "__init__" else "a method of another name"
        raise DeclarationError(f"{place_of(function)}: a component's {name} is the language's own; use {way_out}")


def _is_of_language(cls: type) -> bool:
    return cls.__module__.startswith("offsetproof.lang.")


def _refuse_taken(cls: type, root: type, name: str, value: Any) -> None:
    """Names of the language's own classes, as far as they are not there to be overridden."""
    if is_special(name):
        return
    bases = [base for base in cls.__mro__[1:] if issubclass(base, root) and _is_of_language(base)]
    overridable: Mapping[str, str] = {}
    for base in bases:
        overridable = {**overridable, **vars(base).get("_overridable", {})}
    if name in overridable:
        if kind_of(value) != overridable[name]:
            raise DeclarationError(
                f"{_place(value)}: {cls.__name__}.{name} is {_a(kind_of(value))}, but {name} is the language's name "
                f"for {_a(overridable[name])} ({_meaning(bases, name)}); choose another name"
            )
        return
    taken = {taken for base in bases for taken in (*vars(base), *vars(base).get("__annotations__", {}))}
    if name in taken:
        raise DeclarationError(
            f"{_place(value)}: {cls.__name__}.{name}: this name is the language's own ({_meaning(bases, name)}); "
            "choose another"
        )


def _meaning(bases: list[type], name: str) -> str:
    """What the language means by one of its names, in its own words where there are some."""
    owner = next(base for base in bases if name in vars(base) or name in vars(base).get("__annotations__", {}))
    about = inspect.getdoc(vars(owner).get(name)) if callable(vars(owner).get(name)) else None
    about = about or inspect.getdoc(getattr(vars(owner).get(name), "fget", None))
    return f"{owner.__name__}.{name}: {about.splitlines()[0].rstrip('.')}" if about else f"{owner.__name__}.{name}"


def _place(value: object) -> str:
    """Where a declaration stands, as far as it can be told."""
    own = getattr(value, "place", None)
    if isinstance(own, str):
        return own
    return place_of(value) if isinstance(value, FunctionType) else user_place()


def _refuse_hiding(cls: type, name: str, value: Any) -> None:
    """What is overridden is overridden by its own kind."""
    if is_special(name):
        return
    for base in cls.__mro__[1:]:
        if name in vars(base) and not _is_of_language(base):
            before, now = kind_of(vars(base)[name]), kind_of(value)
            if before == now == "claim":
                before, now = (f"@{each.kind} claim" for each in (vars(base)[name], value))
            if before != now:
                can_be_marked = (before, now) == ("action", "method")
                way_out = "mark it with @action, too" if can_be_marked else "choose another name"
                raise DeclarationError(
                    f"{_place(value)}: {cls.__name__}.{name} is {_a(now)} and would hide {_a(before)} of "
                    f"{base.__name__}; {way_out}"
                )
            return


def _refuse_shared(cls: type, name: str, value: Any) -> None:
    """One field object under two names would be one field."""
    if kind_of(value) == "field" and value.name != name:
        raise DeclarationError(
            f"{_place(value)}: {cls.__name__}.{name} and .{value.name} are one and the same field; declare "
            "each by itself"
        )


def _refuse_ambiguous(cls: type) -> None:
    """A name that two base classes define, neither for the other's sake."""
    for name in _inherited_names(cls):
        definers = [base for base in cls.__mro__[1:] if name in vars(base) and not _is_of_language(base)]
        rival = next((base for base in definers[1:] if not issubclass(definers[0], base)), None)
        if rival is not None:
            raise DeclarationError(
                f"{user_place()}: {cls.__name__} inherits {name} from {definers[0].__name__} and from "
                f"{rival.__name__}, and only the first would be left; rename one, or define {name} here"
            )


def _inherited_names(cls: type) -> Iterator[str]:
    names = {name for base in cls.__mro__[1:] if not _is_of_language(base) for name in vars(base)}
    own = vars(cls)
    yield from sorted(
        name for name in names if not is_special(name) and name not in own and name not in _KEPT_PER_CLASS
    )


_KEPT_PER_CLASS = frozenset({"_declared", "actions", "claims", "retold"})
"""What the language itself keeps in each class."""


def _refuse_without_domain(cls: type) -> None:
    for name, kind in vars(cls).get("__annotations__", {}).items():
        is_class_variable = get_origin(kind) is ClassVar or str(kind).startswith(("ClassVar", "typing.ClassVar"))
        declared = any(name in vars(base) for base in cls.__mro__)
        if not declared and not is_class_variable and not name.startswith("_"):
            raise DeclarationError(
                f"{user_place()}: field {cls.__name__}.{name} has no domain; "
                "declare it as flag(), integer(lo, hi), offset(), ..."
            )

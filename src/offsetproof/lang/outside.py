"""What code of a model may use that is not a field: a closed list, by exact type. What is not on it is refused.

Nothing on the list can remember: constants that cannot change, functions whose source is read as well, classes of
values without state. So whatever a run of a model changes, it has made itself, or it is a field.
"""

from __future__ import annotations

import gc
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from enum import Enum, EnumType, IntEnum, StrEnum
from operator import attrgetter
from sys import stdlib_module_names
from sysconfig import get_path
from typing import Any, NamedTuple, NoReturn

from offsetproof.lang.action import Action
from offsetproof.lang.claim import Claim, Property
from offsetproof.lang.component import Component, Declared
from offsetproof.lang.constructs import (
    AS_MADE,
    CONSTANTS,
    CONTAINERS,
    FOR_MESSAGES,
    FORBIDDEN,
    RESERVED,
    STATED,
    USABLE,
    attributes_of,
)
from offsetproof.lang.declaring import ACTION_MARK
from offsetproof.lang.errors import RefusedError, is_own, place_of, place_of_class
from offsetproof.lang.model import Model
from offsetproof.lang.scope import Index
from offsetproof.lang.source_paths import shown_place
from offsetproof.lang.sources import names_from_outside

_builtins_of = attrgetter("__builtins__")  # mypy knows this attribute in some runs, and in others not

Place = str | type
"""`file:line`, or a class that stands there."""

_FUNCTIONS = (types.FunctionType, property, classmethod, staticmethod)


class _Plain(Enum):
    ONE = 1


class _Numbered(IntEnum):
    ONE = 1


class _Named(StrEnum):
    ONE = "1"


@dataclass(frozen=True, order=True, slots=True)
class _Frozen:
    one: int


class _Pair(NamedTuple):
    one: int


class _Part(Component):
    one = 1


class _OwnError(Exception):
    """An error."""


def _names_of(*kinds: type) -> frozenset[str]:
    """The names that Python itself, or the language, gives to such classes."""
    names = (name for kind in kinds for name in (*vars(kind), "__annotations__", "__weakref__", "__orig_bases__"))
    return frozenset(names) - {"one", "ONE"}


_SAMPLES = (_Plain, _Numbered, _Named, _Frozen, _Pair)
_OF_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)
_FOLDER_OF_PYTHON = get_path("stdlib")
_OF_ENUMS, _OF_MEMBERS = _names_of(_Plain, _Numbered, _Named), frozenset(vars(_Plain.ONE))
_OF_RECORDS, _OF_PARTS = _names_of(_Frozen, _Pair) | {"__dict__"}, _names_of(_Part) | {"__init_subclass__"}
_BASES_OF_ENUMS = (Enum, IntEnum, StrEnum, *IntEnum.__mro__, *StrEnum.__mro__)


class Outside:
    """What was met outside of functions; `read` hears of functions whose source is to be read, too.

    `names` are those that the classes of values have, beside those of the language; `claims` stand in classes.
    """

    def __init__(self, read: Callable[[types.FunctionType], None]) -> None:
        self._read = read
        self.names: set[str] = set()
        self._seen: dict[int, Any] = {}
        self._taken: dict[int, Any] = {}
        self.claims: dict[tuple[str, int], Property | Claim] = {}
        self._owners: list[tuple[Any, dict[str, Any], str, Place]] = [(*each, each[0]) for each in AS_MADE]

    def allow_names(self, function: types.FunctionType) -> None:
        """RefusedError at the first name from outside of a function that does not stand for something on the list."""
        code = function.__code__
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        for line, name, attributes in names_from_outside(code):
            place = shown_place(code.co_filename, line)
            if name in cells:
                self.allow(_content(cells[name]), name, place)
            elif name not in function.__globals__ and name in FOR_MESSAGES:
                continue  # the pass over the tree knows where it stands
            else:
                value, shown = _value_of(function, name, attributes, place)
                self.allow(value, shown, place)
        place = shown_place(code.co_filename, code.co_firstlineno)
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self.allow(default, f"a default of {function.__name__}()", place)

    def allow(self, value: Any, name: str, place: Place) -> None:
        """RefusedError, naming the place, unless a model may use this value."""
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value
        try:
            self._judge(value, name, place)
        except RefusedError:
            del self._seen[id(value)]  # to be refused again
            raise

    def _judge(self, value: Any, name: str, place: Place) -> None:
        kind = type(value)
        if kind in CONSTANTS or any(value is each for each in USABLE):
            return
        if kind is tuple:
            self._all(value, name, place)
        elif kind is types.MappingProxyType and type(gc.get_referents(value)[0]) is dict:
            self._all((*value.keys(), *value.values()), name, place)
        elif kind is types.FunctionType:
            self._function(value, name, place)
        elif isinstance(value, type):
            self._class(value, name, place)
        elif kind in (Property, Claim):
            self.names.add("function")
            self.take(value)
        elif type(kind) is EnumType:
            self.allow(kind, kind.__name__, place)
        elif kind in STATED:
            self._all(_parts_of_stated(self._values_of(value, name, place)), name, place)
        elif _is_record(kind):
            self.allow(kind, f"the class of {name}", place)
            self._all(self._values_of(value, name, place), name, place)
        else:
            _refuse_value(value, name, place)

    def _values_of(self, value: Any, name: str, place: Place) -> list[Any]:
        """What an object has in its fields; RefusedError where it has more than these."""
        if not {*getattr(value, "__dict__", ())} <= {*_fields_of(type(value))}:
            _refuse(f"{name}, which has more than its fields,", "declare them as fields", place)
        return [getattr(value, each) for each in _fields_of(type(value))]

    def _all(self, values: Iterable[Any], name: str, place: Place) -> None:
        for value in values:
            self.allow(value, f"an item of {name}", place)

    def _function(self, value: types.FunctionType, name: str, place: Place) -> None:
        if is_own(value.__code__.co_filename):
            _refuse(f"{name}(), which declares,", "call it at the level of the module or the class", place)
        if _is_of_python(value) or value.__code__.co_filename == "<string>":
            _refuse_value(value, name, place)
        odd = next((each for each in vars(value) if not each.startswith("__")), None)
        if odd is not None:
            _refuse(f"{name}.{odd}, which is not a field,", "keep all state in fields", place)
        self._keep(value, f"{name}()", place)
        self._read(value)

    def _keep(self, owner: Any, name: str, place: Place) -> None:
        """From now on this must have the very attributes that it has."""
        self._owners.append((owner, attributes_of(owner), name, place))

    def must_be_unchanged(self) -> None:
        """RefusedError where something that was met has got another attribute: none can be deleted or put back."""
        for owner, before, name, place in self._owners:
            now = attributes_of(owner)
            if len(now) != len(before) or any(now[each] is not value for each, value in before.items()):
                new = next((value for each, value in now.items() if before.get(each) is not value), None)
                place = place_of(new).partition(" ")[0] if isinstance(new, types.FunctionType) else place
                _refuse(f"code that changes {name}, which is not a field,", "keep all state in fields", place)

    def _class(self, kind: type, name: str, place: Place) -> None:
        if issubclass(kind, Component):
            self.judge_component(kind)
        elif type(kind) is EnumType and all(base in _BASES_OF_ENUMS for base in kind.__mro__[1:]):
            self._enum(kind, name, place)
        elif issubclass(kind, Exception) and (kind.__module__.partition(".")[0] not in ("builtins", "offsetproof")):
            self._members(kind, _names_of(_OwnError), place)
            for base in (each for each in kind.__bases__ if each is not Exception):
                self.allow(base, base.__name__, place)
        elif _is_record(kind):
            self._record(kind, name, place)
        elif issubclass(kind, BaseException):
            _refuse(f"{name}, which is no error of the model's own,", "use ValueError or class Mine(Exception)", place)
        elif kind.__module__ == "builtins":
            _refuse_value(kind, name, place)
        else:
            _refuse(f"objects of class {name}", "use fields, a NamedTuple, a frozen dataclass or an enum", place)

    def judge_component(self, kind: type[Component]) -> None:
        """RefusedError unless a class of components has nothing but what the language knows."""
        if kind not in (Component, Model):
            if type(kind) is not type(Component):
                _refuse(f"the metaclass of {kind.__name__}", "derive it from Component alone", kind)
            kept = {name for name, value in vars(kind).items() if name in RESERVED and not isinstance(value, Declared)}
            self._members(kind, _OF_PARTS, kind, kept)

    def _enum(self, kind: EnumType, name: str, place: Place) -> None:
        members: Mapping[str, Enum] = kind.__members__
        self.names.update(members)
        self._members(kind, _OF_ENUMS, place, {*members}, with_functions=False)
        for member in members.values():
            odd = next((each for each in vars(member) if each not in _OF_MEMBERS), None)
            if odd is not None:
                _refuse(f"{name}.{member.name}.{odd}", "a member of an enum has a value and nothing else", place)
            self.allow(member.value, f"{name}.{member.name}", place)
            self._keep(member, f"{name}.{member.name}", place)

    def _record(self, kind: type, name: str, place: Place) -> None:
        names = _fields_of(kind)
        self.names.update(names)
        self._members(kind, _OF_RECORDS, place, names)
        self._all(getattr(kind, "_field_defaults", {}).values(), name, place)
        for each in fields(kind) if hasattr(kind, "__dataclass_fields__") else ():
            if callable(each.default_factory):
                _refuse(f"the factory of {name}.{each.name}", "give the field a constant", place)
            if each.name in vars(kind) and not isinstance(vars(kind)[each.name], types.MemberDescriptorType):
                self.allow(each.default, f"{name}.{each.name}", place)
        for base in (each for each in kind.__bases__ if each not in (object, tuple)):
            self.allow(base, base.__name__, place)

    def _members(
        self, kind: type, made: frozenset[str], place: Place, own: Iterable[str] = (), *, with_functions: bool = True
    ) -> None:
        """What a class has beside what such classes are `made` of, and beside its fields or members."""
        for name, value in vars(kind).items():
            is_function = isinstance(value, _FUNCTIONS) and not _is_of_python(value)
            if name in own or name == "__init_subclass__" or (name in made and _is_made_for(kind, name, value)):
                continue
            shown = f"{kind.__name__}.{name}"
            if name.startswith("__") and name.endswith("__") and name != "__repr__":
                _refuse(shown, "leave it out; write a function of another name", place)
            if is_function and not with_functions:
                _refuse(f"{shown}, a function of an enum,", "write a function of the module", place)
            self.names.add(name)
            self.allow_member(value, shown, place)
        self._keep(kind, kind.__name__, place)

    def allow_member(self, value: Any, name: str, place: Place) -> None:
        """RefusedError unless a class may have this: a field, a claim (read when asked), a function, a constant."""
        if type(value) in _FUNCTIONS:
            function = _function_in(value, name, place)
            if is_own(function.__code__.co_filename) and hasattr(function, ACTION_MARK):  # of a model that was derived
                self.take(function)
            else:
                self._function(function, name, place)
        elif isinstance(value, Declared):
            self._keep(value, name, place)
            self.take(value)
        elif type(value) in (Property, Claim):
            self.claims[name.rpartition(".")[2], id(value)] = value
        else:
            self.allow(value, name, place)

    def take(self, value: Any) -> None:
        """Hears of what the language keeps; the functions of the model in it will be read, enums must be allowed."""
        if id(value) in self._taken:
            return
        self._taken[id(value)] = value
        if isinstance(value, types.FunctionType) and not is_own(value.__code__.co_filename):
            self._function(value, value.__name__, place_of(value).partition(" ")[0])
        elif isinstance(value, EnumType):
            self.allow(value, value.__name__, value)
        else:
            for each in _given_to(value):
                self.take(each)


def _parts_of_stated(values: Iterable[Any]) -> Iterator[Any]:
    """What the fields of an object of the language hold; of its own tables and sets, whose names are out of reach."""
    for value in values:
        if type(value) in (dict, types.MappingProxyType):
            yield from (*value.keys(), *value.values())
        else:
            yield from value if type(value) is frozenset else (value,)


def _given_to(value: Any) -> Iterable[Any]:
    """What a field, a sort, a queue or a function of the language was made with."""
    if isinstance(value, types.FunctionType):
        return [_content(cell) for cell in value.__closure__ or ()]
    if isinstance(value, Declared):
        return vars(value).values()
    if isinstance(value, Index):
        return (value.size,)
    if isinstance(value, Action):
        return (value.method,)
    if isinstance(value, Property | Claim):
        return (value.function,)
    return value.values() if isinstance(value, Mapping) else ()


def _refuse(what: str, instead: str, place: Place) -> NoReturn:
    raise RefusedError(what, instead, place if isinstance(place, str) else place_of_class(place))


def _refuse_value(value: Any, name: str, place: Place) -> NoReturn:
    """What to say of a value that is not on the list."""
    for container, (what, instead) in CONTAINERS.items():
        if isinstance(value, container):
            _refuse(f"{name}, a {type(value).__name__}, {what},", instead, place)
    if callable(value):
        module = (getattr(value, "__module__", None) or type(getattr(value, "__self__", None)).__module__).lstrip("_")
        way_out = FORBIDDEN.get(module) or FORBIDDEN.get(getattr(value, "__name__", name))
        is_named = module == "builtins" or name.startswith(f"{module}.")
        of = f" of {module}" if module.partition(".")[0] in stdlib_module_names and not is_named else ""
        _refuse(f"{name}(){of}", way_out or "compute with fields, and the language's functions", place)
    if isinstance(value, types.ModuleType):
        _refuse(f"the module {name}", "name what you use of it", place)
    kind = type(value).__name__
    _refuse(f"{name}, a {kind}, which is no plain constant,", "keep state in fields, and constants in tuples", place)


def _value_of(function: types.FunctionType, name: str, attributes: list[str], place: str) -> tuple[Any, str]:
    """What a name stands for; of modules what they have under the attributes that are asked at once."""
    space: Mapping[str, Any] = function.__globals__
    if name not in space:
        space = _builtins_of(function)
    value = space.get(name, _OwnError)
    for attribute in attributes:
        if type(value) is types.ModuleType:
            name, value = f"{name}.{attribute}", vars(value).get(attribute, _OwnError)
    if value is _OwnError:
        _refuse(f"the name {name}, which nothing defines,", "define it at the top of the module", place)
    return value, name


def _content(cell: types.CellType) -> Any:
    """What a function has from one around it; nothing where that is not there yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _function_in(value: Any, name: str, place: Place) -> types.FunctionType:
    """The function of a method, or of a property that is only read."""
    if type(value) is property and (value.fset or value.fdel):
        _refuse(f"{name}, a property that is assigned to,", "write a method", place)
    function = value.fget if type(value) is property else getattr(value, "__func__", value)
    if type(function) is not types.FunctionType:
        _refuse_value(function, name, place)
    return function


def _is_made_for(kind: type, name: str, value: Any) -> bool:
    """Has Python made this for the class, or is it nothing that an operator could call?"""
    value = getattr(value, "__func__", value)
    if any(value is getattr(vars(each).get(name), "__func__", vars(each).get(name)) for each in _SAMPLES):
        return True
    if isinstance(value, types.FunctionType):
        names = (f"{kind.__qualname__}.{name}", f"{kind.__name__}.{name}")
        return _is_of_python(value) and value.__qualname__ in names
    has_get = hasattr(type(value), "__get__") and type(value) not in _OF_SLOTS
    return not callable(value) and not has_get


def _is_of_python(value: Any) -> bool:
    """Is it a function of Python's own, or one that Python has made for a class?"""
    function = getattr(value, "__func__", value)
    if not isinstance(function, types.FunctionType):
        return False
    code, made_in = function.__code__, function.__globals__.get("__name__", "")
    if code.co_filename == "<string>":
        return code.co_qualname.startswith("__create_fn__.") or made_in.startswith("namedtuple_")
    in_python = code.co_filename.startswith((_FOLDER_OF_PYTHON, "<frozen ")) and "site-packages" not in code.co_filename
    return in_python and made_in.partition(".")[0] in stdlib_module_names


def _is_record(kind: type) -> bool:
    """Is it a class of values that cannot change: a NamedTuple, or a frozen dataclass?"""
    if type(kind) is not type:
        return False
    params = vars(kind).get("__dataclass_params__")
    return (kind.__bases__ == (tuple,) and "_field_defaults" in vars(kind)) or bool(params and params.frozen)


def _fields_of(kind: type) -> tuple[str, ...]:
    return tuple(vars(kind).get("_fields") or vars(kind)["__dataclass_fields__"])

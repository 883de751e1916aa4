"""The language once more, as plain Python and nothing else: what a model's text means to someone who just runs it.

A program under test imports `*` from here instead of from the language. Values are Python's own, fields live in one
dict, a guard is an exception. Nothing is shared with the language, and nothing is refused: where Python gives a program
a meaning that the language does not follow, it has to be refused there, or the counts differ. Sets come in another
order than usual, which no program may depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from programs.plain_functions import among, choose, every, implies, larger, negation, smaller, some
from programs.plain_offsets import OffsetSet
from programs.plain_world import (
    ANYTHING,
    Index,
    Scope,
    Setting,
    World,
    bound,
    frozenset,  # noqa: A004 - takes the place of the builtin
    require,
    resolve,
    set,  # noqa: A004 - takes the place of the builtin
    sort_values,
)

__all__ = [
    "ANYTHING",
    "Array",
    "Bag",
    "Component",
    "Fifo",
    "Index",
    "Model",
    "OffsetSet",
    "Scope",
    "Setting",
    "action",
    "always",
    "among",
    "array",
    "at_rest",
    "bag",
    "bound",
    "choose",
    "each_step",
    "every",
    "fifo",
    "flag",
    "frozenset",
    "implies",
    "integer",
    "larger",
    "negation",
    "offset",
    "offset_set",
    "one_of",
    "optional",
    "part",
    "require",
    "set",
    "smaller",
    "some",
    "sometimes",
]


class Member:
    name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def grow(self, world: World, path: str) -> Any:
        raise NotImplementedError

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else instance._at[self.name]


class Field(Member):
    def __init__(self, domain: Callable[[Scope], list[Any]], start: Any) -> None:
        self.domain, self.start = domain, start

    def grow(self, world: World, path: str) -> str:
        domain = self.domain(world.scope)
        start = self.start
        if callable(start) or (isinstance(start, str) and not isinstance(domain[0], str)):
            start = resolve(start, world.scope)
        return world.grow(path, domain, start)

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else instance._world.now[instance._at[self.name]]

    def __set__(self, instance: Any, value: Any) -> None:
        instance._world.now[instance._at[self.name]] = value


class Nested(Member):
    def __init__(self, make: Callable[[World, str], Any]) -> None:
        self.make = make

    def grow(self, world: World, path: str) -> Any:
        return self.make(world, path)

    def __set__(self, instance: Any, value: Any) -> None:
        raise TypeError("a component is there for good")


def paths_in(item: Any) -> list[str]:
    if isinstance(item, str):
        return [item]
    inner = item._at.values() if isinstance(item, Component) else item.inner()
    return [path for each in inner for path in paths_in(each)]


class Compared:
    """Equal where everything in it is."""

    _world: World

    def __eq__(self, other: object) -> bool:
        mine, theirs = [[each._world.now[path] for path in paths_in(each)] for each in (self, other)]  # type: ignore[attr-defined]  # of the same kind
        return mine == theirs

    __hash__ = None  # type: ignore[assignment]  # it changes

    def reset(self) -> None:
        for path in paths_in(self):
            self._world.now[path] = self._world.blank[path]


class Component(Compared):
    def __init__(self, world: World, path: str = "") -> None:
        object.__setattr__(self, "_world", world)
        object.__setattr__(self, "_at", {})
        members = {
            n: m for base in reversed(type(self).__mro__) for n, m in vars(base).items() if isinstance(m, Member)
        }
        for name, member in members.items():
            self._at[name] = member.grow(world, f"{path}.{name}" if path else name)  # type: ignore[attr-defined]  # set above

    @property
    def scope(self) -> Scope:
        return self._world.scope

    @property
    def setting(self) -> Setting:
        return Setting(self._world.scope)

    def number_of(self, name: str) -> int:
        path = self._at[name]  # type: ignore[attr-defined]  # set when it was made
        return self._world.domains[path].index(self._world.now[path])

    def finished(self) -> bool:
        return False


class Model(Component):
    scopes: tuple[Scope, ...] = (Scope("default", {}),)

    def initially(self) -> None:
        pass

    def rest(self) -> bool:
        raise TypeError("no rest")


class Array(Compared):
    def __init__(self, world: World, items: list[Any]) -> None:
        self._world, self._items = world, items

    def inner(self) -> list[Any]:
        return self._items

    def _item(self, index: int) -> Any:
        if not 0 <= index < len(self._items):
            raise IndexError(index)
        return self._items[index]

    def __getitem__(self, index: int) -> Any:
        item = self._item(index)
        return self._world.now[item] if isinstance(item, str) else item

    def __setitem__(self, index: int, value: Any) -> None:
        self._world.now[self._item(index)] = value

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self._items)))

    def __len__(self) -> int:
        return len(self._items)


class Fifo(Compared):
    def __init__(self, world: World, path: str, kind: type[Component], capacity: int) -> None:
        self._world, self._path = world, world.grow(f"{path}.count", list(range(capacity + 1)), 0)
        self._slots = [kind(world, f"{path}[{i}]") for i in range(capacity)]

    def inner(self) -> list[Any]:
        return [self._path, *self._slots]

    @property
    def count(self) -> int:
        return int(self._world.now[self._path])

    def __getitem__(self, position: int) -> Any:
        if not 0 <= position < len(self._slots):
            raise IndexError(position)
        return self._slots[position]

    def __iter__(self) -> Iterator[Any]:
        at = 0
        while at < min(self.count, len(self._slots)):
            yield self._slots[at]
            at += 1

    def __bool__(self) -> bool:
        return self.count > 0

    def push(self, **fields: Any) -> None:
        count = self.count
        if count < len(self._slots):
            for name, value in fields.items():
                setattr(self._slots[count], name, value)
        else:
            self._world.cut = True
        self._world.now[self._path] = count + 1

    def remove(self, position: int) -> None:
        require(self.count > position)
        if position < 0:
            raise IndexError(position)
        self._world.now[self._path] = self.count - 1
        for here, there in zip(self._slots[position:], self._slots[position + 1 :], strict=False):
            for to, source in zip(paths_in(here), paths_in(there), strict=True):
                self._world.now[to] = self._world.now[source]
        self._slots[-1].reset()

    def reset(self) -> None:
        self._world.now[self._path] = 0
        for slot in self._slots:
            slot.reset()


class Bag(Compared):
    def __init__(self, world: World, path: str, sorts: Mapping[str, Any], copies: int) -> None:
        self._world, self._names, self._copies = world, tuple(sorts), copies
        self._counts = {}
        for element in product(*(sort_values(sort, world.scope) for sort in sorts.values())):
            shown = ",".join(getattr(value, "name", str(value)) for value in element)
            self._counts[element] = world.grow(f"{path}[{shown}]", list(range(copies + 1)), 0)

    def inner(self) -> list[str]:
        return list(self._counts.values())

    def _path(self, fields: Mapping[str, Any]) -> str | None:
        return self._counts.get(tuple(fields[name] for name in self._names))

    def has(self, **fields: Any) -> bool:
        path = self._path(fields)
        return path is not None and self._world.now[path] > 0

    def put(self, **fields: Any) -> None:
        path = self._path(fields)
        if path is None:
            raise IndexError("no such element")
        if self._world.now[path] < self._copies:
            self._world.now[path] += 1
        else:
            self._world.cut = True

    def take(self, **fields: Any) -> None:
        require(self.has(**fields))
        self._world.now[self._path(fields)] -= 1  # type: ignore[index]  # it is there

    def __bool__(self) -> bool:
        return not self.empty

    @property
    def empty(self) -> bool:
        return not any(self._world.now[path] for path in self.inner())

    def reset(self) -> None:
        for path in self.inner():
            self._world.now[path] = 0


def flag(initial: Any = False) -> Any:
    return Field(lambda scope: [False, True], initial)


def integer(lo: Any, hi: Any, initial: Any = None) -> Any:
    start = lo if initial is None else initial
    return Field(lambda scope: list(range(resolve(lo, scope), resolve(hi, scope) + 1)), start)


def offset(limit: Any = "messages") -> Any:
    return integer(0, limit)


def offset_set(limit: Any = "messages", initial: Any = None) -> Any:
    def domain(scope: Scope) -> list[Any]:
        return [OffsetSet.of_mask(mask) for mask in range(1 << resolve(limit, scope))]

    return Field(domain, OffsetSet() if initial is None else initial)


def one_of(kind: Any, initial: Any = None) -> Any:
    return Field(lambda scope: list(kind), next(iter(kind)) if initial is None else initial)


def optional(inner: Any, initial: Any = None) -> Any:
    return Field(lambda scope: [None, *inner.domain(scope)], initial)


def part(kind: Any) -> Any:
    return Nested(kind)


def array(sort: Index, item: Any) -> Any:
    def make(world: World, path: str) -> Array:
        places = [f"{path}[{i}]" for i in sort.values(world.scope)]
        return Array(world, [item(world, at) if isinstance(item, type) else item.grow(world, at) for at in places])

    return Nested(make)


def fifo(kind: Any, capacity: Any) -> Any:
    return Nested(lambda world, path: Fifo(world, path, kind, resolve(capacity, world.scope)))


def bag(sorts: Any, copies: Any = 1) -> Any:
    return Nested(lambda world, path: Bag(world, path, sorts, resolve(copies, world.scope)))


@dataclass(frozen=True)
class Declared:
    """What an action says of itself."""

    sorts: Mapping[str, Any]
    fault: str | None
    among: Mapping[str, Callable[[Any], OffsetSet]]


def action(*, fault: str | None = None, among: Any = None, **sorts: Any) -> Callable[[Any], Any]:
    def mark(method: Any) -> Any:
        method.declared = Declared(sorts, fault, among or {})
        return method

    return mark


@dataclass(frozen=True)
class Claim:
    """A claim: its kind, and what it asks."""

    kind: str
    function: Callable[..., bool]


def always(function: Any) -> Any:
    return Claim("always", function)


def at_rest(function: Any) -> Any:
    return Claim("at_rest", function)


def each_step(function: Any) -> Any:
    return Claim("each_step", function)


def sometimes(function: Any) -> Any:
    return Claim("sometimes", function)

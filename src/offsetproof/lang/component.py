"""Components: ordinary classes with declared fields, nested and repeated over finite sorts.

    class ProcessQueue(Component):
        dropped: bool = flag()
        cached: OffsetSet = offset_set()

    class Consumer(Component):
        process_queue: Array[ProcessQueue] = array(LIVES, ProcessQueue)

The functions that declare fields say to a type checker what reading the field gives; the one cast for that is in
`_declared`. Every field is a small descriptor; the values are in the model's tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, ClassVar, Generic, TypeVar, get_origin, overload

from offsetproof.lang.domain import Domain, Flags, Integers, Members, OffsetSets, Optionals
from offsetproof.lang.errors import DeclarationError, OutOfDomainError, user_place
from offsetproof.lang.offsets import OffsetSet
from offsetproof.lang.run import decide
from offsetproof.lang.scope import Bound, Index, Scope, refuse_too_many, resolve
from offsetproof.lang.setting import Setting
from offsetproof.lang.symbolic import SymInt
from offsetproof.lang.tree import Leaf, Tree

Item = TypeVar("Item")
Part = TypeVar("Part", bound="Component")

ANYTHING: Any = object()
"""As a field's initial value: every value of its domain (each gives an initial state)."""


class Declared:
    """What stands in a class body for a field, a nested component or an array."""

    name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def grow(self, tree: Tree, path: str) -> Any:
        """Builds this member at a place of the tree: a leaf's position, a component or an array."""
        raise NotImplementedError

    def __get__(self, instance: Component | None, owner: type) -> Any:
        return self if instance is None else instance._members[self.name]

    def __set__(self, instance: Component, value: Any) -> None:
        raise DeclarationError(f"{self.name} is a component or an array; assign to its fields instead")


class Field(Declared):
    """A scalar field: a domain that may depend on the scope, an initial value, and whether only claims may read it."""

    def __init__(self, domain: Callable[[Scope], Domain], initial: Any, ghost: bool) -> None:
        self.domain, self.initial, self.ghost = domain, initial, ghost
        self.place = user_place()

    def grow(self, tree: Tree, path: str) -> int:
        domain = self.domain(tree.setting.scope)
        value = resolve(self.initial, tree.setting.scope) if callable(self.initial) else self.initial
        try:
            initial = _all_values(path, domain, tree) if value is ANYTHING else (domain.encode(value),)
        except OutOfDomainError as error:
            raise DeclarationError(f"{self.place}: field {path} cannot start like this: {error}") from None
        return tree.grow(Leaf(path, domain, initial, self.ghost or self.name.startswith("ghost_")))

    def __get__(self, instance: Component | None, owner: type) -> Any:
        return self if instance is None else instance._tree.get(instance._members[self.name])

    def __set__(self, instance: Component, value: Any) -> None:
        instance._tree.put(instance._members[self.name], value)


def _all_values(path: str, domain: Domain, tree: Tree) -> tuple[int, ...]:
    refuse_too_many(f"values that {path} may start with", domain.hi - domain.lo + 1, tree.setting.scope)
    return tuple(range(domain.lo, domain.hi + 1))


class _Nested(Declared):
    def __init__(self, make: Callable[[Tree, str], Any]) -> None:
        self.make = make

    def grow(self, tree: Tree, path: str) -> Any:
        return self.make(tree, path)


class Component:
    """A part of a model: declared fields, and methods that read and write them.

    A method body runs on real values (the reference semantics) and on symbolic ones (staging) alike.
    """

    _declared: ClassVar[dict[str, Declared]] = {}
    _tree: Tree
    _path: str
    _members: dict[str, Any]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Declared)}
        inherited: dict[str, Declared] = {}
        for base in reversed(cls.__mro__[1:]):
            inherited.update(vars(base).get("_declared", {}))
        cls._declared = {**inherited, **own}
        for name, kind in vars(cls).get("__annotations__", {}).items():
            is_class_variable = get_origin(kind) is ClassVar or str(kind).startswith(("ClassVar", "typing.ClassVar"))
            if name not in cls._declared and not is_class_variable and not name.startswith("_"):
                raise DeclarationError(
                    f"{user_place()}: field {cls.__name__}.{name} has no domain; "
                    "declare it as flag(), integer(lo, hi), offset(), ..."
                )

    def __init__(self, tree: Tree, path: str = "") -> None:
        put = object.__setattr__
        put(self, "_tree", tree)
        put(self, "_path", path)
        put(self, "_members", {})
        for name, declared in self._declared.items():
            self._members[name] = declared.grow(tree, f"{path}.{name}" if path else name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._declared:
            raise DeclarationError(
                f"{user_place()}: {type(self).__name__} has no field {name}; declare it in the class body"
            )
        self._declared[name].__set__(self, value)

    @property
    def setting(self) -> Setting:
        """Scope, releases, fixes, assumptions and listener of this run."""
        return self._tree.setting

    @property
    def scope(self) -> Scope:
        """The bounds of this run."""
        return self._tree.setting.scope

    def number_of(self, name: str) -> int:
        """The number behind an optional field: 0 for None, else the value counted from 1.

        Reading an optional asks whether it is there and so splits a staged run; this does not. For claims that look at
        many of them: `a.number_of("cell") == b.number_of("cell")`, or `== 0` for None.
        """
        declared = self._declared.get(name)
        if not isinstance(declared, Field) or not isinstance(declared.domain(self.scope), Optionals):
            raise DeclarationError(f"{user_place()}: {type(self).__name__} has no optional field {name}")
        return self._tree.number(self._members[name])

    def finished(self) -> bool:
        """Has this object ended, so that some of its fields will never be read again?

        Override it to let the checker merge states that differ only in dead fields. Which fields are dead is proved
        from the model, not taken on trust.
        """
        return False

    def parts(self) -> Iterator[Component]:
        """This component and all components in it."""
        yield self
        for item in self._leaves_and_parts():
            if isinstance(item, Component):
                yield from item.parts()

    def positions(self) -> Iterator[int]:
        """The positions of this component's leaves in the tree, nested ones included."""
        for component in self.parts():
            yield from (item for item in component._leaves_and_parts() if isinstance(item, int))

    def _leaves_and_parts(self) -> Iterator[Any]:
        for member in self._members.values():
            yield from [member] if isinstance(member, int | Component) else member.members()

    def reset(self) -> None:
        """Returns every field of this component, nested ones included, to its (first) initial value."""
        for member in self._members.values():
            _reset(self._tree, member)


def _reset(tree: Tree, member: Any) -> None:
    if isinstance(member, int):
        leaf = tree.leaves[member]
        tree.put(member, leaf.domain.decode(leaf.initial[0]))
    elif isinstance(member, Array):
        for item in member.members():
            _reset(tree, item)
    else:
        member.reset()


class Array(Generic[Item]):
    """Components or scalar fields, one per value of an index sort; the index may be a field's value."""

    def __init__(self, tree: Tree, items: list[Any]) -> None:
        self._tree, self._items = tree, items

    def members(self) -> list[Any]:
        """The items as the array holds them: components, or positions of leaves."""
        return self._items

    def _position(self, index: int) -> int:
        if isinstance(index, SymInt):
            for candidate in range(len(self._items)):
                if decide((index == candidate).node):
                    return candidate
            raise IndexError(f"an index lies outside 0 to {len(self._items) - 1}")
        if not 0 <= index < len(self._items):
            raise IndexError(f"index {index} lies outside 0 to {len(self._items) - 1}")
        return index

    def __getitem__(self, index: int) -> Item:
        item = self._items[self._position(index)]
        return self._tree.get(item) if isinstance(item, int) else item  # type: ignore[no-any-return]  # scalar or part

    def __setitem__(self, index: int, value: Item) -> None:
        item = self._items[self._position(index)]
        if not isinstance(item, int):
            raise DeclarationError("an array of components holds them for good; assign to their fields")
        self._tree.put(item, value)

    def __iter__(self) -> Iterator[Item]:
        return (self[i] for i in range(len(self._items)))

    def __len__(self) -> int:
        return len(self._items)


def _declared(member: Declared) -> Any:
    """The one cast between what a class body declares and what reading it gives."""
    return member


def flag(initial: bool = False, *, ghost: bool = False) -> bool:
    """A field that is True or False."""
    return _declared(Field(lambda scope: Flags(), initial, ghost))  # type: ignore[no-any-return]  # see _declared


def integer(lo: Bound, hi: Bound, initial: Bound | None = None, *, ghost: bool = False) -> int:
    """A field that holds the integers lo to hi; starts at lo unless told otherwise."""
    start = lo if initial is None else initial
    first = start if start is ANYTHING or isinstance(start, int) else (lambda scope: resolve(start, scope))
    made = Field(lambda scope: Integers(resolve(lo, scope), resolve(hi, scope)), first, ghost)
    return _declared(made)  # type: ignore[no-any-return]  # see _declared


def offset(limit: Bound = "messages", *, ghost: bool = False) -> int:
    """A queue offset, 0 to the scope's number of messages (the next offset to come is one)."""
    return integer(0, limit, ghost=ghost)


def offset_set(limit: Bound = "messages", *, ghost: bool = False) -> OffsetSet:
    """A set of offsets of stored messages: below the scope's number of messages. Starts empty."""
    return _declared(Field(lambda scope: OffsetSets(resolve(limit, scope)), OffsetSet(), ghost))  # type: ignore[no-any-return]  # see _declared


Member = TypeVar("Member", bound=Enum)


def one_of(kind: type[Member], initial: Member | None = None, *, ghost: bool = False) -> Member:
    """A field that holds a member of an enum; starts at its first."""
    first = next(iter(kind)) if initial is None else initial
    return _declared(Field(lambda scope: Members(kind), first, ghost))  # type: ignore[no-any-return]  # see _declared


@overload
def optional(field: int, initial: int | None = None) -> int | None: ...
@overload
def optional(field: Member, initial: Member | None = None) -> Member | None: ...
def optional(field: Any, initial: Any = None) -> Any:
    """A field that is None or what the given field holds; starts as None. Reading it asks which."""
    if not isinstance(field, Field):
        raise DeclarationError("optional() wraps a field: optional(integer(0, 3)), optional(offset())")
    return _declared(Field(lambda scope: Optionals(field.domain(scope)), initial, field.ghost))


def part(kind: type[Part]) -> Part:
    """A nested component."""
    return _declared(_Nested(lambda tree, path: kind(tree, path)))  # type: ignore[no-any-return]  # see _declared


@overload
def array(sort: Index, item: type[Part]) -> Array[Part]: ...
@overload
def array(sort: Index, item: Item) -> Array[Item]: ...
def array(sort: Index, item: Any) -> Any:
    """One component (given as its class) or scalar field per value of the sort."""
    if not all((isinstance(sort, Index), isinstance(item, Declared | type))):
        raise DeclarationError("array() takes an Index and a component's class or a field: array(WORKERS, flag())")

    def make(tree: Tree, path: str) -> Array[Any]:
        places = [f"{path}[{i}]" for i in sort.values(tree.setting.scope)]
        return Array(tree, [item(tree, at) if isinstance(item, type) else item.grow(tree, at) for at in places])

    return _declared(_Nested(make))

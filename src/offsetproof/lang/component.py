"""Components: ordinary classes with declared fields, nested and repeated over finite sorts.

    class ProcessQueue(Component):
        dropped: bool = flag()
        cached: OffsetSet = offset_set()

    class Consumer(Component):
        process_queue: Array[ProcessQueue] = array(QUEUES, ProcessQueue)

Every field is a small descriptor; the values are in the model's tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any, ClassVar, NoReturn, Self

from offsetproof.ir.node import INT_MAX
from offsetproof.lang.asking import note_question
from offsetproof.lang.declaring import Body, check_class, for_models, is_special
from offsetproof.lang.domain import Domain, Optionals
from offsetproof.lang.errors import DeclarationError, OutOfDomainError, refuse, user_place
from offsetproof.lang.expression import every, negation
from offsetproof.lang.registry import note_class
from offsetproof.lang.run import is_running
from offsetproof.lang.scope import Scope, UnknownNameError, resolve
from offsetproof.lang.setting import Setting
from offsetproof.lang.symbolic import Sym
from offsetproof.lang.tree import STARTS_MAX, Leaf, Tree

ANYTHING: Any = object()
"""As a field's initial value: every value of its domain (each gives an initial state)."""


class Declared:
    """What stands in a class body for a field, a nested component or an array."""

    declared_kind: ClassVar[str] = "field"
    name = ""

    def __init__(self) -> None:
        self.place = user_place()

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def grow(self, tree: Tree, path: str) -> Any:
        """Builds this member at a place of the tree: a leaf's position, a component or an array."""
        raise NotImplementedError

    def __get__(self, instance: Component | None, owner: type) -> Any:
        return self if instance is None else instance._members[self.name]

    def __set__(self, instance: Component, value: Any) -> None:
        raise DeclarationError(f"{user_place()}: {self.name} is a component or an array; assign to its fields instead")


class Field(Declared):
    """A scalar field: a domain that may depend on the scope, an initial value, and whether only claims may read it.

    `stated` says that the initial value was given, and is not just where such a field starts. `budget` is the name of
    the bound that the field starts at and counts down from, if it does.
    """

    def __init__(
        self, domain: Callable[[Scope], Domain], initial: Any, ghost: bool, *, stated: bool, budget: str = ""
    ) -> None:
        super().__init__()
        self.domain, self.initial, self.ghost, self.stated, self.budget = domain, initial, ghost, stated, budget

    def grow(self, tree: Tree, path: str) -> int:
        scope = tree.setting.scope
        try:
            domain = self.domain(scope)
            initial = self._initial(domain, scope)
        except (DeclarationError, UnknownNameError) as error:
            raise DeclarationError(f"{self.place}: field {path} in scope {scope.name}: {error}") from error
        except OutOfDomainError as error:
            raise DeclarationError(f"{self.place}: field {path} cannot start like this: {error}") from error
        if max(abs(domain.lo), abs(domain.hi)) > INT_MAX:
            held = f"{domain.describe()}, which needs over 62 bits; use a smaller domain"
            raise DeclarationError(f"{self.place}: field {path} holds {held}")
        return tree.grow(Leaf(path, domain, initial, self.ghost or self.name.startswith("ghost_"), self.budget))

    def _initial(self, domain: Domain, scope: Scope) -> tuple[int, ...]:
        value = resolve(self.initial, scope) if callable(self.initial) else self.initial
        if value is not ANYTHING:
            return (domain.encode(value),)
        if domain.hi - domain.lo >= STARTS_MAX:
            raise DeclarationError(
                f"it may start with any of {domain.hi - domain.lo + 1:,} values, and a model has at most "
                f"{STARTS_MAX:,} initial states; use a smaller domain, or let a first action choose"
            )
        return tuple(range(domain.lo, domain.hi + 1))

    def __get__(self, instance: Component | None, owner: type) -> Any:
        return self if instance is None else instance._tree.get(instance._members[self.name])

    def __set__(self, instance: Component, value: Any) -> None:
        instance._tree.put(instance._members[self.name], value)


class Nested(Declared):
    """A component, an array, a queue or a bag: `make` builds it at a place of the tree.

    `kind` is the class of the components in it, if there are any.
    """

    def __init__(self, make: Callable[[Tree, str], Any], kind: type[Component] | None = None) -> None:
        super().__init__()
        self.make, self.kind = make, kind
        self._refuse_declarations_for_models()

    def _refuse_declarations_for_models(self) -> None:
        """A part is asked for no actions, claims and starts of its own."""
        for base in self.kind.__mro__ if self.kind else ():
            for what, place in for_models(base):
                raise DeclarationError(
                    f"{place}: {what} stands in a part of a model ({self.place}), so the model would be without it; "
                    "write it in the model's own class, where it may call methods of the part"
                )

    def grow(self, tree: Tree, path: str) -> Any:
        return self.make(tree, path)


class _Declaring(type):
    """Classes whose bodies are read as declarations, once: no name may stand for two of them, or be set afterwards."""

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **options: Any) -> Body:
        return Body(name)

    def __init__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any], /, **_options: Any) -> None:
        super().__init__(name, bases, body)
        note_class(cls, body)

    def __setattr__(cls, name: str, value: Any) -> None:
        _refuse_later(cls, name, value)
        super().__setattr__(name, value)

    def __delattr__(cls, name: str) -> None:
        _refuse_later(cls, name, vars(cls).get(name))
        super().__delattr__(name)


def _refuse_later(cls: type, name: str, value: Any) -> None:
    """What is set or deleted when a class has been read: it would be another one than the checker knows."""
    if is_running():
        raise refuse(f"a change of {cls.__name__}.{name}, which is not a field,", "keep all state in fields")
    if not is_special(name) or isinstance(value, FunctionType):
        raise DeclarationError(
            f"{user_place()}: {cls.__name__}.{name} is changed when the class has been read; declare it in the class "
            "body, and keep what changes in fields"
        )


def derive_class(cls: type, bases: tuple[type, ...], body: Mapping[str, object]) -> Any:
    """A class of the name of `cls` that is made of others while a program runs."""
    return type(cls)(cls.__name__, bases, {"__module__": cls.__module__, "__doc__": cls.__doc__, **body})


def keep(cls: type, name: str, value: object) -> None:
    """Sets what the language itself keeps in a class."""
    type.__setattr__(cls, name, value)


class Component(metaclass=_Declaring):
    """A part of a model: declared fields, and methods that read and write them.

    A method body runs on real values (the reference semantics) and on symbolic ones (staging) alike. Two components of
    one class are equal if all their fields are.
    """

    _overridable: ClassVar[Mapping[str, str]] = {"finished": "method"}
    _declared: ClassVar[dict[str, Declared]] = {}
    _tree: Tree
    _path: str
    _members: dict[str, Any]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if type(cls) is not _Declaring:
            raise DeclarationError(
                f"{user_place()}: {cls.__name__} has the metaclass {type(cls).__name__}; leave it out: the language "
                "has its own, which reads the class"
            )
        check_class(cls, Component)
        named = {name: value for base in reversed(cls.__mro__) for name, value in vars(base).items()}
        keep(cls, "_declared", {name: value for name, value in named.items() if isinstance(value, Declared)})

    def __new__(cls, tree: Tree, path: str = "") -> Self:  # noqa: ARG004  # the path is for __init__
        """One of the class that the tree has in the place of this one."""
        made: Self = object.__new__(tree.kind_of(cls))
        return made

    def __init__(self, tree: Tree, path: str = "") -> None:
        put = object.__setattr__
        put(self, "_tree", tree)
        put(self, "_path", path)
        put(self, "_members", {})
        for name, declared in self._declared.items():
            self._members[name] = declared.grow(tree, f"{path}.{name}" if path else name)
        tree.contents["members", path] = tuple(self._members)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._declared:
            raise DeclarationError(
                f"{user_place()}: {type(self).__name__} has no field {name}; declare it in the class body"
            )
        self._declared[name].__set__(self, value)

    __hash__ = None  # type: ignore[assignment]  # its fields change

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            raise refuse(
                f"a {type(self).__name__} compared with a {type(other).__name__}", "compare components of one class"
            )
        return items_equal(self, other)

    def __ne__(self, other: object) -> bool:
        return negation(self == other)

    def __bool__(self) -> NoReturn:
        raise refuse("the truth of a component", "ask one of its fields")

    def __str__(self) -> NoReturn:
        raise refuse("a string made of a component", "leave strings to the trace")

    @property
    def setting(self) -> Setting:
        """Scope, releases, fixes, assumptions and listener of this run."""
        return self._tree.setting

    @property
    def scope(self) -> Scope:
        """The bounds of this run."""
        return self._tree.setting.scope

    def number_of(self, field: object) -> int:
        """The number behind an optional field, which is named as `Class.field`: 0 for None, else counted from 1.

        Reading an optional asks whether it is there and so splits a staged run; this does not. For claims that compare
        many of them: `a.number_of(Cell.value) == b.number_of(Cell.value)`; `holds` asks for one value.
        """
        return self._tree.number(self._members[_optional(self, field)[0]])

    def finished(self) -> bool:
        """Has this object ended, so that some of its fields will never be read again?

        Override it to let the checker merge states that differ only in dead fields. Which fields are dead is proved
        from the model, not taken on trust.
        """
        return False

    def reset(self) -> None:
        """Returns every field of this component, nested ones included, to its (first) initial value."""
        for position in positions_in(self):
            leaf = self._tree.leaves[position]
            note_question("start", leaf.path)
            self._tree.put(position, leaf.domain.decode(leaf.initial[0]))


def holds(part: Component, field: object, value: Any) -> bool:
    """Does an optional field hold this value, or None? It is not read, so that nothing splits.

    The field is named through its class, as in `holds(consumer, Consumer.cell, None)`; the value is none that was read.
    """
    name, domain = _optional(part, field)
    if isinstance(value, Sym):
        raise refuse(f"holds() with a value that was read for {name}", f"read {name}, and compare it with ==")
    try:
        number = domain.encode(value)
    except OutOfDomainError:
        return False
    return part._tree.number(part._members[name]) == number


def _optional(part: Component, field: object) -> tuple[str, Optionals]:
    """The name of an optional field of a component, and its domain; the field is given as such or by its name."""
    name = field.name if isinstance(field, Field) else field
    declared = part._declared.get(name) if isinstance(name, str) else None
    if isinstance(declared, Field) and (declared is field or isinstance(field, str)):
        domain = part._tree.domain(part._members[declared.name])
        if isinstance(domain, Optionals):
            return declared.name, domain
    raise DeclarationError(
        f"{user_place()}: {type(part).__name__} has no optional field {name!r}; name one of it as "
        f"{type(part).__name__}.field"
    )


def classes_in(kind: type[Component]) -> list[type[Component]]:
    """A class of components and those of everything in them, with their base classes, and what stands in for some."""
    classes: dict[type[Component], None] = {}
    waiting = [kind, *getattr(kind, "_parts", ())]
    while waiting:
        for each in waiting.pop().__mro__:
            if issubclass(each, Component) and each not in classes:
                classes[each] = None
                nested = [member.kind for member in each._declared.values() if isinstance(member, Nested)]
                waiting += [inner for inner in nested if inner is not None]
    return list(classes)


def members_of(item: Any) -> Iterable[Any]:
    """What a component, an array, a queue or a bag is made of: positions of leaves, components, arrays."""
    if not isinstance(item, Component):
        return item._inside()  # type: ignore[no-any-return]  # an array, a queue or a bag
    note_question("members", item._path)
    return item._members.values()


def components_in(item: Any) -> Iterator[Component]:
    """A component and all components in it; those of an array."""
    if isinstance(item, Component):
        yield item
    for member in members_of(item):
        if not isinstance(member, int):
            yield from components_in(member)


def positions_in(item: Any) -> Iterator[int]:
    """The positions of the leaves of a component or an array in the tree, nested ones included."""
    for member in members_of(item):
        yield from [member] if isinstance(member, int) else positions_in(member)


def items_equal(a: Any, b: Any) -> bool:
    """Are all fields of two components, arrays, queues or bags of one make equal? An expression: nothing splits."""
    pairs = zip(positions_in(a), positions_in(b), strict=True)
    return every(a._tree.is_same(here, b._tree, there) for here, there in pairs)

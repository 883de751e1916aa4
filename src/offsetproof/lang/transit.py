"""Things on their way: first-in-first-out queues and bags, bounded by the scope, whose elements carry their origin.

Both are canonical (one state for one content): places of a queue that are not used hold initial values, and a bag
counts each possible element. What does not fit is a cut of the scope, counted with `bound`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product, takewhile
from types import MappingProxyType
from typing import Any, Generic, NoReturn, TypeVar

from offsetproof.lang.action import bound, require
from offsetproof.lang.array import Array
from offsetproof.lang.asking import note_question
from offsetproof.lang.component import Component, Nested, items_equal, members_of
from offsetproof.lang.domain import Integers
from offsetproof.lang.errors import DeclarationError, NoLengthError, refuse, user_place
from offsetproof.lang.expression import every, negation, some
from offsetproof.lang.fields import Part, as_read, must_be_component
from offsetproof.lang.run import is_running
from offsetproof.lang.scope import Bound, SortOfParameter, is_sort, resolve, values_of
from offsetproof.lang.tree import Leaf, Tree

Element = TypeVar("Element", bound=Component)


class Fifo(Generic[Element]):
    """A bounded queue of components. `fifo[0]` is the oldest; reading past `count` gives initial values."""

    __slots__ = ("_blanks", "_count", "_slots", "_tree")

    def __init__(self, tree: Tree, path: str, kind: type[Element], capacity: int) -> None:
        self._tree = tree
        length = Leaf(f"{path}.count", Integers(0, capacity), (0,), ghost=False)
        self._count = tree.grow(length)
        self._slots = Array[Element](tree, path, [kind(tree, f"{path}[{i}]") for i in range(capacity)])
        if any(not isinstance(position, int) for slot in self._slots for position in slot._members.values()):
            raise DeclarationError(f"{kind.__name__} travels in a queue, so its members must be scalar fields")
        blanks: dict[int, Any] = {}
        self._blanks = MappingProxyType(blanks)
        """What a place holds that nothing uses, however the model starts: each field's (first) initial value."""
        for position in (position for slot in self._slots for position in slot._members.values()):
            leaf = tree.leaves[position]
            tree.leaves[position] = replace(leaf, initial=leaf.initial[:1])
            blanks[position] = leaf.domain.decode(leaf.initial[0])
            tree.contents["blank", leaf.path] = leaf.initial[0]

    def _blank(self, slot: Element) -> None:
        """Leaves nothing in a place."""
        for position in members_of(slot):
            note_question("blank", self._tree.leaves[position].path)
            self._tree.put(position, self._blanks[position])

    def _inside(self) -> tuple[Any, ...]:
        """The count's position and the elements' components."""
        return (self._count, *self._slots._inside())

    @property
    def _capacity(self) -> int:
        return len(self._slots)

    @property
    def count(self) -> int:
        """How many elements are on their way."""
        return self._tree.get(self._count)  # type: ignore[no-any-return]  # an integer, real or staged

    def __getitem__(self, position: int) -> Element:
        return self._slots[position]

    def __iter__(self) -> Iterator[Element]:
        """The elements on their way, oldest first; each asks whether there is one more, and so splits a staged run."""
        return (self._slots[i] for i in takewhile(lambda i: self.count > i, range(self._capacity)))

    def __bool__(self) -> bool:
        """Is anything on its way?"""
        return bool(self.count > 0)

    def __repr__(self) -> str:
        if is_running():
            raise refuse("a string made of a queue", "leave strings to the trace")
        return object.__repr__(self)

    def __len__(self) -> NoReturn:
        raise NoLengthError("len() of a queue", "write .count", user_place())

    __hash__ = None  # type: ignore[assignment]  # its elements change

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fifo) or len(self._inside()) != len(other._inside()):
            raise refuse(f"a queue compared with a {type(other).__name__}", "compare queues of one make")
        return items_equal(self, other)

    def __ne__(self, other: object) -> bool:
        return negation(self == other)

    def push(self, /, **fields: Any) -> None:
        """Appends an element; where the queue is full, a cut."""
        count = self.count
        bound(count < self._capacity)
        for position, slot in enumerate(self._slots):
            if set(fields) != set(slot._members):
                raise DeclarationError(f"{user_place()}: push() needs exactly the fields {', '.join(slot._members)}")
            for name, value in fields.items():
                self._tree.put_where(count == position, slot._members[name], value)
        self._tree.put(self._count, count + 1)

    def remove(self, position: int) -> None:
        """Takes the element at a position out (0 is the oldest); a guard: there must be one."""
        require(self.count > position)
        self._tree.put(self._count, self.count - 1)
        for here in range(position, self._capacity - 1):
            for leaf, source in zip(members_of(self._slots[here]), members_of(self._slots[here + 1]), strict=True):
                self._tree.move(leaf, source)
        self._blank(self._slots[self._capacity - 1])

    def reset(self) -> None:
        """Empties the queue."""
        self._tree.put(self._count, 0)
        for slot in self._slots:
            self._blank(slot)


class Bag:
    """An unordered bounded collection: how many copies of each possible element are on their way."""

    __slots__ = ("_copies", "_elements", "_named", "_path", "_tree")

    def __init__(self, tree: Tree, path: str, sorts: Mapping[str, SortOfParameter], copies: int) -> None:
        self._tree, self._path, self._named, self._copies = tree, path, tuple(sorts), copies
        choices = [values_of(sort, tree.setting.scope) for sort in sorts.values()]
        counts: dict[tuple[Any, ...], int] = {}
        self._elements = MappingProxyType(counts)
        for element in product(*choices):
            shown = ",".join(getattr(value, "name", str(value)) for value in element)
            counts[element] = tree.grow(Leaf(f"{path}[{shown}]", Integers(0, copies), (0,), ghost=False))
        tree.contents["members", path] = tuple(counts)

    @property
    def _counts(self) -> Mapping[tuple[Any, ...], int]:
        note_question("members", self._path)
        return self._elements

    def _inside(self) -> tuple[Any, ...]:
        """The positions of the counts."""
        return tuple(self._counts.values())

    def _matches(self, fields: Mapping[str, Any]) -> list[tuple[int, bool]]:
        if set(fields) != set(self._named):
            raise DeclarationError(f"{user_place()}: an element of this bag has the fields {', '.join(self._named)}")
        wanted = [fields[name] for name in self._named]
        pairs = [
            (position, every(w == v for w, v in zip(wanted, element, strict=True)))
            for element, position in self._counts.items()
        ]
        return [(position, same) for position, same in pairs if same is not False]

    def has(self, /, **fields: Any) -> bool:
        """Is at least one such element on its way?"""
        return some(every([same, self._tree.get(position) > 0]) for position, same in self._matches(fields))

    def put(self, /, **fields: Any) -> None:
        """Adds an element; where all its copies are on their way already, a cut."""
        matches = self._matches(fields)
        if not some(same for _, same in matches):
            raise IndexError(f"{fields!r} is not an element of this bag: a field lies outside its sort")
        bound(some(every([same, self._tree.get(position) < self._copies]) for position, same in matches))
        for position, same in matches:
            self._tree.put_where(
                every([same, self._tree.get(position) < self._copies]), position, self._tree.get(position) + 1
            )

    def take(self, /, **fields: Any) -> None:
        """Removes one such element; a guard: there must be one."""
        require(self.has(**fields))
        for position, same in self._matches(fields):
            self._tree.put_where(every([same, self._tree.get(position) > 0]), position, self._tree.get(position) - 1)

    def __bool__(self) -> bool:
        """Is anything on its way?"""
        return not self.empty

    def __repr__(self) -> str:
        if is_running():
            raise refuse("a string made of a bag", "leave strings to the trace")
        return object.__repr__(self)

    def __len__(self) -> NoReturn:
        raise refuse("len() of a bag", "write .has(...) or .empty")

    def __iter__(self) -> NoReturn:
        raise refuse("a loop over a bag", "loop over the sorts' values and ask .has(...)")

    __hash__ = None  # type: ignore[assignment]  # its elements change

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bag) or self._counts.keys() != other._counts.keys():
            raise refuse(f"a bag compared with a {type(other).__name__}", "compare bags of one make")
        return items_equal(self, other)

    def __ne__(self, other: object) -> bool:
        return negation(self == other)

    @property
    def empty(self) -> bool:
        """Is nothing on its way?"""
        return every(self._tree.get(position) == 0 for position in self._counts.values())

    def reset(self) -> None:
        """Empties the bag."""
        for position in self._counts.values():
            self._tree.put(position, 0)


def fifo(kind: type[Part], capacity: Bound) -> Fifo[Part]:
    """A bounded queue of components as a field; DeclarationError for what is not a class of components."""
    must_be_component(kind, "fifo(Letter, 2) takes a class of components")
    return as_read(Nested(lambda tree, path: Fifo(tree, path, kind, resolve(capacity, tree.setting.scope)), kind))  # type: ignore[no-any-return]  # see as_read


def bag(sorts: Mapping[str, SortOfParameter], copies: Bound = 1) -> Bag:
    """A bag as a field; `sorts` names the fields of its elements, `copies` bounds equal elements.

    DeclarationError for what is not such a table.
    """
    given: object = sorts
    if not isinstance(given, Mapping) or not all(map(is_sort, sorts.values())):
        odd = given if not isinstance(given, Mapping) else {name: type(each).__name__ for name, each in given.items()}
        raise DeclarationError(
            f'{user_place()}: {odd} is not a table of sorts; write bag({{"kind": Index("kind", 2)}})'
        )
    return as_read(Nested(lambda tree, path: Bag(tree, path, sorts, resolve(copies, tree.setting.scope))))  # type: ignore[no-any-return]  # see as_read

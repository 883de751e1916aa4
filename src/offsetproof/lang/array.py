"""Arrays: components or scalar fields, one per value of an index sort."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, NoReturn, TypeVar

from offsetproof.lang.asking import note_question
from offsetproof.lang.component import items_equal
from offsetproof.lang.errors import DeclarationError, refuse, user_place
from offsetproof.lang.expression import negation
from offsetproof.lang.run import decide, is_running
from offsetproof.lang.sorts import ValueSort, must_be
from offsetproof.lang.symbolic import SymInt
from offsetproof.lang.tree import Tree

Item = TypeVar("Item", covariant=True)
"""Covariant: a mode declares an array of its own, narrower components where the base has an array of components."""


class Array(Generic[Item]):
    """Components or scalar fields, one per value of an index sort; the index may be a field's value."""

    __slots__ = ("_items", "_path", "_tree")

    def __init__(self, tree: Tree, path: str, items: list[Any]) -> None:
        self._tree, self._path, self._items = tree, path, tuple(items)
        tree.contents["members", path] = len(items)
        tree.contents.update({("item", path, at): True for at in range(len(items))})

    def _inside(self) -> tuple[Any, ...]:
        """The items as the array holds them: components, or positions of leaves."""
        note_question("members", self._path)
        return self._items

    def _position(self, index: int) -> int:
        must_be(ValueSort.NUMBER, "an array's index", index)
        if isinstance(index, SymInt):
            for candidate in range(len(self)):
                if decide((index == candidate).node):
                    return candidate
            raise IndexError(f"an index lies outside 0 to {len(self) - 1}")
        note_question("item", self._path, index)
        if not 0 <= index < len(self._items):
            raise IndexError(f"index {index} lies outside 0 to {len(self) - 1}")
        return index

    def __getitem__(self, index: int) -> Item:
        item = self._items[self._position(index)]
        return self._tree.get(item) if isinstance(item, int) else item  # type: ignore[no-any-return]  # scalar or part

    def __setitem__(self, index: int, value: Item) -> None:  # type: ignore[misc]  # only scalars are put, and none narrow
        item = self._items[self._position(index)]
        if not isinstance(item, int):
            raise DeclarationError(
                f"{user_place()}: an array of components holds them for good; assign to their fields"
            )
        self._tree.put(item, value)

    def __iter__(self) -> Iterator[Item]:
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        return len(self._inside())

    __hash__ = None  # type: ignore[assignment]  # its items change

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Array) or len(self) != len(other):
            raise refuse(f"an array compared with a {type(other).__name__}", "compare arrays of one sort")
        return items_equal(self, other)

    def __ne__(self, other: object) -> bool:
        return negation(self == other)

    def __repr__(self) -> str:
        if is_running():
            raise refuse("a string made of an array", "leave strings to the trace")
        return object.__repr__(self)

    def __bool__(self) -> NoReturn:
        raise refuse("the truth of an array, which never changes its length,", "ask its items, with any() or all()")

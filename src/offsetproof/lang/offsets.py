"""Sets of queue offsets: a value, real or symbolic, with the operations that RocketMQ's tree maps need.

An offset set is immutable: `add`, `remove`, `|`, `&` and `-` give a new one. `lowest` and `highest` of an empty set
raise unless a default is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NoReturn

from offsetproof.ir import build
from offsetproof.ir.kind import WIDTH_MAX, width
from offsetproof.ir.node import Node
from offsetproof.lang.errors import refuse
from offsetproof.lang.run import decide
from offsetproof.lang.sorts import ValueSort, must_be, must_match
from offsetproof.lang.symbolic import Sym, SymBool, SymInt, node_of


class OffsetSet:
    """A set of offsets 0 to 61. Build one from offsets, or with `below(n)` for 0 to n - 1.

    >>> OffsetSet(1, 3).add(2).lowest()
    1
    >>> OffsetSet(1) <= OffsetSet.below(3)
    True
    """

    __slots__ = ("mask",)
    value_sort: ClassVar[ValueSort] = ValueSort.OFFSETS
    mask: int

    def __init__(self, *offsets: int) -> None:
        mask = 0
        for offset in offsets:
            mask |= 1 << _check_offset(offset)
        object.__setattr__(self, "mask", mask)

    @classmethod
    def of_mask(cls, mask: int) -> OffsetSet:
        """The set whose bit i says whether offset i is in; IndexError for a mask that is not a set of offsets 0 to 61.

        >>> OffsetSet.of_mask(0b101)
        {0, 2}
        """
        if isinstance(mask, Sym):
            raise refuse("OffsetSet.of_mask() of a field's value", "keep the set itself in a field")
        must_be(ValueSort.NUMBER, "OffsetSet.of_mask()", mask)
        if not 0 <= mask < 1 << WIDTH_MAX:
            raise IndexError(f"the mask {mask} has offsets outside of 0 to {WIDTH_MAX - 1}")
        return cls._of_mask(mask)

    @classmethod
    def _of_mask(cls, mask: int) -> OffsetSet:
        made = cls()
        object.__setattr__(made, "mask", mask)
        return made

    @classmethod
    def below(cls, limit: int) -> OffsetSet:
        """The offsets 0 to limit - 1, as an expression also when the limit is a field's value.

        IndexError for a limit above 62: no set holds such offsets.
        """
        must_be(ValueSort.NUMBER, "OffsetSet.below()", limit)
        if limit > WIDTH_MAX:
            raise IndexError(f"offsets below a limit above {WIDTH_MAX} are not a set of offsets 0 to {WIDTH_MAX - 1}")
        if isinstance(limit, SymInt):
            return SymSet(_below(limit.node))
        return cls._of_mask((1 << limit) - 1 if limit > 0 else 0)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("an offset set cannot change; assign a new one to the field")

    def has(self, offset: int) -> bool:
        """Is the offset in? (An expression: it does not split the run.)"""
        if isinstance(offset, Sym):
            return SymSet(node_of(self)).has(offset)
        must_be(ValueSort.NUMBER, "has()", offset)
        return offset >= 0 and bool((self.mask >> offset) & 1)

    def __contains__(self, offset: int) -> bool:
        return bool(self.has(offset))

    def add(self, offset: int) -> OffsetSet:
        """The set with the offset in it; IndexError for an offset outside 0 to 61."""
        if isinstance(offset, Sym):
            return SymSet(node_of(self)).add(offset)
        return OffsetSet._of_mask(self.mask | 1 << _check_offset(offset))

    def remove(self, offset: int) -> OffsetSet:
        """The set without the offset (which need not have been in)."""
        if isinstance(offset, Sym):
            return SymSet(node_of(self)).remove(offset)
        return OffsetSet._of_mask(self.mask & ~(1 << _check_offset(offset)))

    def lowest(self, default: int | None = None) -> int:
        """The lowest offset; the default, else ValueError, when empty."""
        return self._end((self.mask & -self.mask).bit_length() - 1, default)

    def highest(self, default: int | None = None) -> int:
        """The highest offset; the default, else ValueError, when empty."""
        return self._end(self.mask.bit_length() - 1, default)

    def _end(self, offset: int, default: int | None) -> int:
        if default is not None:
            must_be(ValueSort.NUMBER, "the default of lowest() and highest()", default)
        if self.mask:
            return offset
        if default is None:
            raise ValueError("an empty offset set has no lowest or highest offset")
        return default

    def count(self) -> int:
        """How many offsets are in."""
        return self.mask.bit_count()

    def _combine(self, other: object, op: str) -> Any:
        if isinstance(other, SymSet):
            return getattr(SymSet(node_of(self)), op)(other)
        if not isinstance(other, OffsetSet):
            return NotImplemented
        return _REAL[op](self.mask, other.mask)

    def __or__(self, other: OffsetSet) -> OffsetSet:
        return self._combine(other, "__or__")  # type: ignore[no-any-return]  # real or staged set

    def __and__(self, other: OffsetSet) -> OffsetSet:
        return self._combine(other, "__and__")  # type: ignore[no-any-return]  # real or staged set

    def __sub__(self, other: OffsetSet) -> OffsetSet:
        return self._combine(other, "__sub__")  # type: ignore[no-any-return]  # real or staged set

    def __le__(self, other: OffsetSet) -> bool:
        return self._combine(other, "__le__")  # type: ignore[no-any-return]  # real or staged truth

    def __eq__(self, other: object) -> bool:
        return self._combine(other, "__eq__")  # type: ignore[no-any-return]  # real or staged truth

    def __hash__(self) -> int:
        return hash(("OffsetSet", self.mask))

    def __bool__(self) -> bool:
        return self.mask != 0

    def __iter__(self) -> Iterator[int]:
        return (i for i in range(self.mask.bit_length()) if (self.mask >> i) & 1)

    def __repr__(self) -> str:
        return "{" + ", ".join(map(str, self)) + "}"


_REAL: dict[str, Callable[[int, int], OffsetSet | bool]] = {
    "__or__": lambda a, b: OffsetSet._of_mask(a | b),
    "__and__": lambda a, b: OffsetSet._of_mask(a & b),
    "__sub__": lambda a, b: OffsetSet._of_mask(a & ~b),
    "__le__": lambda a, b: a & ~b == 0,
    "__eq__": lambda a, b: a == b,
}
"""What the operators do to the masks of two real sets."""


def _check_offset(offset: int) -> int:
    if isinstance(offset, Sym):
        raise refuse("OffsetSet(...) of a field's value", "write OffsetSet().add(value)")
    must_be(ValueSort.NUMBER, "an offset set", offset)
    if not 0 <= offset < WIDTH_MAX:
        raise IndexError(f"offset {offset} lies outside 0 to {WIDTH_MAX - 1}")
    return offset


def _below(limit: Node) -> Node:
    result = build.EMPTY
    for offset in range(min(max(limit.hi, 0), WIDTH_MAX)):
        member = build.const(1 << offset, build.EMPTY.sort)
        result = build.union(result, build.ite(build.lt(build.const(offset), limit), member, build.EMPTY))
    return result


def _single(offset: object) -> Node:
    """The set of one symbolic offset; a run on which it may lie outside 0 to 61 is split off and raises."""
    must_be(ValueSort.NUMBER, "an offset set", offset)
    node = node_of(offset)
    if not decide(build.le(build.const(0), node)) or not decide(build.lt(node, build.const(WIDTH_MAX))):
        raise IndexError(f"an offset lies outside 0 to {WIDTH_MAX - 1}")
    if node.lo < 0 or node.hi >= WIDTH_MAX:
        return _spell_out(node)
    return build.single(node)


def _spell_out(node: Node) -> Node:
    result = build.EMPTY
    for offset in range(max(node.lo, 0), min(node.hi, WIDTH_MAX - 1) + 1):
        member = build.const(1 << offset, build.EMPTY.sort)
        result = build.ite(build.eq(node, build.const(offset)), member, result)
    return result


def _with_set(what: str, combine: Callable[[Node, Node], Node], give: Callable[[Node], Any]) -> Any:
    """An operator of a symbolic set with another set."""

    def operator(self: SymSet, other: object) -> Any:
        must_match(what, self, other)
        return give(combine(self.node, node_of(other)))

    return operator


def _is_subset(a: Node, b: Node) -> Node:
    return build.eq(build.minus(a, b), build.EMPTY)


class SymSet(Sym):
    """The staged twin of OffsetSet: the same operations on a symbolic set."""

    __slots__ = ()
    value_sort = ValueSort.OFFSETS

    def has(self, offset: object) -> Any:
        """Is the offset in?"""
        must_be(ValueSort.NUMBER, "has()", offset)
        return SymBool(build.has(self.node, node_of(offset)))

    def __contains__(self, offset: object) -> bool:
        return bool(self.has(offset))

    def __iter__(self) -> Iterator[int]:
        """Every offset that the set can have, ascending; each asks whether it is in, and so splits the run."""
        return (i for i in range(width(self.node.hi)) if decide(build.has(self.node, build.const(i))))

    def add(self, offset: object) -> SymSet:
        """The set with the offset in it."""
        return SymSet(build.union(self.node, _single(offset)))

    def remove(self, offset: object) -> SymSet:
        """The set without the offset."""
        return SymSet(build.minus(self.node, _single(offset)))

    def _end(self, end: Node, default: object) -> SymInt:
        empty = build.eq(self.node, build.EMPTY)
        if default is not None:
            must_be(ValueSort.NUMBER, "the default of lowest() and highest()", default)
            return SymInt(build.ite(empty, node_of(default), end))
        if decide(empty):
            raise ValueError("an empty offset set has no lowest or highest offset")
        return SymInt(end)

    def lowest(self, default: object = None) -> SymInt:
        """The lowest offset."""
        return self._end(build.lowest(self.node), default)

    def highest(self, default: object = None) -> SymInt:
        """The highest offset."""
        return self._end(build.highest(self.node), default)

    def count(self) -> SymInt:
        """How many offsets are in."""
        return SymInt(build.count(self.node))

    __or__ = __ror__ = _with_set("a union", build.union, lambda node: SymSet(node))
    __and__ = __rand__ = _with_set("an intersection", build.meet, lambda node: SymSet(node))
    __sub__ = _with_set("a difference", build.minus, lambda node: SymSet(node))
    __rsub__ = _with_set("a difference", lambda a, b: build.minus(b, a), lambda node: SymSet(node))
    __le__ = _with_set("a comparison", _is_subset, SymBool)
    __ge__ = _with_set("a comparison", lambda a, b: _is_subset(b, a), SymBool)

    def __bool__(self) -> bool:
        return decide(build.negate(build.eq(self.node, build.EMPTY)))

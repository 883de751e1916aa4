"""Sets of offsets as plain Python's own sets, for `plain`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

HIGHEST = 61


class OffsetSet:
    """A set of the numbers 0 to 61 that cannot change."""

    def __init__(self, *offsets: int) -> None:
        self.offsets = frozenset(map(_checked, offsets))

    @classmethod
    def of(cls, offsets: Iterable[int]) -> OffsetSet:
        return cls(*offsets)

    @classmethod
    def of_mask(cls, mask: int) -> OffsetSet:
        if not 0 <= mask < 1 << (HIGHEST + 1):
            raise IndexError(mask)
        return cls.of(i for i in range(HIGHEST + 1) if mask >> i & 1)

    @classmethod
    def below(cls, limit: int) -> OffsetSet:
        return cls.of(range(limit))

    def has(self, offset: int) -> bool:
        if offset is None:
            raise TypeError("None")
        return offset in self.offsets

    __contains__ = has

    def add(self, offset: int) -> OffsetSet:
        return OffsetSet.of(self.offsets | {offset})

    def remove(self, offset: int) -> OffsetSet:
        return OffsetSet.of(self.offsets - {_checked(offset)})

    def lowest(self, default: int | None = None) -> int:
        return min(self.offsets) if self.offsets or default is None else default

    def highest(self, default: int | None = None) -> int:
        return max(self.offsets) if self.offsets or default is None else default

    def count(self) -> int:
        return len(self.offsets)

    def __or__(self, other: OffsetSet) -> OffsetSet:
        return OffsetSet.of(self.offsets | other.offsets)

    def __and__(self, other: OffsetSet) -> OffsetSet:
        return OffsetSet.of(self.offsets & other.offsets)

    def __sub__(self, other: OffsetSet) -> OffsetSet:
        return OffsetSet.of(self.offsets - other.offsets)

    def __le__(self, other: OffsetSet) -> bool:
        return self.offsets <= other.offsets

    def __ge__(self, other: OffsetSet) -> bool:
        return self.offsets >= other.offsets

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OffsetSet) and self.offsets == other.offsets

    def __hash__(self) -> int:
        return hash(self.offsets)

    def __bool__(self) -> bool:
        return bool(self.offsets)

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(self.offsets))

    def __repr__(self) -> str:
        return "{" + ", ".join(map(str, self)) + "}"


def _checked(offset: int) -> int:
    if not 0 <= offset <= HIGHEST:
        raise IndexError(offset)
    return offset

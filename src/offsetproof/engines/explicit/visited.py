"""The set of visited states: packed states in the order of their discovery, and a table of their places.

A table that grows is let go first, and made again from the states (`place_table.py`); these lie in one piece of memory
(`row_memory.py`), which grows where it is or is moved without being copied. So nothing is held twice.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable

import numpy as np

from offsetproof.engines.explicit.place_table import BLOCK, PLACES_MAX, Int64s, Table, Words, enter, insert, places
from offsetproof.engines.explicit.row_memory import OwnMemory, RowMemory

_FULL, _GROWTH, _GROWTH_OF_LARGE = (4, 5), (2, 1), (3, 2)
"""The share of the entries that may be taken, and how much larger a table gets when more would be."""

_LARGE = 1 << 24
"""From so many entries on a table's memory matters more than the time that entering all states again takes."""


class Visited:
    """The set; its arrays are read freely and changed here only.

    `states` holds `count` rows and room for more, of which nothing is in memory before it is used; `table` has their
    places. `peak_bytes` is the most that was held, while the arrays grew included. `enter` fills a table that was
    made anew.
    """

    def __init__(
        self, words: int, *, rows: int = 1 << 14, slots: int = 1 << 16, memory: RowMemory = OwnMemory()
    ) -> None:
        self._kind, self._memory = memory, memory.make(8 * words * rows)
        self._words = words
        self._held_of_row = 8 * words if memory.is_held else 0
        self.states = self._rows()
        self.table: Table = np.zeros(slots, np.uint32)
        self.count = self.peak_bytes = 0
        self.enter: Callable[[Words, int, Table], None] = enter
        self._hashes: Words = np.empty(1024, np.uint64)
        self._slots: Words = np.empty(BLOCK, np.uint64)

    def add(self, rows: Words, k: int) -> None:
        """Adds the first k rows that are not there yet. OverflowError where they may be more than PLACES_MAX in all."""
        if self.count + k > PLACES_MAX:
            raise OverflowError(f"more than {PLACES_MAX:,} states in one set; explore fewer, by smaller bounds")
        if len(self._hashes) < k:
            self._hashes = np.empty(k, np.uint64)
        self.make_room(k)
        self.count = insert(self.states, self.count, self.table, rows, k, self._hashes, self._slots)
        self.peak_bytes = max(self.peak_bytes, self.nbytes)

    def go_on(self, count: int) -> None:
        """Has the first so many rows that are in its memory already, all different."""
        self.count = count
        slots = max(len(self.table), slots_for(count))
        self.table = np.zeros(1, np.uint32)
        self.table = np.zeros(slots, np.uint32)
        self.enter(self.states, count, self.table)
        self.peak_bytes = max(self.peak_bytes, self.nbytes)

    def flush(self) -> None:
        """Has what was written to the rows come to the disk, where they are a file's."""
        self._memory.flush()

    def places_of(self, rows: Words, k: int, positions: Int64s) -> None:
        """Writes to `positions` the places of the first k rows, -1 for one that is not there."""
        places(self.states, self.table, rows, k, positions)

    @property
    def room(self) -> int:
        """How many states the arrays can hold in all before they have to grow."""
        return min(len(self.states), len(self.table) * _FULL[0] // _FULL[1])

    def most_within(self, limit: int, beside: int) -> int:
        """How many states may be held in all before the arrays as they are take more than the limit."""
        free = limit - beside - self.table.nbytes - self._hashes.nbytes
        return max(0, free // self._held_of_row) if self._held_of_row else PLACES_MAX

    def outgrows(self, k: int, limit: int, beside: int) -> bool:
        """Would k more rows need arrays that take more than the limit, with that many bytes beside them?"""
        rows, hashes = self._held_of_row * (self.count + k), 8 * max(k, len(self._hashes))
        return rows + 4 * self._slots_for(k) + hashes + beside > limit

    @property
    def nbytes(self) -> int:
        """What the arrays take, as far as they are used."""
        return self.held_bytes + self._hashes.nbytes

    @property
    def held_bytes(self) -> int:
        """What the states and the table of those that were found take in memory."""
        return self._held_of_row * self.count + self.table.nbytes

    def _slots_for(self, k: int) -> int:
        """How many entries the table should have for k more states."""
        full = len(self.table) * _FULL[0] // _FULL[1]
        return len(self.table) if self.count + k <= full else slots_for(max(self.count + k, full))

    def make_room(self, k: int) -> None:
        """Makes the arrays large enough for k more states."""
        if self.count + k > len(self.states):
            there = len(self.states)
            self._make_room_for_rows(max(self.count + k, min(2 * there, _LARGE), there * 5 // 4))
        slots = self._slots_for(k)
        if slots > len(self.table):
            self.table = np.zeros(1, np.uint32)
            self.table = np.zeros(slots, np.uint32)
            self.enter(self.states, self.count, self.table)

    def _make_room_for_rows(self, rows: int) -> None:
        """Grows where it is; where somebody still looks at the array, or it cannot, there is other memory."""
        size = 8 * self._words * rows
        self.states = np.empty((0, self._words), np.uint64)
        try:
            self._kind.grow(self._memory, size)
        except (BufferError, OSError, SystemError):
            self._memory = self._other_memory(size)
        finally:  # whatever interrupts it
            self.states = self._rows()

    def _other_memory(self, size: int) -> mmap.mmap:
        """Other memory with the same rows; where they are copied both are held meanwhile."""
        memory = self._kind.make(size)
        if not self._kind.keeps:
            old = self._rows()[: self.count]
            np.frombuffer(memory, np.uint64)[: old.size] = old.reshape(-1)
            self.peak_bytes = max(self.peak_bytes, self.nbytes + old.nbytes)
        return memory

    def _rows(self) -> Words:
        return np.frombuffer(self._memory, np.uint64).reshape(-1, self._words)


def slots_for(states: int) -> int:
    """How many entries a table for so many states has when it is made, with room for more."""
    least = states * _FULL[1] // _FULL[0] + 16
    larger, than = _GROWTH if least < _LARGE else _GROWTH_OF_LARGE
    return least * larger // than


def table_of(rows: Words) -> Table:
    """A table of these rows, which are all different."""
    table = np.zeros(slots_for(len(rows)), np.uint32)
    enter(rows, len(rows), table)
    return table

"""A growing set of packed states: the rows in the order of their discovery, and a table of their places."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.layout import Words
from offsetproof.engines.explicit import table as places

_LOAD_TENTHS = 5
_GROWTH = 2


class Visited:
    """The set; its arrays are read freely and changed here only.

    `states` holds `count` rows and room for more, `table` their places; `peak_bytes` is the most that both took, old
    and new arrays together while they grew.
    """

    def __init__(self, words: int, *, rows: int = 1 << 14, slots: int = 1 << 16) -> None:
        self.shape = (0,) * words
        self.states: Words = np.empty((rows, words), np.uint64)
        self.table = np.zeros(slots, np.uint64)
        self.count = self.peak_bytes = 0
        self._tags = np.empty(0, np.uint64)

    def add(self, rows: Words, k: int) -> None:
        """Adds the first k rows that are not there yet."""
        self._room_for(k)
        if len(self._tags) < k:
            self._tags = np.empty(max(k, 1024), np.uint64)
        self.count, _ = places.insert(self.shape, self.states, self.count, self.table, rows, k, self._tags)

    def places_of(self, rows: Words, k: int, positions: npt.NDArray[np.int64]) -> None:
        """Writes to `positions` the places of the first k rows, -1 for one that is not there."""
        places.places(self.shape, self.states, self.table, rows, k, positions)

    def outgrows(self, k: int, limit: int, beside: int) -> bool:
        """Would k more rows need arrays that take more than the limit, with that many bytes beside them?"""
        held, needed = self.nbytes + beside, self.count + k
        states = needed > len(self.states) and held + 2 * self.states.nbytes > limit
        return states or (needed * 10 > len(self.table) * _LOAD_TENTHS and held + 2 * self.table.nbytes > limit)

    @property
    def nbytes(self) -> int:
        """What the arrays take."""
        return self.states.nbytes + self.table.nbytes + self._tags.nbytes

    @property
    def held_bytes(self) -> int:
        """What the states and the table of those that were found take."""
        return self.states[: self.count].nbytes + self.table.nbytes

    def _room_for(self, k: int) -> None:
        """Makes the arrays large enough for k more states."""
        needed = self.count + k
        if needed > len(self.states):
            grown = np.empty((max(2 * len(self.states), needed), self.states.shape[1]), np.uint64)
            grown[: self.count] = self.states[: self.count]
            self.peak_bytes = max(self.peak_bytes, self.nbytes + grown.nbytes)
            self.states = grown
        if needed * 10 > len(self.table) * _LOAD_TENTHS:
            size = len(self.table)
            while needed * 10 > size * _LOAD_TENTHS:
                size *= _GROWTH
            self.peak_bytes = max(self.peak_bytes, self.nbytes + 8 * size)
            self.table = places.grow_table(self.table, size)
        self.peak_bytes = max(self.peak_bytes, self.nbytes)

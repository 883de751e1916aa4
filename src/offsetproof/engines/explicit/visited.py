"""The set of visited states: packed states in the order of their discovery, and an open-address table of their places.

It knows nothing of any model: the number of words per state is the width of the arrays. A table entry is 64 bits: a tag
of 32 bits of the state's hash, then the state's place + 1 (zero is empty). An entry's home is the top bits of its tag,
so the table can grow without a look at the states, in the order of memory; the tag's other bits end most probes early.
Keys are looked at in blocks: hash all, touch the slots, touch the candidates, and only then probe, so that cache misses
overlap.

`Visited` is the set that grows. The functions on arrays are for those who have states of their own (the way back).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.loop_expressions import touch
from offsetproof.engines.explicit.machine_code import kept_machine_code

PLACES_MAX = 1 << 31
"""The most states that one table can hold: half of the entries that a tag can tell apart."""

Words = npt.NDArray[np.uint64]
"""Packed states, one row each; or a table, one entry each."""

Int64s = npt.NDArray[np.int64]

_LOAD_TENTHS = 5
_GROWTH = 2

_BLOCK = 64
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_SEED, _FIRST, _LAST = (np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53))


class Visited:
    """The set; its arrays are read freely and changed here only.

    `states` holds `count` rows and room for more, `table` their places; `peak_bytes` is the most that both took, old
    and new arrays together while they grew.
    """

    def __init__(self, words: int, *, rows: int = 1 << 14, slots: int = 1 << 16) -> None:
        self.states: Words = np.empty((rows, words), np.uint64)
        self.table: Words = np.zeros(slots, np.uint64)
        self.count = self.peak_bytes = 0
        self._tags: Words = np.empty(0, np.uint64)

    def add(self, rows: Words, k: int) -> None:
        """Adds the first k rows that are not there yet."""
        self._room_for(k)
        if len(self._tags) < k:
            self._tags = np.empty(max(k, 1024), np.uint64)
        self.count = insert(self.states, self.count, self.table, rows, k, self._tags)

    def places_of(self, rows: Words, k: int, positions: Int64s) -> None:
        """Writes to `positions` the places of the first k rows, -1 for one that is not there."""
        places(self.states, self.table, rows, k, positions)

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
            self.table = grow_table(self.table, size)
        self.peak_bytes = max(self.peak_bytes, self.nbytes)


def _tag(rows: Words, i: int) -> np.uint64:
    x = _SEED
    for word in range(rows.shape[1]):
        x ^= rows[i, word]
        x *= _FIRST
        x ^= x >> _HALF
    x *= _LAST
    return x >> _HALF


def _shift(table: Words) -> np.uint64:
    """How far to shift a tag to get its home in a table of a power of two of entries, at most 2**32."""
    shift, size = np.uint64(32), len(table)
    while size > 1:
        size >>= 1
        shift -= _ONE
    return shift


def _same(a: Words, i: np.uint64, b: Words, j: int) -> bool:
    for word in range(a.shape[1]):  # noqa: SIM110 - compiled loops have no generators
        if a[i, word] != b[j, word]:
            return False
    return True


def _touch_entries(states: Words, table: Words, shift: np.uint64, tags: Words, start: int, end: int) -> None:
    """Loads what probing a block will need: first all slots, then the states that their tags point to."""
    for i in range(start, end):
        touch(table, tags[i] >> shift)
    for i in range(start, end):
        entry = table[tags[i] >> shift]
        if entry >> _HALF == tags[i] and entry & _LOW:
            touch(states, (entry & _LOW) - _ONE, 0)


@kept_machine_code
def insert(states: Words, n: int, table: Words, rows: Words, k: int, tags: Words) -> int:
    """Adds the first k rows that are not there yet behind the first n states; the new n.

    `table` has a power of two of entries with room to spare, `states` room for n + k rows, `tags` for k.
    """
    mask, shift = np.uint64(len(table) - 1), _shift(table)
    for i in range(k):
        tags[i] = _tag(rows, i)
    for start in range(0, k, _BLOCK):
        end = min(start + _BLOCK, k)
        _touch_entries(states, table, shift, tags, start, end)
        for i in range(start, end):
            slot = tags[i] >> shift
            while True:
                entry = table[slot]
                if entry == _ZERO:
                    table[slot] = (tags[i] << _HALF) | np.uint64(n + 1)
                    for word in range(rows.shape[1]):
                        states[n, word] = rows[i, word]
                    n += 1
                    break
                if entry >> _HALF == tags[i] and _same(states, (entry & _LOW) - _ONE, rows, i):
                    break
                slot = (slot + _ONE) & mask
    return n


@kept_machine_code
def move(old: Words, new: Words) -> None:
    """Enters everything that one table holds into a larger, empty one; both are walked in the order of memory."""
    mask, shift = np.uint64(len(new) - 1), _shift(new)
    for i in range(len(old)):
        entry = old[i]
        if entry != _ZERO:
            slot = (entry >> _HALF) >> shift
            while new[slot] != _ZERO:
                slot = (slot + _ONE) & mask
            new[slot] = entry


@kept_machine_code
def places(states: Words, table: Words, rows: Words, k: int, positions: Int64s) -> None:
    """Writes to `positions` where the first k rows are among the states entered in the table, -1 for one not there."""
    mask, shift = np.uint64(len(table) - 1), _shift(table)
    for i in range(k):
        tag = _tag(rows, i)
        slot = tag >> shift
        positions[i] = -1
        while table[slot] != _ZERO:
            entry = table[slot]
            if entry >> _HALF == tag and _same(states, (entry & _LOW) - _ONE, rows, i):
                positions[i] = np.int64((entry & _LOW) - _ONE)
                break
            slot = (slot + _ONE) & mask


def grow_table(table: Words, size: int) -> Words:
    """A table of `size` entries with everything that is in the given one."""
    larger = np.zeros(size, np.uint64)
    move(table, larger)
    return larger


def table_of(rows: Words) -> Words:
    """A table of these rows, which are all different."""
    table = np.zeros(1 << max(4, (2 * len(rows)).bit_length()), np.uint64)
    insert(np.empty_like(rows), 0, table, rows, len(rows), np.empty(len(rows), np.uint64))
    return table

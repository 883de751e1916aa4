"""The different halves of packed states, each once: a state is a pair of their numbers.

A layout by halves (`HalvedLayout`) has few different ones. They are numbered in the order in which they come, and an
open-address table has the number of each. A pair is a word: the left half's number is in its upper 32 bits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from offsetproof.engines.explicit.growing_array import GrowingArray
from offsetproof.engines.explicit.machine_code import kept_machine_code
from offsetproof.verdict.limits import LimitMetError
from offsetproof.verdict.result import Reason

NUMBERS_MAX = 1 << 31
"""The most different halves of one side."""

Words = npt.NDArray[np.uint64]
"""Packed states, or halves of them, a row each; or pairs."""

Table = npt.NDArray[np.uint32]
"""For each slot a number + 1, 0 where it is empty."""

_SLOTS = 4

_ZERO, _ONE, _HALF, _LOW = np.uint64(0), np.uint64(1), np.uint64(32), np.uint64(0xFFFFFFFF)
_SEED, _FACTOR, _LAST = (np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53))


class Halves:
    """The halves of both sides. `may_take` is asked before more bytes are taken, and may raise what ends the work."""

    def __init__(self, words: int, may_take: Callable[[int], None], *, room: int = 1 << 10) -> None:
        self._left, self._right = _Side(words // 2, may_take, room), _Side(words // 2, may_take, room)

    def number(self, rows: Words, k: int, pairs: Words) -> None:
        """Writes the pairs of the first k rows to `pairs`; halves that are not there yet get numbers."""
        left, right, done = self._left, self._right, 0
        while True:
            done, left.count, right.count = number_halves(
                rows, done, k, left.keys.array, left.count, left.table, right.keys.array, right.count, right.table,
                pairs,
            )  # fmt: skip
            if done == k:
                return
            for side in (left, right):
                side.make_room()

    def write(self, pairs: Words, k: int, rows: Words) -> None:
        """Writes the states that the first k pairs stand for to `rows`."""
        write_rows(pairs, k, self._left.keys.array, self._right.keys.array, rows)

    @property
    def counts(self) -> tuple[int, int]:
        """How many there are of each side."""
        return self._left.count, self._right.count

    @property
    def nbytes(self) -> int:
        """What they take, as far as it is used."""
        return self._left.nbytes + self._right.nbytes


class _Side:
    """The different halves of one side: `count` rows of `keys`. The table has `_SLOTS` times as many slots as rows."""

    def __init__(self, width: int, may_take: Callable[[int], None], room: int) -> None:
        self.keys, self._width, self._may_take = GrowingArray(np.uint64, room, width), width, may_take
        self.table: Table = np.zeros(_SLOTS * room, np.uint32)
        self.count = 0

    def make_room(self) -> None:
        """Has room for as many again, if there is none."""
        room = len(self.keys.array)
        if self.count < room:
            return
        if 2 * room > NUMBERS_MAX:
            raise LimitMetError(Reason.STATES)
        self._may_take(2 * self.table.nbytes)
        self.keys.grow(2 * room)
        self.table = np.zeros(1, np.uint32)
        self.table = np.zeros(2 * _SLOTS * room, np.uint32)
        enter_halves(self.keys.array, self.count, self.table)

    @property
    def nbytes(self) -> int:
        return 8 * self._width * self.count + self.table.nbytes


def _hash(rows: Words, i: int, first: int, width: int) -> np.uint64:
    x = _SEED
    for word in range(first, first + width):
        x ^= rows[i, word]
        x *= _FACTOR
        x ^= x >> _HALF
    x *= _LAST
    return x ^ (x >> _HALF)


def _home(hash: np.uint64, table: Table) -> np.uint64:
    """The slot from which a half is looked for."""
    return ((hash >> _HALF) * np.uint64(len(table))) >> _HALF


def _is_half(keys: Words, number: np.uint64, rows: Words, i: int, first: int) -> bool:
    for word in range(keys.shape[1]):  # noqa: SIM110 - compiled loops have no generators
        if keys[number, word] != rows[i, first + word]:
            return False
    return True


def _number(keys: Words, count: int, table: Table, rows: Words, i: int, first: int) -> np.uint64:
    """The number of the half of row i from word `first` on; of one that is not there yet it is `count`."""
    slot, size = _home(_hash(rows, i, first, keys.shape[1]), table), np.uint64(len(table))
    while table[slot]:
        number = np.uint64(table[slot]) - _ONE
        if _is_half(keys, number, rows, i, first):
            return number
        slot += _ONE
        if slot == size:
            slot = _ZERO
    table[slot] = np.uint64(count + 1)
    for word in range(keys.shape[1]):
        keys[count, word] = rows[i, first + word]
    return np.uint64(count)


@kept_machine_code
def number_halves(
    rows: Words, start: int, k: int, left: Words, left_count: int, left_table: Table, right: Words, right_count: int,
    right_table: Table, pairs: Words,
) -> tuple[int, int, int]:  # fmt: skip
    """Writes the pairs of the rows from `start` to k to `pairs`, and enters halves that are not there yet.

    Until which row it came before there was no room for another half, and how many there are now of each side.
    """
    for i in range(start, k):
        if left_count == len(left) or right_count == len(right):
            return i, left_count, right_count
        number = _number(left, left_count, left_table, rows, i, 0)
        if number == np.uint64(left_count):
            left_count += 1
        other = _number(right, right_count, right_table, rows, i, right.shape[1])
        if other == np.uint64(right_count):
            right_count += 1
        pairs[i] = number << _HALF | other
    return k, left_count, right_count


@kept_machine_code
def enter_halves(keys: Words, count: int, table: Table) -> None:
    """Enters the first `count` halves, which are all different, into an empty table with slots to spare."""
    size = np.uint64(len(table))
    for i in range(count):
        slot = _home(_hash(keys, i, 0, keys.shape[1]), table)
        while table[slot]:
            slot += _ONE
            if slot == size:
                slot = _ZERO
        table[slot] = np.uint64(i + 1)


@kept_machine_code
def write_rows(pairs: Words, k: int, left: Words, right: Words, rows: Words) -> None:
    """Writes the states that the first k pairs stand for to `rows`."""
    for i in range(k):
        for word in range(left.shape[1]):
            rows[i, word] = left[pairs[i] >> _HALF, word]
            rows[i, left.shape[1] + word] = right[pairs[i] & _LOW, word]

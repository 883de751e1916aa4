"""A set of pairs of numbers in four bytes each: what a slot's place in the table does not say of a pair is in the slot.

A pair is packed into as few bits as its numbers need, and mixed by a function that can be turned back. Slots are in the
order of mixed pairs. A pair's home is the slot to which its part of all mixed values belongs, `size` parts of equal
length; the slot has the distance from home + 1 in its upper bits, and below the rest: how far the value is from the
first one of its home, counted down so that slots of one home descend as distances do. A search for a pair is over at
the first slot that is smaller.

A table that is too full, or in which a pair would be too far from home, grows by a third or a half, where it lies: the
order stays, so a pass from the first slot to the last moves each to its new place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.loop_types import touch
from offsetproof.engines.explicit.growing_array import GrowingArray
from offsetproof.engines.explicit.machine_code import kept_machine_code

Words = npt.NDArray[np.uint64]
"""Pairs, the left number of each in the upper 32 bits; or a table's shape."""

Table = npt.NDArray[np.uint32]
"""The slots, 0 where one is empty."""

FULL = (17, 20)
"""The share of the slots that may be taken."""

FAR, _FARTHEST = 240, 255
"""How far from home + 1 a pair may be put; growing may put it a little farther."""

_TAIL, _SLACK = 256, 8
"""Slots behind the last home, for pairs that are far from theirs; and room that growing needs between old and new."""

_REST_MAX = 24
"""The bits of a slot that are left for the rest."""

_BLOCK = 64
_ONE, _HALF, _LOW = np.uint64(1), np.uint64(32), np.uint64(0xFFFFFFFF)
_FIRST, _LAST = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC4CEB9FE1A85EC53)
_FIRST_BACK, _LAST_BACK = (np.uint64(pow(int(odd), -1, 1 << 64)) for odd in (_FIRST, _LAST))


@dataclass(frozen=True)
class Shape:
    """A table of `times << doubled` slots, `times` being 2 or 3, for numbers of so many bits on each side."""

    left: int
    right: int
    times: int
    doubled: int

    @property
    def size(self) -> int:
        """How many slots are homes."""
        return self.times << self.doubled

    @property
    def length(self) -> int:
        """How many slots there are."""
        return self.size + _TAIL + _SLACK

    @property
    def bits_max(self) -> int:
        """The most bits that pairs in a table of this size may have."""
        return self.doubled + _REST_MAX + 1

    def array(self, far: int) -> Words:
        """What the loops know of it, in which no pair is put farther than so far."""
        bits = self.left + self.right
        shift = bits - self.doubled
        third = (0xAAAAAAAB, 33) if self.times == 3 else (1, 1)
        limit = far + 1 << shift - 1
        return np.array([self.right, (1 << bits) - 1, bits + 1 >> 1, self.times, shift, *third, limit], np.uint64)

    def grown(self) -> Shape:
        """The next larger one, for the same pairs."""
        times, doubled = (3, self.doubled) if self.times == 2 else (2, self.doubled + 1)
        return Shape(self.left, self.right, times, doubled)

    def holding(self, left: int, right: int) -> Shape:
        """One of this size, or larger if need be, for at least so many numbers on each side; with bits to spare."""
        least = [max(1, (count - 1).bit_length()) for count in (left, right)]
        shape = self
        while shape.bits_max < sum(least):
            shape = shape.grown()
        left_bits = least[0] + (shape.bits_max - sum(least)) // 2
        return Shape(left_bits, shape.bits_max - left_bits, shape.times, shape.doubled)


SMALL = Shape(20, 20, 2, 15)


class CompactTable:
    """The set. `may_take` is asked before more bytes are taken, and may raise what ends the work."""

    def __init__(self, may_take: Callable[[int], None], shape: Shape = SMALL, far: int = FAR) -> None:
        self.shape, self._may_take, self._far = shape, may_take, far
        self._slots = GrowingArray(np.uint32, shape.length)
        self._how = shape.array(far)
        self._mixed: Words = np.empty(_BLOCK, np.uint64)
        self.count = self.peak_bytes = 0

    def hold(self, left: int, right: int) -> None:
        """Sees to it that pairs of numbers below these fit."""
        if left > 1 << self.shape.left or right > 1 << self.shape.right:
            self._take_shape(self.shape.holding(left, right))

    def add(self, pairs: Words, k: int, fresh: Words) -> int:
        """Adds the first k pairs; writes those that were not there to `fresh`, and says how many they are."""
        done = new = 0
        while True:
            most = new + self.shape.size * FULL[0] // FULL[1] - self.count
            before = new
            done, new = insert(self._slots.array, self._how, pairs, done, k, self._mixed, fresh, new, most)
            self.count += new - before
            if done == k:
                return new
            self._grow()

    def pairs(self, start: int, end: int) -> Words:
        """The pairs in some of the slots."""
        found = np.empty(end - start, np.uint64)
        return found[: pairs_in(self._slots.array, self._how, start, end, found)]

    @property
    def used(self) -> int:
        """The slots that may hold pairs are those before this one."""
        return self.shape.length - _SLACK

    @property
    def nbytes(self) -> int:
        """What the slots take."""
        return 4 * self.shape.length

    def _grow(self) -> None:
        shape = self.shape.grown()
        if shape.left + shape.right <= shape.doubled:
            self._take_shape(shape.holding(1 << shape.left, 1 << shape.right))
            return
        self._may_take(4 * (shape.length - self.shape.length))
        how = shape.array(self._far)
        self._slots.grow(shape.length)
        is_whole = spread(self._slots.array, self.shape.size, shape.size, self._how, how)
        self.shape, self._how = shape, how
        if not is_whole:
            raise ArithmeticError("a pair would be too far from home in a larger table; this is not to be expected")

    def _take_shape(self, shape: Shape) -> None:
        """Enters all pairs into another table, with both held meanwhile."""
        self._may_take(4 * shape.length)
        other = CompactTable(lambda more: self._may_take(other.nbytes + more), shape, self._far)
        fresh = np.empty(1 << 12, np.uint64)
        for start in range(0, self.used, len(fresh)):
            pairs = self.pairs(start, min(start + len(fresh), self.used))
            other.add(pairs, len(pairs), fresh)
        self.peak_bytes = max(self.peak_bytes, self.nbytes + other.nbytes)
        self.shape, self._how, self._slots = other.shape, other._how, other._slots


def _mix(pair: np.uint64, right: np.uint64, mask: np.uint64, fold: np.uint64) -> np.uint64:
    """Another number of as many bits for each pair."""
    x = ((pair >> _HALF << right | (pair & _LOW)) * _FIRST) & mask
    x ^= x >> fold
    return (x * _LAST) & mask


def _turn_back(mixed: np.uint64, right: np.uint64, mask: np.uint64, fold: np.uint64) -> np.uint64:
    """The pair of which this was made."""
    x = (mixed * _LAST_BACK) & mask
    x ^= x >> fold
    x = (x * _FIRST_BACK) & mask
    return x >> right << _HALF | (x & ((_ONE << right) - _ONE))


def _rest(product: np.uint64, shift: np.uint64, third: np.uint64, third_shift: np.uint64) -> np.uint64:
    """What a slot has of a mixed pair besides the distance from home, from the pair times the table's `times`."""
    behind = ((product & ((_ONE << shift) - _ONE)) * third) >> third_shift
    return ((_ONE << (shift - _ONE)) - _ONE) ^ behind


def _mixed_in(
    slot: np.uint64, content: np.uint64, times: np.uint64, shift: np.uint64, third: np.uint64, third_shift: np.uint64
) -> np.uint64:
    """The mixed pair that a slot stands for."""
    mask = (_ONE << (shift - _ONE)) - _ONE
    home = slot + _ONE - (content >> (shift - _ONE))
    whole = (home * third) >> third_shift
    left = ((home - whole * times) << shift) + times - _ONE
    return (whole << shift) + ((left * third) >> third_shift) + (mask ^ (content & mask))


def _make_way(table: Table, slot: np.uint64, one: np.uint64, limit: np.uint64) -> bool:
    """Moves what is there, up to the next empty slot, one farther; not if one of them came too far from home."""
    end = slot
    while table[end]:
        if np.uint64(table[end]) + one >= limit:
            return False
        end += _ONE
    while end > slot:
        table[end] = np.uint64(table[end - _ONE]) + one
        end -= _ONE
    return True


@kept_machine_code
def insert(
    table: Table, how: Words, pairs: Words, start: int, k: int, mixed: Words, fresh: Words, new: int, most: int
) -> tuple[int, int]:
    """Enters the pairs from `start` to k, and writes new ones to `fresh` from `new` on.

    Until which it came before there were `most` new ones, or one would have been too far from home; how many are new.
    """
    right, mask, fold, times = how[0], how[1], how[2], how[3]
    shift, third, third_shift, limit = how[4], how[5], how[6], how[7]
    one = _ONE << (shift - _ONE)
    for block in range(start, k, _BLOCK):
        end = min(block + _BLOCK, k)
        for i in range(block, end):
            mixed[i - block] = _mix(pairs[i], right, mask, fold)
            touch(table, (mixed[i - block] * times) >> shift)
        for i in range(block, end):
            product = mixed[i - block] * times
            slot, entry = product >> shift, one | _rest(product, shift, third, third_shift)
            while np.uint64(table[slot]) > entry:
                slot += _ONE
                entry += one
            if np.uint64(table[slot]) != entry:
                if new == most or entry >= limit or not _make_way(table, slot, one, limit):
                    return i, new
                table[slot] = entry
                fresh[new] = pairs[i]
                new += 1
    return k, new


@kept_machine_code
def spread(table: Table, size: int, grown: int, before: Words, after: Words) -> bool:
    """Makes a table of `size` homes one of `grown`, where it lies; False if a pair would come too far from home.

    The slots go to the end first. In their order each then goes to its home or, behind others, as near as it can.
    """
    times, shift, third, third_shift = before[3], before[4], before[5], before[6]
    times_after, shift_after, third_after, third_shift_after = after[3], after[4], after[5], after[6]
    moved, used = grown - size + _SLACK, size + _TAIL
    for i in range(used):
        table[used - 1 - i + moved] = table[used - 1 - i]
    at = 0
    for i in range(used):
        entry = np.uint64(table[i + moved])
        if entry:
            product = _mixed_in(np.uint64(i), entry, times, shift, third, third_shift) * times_after
            home = int(product >> shift_after)
            while at < home:
                table[at] = 0
                at += 1
            if at - home >= _FARTHEST:
                return False
            rest = _rest(product, shift_after, third_after, third_shift_after)
            table[at] = np.uint64(at - home + 1) << (shift_after - _ONE) | rest
            at += 1
    while at < len(table):
        table[at] = 0
        at += 1
    return True


@kept_machine_code
def pairs_in(table: Table, how: Words, start: int, end: int, pairs: Words) -> int:
    """Writes the pairs in some of the slots to `pairs`; how many."""
    right, mask, fold, times = how[0], how[1], how[2], how[3]
    shift, third, third_shift, count = how[4], how[5], how[6], 0
    for slot in range(start, end):
        entry = np.uint64(table[slot])
        if entry:
            mixed = _mixed_in(np.uint64(slot), entry, times, shift, third, third_shift)
            pairs[count] = _turn_back(mixed, right, mask, fold)
            count += 1
    return count

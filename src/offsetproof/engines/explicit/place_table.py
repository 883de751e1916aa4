"""A table of the places of states: loops over packed states, and over an open-address table of where each lies.

It knows nothing of any model: the number of words per state is the width of the arrays. A table entry is 32 bits: the
state's place + 1 (zero is empty), and in the bits that no place needs, above it, a tag of the state's hash, which ends
most probes early. An entry's home is the upper half of the hash, scaled to the table, which may have any size.

Keys are looked at in blocks: hash all, touch the slots, touch the candidates, and only then probe, so that cache misses
overlap.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.loop_types import call_at, put_first, read_shared, take_from, touch
from offsetproof.engines.explicit.machine_code import kept_machine_code

PLACES_MAX = 1 << 31
"""The most states that one set can hold: their places fit into 32 bits with a sign, as graphs have them."""

Words = npt.NDArray[np.uint64]
"""Packed states, one row each; or their hashes."""

Table = npt.NDArray[np.uint32]
"""A table, one entry each."""

Int64s = npt.NDArray[np.int64]

PLACES_TAKEN = 256
"""How many places a thread takes at once."""

_TOGETHER = 1024
"""How many states a thread expands before it adds what they lead to."""

_PROMISED = 1
"""Where threads that share a set keep how many states they may add before they look for room."""

BLOCK = 64
"""So many keys are looked at together."""

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_SEED, _FIRST, _LAST = (np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53))


def _hash(rows: Words, i: int) -> np.uint64:
    x = _SEED
    for word in range(rows.shape[1]):
        x ^= rows[i, word]
        x *= _FIRST
        x ^= x >> _HALF
    x *= _LAST
    return x ^ (x >> np.uint64(29))


def _hash_all(rows: Words, k: int, hashes: Words) -> None:
    for i in range(k):
        hashes[i] = _hash(rows, i)


def _home(hash: np.uint64, table: Table) -> np.uint64:
    """The slot from which a state is looked for."""
    return ((hash >> _HALF) * np.uint64(len(table))) >> _HALF


def _next(slot: np.uint64, table: Table) -> np.uint64:
    """The slot behind this one; the first is behind the last."""
    slot += _ONE
    if slot == np.uint64(len(table)):
        return _ZERO
    return slot


def _place_mask(table: Table) -> np.uint64:
    """The bits of an entry that may be a place's; the others are a tag's."""
    mask = np.uint64(0xFFFFFFFF)
    while mask >> _ONE >= np.uint64(len(table)):
        mask >>= _ONE
    return mask


def _tag(hash: np.uint64, mask: np.uint64) -> np.uint64:
    """The lower half of a hash without the bits that a place needs; its home has come from the upper half."""
    return hash & (mask ^ _LOW)


def _same(a: Words, i: np.uint64, b: Words, j: int) -> bool:
    for word in range(a.shape[1]):  # noqa: SIM110 - compiled loops have no generators
        if a[i, word] != b[j, word]:
            return False
    return True


def _touch_entries(states: Words, table: Table, hashes: Words, slots: Words, start: int, end: int) -> None:
    """Loads what comparing a block will need: first all homes, then the states that the first fitting tags point to.

    Their slots go to `slots`. What is before them stays other states', so each row is looked for from there on.
    """
    mask = _place_mask(table)
    for i in range(start, end):
        touch(table, _home(hashes[i], table))
    for i in range(start, end):
        slot, tag = _home(hashes[i], table), _tag(hashes[i], mask)
        entry = read_shared(table, slot)
        while entry and (entry ^ tag) > mask:
            slot = _next(slot, table)
            entry = read_shared(table, slot)
        slots[i - start] = slot
        if entry:
            touch(states, (entry & mask) - _ONE, 0)


@kept_machine_code
def insert(states: Words, n: int, table: Table, rows: Words, k: int, hashes: Words, slots: Words) -> int:
    """Adds the first k rows that are not there yet behind the first n states; the new n.

    The table has entries to spare, `states` room for n + k rows, `hashes` for k, `slots` for a block.
    """
    mask = _place_mask(table)
    _hash_all(rows, k, hashes)
    for start in range(0, k, BLOCK):
        end = min(start + BLOCK, k)
        _touch_entries(states, table, hashes, slots, start, end)
        for i in range(start, end):
            slot, tag = slots[i - start], _tag(hashes[i], mask)
            while True:
                entry = np.uint64(table[slot])
                if entry == _ZERO:
                    table[slot] = tag | np.uint64(n + 1)
                    for word in range(rows.shape[1]):
                        states[n, word] = rows[i, word]
                    n += 1
                    break
                if (entry ^ tag) <= mask and _same(states, (entry & mask) - _ONE, rows, i):
                    break
                slot = _next(slot, table)
    return n


@kept_machine_code
def insert_beside(
    states: Words, taken: Int64s, room: Int64s, table: Table, rows: Words, k: int, hashes: Words, slots: Words
) -> None:
    """Adds the first k rows that are not there yet, while other threads add theirs to the same table.

    One thread alone does not use it: a swap for each new state makes a search about a tenth slower. `room` has the
    places that are this thread's own, from `room[0]` to before `room[1]`; it takes more behind `taken[0]`. The table
    has entries to spare, `states` room for `k + PLACES_TAKEN` more rows of each thread.
    """
    mask = _place_mask(table)
    _hash_all(rows, k, hashes)
    for start in range(0, k, BLOCK):
        end = min(start + BLOCK, k)
        _touch_entries(states, table, hashes, slots, start, end)
        for i in range(start, end):
            slot, tag = slots[i - start], _tag(hashes[i], mask)
            while True:
                entry = np.uint64(read_shared(table, slot))
                if entry == _ZERO:
                    n = _own_place(taken, room)
                    for word in range(rows.shape[1]):
                        states[n, word] = rows[i, word]
                    entry = put_first(table, slot, tag | np.uint64(n + 1))
                    if entry == _ZERO:
                        room[0] += 1
                        break
                if (entry ^ tag) <= mask and _same(states, (entry & mask) - _ONE, rows, i):
                    break
                slot = _next(slot, table)


@kept_machine_code
def explore_beside(
    expand: np.uint64, at: int, end: int, flags_at: int, pending: int, most: int, shared: Int64s,
    states: Words, table: Table, out: Words, ends: Int64s, fired: Int64s, cuts: Int64s, flags: Int64s,
    which: Int64s, broken: Int64s, room: Int64s, hashes: Words, slots: Words,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Expands the states from one place to before another by a system's code (see `lower`), and adds their successors,
    while other threads do the same: where it has come to, what is pending there, how many successors there are, and the
    most that were added at once.

    Successors that `out` has and that are still to be added are pending, -1 if there are none: before the first states
    are expanded, and at the end where the set might come to more than `most` states, or `hashes` is too short. What is
    promised (`shared[1]`) covers them: so other threads come to their ends as well. `shared[0]` is the next place,
    `flags_at` the place in `flags` that belongs to the first state.
    """
    transitions = widest = 0
    while True:
        if pending >= 0:
            insert_beside(states, shared, room, table, out, pending, hashes, slots)
            take_from(shared, _PROMISED, -pending - PLACES_TAKEN)
        if at == end:
            return at, -1, transitions, widest
        count = min(min(_TOGETHER, len(ends)), end - at)
        pending = call_at(
            expand, states[at:], count, out, ends, fired, cuts, flags[flags_at:], which, broken, 0
        )  # fmt: skip
        at += count
        flags_at += count
        transitions += pending
        widest = max(widest, pending)
        promised = take_from(shared, _PROMISED, pending + PLACES_TAKEN) + pending + PLACES_TAKEN
        if pending > len(hashes) or read_shared(shared, 0) + promised > most:
            return at, pending, transitions, widest


def _own_place(taken: Int64s, room: Int64s) -> int:
    """The next place that is this thread's own."""
    if room[0] == room[1]:
        room[0] = take_from(taken, 0, PLACES_TAKEN)
        room[1] = room[0] + PLACES_TAKEN
    return int(room[0])


@kept_machine_code
def choose_by_hash(states: Words, start: int, end: int, part: int, parts: int, chosen: Int64s, hashes: Words) -> int:
    """Writes to `chosen` and `hashes` the places and hashes of those of some states whose hashes lie in one of so many
    equal parts; how many. The parts are of the lower half of a hash: the upper one is where a state has its home."""
    count = 0
    for i in range(start, end):
        hash = _hash(states, i)
        if ((hash & _LOW) * np.uint64(parts)) >> _HALF == np.uint64(part):
            chosen[count], hashes[count] = i, hash
            count += 1
    return count


@kept_machine_code
def move(states: Words, table: Table, places: Int64s, to: Int64s) -> None:
    """Moves states to other places, one each."""
    mask = _place_mask(table)
    for i in range(len(places)):
        hash = _hash(states, places[i])
        slot, entry = _home(hash, table), _tag(hash, mask) | np.uint64(places[i] + 1)
        while np.uint64(table[slot]) != entry:
            slot = _next(slot, table)
        table[slot] = _tag(hash, mask) | np.uint64(to[i] + 1)
        for word in range(states.shape[1]):
            states[to[i], word] = states[places[i], word]


def enter(states: Words, n: int, table: Table) -> None:
    """Enters the first n states, which are all different, into an empty table with entries to spare."""
    enter_beside(states, 0, n, table)


@kept_machine_code
def enter_beside(states: Words, start: int, end: int, table: Table) -> None:
    """Enters some of the states, while other threads enter others, all different."""
    mask = _place_mask(table)
    for begin in range(start, end, BLOCK):
        behind = min(begin + BLOCK, end)
        for i in range(begin, behind):
            touch(table, _home(_hash(states, i), table))
        for i in range(begin, behind):
            hash = _hash(states, i)
            slot, entry = _home(hash, table), _tag(hash, mask) | np.uint64(i + 1)
            while put_first(table, slot, entry):
                slot = _next(slot, table)


@kept_machine_code
def places(states: Words, table: Table, rows: Words, k: int, positions: Int64s) -> None:
    """Writes to `positions` where the first k rows are among the states entered in the table, -1 for one not there."""
    mask = _place_mask(table)
    for i in range(k):
        hash = _hash(rows, i)
        slot, tag = _home(hash, table), _tag(hash, mask)
        positions[i] = -1
        while table[slot]:
            entry = np.uint64(table[slot])
            if (entry ^ tag) <= mask and _same(states, (entry & mask) - _ONE, rows, i):
                positions[i] = np.int64((entry & mask) - _ONE)
                break
            slot = _next(slot, table)

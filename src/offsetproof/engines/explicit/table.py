"""The set of visited states: packed states in the order of their discovery, and an open-address table of their places.

The only file of the project that numba compiles. It knows nothing of any model: the number of words per state comes as
the length of a tuple (`shape`), so that loops over words are unrolled. A table entry is 64 bits: 32 bits of the hash,
then the state's place + 1 (zero is empty), so that most probes end without a look at the states. Keys are looked at in
blocks: hash all, touch the slots, touch the candidates, and only then probe, so that cache misses overlap.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "offsetproof" / "numba")
)

import numpy as np
from numba import njit

PLACES_MAX = (1 << 32) - 2
"""The most states that one table can hold."""

_BLOCK = 64
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@njit(cache=True, inline="always")
def _mixed(shape: Any, rows: Any, i: Any) -> Any:
    x = np.uint64(0x9E3779B97F4A7C15)
    for word in range(len(shape)):
        x ^= rows[i, word]
        x *= np.uint64(0xFF51AFD7ED558CCD)
        x ^= x >> np.uint64(32)
    x *= np.uint64(0xC4CEB9FE1A85EC53)
    x ^= x >> np.uint64(29)
    return x


@njit(cache=True, inline="always")
def _same(shape: Any, a: Any, i: Any, b: Any, j: Any) -> bool:
    for word in range(len(shape)):  # noqa: SIM110 - numba compiles loops, not generators
        if a[i, word] != b[j, word]:
            return False
    return True


@njit(cache=True, inline="always")
def _touched(states: Any, table: Any, mask: Any, hashes: Any, start: int, end: int) -> Any:
    """Loads what probing a block will need: first all slots, then the states that their tags point to."""
    seen = np.uint64(0)
    for i in range(start, end):
        seen ^= table[hashes[i] & mask]
    for i in range(start, end):
        entry = table[hashes[i] & mask]
        if entry >> _HALF == hashes[i] >> _HALF and entry & _LOW:
            seen ^= states[(entry & _LOW) - np.uint64(1), 0]
    return seen


@njit(cache=True)
def insert(shape: Any, states: Any, n: int, table: Any, rows: Any, k: int, hashes: Any) -> Any:
    """Adds the first k rows that are not there yet behind the first n states; the new n.

    `table` has a power of two of entries with room to spare, `states` room for n + k rows, `hashes` for k. The second
    value returned only keeps the touching loads alive.
    """
    mask = np.uint64(len(table) - 1)
    seen = np.uint64(0)
    for i in range(k):
        hashes[i] = _mixed(shape, rows, i)
    for start in range(0, k, _BLOCK):
        end = min(start + _BLOCK, k)
        seen ^= _touched(states, table, mask, hashes, start, end)
        for i in range(start, end):
            slot = hashes[i] & mask
            tag = hashes[i] >> _HALF
            while True:
                entry = table[slot]
                if entry == np.uint64(0):
                    table[slot] = (tag << _HALF) | np.uint64(n + 1)
                    for word in range(len(shape)):
                        states[n, word] = rows[i, word]
                    n += 1
                    break
                if entry >> _HALF == tag and _same(shape, states, (entry & _LOW) - np.uint64(1), rows, i):
                    break
                slot = (slot + np.uint64(1)) & mask
    return n, seen


@njit(cache=True)
def fill(shape: Any, states: Any, n: int, table: Any) -> None:
    """Enters the first n states, all different, into an empty table."""
    mask = np.uint64(len(table) - 1)
    for i in range(n):
        h = _mixed(shape, states, i)
        slot = h & mask
        while table[slot] != np.uint64(0):
            slot = (slot + np.uint64(1)) & mask
        table[slot] = ((h >> _HALF) << _HALF) | np.uint64(i + 1)


@njit(cache=True)
def sources(shape: Any, targets: Any, table: Any, rows: Any, ends: Any, n: int, found: Any) -> None:
    """Marks in `found` which of n expanded states have a successor among the targets entered in the table."""
    mask = np.uint64(len(table) - 1)
    i = 0
    for source in range(n):
        found[source] = False
        while i < ends[source]:
            h = _mixed(shape, rows, i)
            slot = h & mask
            while table[slot] != np.uint64(0):
                entry = table[slot]
                if entry >> _HALF == h >> _HALF and _same(shape, targets, (entry & _LOW) - np.uint64(1), rows, i):
                    found[source] = True
                    break
                slot = (slot + np.uint64(1)) & mask
            i += 1

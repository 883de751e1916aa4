"""A visited set that several threads add to at once.

A thread writes a state to a place of its own, and then its entry into the table where there is none: who comes second
compares with the entry of the first, and uses the place again. Places are taken by the block, so some are left over;
at the end states from behind take them, and the set is as if one thread had made it, in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from threading import Lock

import numpy as np

from offsetproof.compiled.layout import Words
from offsetproof.engines.explicit.together import run_together
from offsetproof.engines.explicit.visited import (
    PLACES_TAKEN,
    Int64s,
    Table,
    Visited,
    enter,
    enter_beside,
    insert_beside,
    move,
)  # fmt: skip

_FEW = 1 << 17
"""So many states are entered into a table sooner than threads have begun."""


class OwnPlaces:
    """The places that one thread has taken and not used yet, and room for the hashes of what it adds."""

    def __init__(self) -> None:
        self.room, self.hashes, self.slots = np.zeros(2, np.int64), np.empty(1024, np.uint64), np.empty(64, np.uint64)


class SharedVisited:
    """The set between `begin` and `end`, while which nobody else adds to it; `all_places` are the threads'.

    Until the end the set's count is one that it has at least. Where it cannot grow it has no table any more, and
    nothing is added to it.
    """

    def __init__(self, visited: Visited, all_places: Sequence[OwnPlaces]) -> None:
        self._visited, self._all = visited, all_places
        self._taken: Int64s = np.zeros(1, np.int64)
        self._promised, self._lock, self._is_whole = 0, Lock(), True
        visited.enter = self._enter

    def begin(self) -> None:
        """Threads may add from now on."""
        self._taken[0] = self._visited.count

    def must_grow(self, k: int) -> bool:
        """Promises room for k more states to a thread, which will `add` them. Must `grow` be called before?"""
        with self._lock:
            self._promised += k + PLACES_TAKEN
            return self._lacks_room()

    def _lacks_room(self) -> bool:
        return self._visited.lacks_room(int(self._taken[0]) + self._promised)

    def grow(self) -> None:
        """Makes room for what was promised, if nobody else has. Nobody may use the set meanwhile."""
        if not self._lacks_room() or not self._is_whole:
            return
        self._close_gaps()
        self._is_whole = False
        with self._lock:
            self._visited.make_room(self._promised)
        self._is_whole = True

    def add(self, own: OwnPlaces, rows: Words, k: int) -> None:
        """Adds the first k rows that are not there yet; there was room promised for them."""
        if not self._is_whole:
            return
        if len(own.hashes) < k:
            own.hashes = np.empty(k, np.uint64)
        known = self._visited
        insert_beside(known.states, self._taken, own.room, known.table, rows, k, own.hashes, own.slots)
        with self._lock:
            self._promised -= k + PLACES_TAKEN
            known.count = max(known.count, int(self._taken[0]) - PLACES_TAKEN * len(self._all))

    def end(self) -> None:
        """Nobody adds any more: the states are put together."""
        self._close_gaps()
        self._promised = 0

    def _close_gaps(self) -> None:
        """States from behind take the places that were not used."""
        gaps = np.concatenate([np.arange(*own.room) for own in self._all])
        count = int(self._taken[0]) - len(gaps)
        behind = np.setdiff1d(np.arange(count, int(self._taken[0])), gaps)
        known = self._visited
        move(known.states, known.table, behind, np.sort(gaps)[: len(behind)])
        for own in self._all:
            own.room[:] = 0
        known.count = self._taken[0] = count
        known.peak_bytes = max(known.peak_bytes, known.nbytes)

    def _enter(self, states: Words, n: int, table: Table) -> None:
        """Enters the first n states into an empty table, each thread its share."""
        if n < _FEW:
            enter(states, n, table)
            return
        shares = np.linspace(0, n, len(self._all) + 1).astype(np.int64)
        run_together([partial(enter_beside, states, a, b, table) for a, b in pairwise(shares.tolist())])

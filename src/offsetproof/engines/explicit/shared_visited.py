"""A visited set that several threads add to at once.

A thread writes a state to a place of its own, and then its entry into the table where there is none: who comes second
compares with the entry of the first, and uses the place again. Places are taken by the block, so some are left over;
at the end states from behind take them, and the set is as if one thread had made it, in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from offsetproof.compiled.expander import Expander
from offsetproof.compiled.layout import Words
from offsetproof.engines.explicit.place_table import (
    PLACES_TAKEN,
    Int64s,
    Table,
    enter,
    enter_beside,
    explore_beside,
    move,
)
from offsetproof.engines.explicit.together import run_together
from offsetproof.engines.explicit.visited import Visited

_FEW = 1 << 17
"""So many states are entered into a table sooner than threads have begun."""


class OwnPlaces:
    """The places that one thread has taken and not used yet, and room for the hashes of what it adds."""

    def __init__(self) -> None:
        self.room, self.hashes, self.slots = np.zeros(2, np.int64), np.empty(1024, np.uint64), np.empty(64, np.uint64)


@dataclass
class Part:
    """States of a set that one thread explores: from `start` to before `end`, and it has come to `at`.

    So many successors are `pending`, -1 if there are none; `widest` is the most that there were. `flags` are of the
    states that were expanded.
    """

    start: int
    end: int
    flags: Int64s
    at: int
    pending: int = -1
    transitions: int = 0
    widest: int = 0


class SharedVisited:
    """The set between `begin` and `end`, while which nobody else adds to it; `all_places` are the threads'.

    Until the end the set's count is one that it has at least. Where it cannot grow it has no table any more, and
    nothing is added to it.
    """

    def __init__(self, visited: Visited, all_places: Sequence[OwnPlaces]) -> None:
        self._visited, self._all = visited, all_places
        self._shared: Int64s = np.zeros(2, np.int64)
        self._is_whole = True
        visited.enter = self._enter

    def begin(self) -> None:
        """Threads may add from now on."""
        self._shared[:] = self._visited.count, 0

    @property
    def to_come(self) -> int:
        """How many more states there may be than the set's count says, with all that was promised."""
        return int(self._shared.sum()) - self._visited.count

    def grow(self) -> None:
        """Makes room for what was promised, if nobody else has. Nobody may use the set meanwhile."""
        taken, promised = self._shared.tolist()
        if taken + promised <= self._visited.room or not self._is_whole:
            return
        self._close_gaps()
        self._is_whole = False
        self._visited.make_room(promised)
        self._is_whole = True

    def explore(self, own: OwnPlaces, expander: Expander, part: Part, most: int) -> None:
        """Explores states of the set, as far as there is room for what they lead to, or until there might be more than
        so many in all. What the part says is pending is added first, and what is pending then is promised room.
        """
        if not self._is_whole:
            part.at, part.pending = part.end, -1
            return
        if len(own.hashes) < part.pending:
            own.hashes = np.empty(part.pending, np.uint64)
        known = self._visited
        part.at, part.pending, moved, widest = explore_beside(
            np.uint64(expander.native.address_to_expand(part.end - part.at)), part.at, part.end, part.at - part.start,
            part.pending, min(most, known.room), self._shared, known.states, known.table, *expander.into(part.flags),
            own.room, own.hashes, own.slots,
        )  # fmt: skip
        part.transitions, part.widest = part.transitions + moved, max(part.widest, widest)
        known.count = max(known.count, int(self._shared[0]) - PLACES_TAKEN * len(self._all))

    def end(self) -> None:
        """Nobody adds any more: the states are put together."""
        self._close_gaps()

    def _close_gaps(self) -> None:
        """States from behind take the places that were not used."""
        gaps = np.concatenate([np.arange(*own.room) for own in self._all])
        count = int(self._shared[0]) - len(gaps)
        behind = np.setdiff1d(np.arange(count, int(self._shared[0])), gaps)
        known = self._visited
        move(known.states, known.table, behind, np.sort(gaps)[: len(behind)])
        for own in self._all:
            own.room[:] = 0
        known.count = self._shared[0] = count
        known.peak_bytes = max(known.peak_bytes, known.nbytes)

    def _enter(self, states: Words, n: int, table: Table) -> None:
        """Enters the first n states into an empty table, each thread its share."""
        if n < _FEW:
            enter(states, n, table)
            return
        shares = np.linspace(0, n, len(self._all) + 1).astype(np.int64)
        run_together([partial(enter_beside, states, a, b, table) for a, b in pairwise(shares.tolist())])

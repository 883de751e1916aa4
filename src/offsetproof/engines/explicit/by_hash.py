"""States of a search that are chosen by their hashes: the same ones in whatever order threads have found them.

Each level is cut into parts by the hashes of its states, so a part is a random sample of its level. A part is found by
looking at all of the level, and a part is large, so that few such looks are needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import numpy as np

from offsetproof.compiled.expander import CHUNK, Expander
from offsetproof.compiled.layout import Layout, Words
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.sightings import Sightings, spread_numbers
from offsetproof.engines.explicit.visited import Int64s, choose_by_hash

_PART = 64 * CHUNK
"""About how many states a part has; there is no smaller one than a level."""

_KEPT = 1 << 20
"""Of parts with so many states together it is kept where those are."""


class ByHash:
    """The states of some levels; `levels[d]` is the place of the first state of level d, the last where all end."""

    def __init__(self, states: Words, levels: list[int], layout: Layout, native: Native) -> None:
        self._states, self.levels, self._layout, self._native = states, levels, layout, native
        self._known: dict[tuple[int, int], Int64s] = {}
        self._kept = 0

    def samples(self, most: int) -> Words:
        """About so many states, from each level its share."""
        sizes = np.diff(self.levels)
        until = np.round(np.cumsum(sizes) * (most / max(1, sizes.sum()))).astype(np.int64)
        wanted = np.minimum(np.diff(until, prepend=0), sizes)
        found = [
            self._in_order(depth, 0, self._parts_of(depth))[:count]
            for depth, count in enumerate(wanted.tolist())
            if count
        ]
        return np.concatenate(found) if found else self._states[:0]

    def blocks(self, sightings: Sightings) -> Iterator[Words]:
        """Parts of the levels, a chunk at a time: by turns one in which instances were taken or cut as was noted, and
        one from anywhere."""
        given: set[tuple[int, int]] = set()
        for pair in zip_longest(self._showing(sightings), self._anywhere()):
            for block in pair:
                if block is not None and block[0] not in given:
                    given.add(block[0])
                    yield block[1]

    def _showing(self, sightings: Sightings) -> Iterator[tuple[tuple[int, int], Words]]:
        expander = Expander(self._layout, self._native)
        for depth in sightings.levels:
            left = sightings.shown_in(depth)
            for key, rows in self._chunks_of(depth):
                if not len(left):
                    break
                expander.reset_counts()
                expander.expand(rows)
                shown = np.concatenate((expander.fired, expander.cuts))[left] > 0
                if shown.any():
                    left = left[~shown]
                    yield key, rows

    def _anywhere(self) -> Iterator[tuple[tuple[int, int], Words]]:
        parts = [(depth, part) for depth in range(len(self.levels) - 1) for part in range(self._parts_of(depth))]
        for number in spread_numbers(len(parts)):
            yield from self._chunks(*parts[number])

    def _chunks_of(self, depth: int) -> Iterator[tuple[tuple[int, int], Words]]:
        for part in range(self._parts_of(depth)):
            yield from self._chunks(depth, part)

    def _chunks(self, depth: int, part: int) -> Iterator[tuple[tuple[int, int], Words]]:
        rows = self._in_order(depth, part, self._parts_of(depth))
        for start in range(0, len(rows), CHUNK):
            yield (depth, part * 2 * _PART + start), rows[start : start + CHUNK]

    def _parts_of(self, depth: int) -> int:
        return -(-(self.levels[depth + 1] - self.levels[depth]) // _PART)

    def _in_order(self, depth: int, part: int, parts: int) -> Words:
        """One of the parts of a level, in the order of the hashes."""
        places = self._known.get((depth, part))
        if places is None:
            start, end = self.levels[depth], self.levels[depth + 1]
            chosen, hashes = np.empty(end - start, np.int64), np.empty(end - start, np.uint64)
            count = choose_by_hash(self._states, start, end, part, parts, chosen, hashes)
            places = chosen[np.argsort(hashes[:count])]
            if self._kept + count <= _KEPT:
                self._kept, self._known[depth, part] = self._kept + count, places
        return self._states[places]

"""States of a search that are chosen by their hashes: the same ones in whatever order threads have found them.

The levels are cut into parts. Small levels that follow each other are one part; a large level is cut by the hashes of
its states, so that each part is a random sample of it. Finding one means to look at the whole level, so parts of large
levels are large.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest

import numpy as np

from offsetproof.compiled.expander import CHUNK, Expander
from offsetproof.compiled.layout import Layout, Words
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.place_table import Int64s, choose_by_hash
from offsetproof.engines.explicit.sightings import Sightings, spread_numbers

_LARGE = 64 * CHUNK
"""A level of more states is cut into parts of about so many."""

_KEPT = 1 << 20
"""Of parts with so many states together it is kept where those are."""

Part = tuple[int, int, int, int]
"""From a place to before another, which of how many parts these states are cut into."""

Chunk = tuple[tuple[int, int], Words]
"""Some states of a part, with what tells them from others."""


class ByHash:
    """The states of some levels; `levels[d]` is the place of the first state of level d, the last where all end."""

    def __init__(self, states: Words, levels: list[int], layout: Layout, native: Native) -> None:
        self._states, self.levels, self._layout, self._native = states, levels, layout, native
        self._parts = [*_parts_of(levels)]
        self._known: dict[int, Int64s] = {}
        self._kept = 0

    def samples(self, most: int) -> Words:
        """About so many states, from each part its share."""
        sizes = np.array([(end - start) / parts for start, end, _, parts in self._parts])
        until = np.round(np.cumsum(sizes) * (most / max(1, sizes.sum()))).astype(np.int64)
        wanted = np.diff(until, prepend=0).tolist()
        found = [self._in_order(number)[:count] for number, count in enumerate(wanted) if count]
        return np.concatenate(found) if found else self._states[:0]

    def blocks(self, sightings: Sightings) -> Iterator[Words]:
        """The states, a chunk at a time: by turns one in which instances were taken or cut as was noted of a level, and
        one from anywhere."""
        given: set[tuple[int, int]] = set()
        for pair in zip_longest(self._showing(sightings), self._anywhere()):
            for chunk in pair:
                if chunk is not None and chunk[0] not in given:
                    given.add(chunk[0])
                    yield chunk[1]

    def _showing(self, sightings: Sightings) -> Iterator[Chunk]:
        expander = Expander(self._layout, self._native)
        for depth in sightings.parts:
            left, start = sightings.shown_in(depth), self.levels[depth]
            for number, part in enumerate(self._parts):
                for key, rows in self._chunks(number) if part[0] <= start < part[1] else ():
                    if not len(left):
                        break
                    expander.reset_counts()
                    expander.expand(rows)
                    shown = np.concatenate((expander.fired, expander.cuts))[left] > 0
                    if shown.any():
                        left = left[~shown]
                        yield key, rows

    def _anywhere(self) -> Iterator[Chunk]:
        for number in spread_numbers(len(self._parts)):
            yield from self._chunks(number)

    def _chunks(self, number: int) -> Iterator[Chunk]:
        rows = self._in_order(number)
        for start in range(0, len(rows), CHUNK):
            yield (number, start), rows[start : start + CHUNK]

    def _in_order(self, number: int) -> Words:
        """One of the parts, in the order of the hashes."""
        places = self._known.get(number)
        if places is None:
            start, end, part, parts = self._parts[number]
            chosen, hashes = np.empty(end - start, np.int64), np.empty(end - start, np.uint64)
            count = choose_by_hash(self._states, start, end, part, parts, chosen, hashes)
            places = chosen[np.argsort(hashes[:count])]
            if self._kept + count <= _KEPT:
                self._kept, self._known[number] = self._kept + count, places
        return self._states[places]


def _parts_of(levels: Sequence[int]) -> Iterator[Part]:
    """The parts of the levels.

    >>> list(_parts_of([0, 1, 5, 2000, 4000, 204_000, 204_001]))
    [(0, 2000, 0, 1), (2000, 4000, 0, 1), (4000, 204000, 0, 2), (4000, 204000, 1, 2), (204000, 204001, 0, 1)]
    """
    begun = levels[0]
    for start, end in pairwise(levels):
        if end - begun > CHUNK and begun < start:
            yield begun, start, 0, 1
            begun = start
        if end - begun > CHUNK:
            parts = -(-(end - start) // _LARGE)
            yield from ((start, end, part, parts) for part in range(parts))
            begun = end
    if begun < levels[-1]:
        yield begun, levels[-1], 0, 1

"""Blocks of states that a search keeps for spot checks where it does not keep the order in which it found them all.

A block is `CHUNK` states, as pairs of halves, in the order in which they are found, and so expanded; it is known by how
many were found before it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.expander import CHUNK, Expander
from offsetproof.compiled.layout import Words
from offsetproof.engines.explicit.sightings import Sightings, spread_numbers

SPREAD_MAX = 64
"""The most blocks that are kept because they are spread over the search."""

_FORGET_EVERY = 16
"""After so many blocks those are let go that show nothing any more."""


class Block:
    """Up to `CHUNK` pairs."""

    def __init__(self) -> None:
        self._pairs: Words = np.empty(CHUNK, np.uint64)
        self._filled = 0

    def take(self, pairs: Words) -> int:
        """Takes as many as there is room for; how many."""
        some = pairs[: CHUNK - self._filled]
        self._pairs[self._filled : self._filled + len(some)] = some
        self._filled += len(some)
        return len(some)

    @property
    def is_full(self) -> bool:
        """Is there no room for more?"""
        return self._filled == CHUNK

    @property
    def pairs(self) -> Words:
        """Those that were taken."""
        return self._pairs[: self._filled]


class SeenBlocks:
    """The blocks of which `Sightings` says that they show something."""

    def __init__(self, instances: int) -> None:
        self._sightings, self._noted = Sightings(instances), 0
        self._kept: dict[int, Block] = {}
        self._open: list[Block] = []

    def note(self, start: int, pairs: Words, expander: Expander) -> None:
        """Notes what was expanded from there on."""
        self._sightings.note(start, expander.fired, expander.cuts)
        self._kept[start] = Block()
        self._open.append(self._kept[start])
        for block in self._open:
            block.take(pairs)
        self._open = [block for block in self._open if not block.is_full]
        self._noted += 1
        if self._noted % _FORGET_EVERY == 0:
            self._kept = {start: self._kept[start] for start in self._sightings.parts}

    def __iter__(self) -> Iterator[tuple[int, Words]]:
        """Those that show the most first, each with where it starts."""
        return ((start, self._kept[start].pairs) for start in self._sightings.parts)

    @property
    def nbytes(self) -> int:
        """What they take."""
        return 8 * CHUNK * len(self._kept)


class SpreadBlocks:
    """Each n-th block, from the first state on; n doubles where they become many."""

    def __init__(self) -> None:
        self._kept = [Block()]
        self._number, self._every = 0, 1

    def note(self, pairs: Words) -> None:
        """Notes some that were expanded."""
        while len(pairs):
            pairs = pairs[self._kept[-1].take(pairs) :]
            if self._kept[-1].is_full:
                self._begin()

    def _begin(self) -> None:
        """Begins the next block, in place of the one that is full if that is not kept."""
        if self._number % self._every:
            self._kept.pop()
        self._number += 1
        if len(self._kept) > SPREAD_MAX:
            self._kept, self._every = self._kept[::2], 2 * self._every
        self._kept.append(Block())

    def __iter__(self) -> Iterator[tuple[int, Words]]:
        """Any of them first, so that every beginning is spread over all, each with where it starts."""
        found = [(number * self._every * CHUNK, block.pairs) for number, block in enumerate(self._kept)]
        found[-1] = self._number * CHUNK, self._kept[-1].pairs
        found = [(start, pairs) for start, pairs in found if len(pairs)]
        return (found[number] for number in spread_numbers(len(found)))

    def samples(self, count: int, most: int) -> Words:
        """Some of the first `count` pairs, evenly spread over the order in which they were found."""
        places: npt.NDArray[np.int64] = np.unique(np.linspace(0, count - 1, most).astype(np.int64))
        blocks = dict(self)
        starts = np.array(sorted(blocks))
        nearest = starts[np.searchsorted(starts, places, "right") - 1]
        return np.array(
            [
                blocks[start][min(place - start, len(blocks[start]) - 1)]
                for start, place in zip(nearest, places, strict=True)
            ]
        )

    @property
    def are_all(self) -> bool:
        """Is every pair in one of them?"""
        return self._every == 1

    @property
    def nbytes(self) -> int:
        """What they take."""
        return 8 * CHUNK * len(self._kept)

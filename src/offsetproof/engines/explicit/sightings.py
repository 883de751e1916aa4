"""Where in the order of discovery each action instance was taken, and cut: a few places each, for spot checks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]

_FIRST, _MIDDLE, _LAST = range(3)


class Sightings:
    """For each instance the first, a middle and the last block of states from which it was taken; so for cuts.

    The middle one is replaced at each power of two of the blocks that show the instance, so that the same search always
    keeps the same.
    """

    def __init__(self, instances: int) -> None:
        self._totals = np.zeros((2, instances), np.int64)
        self._seen = np.zeros((2, instances), np.int64)
        self._places = np.full((3, 2, instances), -1, np.int64)

    def note(self, start: int, fired: Numbers, cuts: Numbers) -> None:
        """Notes a block that was expanded: where it starts, and how often each instance was taken and cut by now."""
        totals = np.stack((fired, cuts))
        shown = totals != self._totals
        self._totals = totals
        self._seen += shown
        self._places[_LAST][shown] = start
        self._places[_MIDDLE][shown & (self._seen & (self._seen - 1) == 0)] = start
        self._places[_FIRST][shown & (self._seen == 1)] = start

    @property
    def starts(self) -> list[int]:
        """Where the blocks start, those that show the most first."""
        starts, counts = np.unique(self._places[self._places >= 0], return_counts=True)
        return [int(start) for start in starts[np.lexsort((starts, -counts))]]


def spread_numbers(count: int) -> Iterator[int]:
    """The numbers below `count`, each once, so that every beginning of them is spread over all.

    >>> list(spread_numbers(6))
    [0, 4, 2, 1, 5, 3]
    """
    bits = max(1, (count - 1).bit_length())
    for i in range(1 << bits):
        turned = int(f"{i:0{bits}b}"[::-1], 2)
        if turned < count:
            yield turned

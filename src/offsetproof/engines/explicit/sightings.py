"""Where each action instance was taken or cut, so that spot checks find states of each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]

_FIRST, _MIDDLE, _LAST = range(3)


class Sightings:
    """For each instance the first, a middle and the last level of states from which it was taken; so for cuts.

    The middle one is replaced at each power of two of the levels that show the instance, so that the same search always
    keeps the same.
    """

    def __init__(self, instances: int) -> None:
        self._totals = np.zeros((2, instances), np.int64)
        self._seen = np.zeros((2, instances), np.int64)
        self._depths = np.full((3, 2, instances), -1, np.int64)

    def note(self, depth: int, fired: Numbers, cuts: Numbers) -> None:
        """Notes a level that was expanded, and how often each instance was taken and cut by now."""
        totals = np.stack((fired, cuts))
        shown = totals != self._totals
        self._totals = totals
        self._seen += shown
        self._depths[_LAST][shown] = depth
        self._depths[_MIDDLE][shown & (self._seen & (self._seen - 1) == 0)] = depth
        self._depths[_FIRST][shown & (self._seen == 1)] = depth

    def arrays(self) -> Numbers:
        """All that was noted, in one array."""
        return np.concatenate((self._totals[None], self._seen[None], self._depths))

    def set(self, arrays: Numbers) -> None:
        """Takes what another one has noted."""
        self._totals, self._seen, self._depths = arrays[0].copy(), arrays[1].copy(), arrays[2:].copy()

    @property
    def levels(self) -> list[int]:
        """The depths of the levels that were kept, those that show the most first."""
        depths, counts = np.unique(self._depths[self._depths >= 0], return_counts=True)
        return [int(depth) for depth in depths[np.lexsort((depths, -counts))]]

    def shown_in(self, depth: int) -> Numbers:
        """The instances for which a level was kept; one that is cut there has its number behind those of all others."""
        numbers: Numbers = np.flatnonzero((self._depths == depth).any(axis=0))
        return numbers


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

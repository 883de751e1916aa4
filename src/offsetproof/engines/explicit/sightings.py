"""Where each action instance was taken or cut, so that spot checks find states of each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]

_FIRST, _MIDDLE, _LAST = range(3)


class Sightings:
    """For each instance the first, a middle and the last part of a search in which it was taken; so for cuts.

    Parts have numbers: levels their depth, blocks of states where they start. The middle one is replaced at each power
    of two of the parts that show the instance, so that the same search always keeps the same.
    """

    def __init__(self, instances: int) -> None:
        self._totals = np.zeros((2, instances), np.int64)
        self._seen = np.zeros((2, instances), np.int64)
        self._parts = np.full((3, 2, instances), -1, np.int64)

    def note(self, part: int, fired: Numbers, cuts: Numbers) -> None:
        """Notes a part that was expanded, and how often each instance was taken and cut by now."""
        totals = np.stack((fired, cuts))
        shown = totals != self._totals
        self._totals = totals
        self._seen += shown
        self._parts[_LAST][shown] = part
        self._parts[_MIDDLE][shown & (self._seen & (self._seen - 1) == 0)] = part
        self._parts[_FIRST][shown & (self._seen == 1)] = part

    def arrays(self) -> Numbers:
        """All that was noted, in one array."""
        return np.concatenate((self._totals[None], self._seen[None], self._parts))

    def set(self, arrays: Numbers) -> None:
        """Takes what another one has noted."""
        self._totals, self._seen, self._parts = arrays[0].copy(), arrays[1].copy(), arrays[2:].copy()

    @property
    def parts(self) -> list[int]:
        """The parts that were kept, those that show the most first."""
        parts, counts = np.unique(self._parts[self._parts >= 0], return_counts=True)
        return [int(part) for part in parts[np.lexsort((parts, -counts))]]

    def shown_in(self, part: int) -> Numbers:
        """The instances for which a part was kept; one that is cut there has its number behind those of all others."""
        numbers: Numbers = np.flatnonzero((self._parts == part).any(axis=0))
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

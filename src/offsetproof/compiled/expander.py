"""A system's compiled functions together with the arrays that they write to."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.layout import Layout, Words
from offsetproof.compiled.native import Native

CHUNK = 2048
"""How many states are expanded at once where nothing else is said; searches hand on their states in such chunks."""

TURN = 4 * CHUNK
"""How many states a search expands at once: with fewer, what Python does in between takes a tenth of its time."""

_APART = 64
"""So many numbers of an array that each step writes to are apart from those of other threads: a write to memory that
another processor has just written to takes a hundred times as long."""

Int64s = npt.NDArray[np.int64]


Into = tuple[Words, Int64s, Int64s, Int64s, Int64s, Int64s, Int64s]
"""What expanding writes to: successors, their ends, fired, cuts, flags, which, broken."""


class Expander:
    """Expands and judges up to `block` states at a time, and has room for what that gives.

    Each call overwrites what the one before gave: `out` has the successors, those of state j end before `ends[j]`, and
    `flags` are of the states. With `tells`, `which` and `broken` have the instance that led to each successor, and the
    bits of the claims that this step breaks. `fired` and `cuts` add up how often each instance was taken and cut.
    """

    def __init__(self, layout: Layout, native: Native, block: int = CHUNK, *, tells: bool = False) -> None:
        instances = max(1, len(layout.system.instances))
        self.native = native
        self.out: Words = np.empty((block * instances, layout.words), np.uint64)
        self.ends, self.flags = np.zeros(block, np.int64), np.zeros(block, np.int64)
        self.fired: Int64s
        self.cuts: Int64s
        self.fired, self.cuts = np.zeros((2, instances + _APART), np.int64)[:, :instances]
        self.which, self.broken = (np.empty(len(self.out) if tells else _APART, np.int64) for _ in range(2))
        self._tells = tells

    def expand(self, front: Words) -> int:
        """Expands states; how many successors they have."""
        return self._expand(front)

    def _expand(self, front: Words, chosen: Words | None = None) -> int:
        return self.native.expand(front, self.into(self.flags), chosen, tells=self._tells)

    def into(self, flags: Int64s) -> Into:
        """The arrays that expanding writes to, with these for the flags."""
        return self.out, self.ends, self.fired, self.cuts, flags, self.which, self.broken

    def steps_from(self, row: Words) -> list[tuple[int, Words]]:
        """Every step from one state: its instance, and the state that it leads to. Only for what `tells`."""
        count = self.expand(row.reshape(1, -1))
        return list(zip(self.which[:count].tolist(), self.out[:count].copy(), strict=True))

    def judge(self, front: Words, into: Int64s | None = None) -> Int64s:
        """The flags of states that are only judged, in an array for more of them where one is given."""
        flags = (self.flags if into is None else into)[: len(front)]
        self.native.judge(front, flags)
        return flags

    def reset_counts(self) -> None:
        """Lets `fired` and `cuts` begin at nothing."""
        self.fired[:] = self.cuts[:] = 0

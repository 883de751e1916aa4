"""What every breadth-first search tells of its levels and of where it begins."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from offsetproof.compiled.layout import Layout, Words
from offsetproof.ir.system import State


class ByLevels:
    """`levels[d]` is how many states were found before the first one of depth d, `count` how many there are by now."""

    initial: tuple[State, ...]
    layout: Layout
    levels: list[int]

    @property
    def count(self) -> int:
        """How many states were found."""
        raise NotImplementedError

    @property
    def depth(self) -> int:
        """The depth of the deepest states that are known."""
        return len(self.levels) - 1 if self.levels[-1] < self.count else len(self.levels) - 2

    @property
    def level_states(self) -> list[int]:
        """How many states each level has; the last may not be complete."""
        return [behind - start for start, behind in pairwise((*self.levels, self.count)) if behind > start]

    def initial_rows(self) -> Words:
        """The initial states, packed, in ascending order."""
        return np.array([self.layout.pack(state) for state in self.initial], dtype=np.uint64)

"""What every breadth-first search tells of its levels and of where it begins, and the limits that it keeps."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from offsetproof.compiled.layout import Layout, Words
from offsetproof.ir.system import State
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.progress import Layer
from offsetproof.verdict.result import Reason

_PROGRESS_SECONDS = 0.2


class ByLevels:
    """`levels[d]` is how many states were found before the first one of depth d, `count` how many there are by now."""

    initial: tuple[State, ...]
    layout: Layout
    levels: list[int]
    transitions: int

    def __init__(
        self, layout: Layout, initial: Sequence[State], limits: Limits, progress: Callable[[object], None]
    ) -> None:
        self.layout, self.initial, self.limits, self.progress = layout, tuple(sorted(initial)), limits, progress
        self._started = self._reported = time.monotonic()

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

    def _bytes(self) -> int:
        """What the arrays take now."""
        raise NotImplementedError

    def _limit_met(self, most: int) -> Reason | None:
        """The limit that is met, if one is; there may be so many states whatever the limits are."""
        limits = self.limits
        if self.count > (most if limits.states is None else min(most, limits.states)):
            return Reason.STATES
        if limits.bytes is not None and self._bytes() > limits.bytes:
            return Reason.MEMORY
        if limits.seconds is not None and time.monotonic() - self._started > limits.seconds:
            return Reason.TIME
        return None

    def _report(self, depth: int, frontier: int, done: int) -> None:
        """Tells now and then how far a level is."""
        now = time.monotonic()
        if now - self._reported >= _PROGRESS_SECONDS:
            self._reported = now
            seconds = now - self._started
            self.progress(Layer(depth, self.count, self.transitions, frontier, done, self._bytes(), seconds))

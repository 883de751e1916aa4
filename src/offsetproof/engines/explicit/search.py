"""Breadth-first search by levels over packed states, all of them kept in the order of discovery.

State changes in one place, `Search`; everything that it learned can be read from it at any moment, so an interrupted
or limited search still says what it established.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.layout import Layout, Words
from offsetproof.compiled.lower import CLAIMS, DEAD, FAILED
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit import table as visited
from offsetproof.ir.system import State, System
from offsetproof.verdict.question import Layer, Limits
from offsetproof.verdict.result import Reason

_CHUNK = 2048
_PROGRESS_SECONDS = 0.2
_LOAD_TENTHS = 5
_GROWTH = 2


@dataclass(frozen=True)
class Alarm:
    """The first violation of the question: the trace's length, and the places of the states that show it.

    For a step claim the states are those from which the violating step is taken.
    """

    length: int
    places: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Snapshot:
    """Totals at the end of a complete level."""

    states: int
    transitions: int
    fired: npt.NDArray[np.int64]
    cuts: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Program:
    """A system with its layout and its compiled functions."""

    system: System
    layout: Layout
    native: Native


class Search:
    """One exploration of one system. `levels[d]` is the place of the first state of depth d."""

    def __init__(
        self, program: Program, initial: Sequence[State], limits: Limits, progress: Callable[[object], None]
    ) -> None:
        self.system, self.layout, self.native = program.system, program.layout, program.native
        layout, system = self.layout, self.system
        self.initial = tuple(sorted(initial))
        self.limits, self.progress = limits, progress
        self.shape = (0,) * layout.words
        instances = max(1, len(system.instances))
        self.fired = np.zeros(instances, np.int64)
        self.cuts = np.zeros(instances, np.int64)
        self.out = np.empty((_CHUNK * instances, layout.words), np.uint64)
        self.ends, self.flags = np.zeros(_CHUNK, np.int64), np.zeros(_CHUNK, np.int64)
        self._tags = np.empty(len(self.out), np.uint64)
        self.states: Words = np.empty((1 << 14, layout.words), np.uint64)
        self.table = np.zeros(1 << 16, np.uint64)
        self.count = self.transitions = self.peak_bytes = self.seen_claims = 0
        self.first_failed: int | None = None
        self.stopped: Reason | None = None
        self._started = self._reported = time.monotonic()
        self._enter(self.initial_rows())
        self.levels = [0]
        self.snapshot = self._snapshot(0)

    def run(self, question: int | None) -> Alarm | None:
        """Explores until claim number `question` raises an alarm, everything is seen, or a limit is met.

        Raises KeyboardInterrupt after setting `stopped`; the snapshot then covers the last complete level.
        """
        try:
            alarm = self._judged(0, self.count, question, 0)
            while alarm is None and self.stopped is None and self.levels[-1] < self.count:
                alarm = self._level(question)
        except KeyboardInterrupt:
            self.stopped = Reason.INTERRUPTED
            raise
        return alarm

    def layers(self) -> Iterator[int]:
        """Explores layer by layer, whatever claims raise alarms (`seen_claims`); yields the depth reached each time.

        An alarm that is new after depth d belongs to traces of d steps. The last depth may hold no new state.
        """
        self._judged(0, self.count, None, 0)
        yield 0
        while self.stopped is None and self.levels[-1] < self.count:
            self._level(None)
            if self.stopped is None:
                yield len(self.levels) - 1

    @property
    def depth(self) -> int:
        """The depth of the deepest states that are known."""
        return len(self.levels) - 1 if self.levels[-1] < self.count else len(self.levels) - 2

    def _level(self, question: int | None) -> Alarm | None:
        """Expands the states of the newest level; an alarm belongs to a trace that ends in this step."""
        lo, hi, depth = self.levels[-1], self.count, len(self.levels) - 1
        self.snapshot = self._snapshot(hi)
        hits: list[npt.NDArray[np.int64]] = []
        dead: list[npt.NDArray[np.int64]] = []
        for start in range(lo, hi, _CHUNK):
            end = min(start + _CHUNK, hi)
            self._expand(start, end)
            flags = self.flags[: end - start]
            self._note(flags, start)
            if question is not None and self.system.claims[question].deadlock:
                dead.append(start + np.flatnonzero(flags & DEAD))
            elif question is not None:
                hits.append(start + np.flatnonzero(flags >> (CLAIMS + question) & 1))
            if self._over_limits():
                return None
            self._report(depth, hi - lo, end - lo)
        found = np.concatenate(dead) if dead else np.empty(0, np.int64)
        if len(found):
            self.snapshot = replace(self.snapshot, states=lo)
            return Alarm(depth, found)
        self.levels.append(hi)
        self.snapshot = self._snapshot(hi)
        found = np.concatenate(hits) if hits else np.empty(0, np.int64)
        return Alarm(depth + 1, found) if len(found) else self._judged(hi, self.count, question, depth + 1)

    def _judged(self, lo: int, hi: int, question: int | None, depth: int) -> Alarm | None:
        hits: list[npt.NDArray[np.int64]] = []
        for start in range(lo, hi, _CHUNK):
            end = min(start + _CHUNK, hi)
            flags = self.flags[: end - start]
            self.native.judge(self.states[start:end], flags)
            self._note(flags, start)
            if question is not None:
                hits.append(start + np.flatnonzero(flags >> (CLAIMS + question) & 1))
        found = np.concatenate(hits) if hits else np.empty(0, np.int64)
        return Alarm(depth, found) if len(found) else None

    def _expand(self, start: int, end: int) -> None:
        chunk = self.states[start:end]
        k = self.native.expand(chunk, self.out, self.ends, self.fired, self.cuts, self.flags)
        self.transitions += k
        if self._fits(k):
            self._insert(self.out, k)

    def initial_rows(self) -> Words:
        """The initial states, packed, in ascending order."""
        return np.array([self.layout.pack(state) for state in self.initial], dtype=np.uint64)

    def _enter(self, rows: Words) -> None:
        for row in rows:
            self._insert(row.reshape(1, -1), 1)

    def _insert(self, rows: Words, k: int) -> None:
        self._room_for(k)
        self.count, _ = visited.insert(self.shape, self.states, self.count, self.table, rows, k, self._tags)

    def _note(self, flags: npt.NDArray[np.int64], start: int) -> None:
        """Remembers which claims have raised an alarm, and the first state that fails."""
        union = int(np.bitwise_or.reduce(flags)) if len(flags) else 0
        if union & FAILED and self.first_failed is None:
            self.first_failed = start + int(np.argmax(flags & FAILED))
        self.seen_claims |= union >> CLAIMS

    def _fits(self, k: int) -> bool:
        """May k more states be held? If the arrays would have to grow beyond the limit, the search stops instead."""
        limit, needed, held = self.limits.bytes, self.count + k, self._bytes()
        if limit is not None and needed > len(self.states) and held + 2 * self.states.nbytes > limit:
            self.stopped = Reason.MEMORY
        if limit is not None and needed * 10 > len(self.table) * _LOAD_TENTHS and held + 2 * self.table.nbytes > limit:
            self.stopped = Reason.MEMORY
        return self.stopped is None

    def _room_for(self, k: int) -> None:
        """Makes the arrays large enough for k more states."""
        needed = self.count + k
        if needed > len(self.states):
            grown = np.empty((max(2 * len(self.states), needed), self.layout.words), np.uint64)
            grown[: self.count] = self.states[: self.count]
            self.peak_bytes = max(self.peak_bytes, self._bytes() + grown.nbytes)
            self.states = grown
        if needed * 10 > len(self.table) * _LOAD_TENTHS:
            size = len(self.table)
            while needed * 10 > size * _LOAD_TENTHS:
                size *= _GROWTH
            self.peak_bytes = max(self.peak_bytes, self._bytes() + 8 * size)
            self.table = visited.grown(self.table, size)
        self.peak_bytes = max(self.peak_bytes, self._bytes())

    def _bytes(self) -> int:
        return self.states.nbytes + self.table.nbytes + self.out.nbytes + self._tags.nbytes

    def _snapshot(self, states: int) -> Snapshot:
        return Snapshot(states, self.transitions, self.fired.copy(), self.cuts.copy())

    def _over_limits(self) -> bool:
        limits = self.limits
        most = visited.PLACES_MAX - len(self.out) if limits.states is None else limits.states
        if self.count > most:
            self.stopped = Reason.STATES
        elif limits.bytes is not None and self._bytes() > limits.bytes:
            self.stopped = Reason.MEMORY
        elif limits.seconds is not None and time.monotonic() - self._started > limits.seconds:
            self.stopped = Reason.TIME
        return self.stopped is not None

    def _report(self, depth: int, frontier: int, done: int) -> None:
        now = time.monotonic()
        if now - self._reported >= _PROGRESS_SECONDS:
            self._reported = now
            self.progress(
                Layer(depth, self.count, self.transitions, frontier, done, self._bytes(), now - self._started)
            )

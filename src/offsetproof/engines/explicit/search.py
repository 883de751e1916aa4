"""Breadth-first search by levels over packed states, all of them kept in the order of discovery.

State changes in one place, `Search`; everything that it learned can be read from it at any moment, so an interrupted
or limited search still says what it established. For spot checks it notes some of the places from which each action
instance was taken (`Sightings`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.expander import CHUNK, Expander
from offsetproof.compiled.layout import Layout, Words
from offsetproof.compiled.lower import CLAIMS, DEAD, FAILED, lower
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.row_memory import OwnMemory, RowMemory
from offsetproof.engines.explicit.visited import PLACES_MAX, Visited
from offsetproof.ir.build import TRUE, negate
from offsetproof.ir.node import Node
from offsetproof.ir.system import StagedClaim, State, System
from offsetproof.lang.claim import ClaimKind
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.progress import Layer
from offsetproof.verdict.result import Reason

_PROGRESS_SECONDS = 0.2
_FIRST, _MIDDLE, _LAST = range(3)

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Alarm:
    """The first violation of the claim that is asked for: the trace's length, and the states that show it, a row each.

    For a step claim the states are those from which the violating step is taken.
    """

    length: int
    rows: Words


@dataclass(frozen=True)
class Snapshot:
    """Totals at the end of a complete level."""

    states: int
    transitions: int
    fired: Numbers
    cuts: Numbers


@dataclass(frozen=True)
class Totals:
    """All that a search has learned at the end of a level besides the states; `sightings` are the arrays of those."""

    count: int
    levels: tuple[int, ...]
    transitions: int
    seen_claims: int
    first_failed: int | None
    judged: int
    fired: Numbers
    cuts: Numbers
    sightings: Numbers


@dataclass(frozen=True)
class Program:
    """A system with its layout and its compiled functions; alarm `premise` tells where the first claim's premise is."""

    system: System
    layout: Layout
    native: Native
    premise: int | None = None

    @classmethod
    def of(
        cls,
        system: System,
        kinds: Sequence[ClaimKind],
        *,
        with_premise: bool = False,
        measured: Sequence[Node] = (),
    ) -> Program:
        """The system compiled, with an alarm for each of its claims, which are of these kinds."""
        layout, alarms = Layout(system), alarms_of(system, kinds)
        premise = system.claims[0].premise if with_premise else TRUE
        if premise is TRUE:
            return cls(system, layout, Native(lower(system, layout, alarms, measured=measured)))
        return cls(system, layout, Native(lower(system, layout, [*alarms, premise], measured=measured)), len(alarms))


def alarms_of(system: System, kinds: Sequence[ClaimKind]) -> list[Node | None]:
    """What the claims about states report; None for claims about steps."""
    return [_alarm_of(claim, kind) for claim, kind in zip(system.claims, kinds, strict=False)]


def _alarm_of(claim: StagedClaim, kind: ClaimKind) -> Node | None:
    """What a claim about states reports: where it is false, or, for a witness, where it is true."""
    node = claim.on_state
    return node if node is None or kind is ClaimKind.SOMETIMES else negate(node)


class Search:
    """One exploration of one system. `levels[d]` is the place of the first state of depth d.

    `run` calls `watched` after each level, and `keep` where the search goes on after it; what they raise ends the
    search. The states are in `memory`.
    """

    def __init__(
        self,
        program: Program,
        initial: Sequence[State],
        limits: Limits,
        progress: Callable[[object], None],
        expander: Expander | None = None,
        memory: RowMemory = OwnMemory(),
    ) -> None:
        self.system, self.layout, self.native = program.system, program.layout, program.native
        self.initial = tuple(sorted(initial))
        self.limits, self.progress = limits, progress
        self._expander = expander or Expander(self.layout, self.native)
        self.visited = Visited(self.layout.words, memory=memory)
        self.sightings = Sightings(len(self._expander.fired))
        self.premise, self.judged = program.premise, 0
        self.transitions = self.seen_claims = 0
        self.first_failed: int | None = None
        self.stopped: Reason | None = None
        self.watched: Callable[[], None] = lambda: None
        self.keep: Callable[[Search], None] = lambda _search: None
        self._started = self._reported = time.monotonic()
        self._enter(self.initial_rows())
        self.levels = [0]
        self.snapshot = self._snapshot(0)

    def run(self, claim: int | None) -> Alarm | None:
        """Explores until claim number `claim` raises an alarm, everything is seen, or a limit is met.

        Raises KeyboardInterrupt after setting `stopped`; the snapshot then covers the last complete level.
        """
        try:
            alarm = self._judge_level(0, self.count, claim, 0) if len(self.levels) == 1 else None
            while alarm is None and self.stopped is None and self.levels[-1] < self.count:
                alarm = self._level(claim)
                self.watched()
                if alarm is None and self.stopped is None:
                    self.keep(self)
        except KeyboardInterrupt:
            self.stopped = Reason.INTERRUPTED
            raise
        return alarm

    def totals(self) -> Totals:
        """What to go on from, besides the states, where a level has just been completed."""
        expander, seen = self._expander, self.sightings
        return Totals(
            self.count, tuple(self.levels), self.transitions, self.seen_claims, self.first_failed, self.judged,
            expander.fired.copy(), expander.cuts.copy(), seen.arrays(),
        )  # fmt: skip

    def go_on(self, totals: Totals) -> None:
        """Goes on from where a search of the same system had come to, whose states are in the memory already."""
        self.visited.go_on(totals.count)
        self.levels = [*totals.levels]
        self.transitions, self.seen_claims = totals.transitions, totals.seen_claims
        self.first_failed, self.judged = totals.first_failed, totals.judged
        self._expander.fired[:], self._expander.cuts[:] = totals.fired, totals.cuts
        self.sightings.set(totals.sightings)
        self.snapshot = self._snapshot(self.levels[-1])

    def layers(self) -> Iterator[int]:
        """Explores layer by layer, whatever claims raise alarms (`seen_claims`); yields the depth reached each time.

        An alarm that is new after depth d belongs to traces of d steps. The last depth may hold no new state.
        """
        self._judge_level(0, self.count, None, 0)
        yield 0
        while self.stopped is None and self.levels[-1] < self.count:
            self._level(None)
            if self.stopped is None:
                yield len(self.levels) - 1

    @property
    def depth(self) -> int:
        """The depth of the deepest states that are known."""
        return len(self.levels) - 1 if self.levels[-1] < self.count else len(self.levels) - 2

    @property
    def level_states(self) -> list[int]:
        """How many states each level has; the last may not be complete."""
        return [behind - start for start, behind in pairwise((*self.levels, self.count)) if behind > start]

    def fronts(self, depth: int) -> Iterator[Words]:
        """The states of one level, in chunks of up to `CHUNK`."""
        for start in range(self.levels[depth], self.levels[depth + 1], CHUNK):
            yield self.states[start : min(start + CHUNK, self.levels[depth + 1])]

    def samples(self, most: int) -> Words:
        """Some states, evenly spread over the order of discovery."""
        return self.states[np.unique(np.linspace(0, self.count - 1, most).astype(np.int64))]

    def blocks(self) -> Iterator[Words]:
        """Parts of the visited set: by turns one in which some instances were taken or cut, and one from anywhere."""
        anywhere = (chunk * CHUNK for chunk in spread_numbers(-(-self.count // CHUNK)))
        given: set[int] = set()
        for pair in zip_longest(self.sightings.starts, anywhere):
            for start in pair:
                if start is not None and start not in given:
                    given.add(start)
                    yield self.states[start : min(start + CHUNK, self.count)]

    def failure(self) -> Alarm | None:
        """The first state that goes wrong, with its depth."""
        if self.first_failed is None:
            return None
        depth = max(d for d, start in enumerate(self.levels) if start <= self.first_failed)
        return Alarm(depth, self.states[[self.first_failed]])

    @property
    def states(self) -> Words:
        """The states that were found, in the order of discovery, and room for more."""
        return self.visited.states

    @property
    def count(self) -> int:
        """How many states were found."""
        return self.visited.count

    @property
    def peak_bytes(self) -> int:
        """The most that the arrays took."""
        return self.visited.peak_bytes + self._expander.out.nbytes

    @property
    def held_bytes(self) -> int:
        """What the states and the table of those that were found take."""
        return self.visited.held_bytes

    def _level(self, claim: int | None) -> Alarm | None:
        """Expands the states of the newest level; an alarm belongs to a trace that ends in this step."""
        lo, hi, depth = self.levels[-1], self.count, len(self.levels) - 1
        self.snapshot = self._snapshot(hi)
        hits: list[Numbers] = []
        dead: list[Numbers] = []
        for start in range(lo, hi, CHUNK):
            end = min(start + CHUNK, hi)
            self._expand(start, end)
            flags = self._expander.flags[: end - start]
            self._note(flags, start)
            if claim is not None and self.system.claims[claim].deadlock:
                dead.append(start + np.flatnonzero(flags & DEAD))
            elif claim is not None:
                hits.append(start + np.flatnonzero(flags >> (CLAIMS + claim) & 1))
            if self._over_limits():
                return None
            self._report(depth, hi - lo, end - lo)
        alarmed = np.concatenate(dead) if dead else np.empty(0, np.int64)
        if len(alarmed):
            self.snapshot = replace(self.snapshot, states=lo)
            return Alarm(depth, self.states[alarmed])
        self.levels.append(hi)
        self.snapshot = self._snapshot(hi)
        alarmed = np.concatenate(hits) if hits else np.empty(0, np.int64)
        return (
            Alarm(depth + 1, self.states[alarmed])
            if len(alarmed)
            else self._judge_level(hi, self.count, claim, depth + 1)
        )

    def _judge_level(self, lo: int, hi: int, claim: int | None, depth: int) -> Alarm | None:
        hits: list[Numbers] = []
        for start in range(lo, hi, CHUNK):
            end = min(start + CHUNK, hi)
            flags = self._expander.judge(self.states[start:end])
            self._note(flags, start)
            if self.premise is not None:
                self.judged += int(np.count_nonzero(flags >> (CLAIMS + self.premise) & 1))
            if claim is not None:
                hits.append(start + np.flatnonzero(flags >> (CLAIMS + claim) & 1))
        alarmed = np.concatenate(hits) if hits else np.empty(0, np.int64)
        return Alarm(depth, self.states[alarmed]) if len(alarmed) else None

    def _expand(self, start: int, end: int) -> None:
        expander = self._expander
        k = expander.expand(self.states[start:end])
        self.sightings.note(start, expander.fired, expander.cuts)
        self.transitions += k
        if self._fits(k):
            self.visited.add(expander.out, k)

    def initial_rows(self) -> Words:
        """The initial states, packed, in ascending order."""
        return np.array([self.layout.pack(state) for state in self.initial], dtype=np.uint64)

    def _enter(self, rows: Words) -> None:
        for row in rows:
            self.visited.add(row.reshape(1, -1), 1)

    def _note(self, flags: Numbers, start: int) -> None:
        """Remembers which claims have raised an alarm, and the first state that fails."""
        union = int(np.bitwise_or.reduce(flags)) if len(flags) else 0
        if union & FAILED and self.first_failed is None:
            self.first_failed = start + int(np.argmax(flags & FAILED))
        self.seen_claims |= union >> CLAIMS

    def _fits(self, k: int) -> bool:
        """May k more states be held? If the arrays would have to grow beyond the limit, the search stops instead."""
        limit = self.limits.bytes
        if limit is not None and self.visited.outgrows(k, limit, self._expander.out.nbytes):
            self.stopped = Reason.MEMORY
        return self.stopped is None

    def _bytes(self) -> int:
        return self.visited.nbytes + self._expander.out.nbytes

    def _snapshot(self, states: int) -> Snapshot:
        return Snapshot(states, self.transitions, self._expander.fired.copy(), self._expander.cuts.copy())

    def _over_limits(self) -> bool:
        limits = self.limits
        most = PLACES_MAX - len(self._expander.out)
        if limits.states is not None:
            most = min(most, limits.states)
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

    def arrays(self) -> Numbers:
        """All that was noted, in one array."""
        return np.concatenate((self._totals[None], self._seen[None], self._places))

    def set(self, arrays: Numbers) -> None:
        """Takes what another one has noted."""
        self._totals, self._seen, self._places = arrays[0].copy(), arrays[1].copy(), arrays[2:].copy()

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

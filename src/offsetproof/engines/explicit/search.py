"""Breadth-first search by levels over packed states, all of them kept in the order of discovery.

State changes in one place, `Search`; everything that it learned can be read from it at any moment, so an interrupted
or limited search still says what it established. For spot checks it notes some of the places from which each action
instance was taken (`Sightings`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.expander import CHUNK, TURN, Expander
from offsetproof.compiled.layout import Layout, Words
from offsetproof.compiled.lower import CLAIMS, DEAD, FAILED, lower
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.by_hash import ByHash
from offsetproof.engines.explicit.by_levels import ByLevels
from offsetproof.engines.explicit.crew import Crew, Member
from offsetproof.engines.explicit.place_table import PLACES_MAX
from offsetproof.engines.explicit.row_memory import OwnMemory, RowMemory
from offsetproof.engines.explicit.sightings import Sightings
from offsetproof.engines.explicit.visited import Visited
from offsetproof.ir.build import TRUE, negate
from offsetproof.ir.node import Node
from offsetproof.ir.system import StagedClaim, State, System
from offsetproof.lang.claim import ClaimKind
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.result import Reason

_FlagsOf = Callable[[Member, int, int], npt.NDArray[np.int64]]
"""What looks at a chunk of states, and says the flags of each."""

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
    failed_depth: int | None
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
        conditions: Sequence[Node] | None = None,
        layout: Layout | None = None,
    ) -> Program:
        """The system compiled, with an alarm for each of its claims, which are of these kinds."""
        layout, alarms = layout or Layout(system), alarms_of(system, kinds)
        premise = system.claims[0].premise if with_premise else TRUE
        if premise is TRUE:
            return cls(system, layout, Native(lower(system, layout, alarms, measured=measured, conditions=conditions)))
        text = lower(system, layout, [*alarms, premise], measured=measured, conditions=conditions)
        return cls(system, layout, Native(text), len(alarms))


def alarms_of(system: System, kinds: Sequence[ClaimKind]) -> list[Node | None]:
    """What the claims about states report; None for claims about steps."""
    return [_alarm_of(claim, kind) for claim, kind in zip(system.claims, kinds, strict=False)]


def _alarm_of(claim: StagedClaim, kind: ClaimKind) -> Node | None:
    """What a claim about states reports: where it is false, or, for a witness, where it is true."""
    node = claim.on_state
    return node if node is None or kind is ClaimKind.SOMETIMES else negate(node)


class Search(ByLevels):
    """One exploration of one system. `levels[d]` is the place of the first state of depth d.

    Several threads expand a level (`Limits.threads`), but not where an `expander` is given. What is told of a search is
    the same for every number of them; only the order of states within a level is not.

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
        super().__init__(program.layout, initial, limits, progress)
        self.system, self.native = program.system, program.native
        self._expander = expander or Expander(self.layout, self.native, TURN)
        self.visited = Visited(self.layout.words, memory=memory)
        more = [Expander(self.layout, self.native, TURN) for _ in range(limits.threads - 1 if expander is None else 0)]
        self._crew, self._learning = Crew(self._expander, self.visited, more, limits.bytes), Lock()
        self.sightings = Sightings(len(self._expander.fired))
        self._hashed: ByHash | None = None
        self.premise, self.judged = program.premise, 0
        self.transitions = self.seen_claims = 0
        self.failed_depth: int | None = None
        self.stopped: Reason | None = None
        self.watched: Callable[[], None] = lambda: None
        self.keep: Callable[[Search], None] = lambda _search: None
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
        except MemoryError:
            self.stopped, alarm = Reason.MEMORY, None
        except KeyboardInterrupt:
            self.stopped = Reason.INTERRUPTED
            raise
        return alarm

    def totals(self) -> Totals:
        """What to go on from, besides the states, where a level has just been completed."""
        return Totals(
            self.count, tuple(self.levels), self.transitions, self.seen_claims, self.failed_depth, self.judged,
            *self._fired_and_cuts(), self.sightings.arrays(),
        )  # fmt: skip

    def go_on(self, totals: Totals) -> None:
        """Goes on from where a search of the same system had come to, whose states are in the memory already."""
        self.visited.go_on(totals.count)
        self.levels = [*totals.levels]
        self.transitions, self.seen_claims = totals.transitions, totals.seen_claims
        self.failed_depth, self.judged = totals.failed_depth, totals.judged
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

    def remember_levels(self, depth: int, on_the_way: Callable[[], None]) -> None:
        """They are known."""

    def fronts(self, depth: int) -> Iterator[Words]:
        """The states of one level, in chunks of up to `CHUNK`."""
        start, end = [*self.levels, self.count][depth : depth + 2]
        for at in range(start, end, CHUNK):
            yield self.states[at : min(at + CHUNK, end)]

    def samples(self, most: int) -> Words:
        """Some states, from each level its share."""
        return self._by_hash.samples(most)

    def blocks(self) -> Iterator[Words]:
        """Parts of the visited set: by turns one in which some instances were taken or cut, and one from anywhere."""
        return self._by_hash.blocks(self.sightings)

    @property
    def _by_hash(self) -> ByHash:
        """The complete levels: what a limit has left of another one depends on the order in which it was found."""
        levels = [*self.levels, self.snapshot.states]
        if self._hashed is None or self._hashed.levels != levels:
            self._hashed = ByHash(self.states, levels, self.layout, self.native)
        return self._hashed

    @property
    def has_failed(self) -> bool:
        """Has a state gone wrong?"""
        return self.failed_depth is not None

    def failure(self) -> Alarm | None:
        """The first states that go wrong, with their depth."""
        if self.failed_depth is None:
            return None
        found, expander = [], Expander(self.layout, self.native)
        for front in self.fronts(self.failed_depth):
            flags = expander.judge(front).copy()
            expander.expand(front)
            found.append(front[(flags | expander.flags[: len(front)]) & FAILED != 0])
        return Alarm(self.failed_depth, np.concatenate(found))

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
        return self.visited.peak_bytes + self._crew.own_bytes

    @property
    def held_bytes(self) -> int:
        """What the states and the table of those that were found take."""
        return self.visited.held_bytes

    def _level(self, claim: int | None) -> Alarm | None:
        """Expands the states of the newest level; an alarm belongs to a trace that ends in this step."""
        lo, hi, depth = self.levels[-1], self.count, len(self.levels) - 1
        is_deadlock = claim is not None and self.system.claims[claim].deadlock
        self.snapshot = self._snapshot(hi)
        alarmed = self._look(lo, hi, self._expand, DEAD if is_deadlock else _bit_of(claim), depth)
        if self.stopped is not None:
            return None
        self.sightings.note(depth, *self._fired_and_cuts())
        if is_deadlock and len(alarmed):
            self.snapshot = replace(self.snapshot, states=lo)
            return Alarm(depth, self.states[alarmed])
        self.levels.append(hi)
        self.snapshot = self._snapshot(hi)
        if len(alarmed):
            return Alarm(depth + 1, self.states[alarmed])
        return self._judge_level(hi, self.count, claim, depth + 1)

    def _judge_level(self, lo: int, hi: int, claim: int | None, depth: int) -> Alarm | None:
        alarmed = self._look(lo, hi, self._judge, _bit_of(claim), depth)
        return Alarm(depth, self.states[alarmed]) if len(alarmed) else None

    def _look(self, lo: int, hi: int, flags_of: _FlagsOf, bit: int, depth: int) -> Numbers:
        """Has each chunk of a level looked at, and learns from the flags; the states that have this one.

        A limit ends expanding it (`stopped`): what a part of it has shown is not kept.
        """
        hits: list[Numbers] = []
        expands, seen = flags_of == self._expand, 0

        def look(member: Member, start: int, end: int) -> bool:
            nonlocal seen
            flags = flags_of(member, start, end)
            with self._learning:
                union = int(np.bitwise_or.reduce(flags))
                seen |= union
                if union & bit:
                    hits.append(start + np.flatnonzero(flags & bit))
                if expands and not self._over_limits():
                    self._report(depth, hi - lo, end - lo)
                return self.stopped is None

        self._crew.each_chunk(lo, hi, look)
        if expands and self.stopped is None:
            self._over_limits()
        if self.stopped is None:
            self.seen_claims |= seen >> CLAIMS
            if seen & FAILED and self.failed_depth is None:
                self.failed_depth = depth
        return np.sort(np.concatenate(hits)) if hits else np.empty(0, np.int64)

    def _expand(self, member: Member, start: int, end: int) -> Numbers:
        transitions, flags = self._crew.explore(member, start, end, self._fits)
        with self._learning:
            self.transitions += transitions
        return flags

    def _judge(self, member: Member, start: int, end: int) -> Numbers:
        flags = member.expander.judge(self.states[start:end], member.flags)
        if self.premise is not None:
            with self._learning:
                self.judged += int(np.count_nonzero(flags >> (CLAIMS + self.premise) & 1))
        return flags

    def _fired_and_cuts(self) -> tuple[Numbers, Numbers]:
        expanders = [member.expander for member in self._crew.members]
        fired, cuts = (
            np.sum([each.fired for each in expanders], axis=0),
            np.sum([each.cuts for each in expanders], axis=0),
        )
        return fired, cuts

    def _enter(self, rows: Words) -> None:
        for row in rows:
            self.visited.add(row.reshape(1, -1), 1)

    def _fits(self, k: int) -> bool:
        """May k more states be held? If the arrays would have to grow beyond the limit, the search stops instead."""
        with self._learning:
            if not self._crew.fits(k):
                self.stopped = Reason.MEMORY
            return self.stopped is None

    def _bytes(self) -> int:
        return self.visited.nbytes + self._crew.own_bytes

    def _snapshot(self, states: int) -> Snapshot:
        return Snapshot(states, self.transitions, *self._fired_and_cuts())

    def _over_limits(self) -> bool:
        self.stopped = self._limit_met(PLACES_MAX - self._crew.most_at_once) or self.stopped
        return self.stopped is not None


def _bit_of(claim: int | None) -> int:
    """The flag of a claim's alarm; none without a claim."""
    return 0 if claim is None else 1 << (CLAIMS + claim)

"""Breadth-first search by levels with the visited set in few bytes per state (`compact_visited.py`).

It finds what `Search` finds. No order is kept: whoever wants the levels, to make a trace, has them explored once more,
into a file. For spot checks some blocks are kept as they are met; all others come from the table, in its own order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from offsetproof.compiled.expander import CHUNK, Expander
from offsetproof.compiled.layout import HalvedLayout, Layout, Words
from offsetproof.compiled.lower import CLAIMS, DEAD, FAILED
from offsetproof.engines.explicit.by_levels import ByLevels
from offsetproof.engines.explicit.compact_visited import CompactVisited
from offsetproof.engines.explicit.explorer import InThisProcess, Layered, Searched
from offsetproof.engines.explicit.kept_blocks import SeenBlocks, SpreadBlocks
from offsetproof.engines.explicit.levels_on_file import LevelsOnFile
from offsetproof.engines.explicit.place_table import PLACES_MAX
from offsetproof.engines.explicit.search import Alarm, Numbers, Program, Snapshot
from offsetproof.engines.explicit.sightings import spread_numbers
from offsetproof.ir.system import State, System
from offsetproof.verdict.limits import LimitMetError, Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason

if TYPE_CHECKING:
    from offsetproof.engines.explicit.stubborn import Reduction

_PART = CHUNK * 3 // 4
"""So many states, more or less, are in a part of the table: mostly fewer than are handed on at once."""


class CompactSearch(ByLevels):
    """One exploration of one system. `levels[d]` is how many states were found before the first one of depth d."""

    def __init__(
        self,
        program: Program,
        initial: Sequence[State],
        limits: Limits,
        progress: Callable[[object], None],
        expander: Expander | None = None,
    ) -> None:
        super().__init__(program.layout, initial, limits, progress)
        self.program, self.system, self.native = program, program.system, program.native
        self.expander = expander or Expander(self.layout, self.native)
        self._seen, self._spread = SeenBlocks(len(self.expander.fired)), SpreadBlocks()
        self._failed, self._failed_bytes, self._failed_depth = list[Words](), 0, -1
        self.visited = CompactVisited(self.layout.words, limits.bytes, self._beside)
        self.transitions = self.seen_claims = self.judged = self._seen_now = 0
        self.stopped: Reason | None = None
        self._again: _Levels | None = None
        self.on_the_way: Callable[[], None] = lambda: None
        self.watched: Callable[[], None] = lambda: None
        self.visited.add(self.initial_rows(), len(self.initial))
        self.levels = [0]
        self.snapshot = self._snapshot(0)

    def run(self, claim: int | None) -> Alarm | None:
        """Explores until claim number `claim` raises an alarm, everything is seen, or a limit is met.

        Raises KeyboardInterrupt after setting `stopped`; the snapshot then covers the last complete level.
        """
        alarm = None
        with self._ended_by_limits():
            alarm = self._judge_level(claim, 0)
            while alarm is None and self.levels[-1] < self.count:
                alarm = self.level(claim)
                self.watched()
        return None if self.stopped is not None else alarm

    def layers(self) -> Iterator[int]:
        """Explores layer by layer, whatever claims raise alarms; yields the depth reached each time."""
        with self._ended_by_limits():
            self._judge_level(None, 0)
            yield 0
            while self.levels[-1] < self.count:
                self.level(None)
                yield len(self.levels) - 1

    @contextmanager
    def _ended_by_limits(self) -> Iterator[None]:
        """Ends the search where it meets a limit; KeyboardInterrupt goes on after setting `stopped`."""
        try:
            yield
        except LimitMetError as met:
            self.stopped = met.reason
        except MemoryError:
            self.stopped = Reason.MEMORY
        except KeyboardInterrupt:
            self.stopped = Reason.INTERRUPTED
            raise

    def level(self, claim: int | None) -> Alarm | None:
        """Expands the states of the newest level; an alarm belongs to a trace that ends in this step.

        LimitMetError where a limit is met.
        """
        start, hi, depth = self.levels[-1], self.count, len(self.levels) - 1
        self.snapshot = self._snapshot(hi)
        hits: list[Words] = []
        dead: list[Words] = []
        for pairs in self.visited.next_line().take():
            rows, flags = self._expand(start, pairs, depth)
            if claim is not None and self.system.claims[claim].deadlock:
                dead.append(rows[flags & DEAD != 0])
            elif claim is not None:
                hits.append(rows[flags >> (CLAIMS + claim) & 1 != 0])
            start += len(pairs)
            self._must_be_within_limits()
            self._report(depth, hi - self.levels[-1], start - self.levels[-1])
        self.seen_claims |= self._seen_now
        alarmed = _join(dead)
        if alarmed is not None:
            self.snapshot = replace(self.snapshot, states=self.levels[-1])
            return Alarm(depth, alarmed)
        self.levels.append(hi)
        self.snapshot = self._snapshot(hi)
        alarmed = _join(hits)
        return self._judge_level(claim, depth + 1) if alarmed is None else Alarm(depth + 1, alarmed)

    def remember_levels(self, depth: int, on_the_way: Callable[[], None]) -> None:
        """Explores once more, down to this depth; the visited set goes first, and nobody may ask for states of it."""
        again = self._again or _Levels(self)
        self._again = None
        again.explore(depth, on_the_way)
        self._again = again  # not if something came in the way

    def fronts(self, depth: int) -> Iterator[Words]:
        """The states of one level that is remembered, in chunks of up to `CHUNK`."""
        assert self._again is not None
        return self._again.rows(depth)

    def samples(self, most: int) -> Words:
        """Some states, spread over the order of discovery."""
        return self.visited.rows_of(self._spread.samples(self.count, most)).copy()

    def blocks(self) -> Iterator[Words]:
        """Parts of the visited set: by turns one in which some instances were taken or cut, and one from anywhere.

        These are spread over the order of discovery as long as there are such, and then parts of the table.
        """
        given: set[int] = set()
        for start, pairs in filter(None, chain.from_iterable(zip_longest(self._seen, self._spread))):
            if start not in given:
                given.add(start)
                yield self.visited.rows_of(pairs).copy()
        if not self._spread.are_all:
            parts = -(-self.count // _PART)
            for part in spread_numbers(parts):
                yield from self.visited.rows_in(part, parts)

    @property
    def has_failed(self) -> bool:
        """Has a state gone wrong?"""
        return bool(self._failed)

    def failure(self) -> Alarm | None:
        """The first states that go wrong, with their depth."""
        rows = _join(self._failed)
        return None if rows is None else Alarm(self._failed_depth, np.unique(rows, axis=0))

    @property
    def count(self) -> int:
        """How many states were found."""
        return self.visited.count

    @property
    def peak_bytes(self) -> int:
        """The most that the arrays took."""
        again = 0 if self._again is None else self._again.peak_bytes
        return max(again, self.visited.peak_bytes + self._beside)

    @property
    def held_bytes(self) -> int:
        """What the states take that were found."""
        return self.visited.held_bytes

    def _expand(self, start: int, pairs: Words, depth: int) -> tuple[Words, Numbers]:
        """Expands a block, and adds what it leads to; the states of the block, with their flags."""
        expander, rows = self.expander, self.visited.rows_of(pairs)
        k = expander.expand(rows)
        self._seen.note(start, pairs, expander)
        self._spread.note(pairs)
        self.visited.beside = self._beside
        self.transitions += k
        flags = expander.flags[: len(rows)]
        self._note(flags, rows, depth)
        self.visited.add(expander.out, k)
        return rows, flags

    def _judge_level(self, claim: int | None, depth: int) -> Alarm | None:
        """Judges the states in line."""
        hits: list[Words] = []
        premise = self.program.premise
        for pairs in self.visited.line.chunks():
            rows = self.visited.rows_of(pairs)
            flags = self.expander.judge(rows)
            self._note(flags, rows, depth)
            if premise is not None:
                self.judged += int(np.count_nonzero(flags >> (CLAIMS + premise) & 1))
            if claim is not None:
                hits.append(rows[flags >> (CLAIMS + claim) & 1 != 0])
        self.seen_claims |= self._seen_now
        alarmed = _join(hits)
        return None if alarmed is None else Alarm(depth, alarmed)

    def _note(self, flags: Numbers, rows: Words, depth: int) -> None:
        """Remembers which claims have raised an alarm in this level, and the first level's states that fail."""
        union = int(np.bitwise_or.reduce(flags)) if len(flags) else 0
        if union & FAILED and self._failed_depth in (-1, depth):
            self._failed_depth = depth
            self._failed.append(rows[flags & FAILED != 0])
            self._failed_bytes += self._failed[-1].nbytes
        self._seen_now |= union >> CLAIMS

    def _snapshot(self, states: int) -> Snapshot:
        return Snapshot(states, self.transitions, self.expander.fired.copy(), self.expander.cuts.copy())

    def _bytes(self) -> int:
        return self.visited.nbytes + self._beside

    @property
    def _beside(self) -> int:
        return self._seen.nbytes + self._spread.nbytes + self.expander.out.nbytes + self._failed_bytes

    def _must_be_within_limits(self) -> None:
        """Raises LimitMetError for the limit that is met."""
        self.on_the_way()
        met = self._limit_met(PLACES_MAX - len(self.expander.out))
        if met is not None:
            raise LimitMetError(met)


class _Levels:
    """The levels of a search, explored once more."""

    def __init__(self, first: CompactSearch) -> None:
        first.visited.let_go()
        limits = Limits(bytes=first.limits.bytes)
        self._search = CompactSearch(first.program, first.initial, limits, first.progress, first.expander)
        self._file = LevelsOnFile()

    def explore(self, depth: int, on_the_way: Callable[[], None]) -> None:
        """Sees to it that the levels down to this depth are there."""
        self._search.on_the_way = on_the_way
        while len(self._file) <= depth:
            if len(self._file):
                self._search.level(None)
            self._file.put(self._search.visited.line.chunks())

    def rows(self, depth: int) -> Iterator[Words]:
        """The states of a level."""
        return (self._search.visited.rows_of(pairs).copy() for pairs in self._file.chunks(depth))

    @property
    def peak_bytes(self) -> int:
        """The most that the arrays took."""
        return self._search.peak_bytes


class Compactly(InThisProcess):
    """Explores breadth-first in few bytes per state.

    A claim about runs asks for the places of states, so its search is the usual one.
    """

    def layout(self, question: Question, system: System) -> Layout:
        """By halves."""
        return super().layout(question, system) if question.prop.kind.is_about_runs else HalvedLayout(system)

    def search(
        self, question: Question, program: Program, initial: Sequence[State], fault_cap: int | None, limits: Limits
    ) -> Searched:
        """A search that has not begun; the initial states have the cap."""
        if question.prop.kind.is_about_runs:
            return super().search(question, program, initial, fault_cap, limits)
        return CompactSearch(program, initial, limits, question.progress)

    def reduced_search(self, question: Question, program: Program, reduction: Reduction, limits: Limits) -> Layered:
        """A search that has not begun."""
        expander = reduction.expander(program.layout, program.native)
        return CompactSearch(program, program.system.initial, limits, question.progress, expander)

    def smaller(self, question: Question) -> None:
        """Nobody takes less."""

    def notes(self, question: Question) -> tuple[str, ...]:
        """Says so where it was the usual one."""
        return ("--compact was not used: a claim about runs is not for it",) if question.prop.kind.is_about_runs else ()


def _join(parts: Sequence[Words]) -> Words | None:
    """The rows of all parts; None where there is none."""
    rows = [part for part in parts if len(part)]
    return np.concatenate(rows) if rows else None

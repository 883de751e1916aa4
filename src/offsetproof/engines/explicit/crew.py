"""Threads that look at the states of a level together, and add what they find to one visited set.

Compiled code runs without Python's lock, so threads of one process are enough. They take chunks of the level in turns.
Arrays that grow may move: that is done while no thread uses them. The thread that began waits, so that interrupts and
limits reach it at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Condition, Lock

import numpy as np

from offsetproof.compiled.expander import Expander
from offsetproof.compiled.layout import Words
from offsetproof.engines.explicit.place_table import PLACES_MAX, PLACES_TAKEN, Int64s
from offsetproof.engines.explicit.shared_visited import OwnPlaces, Part, SharedVisited
from offsetproof.engines.explicit.together import run_together
from offsetproof.engines.explicit.visited import Visited

_LEAST = 512
"""So many states are worth a turn."""

_TURNS = 8
"""So many turns are worth several threads."""

_LONGER = 4
"""So many times longer than of one thread alone are turns of several: each waits for the others between two turns."""


class Gate:
    """Lets threads use arrays side by side, and one alone change them."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._using, self._is_closed = 0, False

    @contextmanager
    def together(self) -> Iterator[None]:
        """While this lasts nobody changes the arrays."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_closed)
            self._using += 1
        try:
            yield
        finally:
            with self._changed:
                self._using -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While this lasts nobody uses the arrays."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_closed)
            self._is_closed = True
            self._changed.wait_for(lambda: not self._using)
        try:
            yield
        finally:
            with self._changed:
                self._is_closed = False
                self._changed.notify_all()


class Ahead:
    """What is left of a level. Where threads share it its last chunks are small, so that all end at about one time."""

    def __init__(self, lo: int, hi: int, threads: int, most: int) -> None:
        self._next, self._hi, self._threads, self._most, self._taking = lo, hi, threads, most, Lock()

    def take(self) -> tuple[int, int] | None:
        """The places of the next chunk, from the first to before the last; None at the end."""
        with self._taking:
            start, left = self._next, self._hi - self._next
            fair = left if self._threads == 1 else max(_LEAST, left // (2 * self._threads))
            self._next = start + min(left, self._most, fair)
            return (start, self._next) if left else None


class Member:
    """A thread's own arrays; `widest` is the largest number of successors that these had to hold so far.

    `flags` are of the states of one turn, which may be so many.
    """

    def __init__(self, expander: Expander, turn: int) -> None:
        self.expander, self.places, self.widest = expander, OwnPlaces(), 0
        self.flags = expander.flags if turn <= len(expander.flags) else np.zeros(turn, np.int64)

    def expand(self, front: Words) -> int:
        """Has the expander expand states; how many successors they have."""
        k = self.expander.expand(front)
        self.widest = max(self.widest, k)
        return k

    @property
    def nbytes(self) -> int:
        """What the large arrays take, as far as they were written to."""
        flags = 0 if self.flags is self.expander.flags else self.flags.nbytes
        return self.widest * self.expander.out.strides[0] + self.places.hashes.nbytes + flags


Work = Callable[[Member, int, int], bool]
"""What is done with a chunk of states, from a place to before another; False where that is enough."""


class Crew:
    """The threads of one search, or this thread alone. `first` is the first one's expander."""

    def __init__(
        self, first: Expander, visited: Visited, more: Sequence[Expander] = (), limit: int | None = None
    ) -> None:
        self._turn = len(first.flags) * (_LONGER if more else 1)
        self.members = [Member(expander, self._turn) for expander in (first, *more)]
        self._visited, self._limit, self._gate, self._known = visited, limit, Gate(), None
        if more:
            self._known = SharedVisited(visited, [member.places for member in self.members])
        self._are_together = self._is_stopped = False

    @property
    def own_bytes(self) -> int:
        """What the threads' own arrays take."""
        return sum(member.nbytes for member in self.members)

    @property
    def most_at_once(self) -> int:
        """The most states that turns of all threads can add, and leave gaps for."""
        return sum(_LONGER * (len(member.expander.out) + PLACES_TAKEN) for member in self.members)

    def each_chunk(self, lo: int, hi: int, work: Work) -> None:
        """Does the work with each chunk of states, until it says that it is enough; then all states are in one piece.

        What the work raises is raised here, and so is an interrupt, after all threads have ended.
        """
        self._is_stopped = False
        if self._known is None or hi - lo < _TURNS * _LEAST:
            self._serve(self.members[0], Ahead(lo, hi, 1, len(self.members[0].expander.flags)), work)
            return
        ahead = Ahead(lo, hi, len(self.members), self._turn)
        self._known.begin()
        self._are_together = True
        try:
            serving = [partial(self._serve, member, ahead, work) for member in self.members]
            run_together(serving, self._stop)
        finally:
            self._are_together = False
            self._known.end()

    def fits(self, k: int) -> bool:
        """May k more states be held, or would the arrays have to grow beyond the limit?"""
        return self._limit is None or not self._visited.outgrows(k, self._limit, self.own_bytes)

    def explore(self, member: Member, start: int, end: int, allows: Callable[[int], bool]) -> tuple[int, Int64s]:
        """Expands states, and adds what they lead to; how many successors there are, and the flags of the states.

        Where so many more are not allowed, the rest of the states is left out.
        """
        if self._known is None or not self._are_together:
            k = member.expand(self._visited.states[start:end])
            if allows(k):
                self._visited.add(member.expander.out, k)
            return k, member.expander.flags[: end - start]
        part = Part(start, end, member.flags, start)
        while True:
            with self._gate.together():
                self._known.explore(member.places, member.expander, part, self._most)
            member.widest = max(member.widest, part.widest)
            if part.pending < 0:
                return part.transitions, member.flags[: part.at - start]
            with self._gate.alone():
                if not allows(self._known.to_come):  # what all threads were promised: nobody promises meanwhile
                    return part.transitions, member.flags[: part.at - start]
                self._known.grow()

    @property
    def _most(self) -> int:
        """How many states may be held before somebody has to ask whether there may be more."""
        return PLACES_MAX if self._limit is None else self._visited.most_within(self._limit, self.own_bytes)

    def _stop(self) -> None:
        self._is_stopped = True

    def _serve(self, member: Member, ahead: Ahead, work: Work) -> None:
        while not self._is_stopped and (chunk := ahead.take()) is not None:
            if not work(member, *chunk):
                self._stop()

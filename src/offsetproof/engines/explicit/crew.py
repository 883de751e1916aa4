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

from offsetproof.compiled.expander import Expander
from offsetproof.compiled.layout import Words
from offsetproof.engines.explicit.shared_visited import OwnPlaces, SharedVisited
from offsetproof.engines.explicit.together import run_together
from offsetproof.engines.explicit.visited import Visited

_LEAST = 512
"""So many states are worth a turn."""


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
    """A thread's own arrays; `widest` is the largest number of successors that these had to hold so far."""

    def __init__(self, expander: Expander) -> None:
        self.expander, self.places, self.widest = expander, OwnPlaces(), 0

    def expand(self, front: Words) -> int:
        """Has the expander expand states; how many successors they have."""
        k = self.expander.expand(front)
        self.widest = max(self.widest, k)
        return k

    @property
    def nbytes(self) -> int:
        """What the large arrays take, as far as they were written to."""
        return self.widest * self.expander.out.strides[0] + self.places.hashes.nbytes


Work = Callable[[Member, int, int], bool]
"""What is done with a chunk of states, from a place to before another; False where that is enough."""


class Crew:
    """The threads of one search, or this thread alone. `first` is the first one's expander."""

    def __init__(self, first: Expander, visited: Visited, more: Sequence[Expander] = ()) -> None:
        self.members = [Member(expander) for expander in (first, *more)]
        self._visited, self._gate, self._known = visited, Gate(), None
        if more:
            self._known = SharedVisited(visited, [member.places for member in self.members])
        self._are_together = self._is_stopped = False

    @property
    def own_bytes(self) -> int:
        """What the threads' own arrays take."""
        return sum(member.nbytes for member in self.members)

    def each_chunk(self, lo: int, hi: int, work: Work) -> None:
        """Does the work with each chunk of states, until it says that it is enough; then all states are in one piece.

        What the work raises is raised here, and so is an interrupt, after all threads have ended.
        """
        self._is_stopped = False
        most = len(self.members[0].expander.ends)
        if self._known is None or hi - lo < most * len(self.members):
            self._serve(self.members[0], Ahead(lo, hi, 1, most), work)
            return
        ahead = Ahead(lo, hi, len(self.members), most)
        self._known.begin()
        self._are_together = True
        try:
            serving = [partial(self._serve, member, ahead, work) for member in self.members]
            run_together(serving, self._stop)
        finally:
            self._are_together = False
            self._known.end()

    def expand(self, member: Member, start: int, end: int) -> int:
        """Has the member's expander expand states; how many successors they have."""
        if not self._are_together:
            return member.expand(self._visited.states[start:end])
        with self._gate.together():
            return member.expand(self._visited.states[start:end])

    def add(self, member: Member, k: int) -> None:
        """Adds the first k rows that the member's expander has put out, where they are not there yet."""
        if self._known is None or not self._are_together:
            self._visited.add(member.expander.out, k)
            return
        if self._known.must_grow(k):
            with self._gate.alone():
                self._known.grow()
        with self._gate.together():
            self._known.add(member.places, member.expander.out, k)

    def _stop(self) -> None:
        self._is_stopped = True

    def _serve(self, member: Member, ahead: Ahead, work: Work) -> None:
        while not self._is_stopped and (chunk := ahead.take()) is not None:
            if not work(member, *chunk):
                self._stop()

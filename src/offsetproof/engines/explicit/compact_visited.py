"""The set of visited states in few bytes: a state is a pair of halves, and a pair is four bytes and room to spare.

No order of discovery is kept. The pairs that are new stand in line, level by level, until they were expanded.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

import numpy as np

from offsetproof.compiled.expander import CHUNK
from offsetproof.compiled.layout import Words
from offsetproof.engines.explicit.compact_table import FAR, SMALL, CompactTable, Shape
from offsetproof.engines.explicit.halves import Halves
from offsetproof.verdict.limits import LimitMetError
from offsetproof.verdict.result import Reason

_PIECE = 16 * CHUNK


class Line:
    """Pairs that stand in line, in pieces, so that those of which nobody will ask again can be let go."""

    def __init__(self, may_take: Callable[[int], None]) -> None:
        self._pieces: deque[Words] = deque()
        self._may_take, self._free, self.count = may_take, 0, 0

    def put(self, pairs: Words) -> None:
        """Has them stand behind the others."""
        self.count += len(pairs)
        while len(pairs):
            if not self._free:
                self._may_take(8 * _PIECE)
                self._pieces.append(np.empty(_PIECE, np.uint64))
                self._free = _PIECE
            some, pairs = pairs[: self._free], pairs[self._free :]
            start = _PIECE - self._free
            self._pieces[-1][start : start + len(some)] = some
            self._free -= len(some)

    def chunks(self) -> Iterator[Words]:
        """All of them, in chunks of up to `CHUNK`."""
        left = self.count
        for piece in self._pieces:
            yield from _chunks(piece[:left])
            left -= _PIECE

    def take(self) -> Iterator[Words]:
        """All of them, in the same chunks; they leave the line meanwhile."""
        left, self.count = self.count, 0
        while self._pieces:
            yield from _chunks(self._pieces[0][:left])
            self._pieces.popleft()
            left -= _PIECE

    @property
    def nbytes(self) -> int:
        """What they take."""
        return 8 * _PIECE * len(self._pieces)


def _chunks(pairs: Words) -> Iterator[Words]:
    return (pairs[start : start + CHUNK] for start in range(0, len(pairs), CHUNK))


class CompactVisited:
    """The set, whose arrays and others of `beside` bytes may take `limit` bytes in all (None: as many as there are).

    `line` are the states that were added since `next_line`. `peak_bytes` is the most that was held.
    """

    def __init__(
        self,
        words: int,
        limit: int | None = None,
        beside: int = 0,
        *,
        shape: Shape = SMALL,
        far: int = FAR,
        room: int = 1 << 10,
    ) -> None:
        self._words, self._limit, self.beside = words, limit, beside
        self._expanding = self.line = Line(self._must_fit)
        self._pairs: Words = np.empty(0, np.uint64)
        self._fresh: Words = np.empty(0, np.uint64)
        self._rows: Words = np.empty((CHUNK, words), np.uint64)
        self.count = self.peak_bytes = 0
        self._held: int | None = None
        self.halves = Halves(words, self._must_fit, room=room)
        self.table = CompactTable(self._must_fit, shape, far)

    def add(self, rows: Words, k: int) -> None:
        """Adds the first k rows that are not there yet. LimitMetError where there is no room for them."""
        if len(self._pairs) < k:
            self._pairs, self._fresh = np.empty(k, np.uint64), np.empty(k, np.uint64)
        self.halves.number(rows, k, self._pairs)
        self.table.hold(*self.halves.counts)
        new = self.table.add(self._pairs, k, self._fresh)
        self.line.put(self._fresh[:new])
        self.count += new
        self.peak_bytes = max(self.peak_bytes, self.nbytes, self.nbytes - self.table.nbytes + self.table.peak_bytes)

    def next_line(self) -> Line:
        """The states that stand in line; those that are added from now on stand in another."""
        self._expanding, self.line = self.line, Line(self._must_fit)
        return self._expanding

    def rows_of(self, pairs: Words) -> Words:
        """The states that up to `CHUNK` pairs stand for; the next call overwrites them."""
        self.halves.write(pairs, len(pairs), self._rows)
        return self._rows[: len(pairs)]

    def rows_in(self, part: int, parts: int) -> Iterator[Words]:
        """The states in one of so many equal parts of the table, in chunks of up to `CHUNK`."""
        slots = -(-self.table.used // parts)
        pairs = self.table.pairs(part * slots, min((part + 1) * slots, self.table.used))
        return (self.rows_of(chunk).copy() for chunk in _chunks(pairs))

    def let_go(self) -> None:
        """Lets all states go; how many there were and what they took is known on."""
        self._held = self.held_bytes
        self.halves, self.table = Halves(self._words, self._must_fit), CompactTable(self._must_fit)
        self._expanding = self.line = Line(self._must_fit)

    @property
    def nbytes(self) -> int:
        """What the arrays take, as far as they are used."""
        return self.held_bytes + self._pairs.nbytes + self._fresh.nbytes + self._rows.nbytes

    @property
    def held_bytes(self) -> int:
        """What the states take that were found, those in line twice."""
        if self._held is not None:
            return self._held
        return self.table.nbytes + self.halves.nbytes + self._expanding.nbytes + self.line.nbytes

    def _must_fit(self, more: int) -> None:
        """Raises LimitMetError if so many bytes more are too many."""
        if self._limit is not None and self.nbytes + self.beside + more > self._limit:
            raise LimitMetError(Reason.MEMORY)

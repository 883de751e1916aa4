"""Pairs of instances that are seen to get in each other's way: a filter before anybody asks Z3 about a pair.

States are looked at in compiled code, any that the domains allow: states from random walks, the same with some fields
changed, and states that Z3 names. What is seen is related for certain; what is not seen is still open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.expander import Expander
from offsetproof.compiled.layout import Layout, Words
from offsetproof.compiled.lower import lower, words_for
from offsetproof.compiled.native import Native
from offsetproof.ir.node import Node
from offsetproof.ir.system import State, System

WALKS, WALK_STEPS = 60, 80
"""How many random walks are made, and how long they are."""

BATCH, BATCHES_MAX = 256, 60
"""How many changed states are looked at together, and how often at most."""

CHANGED_MAX = 6
"""So many fields are changed at most."""


class PairsSeen:
    """What was seen so far: `enabling[c]` has a bit for each instance that has made condition c true, `clashing[i]` one
    for each that does not accord with instance i. States that are looked at are packed by `layout`."""

    def __init__(self, system: System, conditions: Sequence[Node], layout: Layout | None = None) -> None:
        self.system, self.layout = system, layout or Layout(system)
        self.enabling, self.clashing = [0] * len(conditions), [0] * len(system.instances)
        self._conditions, self._words = len(conditions), words_for(len(conditions))
        self._native = Native(lower(system, self.layout, [None] * len(system.claims), conditions=conditions))
        self._first = Expander(self.layout, self._native, BATCH, tells=True)
        self._second = Expander(self.layout, self._native, BATCH, tells=True)
        self._chance = Random(0)

    def look_around(self) -> None:
        """Looks at states from random walks, then at the same with some fields changed, until little is new."""
        rows = self._walk()
        self.look_at(rows)
        states, idle = [self.layout.unpack(row) for row in rows], 0
        for _ in range(BATCHES_MAX):
            before = self._count()
            self.look_at(self._pack(self._change_some(self._chance.choice(states)) for _ in range(BATCH)))
            idle = idle + 1 if self._count() - before < 2 else 0
            if idle == 3:
                return

    def look_at_state(self, state: State) -> None:
        """Looks at one state."""
        self.look_at(self._pack([state]))

    def look_at(self, rows: Words) -> None:
        """Looks at what instances do in these states, alone and in pairs."""
        for start in range(0, len(rows), BATCH):
            self._look(np.ascontiguousarray(rows[start : start + BATCH]))

    def _look(self, rows: Words) -> None:
        count = self._first.expand(rows)
        which, after = self._first.which[:count].copy(), self._first.out[:count].copy()
        ends = self._first.ends[: len(rows)].copy()
        self._note_enabled(rows, after, which, ends)
        following = self._followers(after)
        start = 0
        for end in ends.tolist():
            self._note_clashes(which[start:end].tolist(), following[start:end])
            start = end

    def _note_enabled(
        self, rows: Words, after: Words, which: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
    ) -> None:
        if not len(after):
            return
        before, behind = (np.empty((len(some), self._words), np.uint64) for some in (rows, after))
        self._native.truths(rows, before)
        self._native.truths(after, behind)
        became_true = behind & ~np.repeat(before, np.diff(ends, prepend=0), axis=0)
        for number in np.unique(which).tolist():
            words = np.bitwise_or.reduce(became_true[which == number], axis=0)
            bits = int.from_bytes(words.astype("<u8").tobytes(), "little")
            while bits:
                lowest = bits & -bits
                self.enabling[lowest.bit_length() - 1] |= 1 << number
                bits ^= lowest

    def _followers(self, rows: Words) -> list[dict[int, bytes]]:
        """For each state the states that one step leads to, by instance."""
        following: list[dict[int, bytes]] = []
        for start in range(0, len(rows), BATCH):
            part = rows[start : start + BATCH]
            count = self._second.expand(part)
            which, out = self._second.which[:count].tolist(), self._second.out[:count]
            size = out.shape[1] * 8
            data, done = out.tobytes(), 0
            for end in self._second.ends[: len(part)].tolist():
                following.append({which[k]: data[k * size : (k + 1) * size] for k in range(done, end)})
                done = end
        return following

    def _note_clashes(self, enabled: list[int], following: list[dict[int, bytes]]) -> None:
        """Notes the pairs of which one disables the other, or whose order matters."""
        for a, i in enumerate(enabled):
            first, known = following[a], self.clashing[i]
            for b in range(a + 1, len(enabled)):
                j = enabled[b]
                if not known >> j & 1:
                    one, other = first.get(j), following[b].get(i)
                    if one is None or one != other:
                        self.clashing[i] |= 1 << j
                        self.clashing[j] |= 1 << i

    def _walk(self) -> Words:
        """States from random walks, each once."""
        expander, rows = Expander(self.layout, self._native, 1, tells=True), {}
        for _ in range(WALKS):
            row = np.array(self.layout.pack(self._chance.choice(self.system.initial)), np.uint64)
            for _ in range(WALK_STEPS):
                rows[row.tobytes()] = row
                steps = expander.steps_from(row)
                if not steps:
                    break
                row = self._chance.choice(steps)[1]
        return np.array([*rows.values()], np.uint64)

    def _change_some(self, state: State) -> State:
        values, variables = [*state], self.system.variables
        for _ in range(self._chance.randint(1, CHANGED_MAX) if values else 0):
            position = self._chance.randrange(len(values))
            values[position] = self._chance.randint(variables[position].lo, variables[position].hi)
        return tuple(values)

    def _pack(self, states: Iterable[State]) -> Words:
        return np.array([self.layout.pack(state) for state in states], np.uint64)

    def _count(self) -> int:
        return sum(mask.bit_count() for mask in (*self.enabling, *self.clashing))

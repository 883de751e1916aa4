"""Looking through the visited set for situations: block by block, and the fewer are left the more states it gets.

Deterministic: what it may cost is counted in nodes and states, not in seconds. Fields that a slice has left out have no
value in a visited state; as nothing in the slice depends on them they get any value of their domain, the same in each
run, so that code that does depend on them after all is seen to.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import numpy as np

from offsetproof.compiled.layout import Layout, Words
from offsetproof.engines.explicit.situations import Sighted, Situation
from offsetproof.ir.columns import Column, columns
from offsetproof.ir.node import Node, topological
from offsetproof.ir.system import Variable

COST_MAX = 30_000_000
"""What looking may cost: a node on a state costs 1, and a node on a block of states _NODE more."""

_NODE = 3000

_FIELD, _VALUES_MAX = 4, 4096
"""A field of an instance costs as much as this many nodes; and it is looked at if it has fewer values than this."""


class StateBlock:
    """Some states, as columns; the fields that the slice has left out get values of their own."""

    def __init__(
        self, rows: Words, number: int, layout: Layout, variables: Mapping[str, Variable], fixed: Mapping[str, int]
    ) -> None:
        self.rows, self.number, self.layout = rows, number, layout
        self.variables, self.fixed = variables, fixed
        self._columns: dict[str, Column] = {}

    @cached_property
    def _wholes(self) -> Column:
        """All fields of all states, a row per state."""
        return np.stack([self.column(name) for name in self.variables], axis=1)

    def column(self, name: str) -> Column:
        """A variable's values."""
        if name not in self._columns:
            self._columns[name] = self._make_column(name)
        return self._columns[name]

    def _make_column(self, name: str) -> Column:
        field = self.layout.places.get(name)
        if field is not None:
            raw = self.rows[:, field.word] >> np.uint64(field.shift) & np.uint64(field.mask)
            return raw.astype(np.int64) + field.lo
        if name in self.fixed:
            return np.full(len(self.rows), self.fixed[name], np.int64)
        variable = self.variables[name]
        random = np.random.default_rng((zlib.crc32(name.encode()), self.number))
        return random.integers(variable.lo, variable.hi, len(self.rows), np.int64, endpoint=True)

    def sighted(self, row: int) -> Sighted:
        """One of the states."""
        return Sighted(self.rows[row].copy(), tuple(self._wholes[row].tolist()))


def sight(blocks: Iterable[StateBlock], wanted: Iterable[Situation], until: float) -> None:
    """Finds states for situations, up to what looking may cost, and no longer than `until` (this thread's seconds)."""
    pending, cost = list(wanted), 0
    order = list(topological([each.node for each in pending]))
    for block in blocks:
        cost += len(order) * (len(block.rows) + _NODE)
        if not pending or cost > COST_MAX or time.thread_time() > until:
            return
        values = columns(order, block.column)
        left = [each for each in pending if not _met(each, values[each.node], block)]
        if len(left) < len(pending):
            pending, order = left, list(topological([each.node for each in left]))


def _met(each: Situation, column: Column, block: StateBlock) -> bool:
    """Takes states of a block for a situation: at most two of one block, with one to spare. Is that enough?"""
    hits = np.flatnonzero(np.broadcast_to(column, len(block.rows)))
    if not len(hits):
        return False
    chosen = list(dict.fromkeys((int(hits[0]), int(hits[-1]))))[: each.wanted]
    each.sightings += [block.sighted(row) for row in chosen]
    each.wanted -= len(chosen)
    if not each.spare and len(hits) > 2:
        each.spare.append(block.sighted(int(hits[len(hits) // 2])))
    return each.wanted == 0


def sight_values(
    blocks: Iterable[StateBlock], where: Iterable[tuple[int, Node]], fields: Iterable[Variable], until: float
) -> Iterator[tuple[int, Sighted]]:
    """For each instance, or claim, a state for each value that a field has where its condition is true.

    That is for what nobody told apart. Fields of very many values are left out.
    """
    some = [field for field in fields if field.hi - field.lo < _VALUES_MAX]
    seen = {(about, node, field): np.zeros(field.hi - field.lo + 1, bool) for about, node in where for field in some}
    cost = 0
    for block in blocks:
        cost += len(seen) * (len(block.rows) + _NODE) * _FIELD
        if not seen or cost > COST_MAX or time.thread_time() > until:
            return
        values = columns(topological([node for _, node, _ in seen]), block.column)
        for (about, node, field), known in list(seen.items()):
            hits = np.flatnonzero(np.broadcast_to(values[node], len(block.rows)))[::-1]
            first = np.full(len(known), -1)
            first[block.column(field.name)[hits] - field.lo] = hits
            new = np.flatnonzero((first >= 0) & ~known)
            known[new] = True
            yield from ((about, block.sighted(int(first[value]))) for value in new)
        seen = {key: known for key, known in seen.items() if not known.all()}

"""What spot checks look for: for each action instance and each claim the situations that may be told apart in it.

A situation is a condition on states. An instance is taken, is cut or cannot be taken; its code takes one of its paths
(also where both sides of a condition came to the same expression); a condition within an expression is true or false;
two sides of a comparison are less, equal or greater. A defect that shows in any state at all is likely to show in each
state of one of these.

They are looked for in the visited set, block by block, and the fewer are left the more states it gets. That is
deterministic: what it may cost is counted in nodes and states, not in seconds. Fields that a slice has left out have no
value in a visited state; as nothing in the slice depends on them they get any value of their domain, the same in each
run, so that code that does depend on them after all is seen to.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from offsetproof.compiled.layout import Layout, Words
from offsetproof.ir import build
from offsetproof.ir.columns import Column, columns
from offsetproof.ir.kind import Kind
from offsetproof.ir.node import Node, topological
from offsetproof.ir.rewrite import simplify
from offsetproof.ir.system import Instance, State, Variable
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.run import Paths
from offsetproof.lang.stage import Staged

EACH = 3
"""In how many states an instance is looked at where it is taken, where it is cut, where it is neither; so each path."""

MOST = 6000
"""The most situations that are looked for; the first ones say the most."""

_NODE = 3000
"""What a node on a block of states costs, beside 1 for each state."""

_FIELD, _VALUES_MAX = 4, 4096
"""A field of an instance costs as much as this many nodes; and it is looked at if it has fewer values than this."""


@dataclass(frozen=True)
class Sample:
    """A state in which something is to be looked at: as it was found, and whole."""

    row: Words
    whole: State


@dataclass
class CoverageGoal:
    """A condition on states, what to look at where it is true, and the states that were found for it.

    `about` is the number of an instance, or of a claim after those. `wanted` says how many states are still wanted;
    `spare` is one more, for the case that there are no others. `is_taken`: is it that the instance is taken?
    """

    node: Node
    about: int
    rank: int
    wanted: int
    looks: int
    is_taken: bool = False
    sightings: list[Sample] = field(default_factory=list)
    spare: list[Sample] = field(default_factory=list)

    def states_to_look_at(self) -> list[Sample]:
        """The states to look at; the same ones again where there are fewer than looks: what is random may show then."""
        states = [*self.sightings, *self.spare][: self.looks] if self.wanted else self.sightings
        return [states[i % len(states)] for i in range(self.looks)] if states else []


def situations(staged: Staged, props: Iterable[Property]) -> list[CoverageGoal]:
    """What to look for, what matters most first. What can be true nowhere is left out.

    About the number of a label among the staged instances, or, after these, of a claim.
    """
    known = staged.constants
    made: list[CoverageGoal] = []
    claims = tuple(props)
    for number, inst in enumerate(staged.instances):
        steps = [
            staged.ways[prop.id, inst.label]
            for prop in claims
            if prop.kind is ClaimKind.EACH_STEP and (prop.id, inst.label) in staged.ways
        ]
        made += _OfInstance(staged, inst, number, known).situations(steps)
    for number, prop in enumerate(claims, len(staged.instances)):
        if (prop.id, None) in staged.ways:
            made += _of_claim(staged.ways[prop.id, None], number, known)
    possible = [each for each in _each_once(made) if each.node is not build.FALSE]
    return sorted(possible, key=lambda each: each.rank)[:MOST]


class _OfInstance:
    """The situations of one instance."""

    def __init__(self, staged: Staged, inst: Instance, number: int, known: dict[Node, Node]) -> None:
        self.inst, self.number, self.known = inst, number, known
        self.ways = staged.ways["", inst.label]
        failing = build.disjunction([failure.condition for failure in inst.failures])
        self.taken, self.cut, failing, *self.values = simplify(
            [inst.enabled, inst.cut, failing, *inst.updates.values()], known
        )
        self.neither = build.negate(build.disjunction([self.taken, self.cut, failing]))

    def situations(self, steps: list[Paths]) -> Iterator[CoverageGoal]:
        """Which way the instance goes, its paths, and what is told apart while it is taken."""
        yield CoverageGoal(self.taken, self.number, 0, EACH, EACH, is_taken=True)
        yield CoverageGoal(self.cut, self.number, 0, EACH, EACH)
        yield CoverageGoal(self.neither, self.number, 0, EACH, EACH)
        for node in simplify(list(_paths(self.ways)), self.known):
            yield CoverageGoal(node, self.number, 1, EACH, EACH)
        for ways in steps:
            for node in simplify(list(_paths(ways)), self.known):
                yield CoverageGoal(build.both(self.taken, node), self.number, 1, EACH, EACH)
        for node in _told_apart(self.values):
            yield CoverageGoal(build.both(self.taken, node), self.number, 2, 1, 1)
        for node in _told_apart([self.taken, self.cut]):
            yield CoverageGoal(node, self.number, 3, 1, 1)


def _of_claim(ways: Paths, number: int, known: dict[Node, Node]) -> Iterator[CoverageGoal]:
    paths = simplify(list(_paths(ways)), known)
    for node in paths:
        yield CoverageGoal(node, number, 1, EACH, EACH)
    for node in _told_apart(paths):
        yield CoverageGoal(node, number, 2, 1, 1)


def _paths(ways: Paths) -> Iterator[Node]:
    """The condition of each path."""
    for way in ways:
        taken = build.TRUE
        for node, answer in way:
            taken = build.both(taken, node if answer else build.negate(node))
        yield taken


def _told_apart(nodes: Iterable[Node]) -> Iterator[Node]:
    """What can be so or otherwise within expressions: conditions, and how the two sides of a comparison lie."""
    for node in topological(nodes):
        if node.kind is Kind.ITE:
            yield from (node.args[0], build.negate(node.args[0]))
        elif node.kind is Kind.EQ:
            yield from (node, build.negate(node))
        elif node.kind is Kind.LE:
            yield from (build.eq(*node.args), build.lt(*node.args), build.negate(node))


def _each_once(made: Iterable[CoverageGoal]) -> Iterator[CoverageGoal]:
    seen: set[tuple[int, Node]] = set()
    for each in made:
        if (each.about, each.node) not in seen:
            seen.add((each.about, each.node))
            yield each


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
        if not self.variables:
            return np.zeros((len(self.rows), 0), np.int64)
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

    def sighting(self, row: int) -> Sample:
        """One of the states."""
        return Sample(self.rows[row].copy(), tuple(self._wholes[row].tolist()))


def sample_states(blocks: Iterable[StateBlock], wanted: Iterable[CoverageGoal], cost_max: int, until: float) -> None:
    """Finds states for situations, up to what it may cost, and no longer than `until` (this thread's seconds)."""
    pending, cost = list(wanted), 0
    order = list(topological([each.node for each in pending]))
    for block in blocks:
        cost += len(order) * (len(block.rows) + _NODE)
        if not pending or cost > cost_max or time.thread_time() > until:
            return
        values = columns(order, block.column)
        left = [each for each in pending if not _take_states(each, values[each.node], block)]
        if len(left) < len(pending):
            pending, order = left, list(topological([each.node for each in left]))


def _take_states(each: CoverageGoal, column: Column, block: StateBlock) -> bool:
    """Takes states of a block for a situation: at most two of one block, with one to spare. Is that enough?"""
    hits = np.flatnonzero(np.broadcast_to(column, len(block.rows)))
    if not len(hits):
        return False
    chosen = list(dict.fromkeys((int(hits[0]), int(hits[-1]))))[: each.wanted]
    each.sightings += [block.sighting(row) for row in chosen]
    each.wanted -= len(chosen)
    if not each.spare and len(hits) > 2:
        each.spare.append(block.sighting(int(hits[len(hits) // 2])))
    return each.wanted == 0


def sight_values(
    blocks: Iterable[StateBlock],
    where: Iterable[tuple[int, Node]],
    fields: Iterable[Variable],
    cost_max: int,
    until: float,
) -> Iterator[tuple[int, Sample]]:
    """For each instance, or claim, a state for each value that a field has where its condition is true.

    That is for what nobody told apart. Fields of very many values are left out.
    """
    some = [variable for variable in fields if variable.hi - variable.lo < _VALUES_MAX]
    seen = {
        (about, node, variable): np.zeros(variable.hi - variable.lo + 1, bool)
        for about, node in where
        for variable in some
    }
    cost = 0
    for block in blocks:
        cost += len(seen) * (len(block.rows) + _NODE) * _FIELD
        if not seen or cost > cost_max or time.thread_time() > until:
            return
        values = columns(topological([node for _, node, _ in seen]), block.column)
        for (about, node, variable), known in list(seen.items()):
            hits = np.flatnonzero(np.broadcast_to(values[node], len(block.rows)))[::-1]
            first = np.full(len(known), -1)
            first[block.column(variable.name)[hits] - variable.lo] = hits
            new = np.flatnonzero((first >= 0) & ~known)
            known[new] = True
            yield from ((about, block.sighting(int(first[value]))) for value in new)
        seen = {key: known for key, known in seen.items() if not known.all()}

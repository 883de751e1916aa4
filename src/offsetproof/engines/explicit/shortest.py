"""The canonical trace among the shortest: fewest changes of actor, then the smallest path of actions and arguments.

Predecessors are not stored. The shortest-path graph is found by expanding the levels before the violation once more,
last first: a state belongs to it when one of its successors does. That costs a refuted search about its own time again
and saves every search eight bytes per state; and it gives all shortest traces, not one that depends on probing order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.layout import Layout, Words
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit import table as visited
from offsetproof.engines.explicit.search import Alarm, Snapshot
from offsetproof.ir.node import evaluate
from offsetproof.ir.system import Label, State, System
from offsetproof.traces.order import Edges, Names, smallest

Key = bytes
"""A packed state as a dictionary key."""

_END: Key = b""
"""Where the violating step of a step claim leads."""


class Explored(Protocol):
    """What was explored, level by level, with its compiled functions and room for what they give."""

    system: System
    layout: Layout
    native: Native
    shape: tuple[int, ...]
    initial: tuple[State, ...]
    fired: npt.NDArray[np.int64]
    out: Words
    ends: npt.NDArray[np.int64]
    flags: npt.NDArray[np.int64]

    @property
    def snapshot(self) -> Snapshot:
        """Totals at the end of the last complete level."""

    def initial_rows(self) -> Words:
        """The initial states, packed, in ascending order."""

    def fronts(self, depth: int) -> Iterator[Words]:
        """The states of one level, in chunks that `expand` takes."""

    def samples(self, most: int) -> Words:
        """Some of the states."""

    def blocks(self) -> Iterator[Words]:
        """Parts of the visited set in which each instance was taken that ever was, in chunks that `expand` takes."""


@dataclass(frozen=True)
class Path:
    """A trace of the explored system: an initial state and the labels of its steps."""

    initial: State
    labels: tuple[Label, ...]


def shortest(search: Explored, alarm: Alarm, question: int | None) -> Path:
    """The canonical shortest trace to an alarm of claim `question` (None: to the alarm's states themselves)."""
    targets = {row.tobytes() for row in alarm.rows}
    levels: list[Edges[Key]] = []
    depth = alarm.length
    if question is not None and search.system.claims[question].per_step:
        depth -= 1
        edges = {key: _violating(search, key, question) for key in targets}
        levels.append({key: found for key, found in edges.items() if found})
    while depth > 0:
        depth -= 1
        edges = _edges_into(search, depth, targets)
        targets = set(edges)
        levels.append(edges)
    initial = dict(zip((row.tobytes() for row in search.initial_rows()), search.initial, strict=True))
    starts = {key: state for key, state in initial.items() if key in targets}
    instances = search.system.instances
    names = Names([inst.actor for inst in instances], [inst.label for inst in instances])
    start, labels = smallest(list(reversed(levels)), starts, names)
    return Path(initial[start], labels)


def _row(search: Explored, key: Key) -> npt.NDArray[np.uint64]:
    return np.frombuffer(key, np.uint64).reshape(1, search.layout.words)


def steps_from(search: Explored, key: Key) -> list[tuple[int, Key]]:
    """Every step from one state, by instance."""
    fired = np.zeros_like(search.fired)
    count = search.native.expand(_row(search, key), search.out, search.ends, fired, np.zeros_like(fired), search.flags)
    return [(int(inst), search.out[i].tobytes()) for i, inst in zip(range(count), np.flatnonzero(fired), strict=True)]


def _violating(search: Explored, key: Key, question: int) -> list[tuple[int, Key]]:
    claim = search.system.claims[question]
    state = search.layout.unpack(_row(search, key)[0])
    values = {v.name: value for v, value in zip(search.system.variables, state, strict=True)}
    taken = [inst for inst, _ in steps_from(search, key)]
    return [(inst, _END) for inst in taken if not evaluate([claim.per_step[inst]], values)[0]]


def _edges_into(search: Explored, depth: int, targets: set[Key]) -> Edges[Key]:
    """The part of one level that has steps into the targets, with those steps."""
    rows = np.frombuffer(b"".join(sorted(targets)), np.uint64).reshape(-1, search.layout.words)
    table = visited.table_of(search.shape, rows)
    edges: Edges[Key] = {}
    scratch = np.zeros_like(search.fired)
    for front in search.fronts(depth):
        search.native.expand(front, search.out, search.ends, scratch, scratch, search.flags)
        found = np.zeros(len(front), np.bool_)
        visited.sources(search.shape, rows, table, search.out, search.ends, len(front), found)
        for i in np.flatnonzero(found):
            key = front[i].tobytes()
            edges[key] = [(inst, after) for inst, after in steps_from(search, key) if after in targets]
    return edges

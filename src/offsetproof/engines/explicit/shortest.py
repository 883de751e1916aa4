"""The canonical trace among the shortest: fewest changes of actor, then the smallest path of actions and arguments.

Predecessors are not stored. The shortest-path graph is found by expanding the levels before the violation once more,
last first: a state belongs to it when one of its successors does. That costs a refuted search about its own time again
and saves every search eight bytes per state; and it gives all shortest traces, not one that depends on probing order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from offsetproof.engines.explicit import table as visited
from offsetproof.engines.explicit.search import Alarm, Search
from offsetproof.ir.node import evaluate
from offsetproof.ir.system import Label, State

Key = bytes
"""A packed state as a dictionary key."""

Edges = dict[Key, list[tuple[int, Key]]]
"""For each state of one level: the instances that lead on, with the states that they lead to."""

_END: Key = b""
"""Where the violating step of a step claim leads."""


@dataclass(frozen=True)
class Path:
    """A trace of the explored system: an initial state and the labels of its steps."""

    initial: State
    labels: tuple[Label, ...]


def shortest(search: Search, alarm: Alarm, question: int | None) -> Path:
    """The canonical shortest trace to an alarm of claim `question` (None: to the alarm's states themselves)."""
    places = np.sort(alarm.places)
    targets = {search.states[place].tobytes() for place in places}
    levels: list[Edges] = []
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
    starts = [row.tobytes() for row in search.initial_rows()]
    return _smallest(search, list(reversed(levels)), [key for key in starts if key in targets])


def _row(search: Search, key: Key) -> npt.NDArray[np.uint64]:
    return np.frombuffer(key, np.uint64).reshape(1, search.layout.words)


def steps_from(search: Search, key: Key) -> list[tuple[int, Key]]:
    """Every step from one state, by instance."""
    fired = np.zeros_like(search.fired)
    count = search.native.expand(_row(search, key), search.out, search.ends, fired, np.zeros_like(fired), search.flags)
    return [(int(inst), search.out[i].tobytes()) for i, inst in zip(range(count), np.flatnonzero(fired), strict=True)]


def _violating(search: Search, key: Key, question: int) -> list[tuple[int, Key]]:
    claim = search.system.claims[question]
    state = search.layout.unpack(_row(search, key)[0])
    values = {v.name: value for v, value in zip(search.system.variables, state, strict=True)}
    taken = [inst for inst, _ in steps_from(search, key)]
    return [(inst, _END) for inst in taken if not evaluate([claim.per_step[inst]], values)[0]]


def _edges_into(search: Search, depth: int, targets: set[Key]) -> Edges:
    """The part of one level that has steps into the targets, with those steps."""
    rows = np.frombuffer(b"".join(sorted(targets)), np.uint64).reshape(-1, search.layout.words)
    table = visited.table_of(search.shape, rows)
    edges: Edges = {}
    chunk = len(search.ends)
    scratch = np.zeros_like(search.fired)
    for start in range(search.levels[depth], search.levels[depth + 1], chunk):
        front = search.states[start : min(start + chunk, search.levels[depth + 1])]
        search.native.expand(front, search.out, search.ends, scratch, scratch, search.flags)
        found = np.zeros(len(front), np.bool_)
        visited.sources(search.shape, rows, table, search.out, search.ends, len(front), found)
        for i in np.flatnonzero(found):
            key = front[i].tobytes()
            edges[key] = [(inst, after) for inst, after in steps_from(search, key) if after in targets]
    return edges


Costs = dict[Key, dict[str, int]]
"""For each state: the fewest changes of actor from there to the end, by the actor of the next step."""


def _smallest(search: Search, levels: list[Edges], starts: list[Key]) -> Path:
    actors = [inst.actor for inst in search.system.instances]
    costs: list[Costs] = [{}]
    for edges in reversed(levels):
        costs.append(_costs(edges, costs[-1], actors))
    costs.reverse()
    initial = dict(zip((row.tobytes() for row in search.initial_rows()), search.initial, strict=True))
    best = min(
        (_walk(search, levels, costs, actors, start) for start in starts),
        key=lambda found: (found[0], found[1], initial[found[2]]),
    )
    return Path(initial[best[2]], tuple(best[1]))


def _costs(edges: Edges, after: Costs, actors: list[str]) -> Costs:
    costs: Costs = {}
    for key, steps in edges.items():
        mine = costs.setdefault(key, {})
        for inst, target in steps:
            actor = actors[inst]
            mine[actor] = min(mine.get(actor, 1 << 30), _onward(after, target, actor))
    return costs


def _onward(costs: Costs, key: Key, actor: str | None) -> int:
    """The fewest changes from a state to the end, after a step of this actor."""
    return min((cost + (actor is not None and actor != b) for b, cost in costs.get(key, {}).items()), default=0)


def _walk(
    search: Search, levels: list[Edges], costs: list[Costs], actors: list[str], start: Key
) -> tuple[int, list[Label], Key]:
    key, actor, labels = start, None, []
    total = _onward(costs[0], start, None)
    for depth, edges in enumerate(levels):
        left = _onward(costs[depth], key, actor)
        step: Callable[[tuple[int, Key]], int] = lambda e, a=actor, d=depth: (  # type: ignore[misc]  # noqa: E731 - binds the loop
            (a is not None and a != actors[e[0]]) + _onward(costs[d + 1], e[1], actors[e[0]])
        )
        inst, key = min((e for e in edges[key] if step(e) == left), key=lambda e: search.system.instances[e[0]].label)
        actor = actors[inst]
        labels.append(search.system.instances[inst].label)
    return total, labels, start

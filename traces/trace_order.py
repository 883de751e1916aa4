"""The order on traces, smallest first: fewest faults, fewest steps, fewest changes of actor, smallest actions.

Two things follow from it. `smallest` picks the one canonical trace out of a graph of shortest traces (the explicit
engine, whose graphs are large, does the same over arrays). `canonical` takes any trace, however it was found, and gives
the smallest one that needs no other action instances than it: what a random walk found by detours is told as straight
as it can be.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from offsetproof.ir.system import Label, State
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import NotTaken, Reference, Replay

Key = TypeVar("Key", bound=Hashable)

Edges = dict[Key, list[tuple[int, Key]]]
"""For each state of one level: the instances that lead on, by number, with the states that they lead to."""

TAKES_MAX = 20_000
"""How many instances `canonical` tries before it gives the trace back as it is (a second or so)."""

Rank = tuple[int, int, int, tuple[Label, ...]]
"""A trace's place in the order: faults, steps, changes of actor, labels."""


@dataclass(frozen=True)
class InstanceNames:
    """The instances of a system by number: who takes them and what they are called."""

    actors: Sequence[str]
    labels: Sequence[Label]


def rank(replay: Replay) -> Rank:
    """Where a trace stands in the order."""
    actors = [replay.reference.grown.actor(label) for label in replay.labels]
    changes = sum(a != b for a, b in pairwise(actors))
    return replay.faults, len(replay.labels), changes, replay.labels


def smallest(
    levels: Sequence[Edges[Key]], starts: Mapping[Key, State], names: InstanceNames
) -> tuple[Key, tuple[Label, ...]]:
    """The start and the labels of the smallest trace through all levels; all its traces have the same length.

    `starts` are the states of the first level to start from, with what decides between equal traces.
    """
    costs: list[_Costs[Key]] = [{}]
    for edges in reversed(levels):
        costs.append(_costs(edges, costs[-1], names.actors))
    costs.reverse()
    walks = [_walk(levels, costs, names, start) for start in starts]
    _, labels, start = min(walks, key=lambda walk: (walk[0], walk[1], starts[walk[2]]))
    return start, tuple(labels)


_Costs = dict[Key, dict[str, int]]
"""For each state: the fewest changes of actor from there to the end, by the actor of the next step."""


def _costs(edges: Edges[Key], after: _Costs[Key], actors: Sequence[str]) -> _Costs[Key]:
    costs: _Costs[Key] = {}
    for key, steps in edges.items():
        mine = costs.setdefault(key, {})
        for inst, target in steps:
            actor = actors[inst]
            mine[actor] = min(mine.get(actor, 1 << 30), _onward(after, target, actor))
    return costs


def _onward(costs: _Costs[Key], key: Key, actor: str | None) -> int:
    """The fewest changes from a state to the end, after a step of this actor."""
    return min((cost + (actor is not None and actor != b) for b, cost in costs.get(key, {}).items()), default=0)


def _walk(
    levels: Sequence[Edges[Key]], costs: Sequence[_Costs[Key]], names: InstanceNames, start: Key
) -> tuple[int, list[Label], Key]:
    key, actor, labels = start, None, []
    total = _onward(costs[0], start, None)
    for depth, edges in enumerate(levels):
        left = _onward(costs[depth], key, actor)
        inst, key = min(
            (e for e in edges[key] if _cost(costs[depth + 1], e, actor, names.actors) == left),
            key=lambda e: names.labels[e[0]],
        )
        actor = names.actors[inst]
        labels.append(names.labels[inst])
    return total, labels, start


def _cost(after: _Costs[Key], edge: tuple[int, Key], actor: str | None, actors: Sequence[str]) -> int:
    mine = actors[edge[0]]
    return (actor is not None and actor != mine) + _onward(after, edge[1], mine)


def canonical(replay: Replay, takes_max: int = TAKES_MAX) -> Replay:
    """The smallest trace from the same initial state that takes only instances of this one, replayed.

    Found breadth-first by the reference semantics; where that would need more than `takes_max` attempts at an
    instance, the trace comes back as it is.
    """
    search = _Within(replay, takes_max)
    for cap in range(replay.faults + 1):
        levels = search.levels(cap)
        if search.left < 0:
            return replay
        if levels is not None:
            start = replay.states[0]
            _, labels = smallest(levels, {(start, 0): start}, search.names)
            return Replay(replay.reference, replay.prop, labels, start)
    return replay


_Node = tuple[State, int]
"""A state, and 0; or the end of a violating step of a step claim, which is not a state to go on from."""


class _Within:
    """The search among the instances of one trace; `left` is how many attempts it has, below 0 when it gave up."""

    def __init__(self, replay: Replay, takes_max: int) -> None:
        self.reference: Reference = replay.reference
        self.prop: Property = replay.prop
        self.start = replay.states[0]
        self.left = takes_max
        self.length_max = len(replay.labels)
        labels = sorted(set(replay.labels))
        instances = self.reference.grown.instances
        self.names = InstanceNames([self.reference.grown.actor(label) for label in labels], labels)
        self.is_fault = [instances[label][0].fault is not None for label in labels]
        leaves = self.reference.grown.tree.leaves
        self.spent = [i for i, leaf in enumerate(leaves) if leaf.path.startswith("faults[")]
        self.after: dict[tuple[State, int], State | None] = {}

    def levels(self, cap: int) -> list[Edges[_Node]] | None:
        """The levels of the graph of shortest traces with at most as many faults; None if there is no trace, or no
        attempt is left."""
        seen = {self.start}
        front = [self.start]
        forward: list[Edges[_Node]] = []
        goals = {(self.start, 0)} if self._shows(self.start) else set()
        while front and not goals and len(forward) < self.length_max:
            edges: Edges[_Node] = {}
            fresh: dict[State, None] = {}
            for state in front:
                if self.left < 0:
                    return None
                for inst, after in self._steps(state, cap):
                    broken = self._breaks(state, inst, after)
                    node = (after, int(broken))
                    edges.setdefault((state, 0), []).append((inst, node))
                    if broken or self._shows(after):
                        goals.add(node)
                    elif after not in seen:
                        fresh[after] = None
            forward.append(edges)
            seen.update(fresh)
            front = list(fresh)
        return _leading_to(forward, goals) if goals else None

    def _steps(self, state: State, cap: int) -> list[tuple[int, State]]:
        spent = sum(state[i] for i in self.spent)
        steps = []
        for inst in range(len(self.names.labels)):
            if self.is_fault[inst] and spent >= cap:
                continue
            after = self._take(state, inst)
            if after is not None:
                steps.append((inst, after))
        return steps

    def _take(self, state: State, inst: int) -> State | None:
        if (state, inst) not in self.after:
            self.left -= 1
            if self.left < 0:
                return None
            try:
                after = self.reference.take(state, self.names.labels[inst])
            except ModelError:
                after = NotTaken.DISABLED
            self.after[state, inst] = None if isinstance(after, NotTaken) else after
        return self.after[state, inst]

    def _shows(self, state: State) -> bool:
        if self.prop.kind is ClaimKind.EACH_STEP:
            return False
        return self.reference.judge(self.prop, state) is (self.prop.kind is ClaimKind.SOMETIMES)

    def _breaks(self, before: State, inst: int, after: State) -> bool:
        if self.prop.kind is not ClaimKind.EACH_STEP:
            return False
        return not self.reference.judge_step(self.prop, before, self.names.labels[inst], after)


def _leading_to(forward: Sequence[Edges[_Node]], goals: set[_Node]) -> list[Edges[_Node]]:
    """The part of the levels from which a goal can still be reached, last level first found."""
    levels: list[Edges[_Node]] = []
    targets = goals
    for edges in reversed(forward):
        kept = {key: [e for e in steps if e[1] in targets] for key, steps in edges.items()}
        edges = {key: steps for key, steps in kept.items() if steps}
        levels.append(edges)
        targets = set(edges)
    return levels[::-1]

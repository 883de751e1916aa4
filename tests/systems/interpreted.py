"""A naive search over a system's own expressions, node by node: what reductions, caps and exports are judged with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from offsetproof.ir.node import Node, evaluate_all, topological
from offsetproof.ir.system import State, System
from offsetproof.lang import ClaimKind

LIMIT = 300


class TooManyStatesError(Exception):
    """The system is too large for a naive search."""


@dataclass(frozen=True)
class Interpreted:
    """The length of the shortest trace to the claim's end, the first depth at which something fails, and all states.

    Either is None where it does not come about before the search ends.
    """

    length: int | None
    fails_at: int | None
    states: int

    @property
    def answer(self) -> tuple[int | None, int | None]:
        """What reductions must keep: a failure matters only where the claim is not violated."""
        return (self.length, None) if self.length is not None else (None, self.fails_at)


def interpret(
    system: System, kind: ClaimKind, initial: Iterable[State] | None = None, limit: int = LIMIT
) -> Interpreted:
    """What a breadth-first search for the end of a system's first claim finds."""
    run = _Run(system)
    fails_at = None
    for depth, front in run.levels(system.initial if initial is None else initial, limit):
        if any(run.ends(values, kind) for values in front):
            return Interpreted(depth, fails_at, run.states)
        fails_at = depth if fails_at is None and any(map(run.fails, front)) else fails_at
        if any(map(run.breaks, front)):
            return Interpreted(depth + 1, fails_at, run.states)
    return Interpreted(None, fails_at, run.states)


def first_false(system: System, nodes: Sequence[Node], limit: int = LIMIT) -> tuple[int | None, ...]:
    """For each condition the depth of the first reachable state in which it is false."""
    found: list[int | None] = [None] * len(nodes)
    for depth, front in _Run(system, nodes).levels(system.initial, limit):
        for i, node in enumerate(nodes):
            if found[i] is None and not all(values[node] for values in front):
                found[i] = depth
    return tuple(found)


Values = dict[Node, int]
"""What every node of a system is in one state."""


class _Run:
    """One search over a system, level by level; `states` are those seen."""

    def __init__(self, system: System, more: Sequence[Node] = ()) -> None:
        self.system, self.states = system, 0
        updates = [node for inst in system.instances for node in (*inst.guards, *inst.updates.values())]
        claims = [node for claim in system.claims for node in claim.roots]
        variables = [v.node for v in system.variables]
        self._order = tuple(topological([*updates, *claims, *more, *variables]))

    def levels(self, initial: Iterable[State], limit: int) -> Iterator[tuple[int, list[Values]]]:
        """The depth of each level, with what is true in its states."""
        names = [v.name for v in self.system.variables]
        seen: set[State] = set()
        front, depth = set(initial), 0
        while front:
            seen |= front
            self.states = len(seen)
            if len(seen) > limit:
                raise TooManyStatesError
            values = [evaluate_all(self._order, dict(zip(names, state, strict=True))) for state in front]
            yield depth, values
            front = {after for each in values for after in self._successors(each)} - seen
            depth += 1

    def ends(self, values: Values, kind: ClaimKind) -> bool:
        """Does the state end the search for the first claim?"""
        claim = self.system.claims[0]
        if claim.deadlock:
            return not any(values[guard] for inst in self.system.instances for guard in inst.guards)
        return claim.on_state is not None and bool(values[claim.on_state]) is (kind is ClaimKind.SOMETIMES)

    def fails(self, values: Values) -> bool:
        """Does some instance go wrong in the state?"""
        return any(values[failure.condition] for inst in self.system.instances for failure in inst.failures)

    def breaks(self, values: Values) -> bool:
        """Does some step from the state break the first claim?"""
        steps = self.system.claims[0].per_step
        return any(
            values[inst.enabled] and not values[node] for inst, node in zip(self.system.instances, steps, strict=False)
        )

    def _successors(self, values: Values) -> Iterator[State]:
        for inst in self.system.instances:
            if values[inst.enabled]:
                yield tuple(values[inst.updates.get(v.name, v.node)] for v in self.system.variables)

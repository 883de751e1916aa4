"""What follows a violation, by brute force: the components that no step leaves, and what is true in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import networkx as nx
from engines.naive import Naive, State

from offsetproof.ir.system import Label
from offsetproof.lang import ClaimKind, ModelError, Property
from offsetproof.lang.reference import NotTaken

LOST = "n0"
"""The field that counts what is lost."""


def naive_effect(naive: Naive, prop: Property, last: State, outside: Sequence[str]) -> tuple[str, int | None]:
    """The kind of effect and how many messages are lost, without further faults and nothing new from outside."""
    follows = _Follows(naive, outside)
    if not follows.explore(last):
        return "unknown", None
    bottoms = [
        component
        for component in nx.strongly_connected_components(follows.graph)
        if all(after in component for state in component for after in follows.graph.successors(state))
    ]
    ends = [component for component in bottoms if not follows.is_blocked(component)]
    lost = max((int(follows.lost(state)) for component in ends for state in component), default=0)
    broken = any(follows.breaks(prop, state) for component in ends for state in component)
    if broken or lost:
        return "permanent", lost
    return ("transient", 0) if len(ends) == len(bottoms) else ("unknown", None)


class _Follows:
    """All that can follow a state: the graph, and what is taken and cut in each state."""

    def __init__(self, naive: Naive, outside: Sequence[str]) -> None:
        self.naive, self.graph = naive, nx.DiGraph()
        self.steps: dict[State, dict[Label, State]] = {}
        self.cut: dict[State, set[Label]] = {}
        actions = {label: action for label, (action, _) in naive.reference.grown.instances.items()}
        self.labels = [x for x, a in actions.items() if a.fault is None and a.name not in outside]

    def explore(self, first: State) -> bool:
        """Builds the graph; False where the model goes wrong somewhere."""
        left, reference = [first], self.naive.reference
        while left:
            state = left.pop()
            if state in self.steps:
                continue
            self.steps[state], self.cut[state] = {}, set()
            self.graph.add_node(state)
            for label in self.labels:
                try:
                    after = reference.take(state, label)
                except ModelError:
                    return False
                if after is NotTaken.CUT:
                    self.cut[state].add(label)
                elif not isinstance(after, NotTaken):
                    self.steps[state][label] = after
                    self.graph.add_edge(state, after)
                    left.append(after)
        return True

    def is_blocked(self, component: Iterable[State]) -> bool:
        """Is some step cut in these states, and taken in none of them?"""
        states = list(component)
        cut = {label for state in states for label in self.cut[state]}
        return bool(cut - {label for state in states for label in self.steps[state]})

    def breaks(self, prop: Property, state: State) -> bool:
        """Is the claim false here, or broken by a step from here?"""
        if prop.kind is ClaimKind.EACH_STEP:
            judge = self.naive.reference.judge_step
            return any(not judge(prop, state, label, after) for label, after in self.steps[state].items())
        return self.naive.shows(prop, state)

    def lost(self, state: State) -> int:
        """How much is lost here."""
        return int(self.naive.reference.show(state)[LOST])

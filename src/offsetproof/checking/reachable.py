"""The reachable graph of a small scope, by the reference semantics: every state a node, every step an edge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import networkx as nx

from offsetproof.ir.system import State, show_label
from offsetproof.lang.claim import Property
from offsetproof.lang.model import Model
from offsetproof.lang.reference import Reference
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged

STATES_MAX = 2000
"""More states than this make no graph that anybody can look at."""


def reachable_graph(
    model: type[Model],
    setting: Setting,
    states_max: int = STATES_MAX,
    breaks: Callable[[State], Sequence[Property]] | None = None,
) -> nx.MultiDiGraph[Any] | None:
    """The graph of a scope, or None where it has more than `states_max` states.

    Nodes are numbered in breadth-first order, with `depth`, `initial` and `state`; edges have `action` and `actor`.

    Where `breaks` is given, nodes also have the claims that it says are false there.
    Raises RefusedError for a model that `check` refuses, too: nothing but staging looks for loops without end and for
    what a model may not do.
    """
    Staged(model, setting)
    reference = Reference(model, setting)
    graph: nx.MultiDiGraph[Any] = nx.MultiDiGraph(model=model.__name__, scope=setting.scope.name)
    numbers: dict[State, int] = {}

    def attributes_of(state: State) -> dict[str, Any]:
        text = _state_text(reference, state)
        return {"state": text} if breaks is None else {"state": text, "breaks": breaks(state)}

    frontier = reference.initial()
    for state in frontier:
        numbers[state] = len(numbers)
        graph.add_node(numbers[state], depth=0, initial=True, **attributes_of(state))
    depth = 0
    while frontier:
        depth += 1
        following = []
        for state in frontier:
            for label, after in reference.steps(state):
                if after not in numbers:
                    if len(numbers) >= states_max:
                        return None
                    numbers[after] = len(numbers)
                    following.append(after)
                    graph.add_node(numbers[after], depth=depth, initial=False, **attributes_of(after))
                actor = reference.grown.actor(label)
                graph.add_edge(numbers[state], numbers[after], action=show_label(label), actor=actor)
        frontier = following
    return graph


def _state_text(reference: Reference, state: State) -> str:
    """The state as text: only what differs from the first initial state, so that small graphs stay readable."""
    first = reference.show(reference.initial()[0])
    shown = reference.show(state)
    values = {path: getattr(value, "name", value) for path, value in shown.items() if value != first[path]}
    return ", ".join(f"{path}={value}" for path, value in values.items()) or "as at first"

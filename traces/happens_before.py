"""Which step had to come before which: the happens-before graph of a trace, as a networkx DiGraph.

Nodes are step numbers from 1, each with the attribute `action`. An edge i -> j says why j cannot move before i. Its
attribute `fields` maps each kind of reason to the fields concerned, and `by` names the strongest kind:

- `read`: j read what i was the last to write (only these count for a cause);
- `write`: j wrote again what i was the last to write;
- `overwrite`: j wrote what i had read, and nobody wrote in between.

Steps without a path between them could have been taken in either order, with the same outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import networkx as nx

from offsetproof.lang.reference import Replay
from offsetproof.lang.stage import Staged
from offsetproof.traces.reads import Touched, TouchedSteps

if TYPE_CHECKING:
    Order = nx.DiGraph[int]

KINDS = ("read", "write", "overwrite")
"""The kinds of dependency, strongest first."""


def happens_before(replay: Replay, staged: Staged | None = None) -> Order:
    """The happens-before graph of a replay, with all three kinds of dependency."""
    steps = TouchedSteps(replay, staged or Staged(replay.reference.model, replay.reference.setting))
    order: Order = nx.DiGraph()
    for number, (action, _) in enumerate(replay.labels, 1):
        order.add_node(number, action=action)
    names_by_edge: dict[tuple[int, int], dict[str, list[str]]] = {}
    for earlier, later, kind, name in _dependencies(steps):
        names_by_edge.setdefault((earlier, later), {}).setdefault(kind, []).append(name)
    for (earlier, later), kinds in sorted(names_by_edge.items()):
        fields = {kind: tuple(sorted(kinds[kind])) for kind in KINDS if kind in kinds}
        order.add_edge(earlier, later, by=next(iter(fields)), fields=fields)
    return order


def without_implied_edges(order: Order) -> Order:
    """The same order with only the edges that no others imply, for display; attributes stay.

    >>> order = nx.DiGraph([(1, 2), (2, 3), (1, 3)])
    >>> sorted(without_implied_edges(order).edges)
    [(1, 2), (2, 3)]
    """
    kept = nx.transitive_reduction(order).edges
    result = order.copy()
    result.remove_edges_from([edge for edge in order.edges if edge not in kept])
    return result


def _dependencies(steps: Iterable[Touched]) -> Iterator[tuple[int, int, str, str]]:
    """Every direct dependency: the earlier step, the later one, its kind and the field."""
    writer: dict[str, int] = {}
    readers: dict[str, list[int]] = {}
    for number, step in enumerate(steps, 1):
        yield from ((writer[name], number, "read", name) for name in step.reads if name in writer)
        for name in step.writes:
            if name in writer:
                yield writer[name], number, "write", name
            yield from ((reader, number, "overwrite", name) for reader in readers.get(name, []))
        for name in step.reads:
            readers.setdefault(name, []).append(number)
        for name in step.writes:
            writer[name] = number
            readers[name] = []

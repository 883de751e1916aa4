"""A trace's steps in blocks that nothing has to come between: the same happens, with fewer changes of thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import networkx as nx

if TYPE_CHECKING:
    from offsetproof.traces.happens_before import Order

Pair = tuple[int, int]
"""Two steps by their numbers, the earlier first."""


def blocks_of(order: Order, neighbours: Sequence[Pair]) -> list[tuple[int, ...]]:
    """The steps in blocks, in an order that keeps happens-before; all blocks together are all steps.

    `neighbours` are steps of one thread with none of it between them, those first that must be in one block if any can.
    Two are in one wherever no other step has to come between them. A block comes when all that it waits for is done,
    and else as early as its last step does.

    >>> blocks_of(nx.DiGraph([(1, 3), (2, 3), (3, 4)]), [(1, 4)])
    [(1,), (2,), (3,), (4,)]
    >>> blocks_of(nx.DiGraph([(1, 3), (2, 4)]), [(1, 3)])
    [(2,), (1, 3), (4,)]
    """
    block = {number: number for number in order.nodes}
    before = [*order.edges, *neighbours]
    for first, second in neighbours:
        joined = {number: block[first] if of == block[second] else of for number, of in block.items()}
        if nx.is_directed_acyclic_graph(_graph(joined, before)):
            block = joined
    members: dict[int, list[int]] = {}
    for number in sorted(block):
        members.setdefault(block[number], []).append(number)
    blocks = nx.lexicographical_topological_sort(_graph(block, before), key=lambda each: members[each][-1])
    return [tuple(members[each]) for each in blocks]


def _graph(block: Mapping[int, int], before: Sequence[Pair]) -> Order:
    """Which block has to come before which."""
    graph: Order = nx.DiGraph()
    graph.add_nodes_from(block.values())
    graph.add_edges_from((block[a], block[b]) for a, b in before if block[a] != block[b])
    return graph

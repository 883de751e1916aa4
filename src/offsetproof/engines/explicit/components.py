"""Strongly connected components of a graph of numbered states, by Tarjan's algorithm without recursion.

Compiled, because the graphs have millions of edges; it knows nothing of states. The steps from state i lead to
`targets[starts[i]:starts[i + 1]]`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from offsetproof.engines.explicit.machine_code import kept_machine_code
from offsetproof.engines.explicit.visited import PLACES_MAX

Places = npt.NDArray[np.int64]
Targets = npt.NDArray[np.int32]


def _take(waiting: Places, held: int, component: Places, number: int, until: int) -> int:
    """Puts what waits, from the last up to `until`, into a component; how many still wait."""
    while True:
        held -= 1
        component[waiting[held]] = number
        if waiting[held] == until:
            return held


@kept_machine_code
def _components(
    starts: Places, targets: Targets, component: Places, index: Places, low: Places, next_edge: Places, path: Places,
    waiting: Places,
) -> int:  # fmt: skip
    """Numbers the components and says how many there are; the arrays behind `component` are room for that."""
    count = met = held = 0
    for root in range(len(component)):
        if index[root]:
            continue
        deep = 0
        path[0] = root
        while deep >= 0:
            v = path[deep]
            if not index[v]:
                met += 1
                index[v] = low[v] = met
                waiting[held] = v
                held += 1
            if next_edge[v] < starts[v + 1]:
                w = targets[next_edge[v]]
                next_edge[v] += 1
                if not index[w]:
                    deep += 1
                    path[deep] = w
                elif component[w] < 0:
                    low[v] = min(low[v], index[w])
                continue
            if low[v] == index[v]:
                held = _take(waiting, held, component, count, v)
                count += 1
            deep -= 1
            if deep >= 0:
                low[path[deep]] = min(low[path[deep]], low[v])
    return count


def components(starts: Places, targets: Targets) -> tuple[Places, int]:
    """The number of each state's component, and how many there are.

    >>> components(np.array([0, 1, 2, 3]), np.array([1, 0, 0], np.int32))
    (array([0, 0, 1]), 2)
    """
    assert len(starts) <= PLACES_MAX
    n = len(starts) - 1
    component = np.full(n, -1, np.int64)
    index, low, path, waiting = (np.zeros(n, np.int64) for _ in range(4))
    return component, _components(starts, targets, component, index, low, starts[:n].copy(), path, waiting)


def bottoms(starts: Places, targets: Targets) -> Places:
    """For each state the number of its component if no step leaves that, else -1.

    >>> bottoms(np.array([0, 1, 2, 3]), np.array([1, 0, 0], np.int32))
    array([ 0,  0, -1])
    """
    component, count = components(starts, targets)
    left = np.zeros(count, np.bool_)
    sources = np.repeat(component, np.diff(starts))
    left[sources[sources != component[targets]]] = True
    return np.where(left[component], -1, component)

"""Strongly connected components of a graph of numbered states, by Tarjan's algorithm without recursion.

Compiled, because the graphs have millions of edges, and narrow: 24 bytes for each state. It knows nothing of states.
The steps from state i lead to `targets[starts[i]:starts[i + 1]]`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from offsetproof.engines.explicit.machine_code import kept_machine_code
from offsetproof.engines.explicit.place_table import PLACES_MAX

Places = npt.NDArray[np.int64]
Targets = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

_OUTSIDE, _OPEN = -1, -2


def _take(waiting: Targets, held: int, component: Targets, number: int, until: int) -> int:
    """Puts what waits, from the last up to `until`, into a component; how many still wait."""
    while True:
        held -= 1
        component[waiting[held]] = number
        if waiting[held] == until:
            return held


@kept_machine_code
def _components(
    starts: Places, targets: Targets, component: Targets, index: Targets, low: Targets, taken: Targets,
    path: Targets, waiting: Targets,
) -> int:  # fmt: skip
    """Numbers the components of what is open and says how many there are; the rest is room for that."""
    count = met = held = 0
    for root in range(len(component)):
        if component[root] != _OPEN or index[root]:
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
            if starts[v] + taken[v] < starts[v + 1]:
                w = targets[starts[v] + taken[v]]
                taken[v] += 1
                if component[w] == _OPEN:
                    if not index[w]:
                        deep += 1
                        path[deep] = w
                    else:
                        low[v] = min(low[v], index[w])
                continue
            if low[v] == index[v]:
                held = _take(waiting, held, component, count, v)
                count += 1
            deep -= 1
            if deep >= 0:
                low[path[deep]] = min(low[path[deep]], low[v])
    return count


def components(starts: Places, targets: Targets, within: Flags | None = None) -> tuple[Targets, int]:
    """The number of each state's component among the states `within`, -1 outside of them, and how many there are.

    >>> components(np.array([0, 1, 2, 3]), np.array([1, 0, 0], np.int32))[0].tolist()
    [0, 0, 1]
    >>> components(np.array([0, 1, 2, 3]), np.array([1, 0, 0], np.int32), np.array([True, False, True]))[0].tolist()
    [0, -1, 1]
    """
    assert len(starts) <= PLACES_MAX
    n = len(starts) - 1
    component = np.full(n, _OPEN, np.int32)
    if within is not None:
        component[~within] = _OUTSIDE
    index, low, taken, path, waiting = (np.zeros(n, np.int32) for _ in range(5))
    return component, _components(starts, targets, component, index, low, taken, path, waiting)


def bottoms(starts: Places, targets: Targets) -> Targets:
    """For each state the number of its component if no step leaves that, else -1.

    >>> bottoms(np.array([0, 1, 2, 3]), np.array([1, 0, 0], np.int32)).tolist()
    [0, 0, -1]
    """
    component, count = components(starts, targets)
    left = np.zeros(count, np.bool_)
    sources = np.repeat(component, np.diff(starts))
    left[sources[sources != component[targets]]] = True
    return np.where(left[component], -1, component)

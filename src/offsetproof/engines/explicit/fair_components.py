"""Where fair runs can stay for ever: strongly connected components under weak and strong fairness.

A run visits in the end one component of the graph only, again and again. It can be fair there if each weakly fair
thread takes a step within the component or cannot go on in one of its states, and each strongly fair one takes a step
within it or cannot go on in any. Where a thread is in the way of that, the run must leave out the states where it can
go on, and what is left falls apart into smaller components, which are looked at in turn: Lichtenstein and Pnueli,
Checking that finite state concurrent programs satisfy their linear specification (1985), 4; Emerson and Lei, Modalities
for model checking (1987), for conditions of Streett in general.

A component of one state without a step is a run that ends there, by stuttering: fair if no fair thread can go on.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from offsetproof.engines.explicit.components import components
from offsetproof.engines.explicit.machine_code import kept_machine_code
from offsetproof.engines.explicit.run_graph import Flags, Masks, Numbers, Places, RunGraph, Threads

_ALL_THREADS = ~np.uint64(0)


def fair_components(
    graph: RunGraph, within: Flags, ready: Masks, blocked: Masks, strong: int, on_the_way: Callable[[], None]
) -> Places:
    """For each state the number of the largest component in which a fair run can stay for ever, -1 without any.

    Only states `within` count. `ready` has a bit for each thread that could go on, in each state; `blocked` for each
    that only the scope keeps from it: that alone ends no wait. `strong` has one for those that are strongly fair, the
    others are weakly fair.
    """
    found = np.full(len(within), -1, np.int32)
    left, count = within.copy(), 0
    while left.any():
        on_the_way()
        component, parts = components(graph.starts, graph.targets, left)
        barred = _threads_in_the_way(graph, component, parts, ready, blocked, strong)
        count = _settle(component, ready, barred, np.full(parts, -1, np.int32), found, left, count)
    return found


def _threads_in_the_way(
    graph: RunGraph, component: Places, count: int, ready: Masks, blocked: Masks, strong: int
) -> Masks:
    """For each component the threads that take no step within it, and would have to where they can go on."""
    taken, some = np.zeros(count, np.uint64), np.zeros(count, np.uint64)
    every = np.full(count, _ALL_THREADS)
    _note_threads(graph.starts, graph.targets, graph.threads, component, ready, blocked, taken, some, every)
    every |= np.uint64(strong)
    some &= ~taken
    some &= every
    return some


@kept_machine_code
def _note_threads(
    starts: Numbers, targets: Places, threads: Threads, component: Places, ready: Masks, blocked: Masks, taken: Masks,
    some: Masks, every: Masks,
) -> None:  # fmt: skip
    """What takes a step within each component, what could go on in some state of it, and what waits in each."""
    for state in range(len(component)):
        number = component[state]
        if number < 0:
            continue
        some[number] |= ready[state]
        every[number] &= ready[state] | blocked[state]
        for step in range(starts[state], starts[state + 1]):
            if threads[step] >= 0 and component[targets[step]] == number:
                taken[number] |= np.uint64(1) << np.uint64(threads[step])


@kept_machine_code
def _settle(
    component: Places, ready: Masks, barred: Masks, numbers: Places, found: Places, left: Flags, count: int
) -> int:
    """Numbers the components where nothing is in the way, and leaves of the others what is to be looked at again."""
    for state in range(len(component)):
        part = component[state]
        if part < 0:
            continue
        if barred[part]:
            left[state] = not ready[state] & barred[part]
            continue
        if numbers[part] < 0:
            numbers[part] = count
            count += 1
        found[state] = numbers[part]
        left[state] = False
    return count

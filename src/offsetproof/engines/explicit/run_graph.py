"""The runs of a finished search as a graph: its steps by the fair threads that take them, and what each state says.

Loops over states and steps are compiled; the steps from state i lead to `targets[starts[i]:starts[i + 1]]`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.expander import CHUNK, Expander
from offsetproof.compiled.lower import CLAIMS
from offsetproof.engines.explicit.machine_code import kept_machine_code
from offsetproof.engines.explicit.search import Search
from offsetproof.ir.in_the_end import FairThread

THREADS_MAX = 63
"""So many fair threads fit into one word of a state."""

Numbers = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Threads = npt.NDArray[np.int8]
Masks = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class RunGraph:
    """All steps between the states of a search. `threads` has for each step the number of the fair thread that takes
    it, -1 where none does.

    Of each state: `ready` has a bit for each fair thread that can take a step there, `blocked` for each that only the
    scope or a model error keeps from it; what is claimed has `come`; it `asks` for what is claimed.
    """

    starts: Numbers
    targets: Places
    threads: Threads
    ready: Masks
    blocked: Masks
    come: Flags
    asks: Flags


def run_graph(search: Search, threads: Sequence[FairThread], on_the_way: Callable[[], None]) -> RunGraph:
    """The graph of a search that has seen everything; its first claim is the one about runs.

    `on_the_way` is called again and again, and may raise what ends the work.
    """
    count = search.count
    starts = np.zeros(count + 1, np.int64)
    ready, blocked = np.zeros(count, np.uint64), np.zeros(count, np.uint64)
    come, asks = np.empty(count, np.bool_), np.ones(count, np.bool_)
    targets, takers = np.empty(search.transitions, np.int32), np.empty(search.transitions, np.int8)
    thread_of = _thread_of_instances(search, threads)
    expander = Expander(search.layout, search.native, tells=True)
    positions, values = np.empty(len(expander.out), np.int64), np.zeros((CHUNK, max(1, len(threads))), np.int64)
    done = 0
    for start in range(0, count, CHUNK):
        on_the_way()
        end = min(start + CHUNK, count)
        front = np.ascontiguousarray(search.states[start:end])
        k = expander.expand(front)
        search.visited.places_of(expander.out, k, positions)
        assert k == 0 or int(positions[:k].min()) >= 0, "a finished search has seen where each step leads"
        targets[done : done + k] = positions[:k]
        takers[done : done + k] = thread_of[expander.which[:k]]
        starts[start + 1 : end + 1] = expander.ends[: end - start] + done
        _note_ready(expander.ends[: end - start], takers[done : done + k], ready[start:end])
        flags = expander.judge(front)
        come[start:end] = flags >> CLAIMS & 1 == 0
        if search.premise is not None:
            asks[start:end] = flags >> (CLAIMS + search.premise) & 1 != 0
        if threads:
            search.native.measure(front, values)
            _note_blocked(values[: end - start], blocked[start:end])
        done += k
    assert done == search.transitions, "a finished search has taken each step"
    return RunGraph(starts, targets, takers, ready, blocked, come, asks)


def _thread_of_instances(search: Search, threads: Sequence[FairThread]) -> Threads:
    """The number of each instance's fair thread, -1 for one that is not fair."""
    numbers = {label: number for number, thread in enumerate(threads) for label in thread.labels}
    return np.array([numbers.get(inst.label, -1) for inst in search.system.instances] or [-1], np.int8)


@kept_machine_code
def _note_ready(ends: Numbers, takers: Threads, ready: Masks) -> None:
    """Sets the bits of the threads that take a step from each state."""
    i = 0
    for state in range(len(ends)):
        while i < ends[state]:
            if takers[i] >= 0:
                ready[state] |= np.uint64(1) << np.uint64(takers[i])
            i += 1


@kept_machine_code
def _note_blocked(values: Numbers, blocked: Masks) -> None:
    """Sets the bits of the threads of which something is true."""
    for state in range(len(blocked)):
        for thread in range(values.shape[1]):
            if values[state, thread]:
                blocked[state] |= np.uint64(1) << np.uint64(thread)


@dataclass(frozen=True)
class Owing:
    """Where a run can be while what is claimed has not come since it was asked for.

    `steps` are the fewest that lead there, counted from the beginning of the run; -1 where none do. `before` is the
    state before, -1 where what is claimed was first asked for there.
    """

    steps: Places
    before: Places


def owing_states(search: Search, graph: RunGraph, *, from_start: bool) -> Owing:
    """All states where something is owed; with `from_start` it is asked for in the initial states alone."""
    count = len(graph.come)
    steps, before = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
    levels = np.array([*search.levels, count], np.int64)
    depths = 1 if from_start else len(levels) - 1
    _owe(graph.starts, graph.targets, graph.come, graph.asks, levels, depths, steps, before, np.empty(count, np.int32))
    return Owing(steps, before)


@kept_machine_code
def _owe(
    starts: Numbers, targets: Places, come: Flags, asks: Flags, levels: Numbers, depths: int, steps: Places,
    before: Places, waiting: Places,
) -> None:  # fmt: skip
    known = done = depth = 0
    while depth < depths or done < known:
        if depth < depths:
            for state in range(levels[depth], levels[depth + 1]):
                if asks[state] and not come[state] and steps[state] < 0:
                    steps[state] = depth
                    waiting[known] = state
                    known += 1
        while done < known and steps[waiting[done]] == depth:
            state = waiting[done]
            done += 1
            for i in range(starts[state], starts[state + 1]):
                target = targets[i]
                if not come[target] and steps[target] < 0:
                    steps[target] = depth + 1
                    before[target] = state
                    waiting[known] = target
                    known += 1
        depth += 1

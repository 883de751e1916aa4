"""A counterexample to a claim about runs: a shortest way to where a fair run can stay for ever, and a small fair cycle.

The way is a shortest one to any such state; of the states that are that near, a few are tried. The cycle takes the
nearest step, or visits the nearest state, that one more thread needs, until the run is fair to all; then it goes back.
That is small, and not always the smallest: a smallest fair cycle is as hard to find as a travelling salesman's tour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from offsetproof.compiled.expander import Expander
from offsetproof.engines.explicit.machine_code import kept_machine_code
from offsetproof.engines.explicit.run_graph import Masks, Numbers, Owing, Places, RunGraph, Threads
from offsetproof.engines.explicit.search import Alarm, Search
from offsetproof.engines.explicit.shortest_trace import shortest
from offsetproof.ir.in_the_end import FairThread
from offsetproof.ir.system import Label, State

_TRIED = 8
"""From so many states a cycle is looked for."""


@dataclass(frozen=True)
class Lasso:
    """An initial state, the steps of a run, and the number of the state from which it goes on as before."""

    initial: State
    labels: tuple[Label, ...]
    cycle_at: int


def find_lasso(
    search: Search,
    graph: RunGraph,
    owing: Owing,
    component: Places,
    ready: Masks,
    threads: Sequence[FairThread],
    on_the_way: Callable[[], None],
) -> Lasso:
    """A small lasso into one of the fair components, by `component` (-1: in none); there is at least one."""
    finder = _Finder(search, graph, component, ready, threads, on_the_way)
    entry, cycle = finder.smallest(owing)
    path = [entry]
    while owing.before[path[-1]] >= 0:
        path.append(int(owing.before[path[-1]]))
    start = path[-1]
    depth = max(d for d, first in enumerate(search.levels) if first <= start)
    stem = shortest(search, Alarm(depth, search.states[[start]]), None, on_the_way)
    way = [finder.label(a, b, None) for a, b in zip(path[:0:-1], path[-2::-1], strict=True)]
    labels = (*stem.labels, *way)
    return Lasso(stem.initial, (*labels, *cycle), len(labels))


class _Finder:
    """The graph of all runs, and the components where fair ones can stay."""

    def __init__(
        self,
        search: Search,
        graph: RunGraph,
        component: Places,
        ready: Masks,
        threads: Sequence[FairThread],
        on_the_way: Callable[[], None],
    ) -> None:
        self.search, self.graph, self.component, self.ready = search, graph, component, ready
        self.on_the_way = on_the_way
        self.all = (1 << len(threads)) - 1
        self.strong = sum(1 << i for i, thread in enumerate(threads) if thread.strong)
        self._thread_of = {label: number for number, thread in enumerate(threads) for label in thread.labels}
        self._expander = Expander(search.layout, search.native, 1, tells=True)
        self._by, self._origin = np.full(len(component), -1, np.int64), np.empty(len(component), np.int32)
        self._waiting = np.empty(len(component), np.int32)

    def smallest(self, owing: Owing) -> tuple[int, tuple[Label, ...]]:
        """Where a run gets into its cycle, and the steps of that: none where it just ends there."""
        fair = np.flatnonzero(self.component >= 0)
        still = fair[self.ready[fair] == 0]
        nearest = fair[owing.steps[fair] == owing.steps[fair].min()]
        ends = [int(still[np.argmin(owing.steps[still])])] if len(still) else []
        found: list[tuple[int, int, tuple[int, ...]]] = [(int(owing.steps[end]), end, ()) for end in ends]
        if not ends or owing.steps[ends[0]] > owing.steps[nearest[0]]:
            for entry in map(int, nearest[:_TRIED]):
                cycle = self._cycle(entry)
                found.append((int(owing.steps[entry]) + len(cycle), entry, cycle))
        _, entry, cycle = min(found, key=lambda each: each[0])
        return entry, tuple(self._labels(entry, cycle))

    def _cycle(self, entry: int) -> tuple[int, ...]:
        """The steps of a small fair cycle from a state, by their numbers."""
        cycle: list[int] = []
        here, taken, ever, always = entry, 0, int(self.ready[entry]), int(self.ready[entry])
        while True:
            self.on_the_way()
            weak, strong = always & ~taken & ~self.strong, ever & ~taken & self.strong
            if cycle and here == entry and not weak | strong:
                return tuple(cycle)
            back = -1 if weak | strong else entry
            for step in self._nearest(here, weak | strong, weak, back):
                cycle.append(step)
                here = int(self.graph.targets[step])
                taken |= 1 << int(self.graph.threads[step]) if self.graph.threads[step] >= 0 else 0
                ever, always = ever | int(self.ready[here]), always & int(self.ready[here])

    def _nearest(self, here: int, steps: int, states: int, back: int) -> list[int]:
        """The shortest way within a component to a step of one of these threads, or a state where one cannot go on."""
        graph, by, origin = self.graph, self._by, self._origin
        last, known = _reach(
            graph.starts, graph.targets, graph.threads, self.component, self.ready,
            here, np.uint64(steps), np.uint64(states), back, by, origin, self._waiting,
        )  # fmt: skip
        assert last >= 0, "a fair component has what each thread needs"
        way, state = [int(last)], int(np.searchsorted(graph.starts, last, side="right") - 1)
        while state != here:
            way.append(int(by[state]))
            state = int(origin[state])
        by[self._waiting[:known]] = -1
        return way[::-1]

    def _labels(self, entry: int, steps: Sequence[int]) -> list[Label]:
        here, labels = entry, []
        for step in steps:
            target = int(self.graph.targets[step])
            labels.append(self.label(here, target, int(self.graph.threads[step])))
            here = target
        return labels

    def label(self, before: int, after: int, thread: int | None) -> Label:
        """The smallest label of a step between two states; where it matters, of one that this thread takes."""
        row = self.search.states[after]
        instances = self.search.system.instances
        taken = [
            instances[i].label for i, to in self._expander.steps_from(self.search.states[before]) if (to == row).all()
        ]
        return min(label for label in taken if thread is None or self._thread_of.get(label, -1) == thread)


@kept_machine_code
def _reach(
    starts: Numbers, targets: Places, threads: Threads, component: Places, ready: Masks,
    here: int, wanted_steps: np.uint64, wanted_states: np.uint64, back: int, by: Numbers, origin: Places,
    waiting: Places,
) -> tuple[int, int]:  # fmt: skip
    """The first step of a breadth-first search that does what is wanted, and how many states wait or were looked at.

    `by`, which is -1 everywhere before, and `origin` lead back from the step.
    """
    waiting[0] = here
    done, known = 0, 1
    while done < known:
        state = waiting[done]
        done += 1
        for step in range(starts[state], starts[state + 1]):
            target = targets[step]
            if component[target] != component[here]:
                continue
            thread = threads[step]
            if thread >= 0 and wanted_steps >> np.uint64(thread) & np.uint64(1):
                return step, known
            if target == back or wanted_states & ~ready[target]:
                return step, known
            if by[target] < 0 and target != here:
                by[target] = step
                origin[target] = state
                waiting[known] = target
                known += 1
    return -1, known

"""The canonical trace among the shortest: fewest changes of actor, then the smallest path of actions and arguments.

Predecessors are not stored. The shortest-path graph is found by expanding the levels before the violation once more,
last first: a state belongs to it when one of its successors does. That costs a refuted search about its own time again
and saves every search eight bytes per state; and it gives all shortest traces, not one that depends on probing order.
Of each state in that graph only its price is kept (see `path_prices`); a second pass, first level first, takes the
cheapest steps, and among them those of the smallest label. Both passes are linear in what they look at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from offsetproof.compiled.expander import CHUNK, Expander
from offsetproof.compiled.layout import Words
from offsetproof.compiled.lower import CLAIMS
from offsetproof.engines.explicit import visited
from offsetproof.engines.explicit.explorer import Exploration
from offsetproof.engines.explicit.path_prices import (
    Cheapest,
    Int64s,
    Onward,
    StepArrays,
    ends,
    join_parts,
    states_leading_to,
)
from offsetproof.engines.explicit.search import Alarm
from offsetproof.ir.system import Label, State


@dataclass(frozen=True)
class BareTrace:
    """A trace of the explored system: an initial state and the labels of its steps."""

    initial: State
    labels: tuple[Label, ...]


def shortest(search: Exploration, alarm: Alarm, question: int | None, on_the_way: Callable[[], None]) -> BareTrace:
    """The canonical shortest trace to an alarm of claim `question` (None: to the alarm's states themselves).

    `on_the_way` is called again and again, and may raise what ends the work.
    """
    return _Way(search, alarm, question, on_the_way).path()


@dataclass(frozen=True)
class _Walk:
    """Where the smallest traces may be after some steps: places in a level, and the first state that led to each.

    All have the same labels, so the same actor (-1: none yet) took the last step, and what is left costs the same; only
    before the first step it may cost more from one start than from another.
    """

    places: Int64s
    starts: Int64s
    actor: int = -1


class _Way:
    """The way back from an alarm, and then forth."""

    def __init__(self, search: Exploration, alarm: Alarm, question: int | None, on_the_way: Callable[[], None]) -> None:
        self.search, self.alarm, self.on_the_way = search, alarm, on_the_way
        self.claim = question or 0
        self.is_step = question is not None and bool(search.system.claims[question].per_step)
        self.expander = Expander(search.layout, search.native, tells=True)
        self.shape, self.places = (0,) * search.layout.words, np.empty(len(self.expander.out), np.int64)
        instances = search.system.instances
        numbers = {actor: i for i, actor in enumerate(dict.fromkeys(inst.actor for inst in instances))}
        self.actors = len(numbers)
        self.actor_of = np.array([numbers[inst.actor] for inst in instances], np.int64)
        self.by_rank = sorted(range(len(instances)), key=lambda i: instances[i].label)
        self.rank_of = np.argsort(np.array(self.by_rank, np.int64))

    def path(self) -> BareTrace:
        """The canonical trace."""
        levels = self._levels()
        walk, labels = self._start(levels[0]), []
        for before, after in pairwise(levels):
            inst, walk = self._step(before, after, walk)
            labels.append(self.search.system.instances[inst].label)
        return BareTrace(self.search.initial[int(walk.starts.min())], tuple(labels))

    def _levels(self) -> list[Onward]:
        """The graph of all shortest traces, level by level, the first one first."""
        search, depth = self.search, self.alarm.length
        levels = [ends(None if self.is_step else self.alarm.rows, self.actors)]
        if self.is_step:
            depth -= 1
            levels.append(self._leading(self._chunks(self.alarm.rows), levels[-1]))
        while depth > 0:
            depth -= 1
            levels.append(self._leading(search.fronts(depth), levels[-1]))
        return levels[::-1]

    def _chunks(self, rows: Words) -> Iterator[Words]:
        return (rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK))

    def _leading(self, fronts: Iterator[Words], targets: Onward) -> Onward:
        """The part of one level that has steps into the targets."""
        table = self._table(targets)
        return join_parts([states_leading_to(front, self._steps(front, targets, table), targets) for front in fronts])

    def _table(self, targets: Onward) -> Words | None:
        return None if targets.rows is None else visited.table_of(self.shape, targets.rows)

    def _steps(self, front: Words, targets: Onward, table: Words | None) -> StepArrays:
        """All steps from some states; the arrays are overwritten by the next call."""
        self.on_the_way()
        expander = self.expander
        k = expander.expand(front)
        if targets.rows is None or table is None:
            places = (expander.broken[:k] >> (CLAIMS + self.claim) & 1) - 1
        else:
            visited.places(self.shape, targets.rows, table, expander.out, k, self.places)
            places = self.places[:k]
        return StepArrays(expander.which[:k], places, expander.ends[: len(front)], self.actor_of, self.rank_of)

    def _start(self, level: Onward) -> _Walk:
        """The initial states from which a shortest trace starts."""
        initial, table = self.search.initial_rows(), self._table(level)
        assert table is not None
        places = np.empty(len(initial), np.int64)
        visited.places(self.shape, level.rows, table, initial, len(initial), places)
        starts = np.flatnonzero(places >= 0)
        return _Walk(places[starts], starts)

    def _step(self, before: Onward, after: Onward, walk: _Walk) -> tuple[int, _Walk]:
        """The instance of the smallest label among the cheapest steps, and where it leads."""
        assert before.rows is not None
        table, cheapest, done = self._table(after), Cheapest(walk.actor), 0
        for front in self._chunks(before.rows[walk.places]):
            cheapest.choose(self._steps(front, after, table), walk.starts[done : done + len(front)], after)
            done += len(front)
        inst = self.by_rank[cheapest.rank]
        return inst, _merge_places(cheapest, int(self.actor_of[inst]))


def _merge_places(cheapest: Cheapest, actor: int) -> _Walk:
    """The places once each, with the smallest start that leads to each."""
    places, starts = np.concatenate(cheapest.places), np.concatenate(cheapest.starts)
    if len(places) == 1:
        return _Walk(places, starts, actor)
    order = np.lexsort((starts, places))
    places, starts = places[order], starts[order]
    kept = np.diff(places, prepend=-1) != 0
    return _Walk(places[kept], starts[kept], actor)

"""All that a system can do, as somebody sees it who looks at some of its fields alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.expander import CHUNK, Expander
from offsetproof.compiled.layout import Layout
from offsetproof.compiled.lower import FAILED, lower
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.edges import steps_between
from offsetproof.engines.explicit.search import Program, Search
from offsetproof.ir.build import disjunction
from offsetproof.ir.node import Node
from offsetproof.ir.system import Label, State, System

Numbers = npt.NDArray[np.int64]

Seen = tuple[int, ...]
"""The values of what is looked at, in one state."""


@dataclass(frozen=True)
class Observed:
    """A finished search, the steps between its states, and what is seen in each: `rows[seen[place]]`.

    `is_cut[place]`: a bound of the scope alone keeps a step from being taken there. `fails`: somewhere the model goes
    wrong instead of taking a step.
    """

    search: Search
    starts: Numbers
    targets: npt.NDArray[np.int32]
    seen: Numbers
    rows: tuple[Seen, ...]
    is_cut: npt.NDArray[np.bool_]
    fails: bool

    @property
    def initial(self) -> range:
        """The places of the initial states."""
        return range(len(self.search.initial))

    def after(self, place: int) -> list[int]:
        """The places to which one step leads."""
        after: list[int] = self.targets[self.starts[place] : self.starts[place + 1]].tolist()
        return after

    def state(self, place: int) -> State:
        """The state at a place."""
        return self.search.layout.unpack(self.search.states[place])

    def labels_along(self, places: Sequence[int]) -> list[Label]:
        """The steps that lead along some places, each the first one in the order of the system's instances."""
        expander = Expander(self.search.layout, self.search.native, 1, tells=True)
        instances, labels = self.search.system.instances, []
        for place, following in pairwise(places):
            goal = self.search.states[following]
            steps = expander.steps_from(self.search.states[place])
            labels.append(instances[min(number for number, row in steps if (row == goal).all())].label)
        return labels


def program_to_observe(system: System, looked_at: Sequence[Node]) -> Program:
    """The system compiled, so that the values of nodes can be looked at, and whether a bound is in the way."""
    layout = Layout(system)
    measured = [*looked_at, disjunction([inst.cut for inst in system.instances])]
    return Program(system, layout, Native(lower(system, layout, [None] * len(system.claims), measured=measured)))


def observe(search: Search, looked_at: int) -> Observed:
    """What a finished search found; its program was made for so many nodes to look at."""
    starts, targets, flags = steps_between(search)
    values = np.zeros((search.count, looked_at + 1), np.int64)
    for start in range(0, search.count, CHUNK):
        end = min(start + CHUNK, search.count)
        search.native.measure(np.ascontiguousarray(search.states[start:end]), values[start:end])
    rows, seen = np.unique(values[:, :-1], axis=0, return_inverse=True)
    whole = tuple(tuple(row) for row in rows.tolist())
    fails = bool((flags & FAILED).any())
    return Observed(search, starts, targets, seen.reshape(-1), whole, values[:, -1] != 0, fails)

"""Where fair runs end: the bottom strongly connected components of everything that can follow some states.

A fair run takes every step that it could take again and again, so it gets into a component that no step leaves, and
visits all of it for ever. Small systems are explored whole. Where that is too much, random walks look for components,
and each one found is a real one; only that there are no others is not known then.

A component in which a step is possible again and again but for a bound of the scope, and never taken, is not an end: it
is counted as `blocked`, and nothing else is read from it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.expander import Expander
from offsetproof.compiled.layout import Layout
from offsetproof.compiled.lower import CLAIMS, FAILED, lower
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.components import Targets, bottoms
from offsetproof.engines.explicit.edges import steps_between
from offsetproof.engines.explicit.search import Program, Search
from offsetproof.ir.build import FALSE, negate
from offsetproof.ir.node import Node
from offsetproof.ir.system import State, System
from offsetproof.verdict.limits import Deadline, Limits
from offsetproof.verdict.result import Reason

SMALL = 200_000
"""So many states are explored without thinking about it."""

WALKS, WALK_STEPS, CLOSE = 32, 400, 20_000
"""How many walks look for ends, how long each is, and how many states may lie between its last one and an end."""

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Ends:
    """The ends that were found, and what is true in them.

    `final` says that no other end could add to that. `broken`: in some state of some end the claim is false (or a step
    of it breaks the claim). `most` is the largest value of each measured node in any end. `failed`: a run may meet a
    model error instead. `states` were looked at. `limit` is the one that kept the rest from being looked at.
    """

    final: bool
    count: int
    broken: bool
    most: tuple[int, ...]
    blocked: frozenset[str]
    failed: bool
    states: int
    limit: Reason | None = None


def fair_ends(system: System, measured: Sequence[Node], limits: Limits, deadline: Deadline = Deadline()) -> Ends:
    """The ends of a system, judged by its first claim. LimitMetError where the deadline comes before any was found.

    If there is much to explore, walks come first; where they find a broken end and the most that there can be of
    everything measured, nothing is left to find out.
    """
    finder = _Finder(system, measured, deadline)
    small = finder.explore(system.initial, replace(limits, states=min(SMALL, limits.states or SMALL)))
    if small is not None:
        return small
    deadline.check()
    sampled = _join_ends([finder.around(state) for state in finder.ends_of_walks()], len(measured))
    if sampled.broken and sampled.most == tuple(node.hi for node in measured):
        return replace(sampled, final=True)
    return finder.explore(system.initial, limits) or replace(sampled, limit=finder.limit)


class _Finder:
    """The compiled system, and the parts of it that were explored."""

    def __init__(self, system: System, measured: Sequence[Node], deadline: Deadline) -> None:
        self.system, self.amounts, self.deadline = system, len(measured), deadline
        self.limit: Reason | None = None
        self.cuttable = [inst for inst in system.instances if inst.cut is not FALSE]
        claim = system.claims[0]
        alarm = None if claim.on_state is None else negate(claim.on_state)
        roots = [*measured, *(node for inst in self.cuttable for node in (inst.cut, inst.enabled))]
        self.columns = len(roots)
        layout = Layout(system)
        text = lower(system, layout, [alarm], measured=roots)
        self.program = Program(system, layout, Native(text))

    def ends_of_walks(self) -> list[State]:
        """The last states of random walks."""
        chance = random.Random(0)
        layout = self.program.layout
        expander = Expander(layout, self.program.native, 1, tells=True)
        start = np.array(layout.pack(self.system.initial[0]), np.uint64)
        ends = set()
        for _ in range(WALKS):
            self.deadline.check()
            row = start
            for _ in range(WALK_STEPS):
                steps = expander.steps_from(row)
                if not steps:
                    break
                row = chance.choice(steps)[1]
            ends.add(layout.unpack(row))
        return sorted(ends)

    def around(self, state: State) -> Ends | None:
        """The ends that can be reached from a state, if that is little work."""
        return self.explore([state], Limits(states=CLOSE))

    def explore(self, initial: Sequence[State], limits: Limits) -> Ends | None:
        """The ends of everything that can follow; None beyond a limit, which is then `limit`."""
        limits = replace(limits, seconds=self.deadline.left, threads=1)
        search = Search(self.program, initial, limits, lambda status: None)
        search.run(None)
        self.limit = search.stopped
        if search.stopped is not None:
            return None
        starts, targets, flags = steps_between(search)
        return self._judge(search, bottoms(starts, targets), flags)

    def _judge(self, search: Search, bottom: Targets, flags: Numbers) -> Ends:
        resting = np.flatnonzero(bottom >= 0)
        numbers, component = np.unique(bottom[resting], return_inverse=True)
        values = np.zeros((len(resting), max(1, self.columns)), np.int64)
        rows = np.ascontiguousarray(search.states[resting])
        if self.columns:
            self.program.native.measure(rows, values)
        blocked, names = self._blocked_components(values[:, self.amounts :], component, len(numbers))
        sound = ~blocked[component]
        most = [int(values[sound, i].max(initial=0)) for i in range(self.amounts)]
        broken = bool((flags[resting][sound] >> CLAIMS & 1).any())
        failed = bool((flags & FAILED).any())
        return Ends(not blocked.any(), int((~blocked).sum()), broken, tuple(most), names, failed, search.count)

    def _blocked_components(
        self, values: Numbers, component: Numbers, count: int
    ) -> tuple[npt.NDArray[np.bool_], frozenset[str]]:
        """Which components are not ends, and the actions that only a bound keeps from leaving them."""
        blocked = np.zeros(count, np.bool_)
        names = set()
        for i, inst in enumerate(self.cuttable):
            cut, taken = (np.zeros(count, np.bool_) for _ in range(2))
            cut[component[values[:, 2 * i] != 0]] = True
            taken[component[values[:, 2 * i + 1] != 0]] = True
            if (cut & ~taken).any():
                blocked |= cut & ~taken
                names.add(inst.label[0])
        return blocked, frozenset(names)


def _join_ends(parts: Iterable[Ends | None], amounts: int) -> Ends:
    """What several parts of a system show; more may be elsewhere."""
    known = [part for part in parts if part is not None]
    return Ends(
        final=False,
        count=sum(part.count for part in known),
        broken=any(part.broken for part in known),
        most=tuple(max((part.most[i] for part in known), default=0) for i in range(amounts)),
        blocked=frozenset().union(*(part.blocked for part in known)),
        failed=any(part.failed for part in known),
        states=sum(part.states for part in known),
    )

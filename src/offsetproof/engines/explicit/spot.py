"""Spot checks: before a scope counts as exhausted, some of what was explored is held against the model's own Python.

Looked at is what may be told apart (`situations`), in states from anywhere in the visited set (`situation_search`): for
each action instance states in which it is taken, is cut and cannot be taken, and each path of its code, and of the
claims. What the compiled code makes of them must be what the staged expressions and what the reference semantics make
of them, field by field, so a defect shows in whatever way between: staging, reductions, lowering. No proof;
docs/spot.md has what it notices.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from offsetproof.compiled.layout import Words
from offsetproof.engines.explicit.explored import Exploration
from offsetproof.engines.explicit.python_comparison import Comparing
from offsetproof.engines.explicit.situation_search import StateBlock, sight, sight_values
from offsetproof.engines.explicit.situations import Sighted, Situation, situations
from offsetproof.ir.build import TRUE
from offsetproof.ir.system import Instance
from offsetproof.lang.claim import Property
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.lang.stage import Staged

SPREAD, ALL_LABELS = 8, 400
"""In how many states every claim is looked at, and every instance as well until that has taken as many looks."""

COST_MAX, RUN, SECONDS = 200_000, 40, 0.5
"""What looks may cost in all, where one costs RUN and 1 per field; and how much processor time everything may take."""

ROUNDS, FILLED = 4, 2048
"""Where fields have been left out: how often the visited set is gone through, each time with other values for these,
and up to how many states few states are repeated with others.
"""


@dataclass
class Looked:
    """How often what was looked at agreed: steps taken, cut and not possible, and states judged.

    `unseen` counts the instances that were taken somewhere, and in no state that was looked at.
    """

    taken: int = 0
    cut: int = 0
    disabled: int = 0
    judged: int = 0
    unseen: int = 0

    def __str__(self) -> str:
        cuts = f" {self.cut:,} cuts," if self.cut else ""
        unseen = f"; {self.unseen:,} action instances that were taken were not among them" if self.unseen else ""
        return (
            f"spot check: {self.taken:,} steps,{cuts} {self.disabled:,} that cannot be taken, and the claims on "
            f"{self.judged:,} states agree with the reference semantics{unseen}"
        )


def spot_check(
    search: Exploration, staged: Staged, reference: Reference, props: Sequence[Property], seconds: float = SECONDS
) -> Looked:
    """What was looked at; DisagreementError at the first thing that differs. `props` are the claims of the search.

    What is looked at is the same in each run, unless `seconds` of processor time end it early.
    """
    return _Spot(search, staged, reference, props, time.thread_time() + seconds).check()


class _Spot:
    """One check in progress."""

    def __init__(
        self, search: Exploration, staged: Staged, reference: Reference, props: Sequence[Property], until: float
    ) -> None:
        self.search, self.staged, self.reference, self.props = search, staged, reference, tuple(props)
        self.comparing = Comparing(search, staged, reference, props)
        self.until, self.cost = until, 0
        self.looked = Looked()
        self._by_name = {v.name: v for v in staged.variables}
        self._fixed = {node.name: value.value for node, value in staged.constants.items()}
        self._taken: set[int] = set()
        self._judged: set[bytes] = set()

    def check(self) -> Looked:
        """Judges the claims on some states; looks at situations, then at everything in some states, then at values."""
        spread = list(self._spread_states())
        for prop in self.props:
            for state in spread:
                self._judge(prop, state)
        wanted = situations(self.staged, self.props)
        sight(self._blocks(), wanted, self.until)
        self._look_at(_in_turns(wanted))
        for state in spread[: max(1, ALL_LABELS // max(1, len(self.reference.labels)))]:
            self._look_at_everything(state)
        self._look_at(self._values(wanted))
        fired = self.search.snapshot.fired
        self.looked.unseen = sum(int(fired[i]) > 0 and i not in self._taken for i in self.comparing.numbers.values())
        self.looked.judged = len(self._judged)
        return self.looked

    def _look_at(self, sighted: Iterable[tuple[int, Sighted]]) -> None:
        for about, state in sighted:
            if not self._affords():
                return
            if about < len(self.staged.instances):
                self._look(self.staged.instances[about], state)
            else:
                self._judge(self.props[about - len(self.staged.instances)], state)

    def _values(self, wanted: Iterable[Situation]) -> Iterator[tuple[int, Sighted]]:
        """States that differ in a field's value, for each instance where it is taken, and for each claim."""
        fields = [variable for name, variable in self._by_name.items() if name not in self._fixed]
        where = [(each.about, each.node) for each in wanted if each.is_taken]
        where += [(len(self.staged.instances) + i, TRUE) for i in range(len(self.props))]
        return sight_values(self._blocks(), where, fields, self.until)

    def _affords(self) -> bool:
        self.cost += RUN + len(self._by_name)
        return self.cost <= COST_MAX and time.thread_time() < self.until

    def _spread_states(self) -> Iterator[Sighted]:
        """Some states that are evenly spread over the visited set."""
        rows = self.search.samples(SPREAD)
        block = self._block(rows, 0)
        return (block.sighted(row) for row in range(len(rows)))

    def _blocks(self) -> Iterator[StateBlock]:
        given = self.search.layout.places.keys() | self._fixed.keys()
        if self._by_name.keys() <= given:
            return (self._block(rows, number) for number, rows in enumerate(self.search.blocks(), 1))
        blocks = chain.from_iterable(self.search.blocks() for _ in range(ROUNDS))
        return (self._block(_repeat_rows(rows), number) for number, rows in enumerate(blocks, 1))

    def _block(self, rows: Words, number: int) -> StateBlock:
        return StateBlock(rows, number, self.search.layout, self._by_name, self._fixed)

    def _look_at_everything(self, state: Sighted) -> None:
        for inst in self.staged.instances:
            if self._affords():
                self._look(inst, state)
        staged = {inst.label for inst in self.staged.instances}
        for label in self.reference.labels:
            if label not in staged and self._affords():
                self.comparing.must_be_disabled(label, state)
                self.looked.disabled += 1

    def _look(self, inst: Instance, state: Sighted) -> None:
        outcome = self.comparing.compare_step(inst, state)
        if outcome is None:
            self.looked.taken += 1
            self._taken.add(self.comparing.numbers.get(inst.label, -1))
        elif outcome is NotTaken.CUT:
            self.looked.cut += 1
        else:
            self.looked.disabled += 1

    def _judge(self, prop: Property, state: Sighted) -> None:
        self.comparing.compare_claim(prop, state)
        self._judged.add(state.row.tobytes())


def _repeat_rows(rows: Words) -> Words:
    """A block of few states, over and over."""
    return np.tile(rows, (max(1, FILLED // len(rows)), 1))


def _in_turns(wanted: Iterable[Situation]) -> Iterator[tuple[int, Sighted]]:
    """What to look at, in which state: first each situation once, those that matter most first, then each once more."""
    seen = [(each, each.sighted()) for each in wanted]
    for turn in range(max((len(states) for _, states in seen), default=0)):
        for each, states in seen:
            if turn < len(states):
                yield each.about, states[turn]

"""Spot checks: before a scope counts as exhausted, some of what was explored is compared with the model's own Python.

Looked at is what may be told apart (`situations`), in states from anywhere in the visited set: for each action instance
states in which it is taken, is cut and cannot be taken, and each path of its code, and of the claims. What the compiled
code makes of them must be what the staged expressions and what the reference semantics make of them, field by field
(`Comparing`), so a defect shows in whatever way between: staging, reductions, lowering. A difference is a
DisagreementError that names the action with its arguments, the field and both of its values, and the state. No proof;
docs/measurements.md has what it notices.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NoReturn

import numpy as np

from offsetproof.compiled.expander import Expander
from offsetproof.compiled.layout import Words
from offsetproof.compiled.lower import CLAIMS
from offsetproof.engines.explicit.explorer import Exploration
from offsetproof.engines.explicit.situations import (
    CoverageGoal,
    Sample,
    StateBlock,
    sample_states,
    sight_values,
    situations,
)
from offsetproof.ir.build import TRUE
from offsetproof.ir.faults import CAP
from offsetproof.ir.node import Node, evaluate, evaluate_all, topological, variables
from offsetproof.ir.system import Instance, Label, State, System, show_label
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.lang.stage import Staged
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.result import DisagreementError

SPREAD, RUN = 8, 40
"""In how many states every claim is looked at; and what a look costs, with 1 more per field."""


@dataclass(frozen=True)
class SpotLimits:
    """How much is looked at: by what looks may cost in all, how many of them go into looking at every instance of a
    state, what finding states may cost (`situations`), and how much processor time everything may take.

    Half of the time is for the looks, however long it took to find states for them.
    """

    looks: int
    everything: int
    finding: int
    seconds: float = 0.5


WHOLE, BRIEF = SpotLimits(200_000, 400, 30_000_000), SpotLimits(40_000, 60, 10_000_000)
"""For a question on its own; and for one of very many, whose models have their code in common."""

ROUNDS, FILLED = 4, 2048
"""Where fields have been left out: how often the visited set is gone through, each time with other values for these,
and up to how many states few states are repeated with others.
"""

Outcome = State | NotTaken | None
"""What taking an instance comes to: all fields after it, why it is not taken, or None: the model goes wrong."""


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
        steps, states = quantity(self.taken, "step"), quantity(self.judged, "state")
        return (
            f"spot check: {steps},{cuts} {self.disabled:,} that cannot be taken, and the claims on "
            f"{states} agree with the model's own Python{unseen}"
        )


def spot_check(
    search: Exploration, staged: Staged, reference: Reference, props: Sequence[Property], limits: SpotLimits = WHOLE
) -> Looked:
    """What was looked at; DisagreementError at the first thing that differs. `props` are the claims of the search.

    What is looked at is the same in each run, unless the limits' seconds end it early.
    """
    return _Spot(search, staged, reference, props, limits).check()


class _Spot:
    """One check in progress."""

    def __init__(
        self, search: Exploration, staged: Staged, reference: Reference, props: Sequence[Property], limits: SpotLimits
    ) -> None:
        self.search, self.staged, self.reference, self.props = search, staged, reference, tuple(props)
        self.comparing = Comparing(search, staged, reference, props)
        self.limits, self.until, self.cost = limits, time.thread_time() + limits.seconds, 0
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
        half = self.limits.seconds / 2
        sample_states(self._blocks(), wanted, self.limits.finding, self.until - half)
        self.until = max(self.until, time.thread_time() + half)
        self._look_at(_in_turns(wanted))
        for state in spread[: max(1, self.limits.everything // max(1, len(self.reference.labels)))]:
            self._look_at_everything(state)
        self._look_at(self._values(wanted))
        fired = self.search.snapshot.fired
        self.looked.unseen = sum(int(fired[i]) > 0 and i not in self._taken for i in self.comparing.numbers.values())
        self.looked.judged = len(self._judged)
        return self.looked

    def _look_at(self, sighted: Iterable[tuple[int, Sample]]) -> None:
        for about, state in sighted:
            if not self._affords():
                return
            if about < len(self.staged.instances):
                self._look(self.staged.instances[about], state)
            else:
                self._judge(self.props[about - len(self.staged.instances)], state)

    def _values(self, wanted: Iterable[CoverageGoal]) -> Iterator[tuple[int, Sample]]:
        """States that differ in a field's value, for each instance where it is taken, and for each claim."""
        fields = [variable for name, variable in self._by_name.items() if name not in self._fixed]
        where = [(each.about, each.node) for each in wanted if each.is_taken]
        where += [(len(self.staged.instances) + i, TRUE) for i in range(len(self.props))]
        return sight_values(self._blocks(), where, fields, self.limits.finding, self.until)

    def _affords(self) -> bool:
        self.cost += RUN + len(self._by_name)
        return self.cost <= self.limits.looks and time.thread_time() < self.until

    def _spread_states(self) -> Iterator[Sample]:
        """Some states that are evenly spread over the visited set."""
        rows = self.search.samples(SPREAD)
        block = self._block(rows, 0)
        return (block.sighting(row) for row in range(len(rows)))

    def _blocks(self) -> Iterator[StateBlock]:
        given = self.search.layout.places.keys() | self._fixed.keys()
        if self._by_name.keys() <= given:
            return (self._block(rows, number) for number, rows in enumerate(self.search.blocks(), 1))
        blocks = chain.from_iterable(self.search.blocks() for _ in range(ROUNDS))
        return (self._block(_repeat_rows(rows), number) for number, rows in enumerate(blocks, 1))

    def _block(self, rows: Words, number: int) -> StateBlock:
        return StateBlock(rows, number, self.search.layout, self._by_name, self._fixed)

    def _look_at_everything(self, state: Sample) -> None:
        for inst in self.staged.instances:
            if self._affords():
                self._look(inst, state)
        staged = {inst.label for inst in self.staged.instances}
        for label in self.reference.labels:
            if label not in staged and self._affords():
                self.comparing.must_be_disabled(label, state)
                self.looked.disabled += 1

    def _look(self, inst: Instance, state: Sample) -> None:
        outcome = self.comparing.compare_step(inst, state)
        if outcome is None:
            self.looked.taken += 1
            self._taken.add(self.comparing.numbers.get(inst.label, -1))
        elif outcome is NotTaken.CUT:
            self.looked.cut += 1
        else:
            self.looked.disabled += 1

    def _judge(self, prop: Property, state: Sample) -> None:
        self.comparing.compare_claim(prop, state)
        self._judged.add(state.row.tobytes())


def _repeat_rows(rows: Words) -> Words:
    """A block of few states, over and over."""
    return np.tile(rows, (max(1, FILLED // len(rows)), 1))


def _in_turns(wanted: Iterable[CoverageGoal]) -> Iterator[tuple[int, Sample]]:
    """What to look at, in which state: first each situation once, those that matter most first, then each once more."""
    seen = [(each, each.states_to_look_at()) for each in wanted]
    for turn in range(max((len(states) for _, states in seen), default=0)):
        for each, states in seen:
            if turn < len(states):
                yield each.about, states[turn]


class Comparing:
    """The search and the reference semantics, beside each other."""

    def __init__(self, search: Exploration, staged: Staged, reference: Reference, props: Sequence[Property]) -> None:
        self.search, self.reference, self.props = search, reference, tuple(props)
        self.numbers = {inst.label: i for i, inst in enumerate(search.system.instances)}
        self._expander = Expander(search.layout, search.native, 1)
        self._leaves = staged.leaves
        self._names = [leaf.path for leaf in self._leaves]
        self._orders: dict[Label, tuple[Node, ...]] = {}
        self._steps: dict[bytes, tuple[dict[int, State], frozenset[int]]] = {}

    def compare_step(self, inst: Instance, state: Sample) -> NotTaken | None:
        """DisagreementError unless the instance does the same in both, and in the staged expressions.

        Why it is not taken, where it is not.
        """
        evaluated = self._by_expressions(inst, state)
        compiled = self._by_search(inst, state, evaluated)
        expected, reason = self._by_python(inst.label, state.whole)
        self._must_agree(inst.label, state.whole, compiled, expected, "Python", reason)
        self._must_agree(inst.label, state.whole, compiled, evaluated, "the staged expressions")
        if isinstance(compiled, NotTaken) or not isinstance(expected, tuple):
            return compiled if isinstance(compiled, NotTaken) else None
        for prop in self.props:
            if prop.kind is ClaimKind.EACH_STEP and not self.reference.judge_step(
                prop, state.whole, inst.label, expected
            ):
                self._differ(inst.label, state.whole, f"breaks {prop.id} in Python and keeps it in the compiled model")
        return None

    def must_be_disabled(self, label: Label, state: Sample) -> None:
        """DisagreementError if an instance that is said never to be taken is anything but disabled."""
        expected, reason = self._by_python(label, state.whole)
        self._must_agree(label, state.whole, NotTaken.DISABLED, expected, "Python", reason)

    def compare_claim(self, prop: Property, state: Sample) -> None:
        """DisagreementError unless a claim about states is as true in both; other claims have no truth there."""
        if prop.kind in (ClaimKind.EACH_STEP, ClaimKind.NO_DEADLOCK):
            return
        flags = self._expander.judge(state.row.reshape(1, -1))
        alarm = bool(int(flags[0]) >> CLAIMS >> self.props.index(prop) & 1)
        compiled = alarm is (prop.kind is ClaimKind.SOMETIMES)
        node = self.search.system.claims[self.props.index(prop)].on_state
        evaluated = bool(evaluate([node], dict(zip(self._names, state.whole, strict=True)))[0]) if node else compiled
        judges = {"Python": self.reference.judge(prop, state.whole), "the staged expressions": evaluated}
        for judge, truth in judges.items():
            if truth is not compiled:
                what = f"{prop.id} is {truth} in {judge} and {compiled} in the compiled model"
                raise DisagreementError(f"{what}{self._where(state.whole)}")

    def _by_python(self, label: Label, whole: State) -> tuple[Outcome, str]:
        """What Python makes of an instance; and the reason where it goes wrong."""
        try:
            return self.reference.take(whole, label), ""
        except ModelError as error:
            return None, error.reason

    def _by_search(self, inst: Instance, state: Sample, evaluated: Outcome) -> Outcome:
        """What the search makes of an instance. Of what a slice has left out, the staged expressions tell it."""
        number = self.numbers.get(inst.label)
        if number is None:
            return evaluated
        steps, cuts = self._steps_from(state.row)
        if number not in steps:
            return NotTaken.CUT if number in cuts else NotTaken.DISABLED
        if not isinstance(evaluated, tuple):
            return state.whole
        values = dict(zip(self._names, evaluated, strict=True))
        values.update(zip((v.name for v in self.search.system.variables), steps[number], strict=True))
        return tuple(values[name] for name in self._names)

    def _by_expressions(self, inst: Instance, state: Sample) -> Outcome:
        """What the staged expressions make of an instance."""
        if inst.label not in self._orders:
            roots = [inst.enabled, inst.cut, *(each.condition for each in inst.failures), *inst.updates.values()]
            self._orders[inst.label] = tuple(topological(roots))
        before = dict(zip(self._names, state.whole, strict=True))
        known = evaluate_all(self._orders[inst.label], before)
        if not known[inst.enabled]:
            if any(known[failure.condition] for failure in inst.failures):
                return None
            return NotTaken.CUT if known[inst.cut] else NotTaken.DISABLED
        before.update((name, known[node]) for name, node in inst.updates.items())
        return tuple(before[name] for name in self._names)

    def _steps_from(self, row: Words) -> tuple[dict[int, State], frozenset[int]]:
        """The steps that the compiled code takes from a state, by the number of the instance; and what it cuts."""
        key = row.tobytes()
        if key not in self._steps:
            expander, unpack = self._expander, self.search.layout.unpack
            expander.reset_counts()
            count = expander.expand(row.reshape(1, -1))
            taken = np.flatnonzero(expander.fired).tolist()
            steps = {number: unpack(expander.out[i]) for i, number in enumerate(taken[:count])}
            self._steps[key] = steps, frozenset(np.flatnonzero(expander.cuts).tolist())
        return self._steps[key]

    def _must_agree(
        self, label: Label, before: State, compiled: Outcome, expected: Outcome, judge: str, reason: str = ""
    ) -> None:
        """DisagreementError unless what was found is what the judge says.

        Each field must have its value; one that is dead by now may have been reset instead.
        """
        if compiled == expected:
            return
        if not isinstance(compiled, tuple) or not isinstance(expected, tuple):
            why = f" ({reason})" if reason else ""
            difference = (
                f"{_outcome_in_words(expected)} in {judge}{why} and {_outcome_in_words(compiled)} in the compiled model"
            )
            self._differ(label, before, difference)
        values = dict(zip(self._names, compiled, strict=True))
        reset = _reset_fields(self.search.system, values)
        for leaf, value, truth in zip(self._leaves, compiled, expected, strict=True):
            if value != truth and not (leaf.path in reset and value == leaf.initial[0]):
                decode = leaf.domain.decode
                difference = (
                    f"gives {leaf.path} {decode(truth)!r} in {judge} and {decode(value)!r} in the compiled model"
                )
                self._differ(label, before, difference)

    def _differ(self, label: Label, before: State, how: str) -> NoReturn:
        raise DisagreementError(f"{show_label(label)} {how}{self._where(before)}")

    def _where(self, state: State) -> str:
        """The state in words: the fields that are not as they start."""
        moved = [(leaf, n) for leaf, n in zip(self._leaves, state, strict=True) if n != leaf.initial[0]]
        if not moved:
            return ", in the initial state"
        shown = [f"{leaf.path}={leaf.domain.decode(n)!r}" for leaf, n in moved[:8]]
        return f", where {', '.join(shown)}{', ...' if len(moved) > 8 else ''}"


def _outcome_in_words(outcome: Outcome) -> str:
    if outcome is None:
        return "goes wrong"
    return f"is {outcome.value if isinstance(outcome, NotTaken) else 'taken'}"


def _reset_fields(system: System, values: Mapping[str, int]) -> set[str]:
    """The fields of objects that are finished in a state."""
    if not system.lifetimes:
        return set()
    readable = [life for life in system.lifetimes if variables([life.condition]) <= values.keys()]
    ended = evaluate([life.condition for life in readable], values)
    known = {v.name for v in system.variables} - {CAP}
    return {name for life, over in zip(readable, ended, strict=True) if over for name in life.fields if name in known}

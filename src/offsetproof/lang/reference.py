"""The reference semantics: the model's own Python, run on real values. It replays and judges every trace.

Slow and plain on purpose: nothing here is staged, packed or compiled, so a trace that replays does not depend on any
of that being right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Any

from offsetproof.ir.system import Label, State, show_label, starts
from offsetproof.lang.claim import WALK, ClaimKind, Property, Step
from offsetproof.lang.errors import DeclarationError, ModelError, RefusedError, raised_place
from offsetproof.lang.errors import ReplayError as ReplayError
from offsetproof.lang.model import Model, ModelInstance
from offsetproof.lang.run import Disabled, Run, running
from offsetproof.lang.runs import must_be_fair_cycle, truths_of_run
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.setting import Setting
from offsetproof.lang.tree import Leaf
from offsetproof.raised import text_of


class NotTaken(StrEnum):
    """Why an instance is not a step from a state."""

    DISABLED = "disabled"
    CUT = "cut"


def take(grown: ModelInstance, state: State, label: Label) -> State | NotTaken:
    """The state after an instance, or why it cannot be taken; ModelError where the model goes wrong."""
    run = Run()
    grown.tree.load(state)
    with running(run):
        try:
            grown.take(label)
            after = None if run.cut else grown.tree.dump()
        except Disabled:
            return NotTaken.DISABLED
        except (RefusedError, DeclarationError, UnknownNameError):
            raise
        except (Exception, SystemExit) as error:
            if run.cut:
                return NotTaken.CUT
            place = raised_place(error, grown.instances[label][0].place)
            raise ModelError(show_label(label), f"{text_of(error)} ({type(error).__name__}, {place})") from error
    return NotTaken.CUT if after is None else after


class Reference:
    """A model in one setting, run concretely."""

    def __init__(self, model: type[Model], setting: Setting) -> None:
        self.model, self.setting = model, setting
        self._now = ModelInstance(model, setting)

    @cached_property
    def _before(self) -> ModelInstance:
        """The model once more, for claims about steps."""
        return ModelInstance(self.model, self.setting)

    @property
    def labels(self) -> list[Label]:
        """All action instances, in declaration order."""
        return list(self._now.instances)

    @property
    def grown(self) -> ModelInstance:
        """The components and actions behind the semantics, for names and declarations."""
        return self._now

    def initial(self) -> list[State]:
        """All initial states, ascending."""
        return list(starts({leaf.path: leaf.initial for leaf in self._leaves}, self._now.correlated))

    def first(self) -> State:
        """The smallest initial state."""
        return self.start_with({})

    def start_with(self, known: Mapping[str, int]) -> State:
        """The smallest initial state in which some leaves, by path, have these values; ValueError if there is none."""
        choices = [(known[leaf.path],) if leaf.path in known else leaf.initial for leaf in self._leaves]
        together = self._now.correlated
        rows = together.rows if together else ((),)
        names = together.names if together else ()
        for row in rows:
            fixed = dict(zip(names, row, strict=True))
            if all(known.get(name, value) == value for name, value in fixed.items()):
                smallest = (values[0] for values in choices)
                return tuple(fixed.get(leaf.path, n) for leaf, n in zip(self._leaves, smallest, strict=True))
        raise ValueError("no initial state has these values")

    def is_initial(self, state: State) -> bool:
        """Is this an initial state? (Leaf by leaf: there may be very many.)"""
        if len(state) != len(self._leaves) or not self._starts_together(state):
            return False
        return all(n in leaf.initial for leaf, n in zip(self._leaves, state, strict=True))

    def _starts_together(self, state: State) -> bool:
        """Do the leaves that do not start independently of each other start with these values?"""
        together = self._now.correlated
        if together is None:
            return True
        known = {leaf.path: n for leaf, n in zip(self._leaves, state, strict=True)}
        return tuple(known[name] for name in together.names) in together.rows

    @property
    def _leaves(self) -> list[Leaf]:
        return self._now.tree.leaves

    def take(self, state: State, label: Label) -> State | NotTaken:
        """The state after an instance, or why it cannot be taken; ModelError where the model goes wrong."""
        return take(self._now, state, label)

    def steps(self, state: State) -> Iterator[tuple[Label, State]]:
        """Every instance that can be taken from a state, with the state after it."""
        for label in self.labels:
            after = self.take(state, label)
            if not isinstance(after, NotTaken):
                yield label, after

    def judge(self, prop: Property, state: State) -> bool:
        """The truth of a claim about one state (for a witness: is it there? For a claim about runs: has it come?)."""
        if prop.kind is ClaimKind.NO_DEADLOCK:
            return any(self.tries(state, label) for label in self.labels)
        self._now.tree.load(state)
        with running(Run(judging=f"claim {prop.id}")):
            if prop.kind is ClaimKind.AT_REST and not self._now.root.rest():
                return True
            value: object = prop.function(self._now.root)
            if prop.kind is ClaimKind.LEADS_TO:
                return all(_truths(prop, value)[1:])
            return _truth(prop, value)

    def asks(self, prop: Property, state: State) -> bool:
        """Does what is claimed of runs have to come after this state, or now?"""
        if prop.kind is not ClaimKind.LEADS_TO:
            return True
        self._now.tree.load(state)
        with running(Run(judging=f"claim {prop.id}")):
            return _truths(prop, prop.function(self._now.root))[0]

    def tries(self, state: State, label: Label) -> bool:
        """Is there an attempt at the instance, be it cut or a model error?"""
        try:
            return self.take(state, label) is not NotTaken.DISABLED
        except ModelError:
            return True

    def judge_step(self, prop: Property, before: State, label: Label, after: State) -> bool:
        """The truth of an `each_step` claim about one step."""
        _, args = self._now.instances[label]
        self._before.tree.load(before)
        self._now.tree.load(after)
        with running(Run(judging=f"claim {prop.id}")):
            return _truth(prop, prop.function(self._before.root, self._now.root, Step(label[0], args)))

    def show(self, state: State) -> dict[str, Any]:
        """A state as paths of leaves and real values."""
        return self._now.tree.show(state)


def _truth(prop: Property, value: object) -> bool:
    if not isinstance(value, bool):
        raise DeclarationError(f"{prop.place}: claim {prop.id} gave {value!r}, not True or False")
    return value


def _truths(prop: Property, value: object) -> tuple[bool, bool]:
    if not isinstance(value, tuple) or len(value) != 2:
        raise DeclarationError(f"{prop.place}: claim {prop.id} gave {value!r}, not two truths")
    return _truth(prop, value[0]), _truth(prop, value[1])


class Replay:
    """A trace that the reference semantics has followed: making one replays it, or raises ReplayError.

    Whoever holds a Replay holds evidence: the last state or step breaks the claim (or, for a witness, shows it), and
    nothing before it does. `truths[i]` holds, for state i (or step i of an `each_step` claim), every judged claim.
    A claim about runs is broken by a run without an end: from its last state it goes on as it did from state
    `cycle_at`, again and again. Where that is the last state itself, nothing more happens. Such a claim is true after
    a step where nothing of it is still to come.
    `on_the_way` is called before each step and each judgement, and may raise what ends the work.
    """

    def __init__(
        self,
        reference: Reference,
        prop: Property,
        labels: Sequence[Label],
        initial: State | None = None,
        also: Sequence[Property] = (),
        on_the_way: Callable[[], None] = lambda: None,
        cycle_at: int | None = None,
    ) -> None:
        self.reference, self.prop, self.labels, self.cycle_at = reference, prop, tuple(labels), cycle_at
        self.states = self._follow(reference.first() if initial is None else initial, on_the_way)
        self.truths = tuple(self._truths((prop, *also), on_the_way))
        self._must_show_claim()

    @property
    def faults(self) -> int:
        """How many faults the trace spends."""
        return sum(self.reference.grown.instances[label][0].fault is not None for label in self.labels)

    def _follow(self, initial: State, on_the_way: Callable[[], None]) -> tuple[State, ...]:
        if not self.reference.is_initial(initial):
            raise ReplayError(0, "its first state is not an initial state")
        states = [initial]
        for number, label in enumerate(self.labels, 1):
            if label not in self.reference.grown.instances:
                raise ReplayError(number, f"the model has no action {show_label(label)} in this scope")
            on_the_way()
            after = self.reference.take(states[-1], label)
            if isinstance(after, NotTaken):
                raise ReplayError(number, f"{show_label(label)} is {after}")
            states.append(after)
        return tuple(states)

    def _truths(self, claims: Sequence[Property], on_the_way: Callable[[], None]) -> Iterator[dict[str, bool]]:
        runs = {
            claim.id: truths_of_run(self.reference, claim, self.states) for claim in claims if claim.kind.is_about_runs
        }
        for i in range(len(self.states)):
            on_the_way()
            yield {claim.id: runs[claim.id][i] if claim.id in runs else self._truth(i, claim) for claim in claims}

    def _truth(self, i: int, claim: Property) -> bool:
        if claim is WALK:
            return i == len(self.labels)
        if claim.kind is ClaimKind.NO_DEADLOCK and i < len(self.labels):
            return True  # the next step was taken from here
        if claim.kind is not ClaimKind.EACH_STEP:
            return self.reference.judge(claim, self.states[i])
        return i == 0 or self.reference.judge_step(claim, self.states[i - 1], self.labels[i - 1], self.states[i])

    def _must_show_claim(self) -> None:
        if self.prop.kind.is_about_runs:
            must_be_fair_cycle(self.reference, self.prop, self.labels, self.states, self.cycle_at)
            return
        shows_when = self.prop.kind is ClaimKind.SOMETIMES
        for i, truths in enumerate(self.truths):
            shown = truths[self.prop.id] is shows_when
            if shown != (i == len(self.truths) - 1):
                raise ReplayError(i, f"{self.prop.id} is {truths[self.prop.id]} here")

"""Conformance: random walks of a model, each step of which is done on the real classes as well, and compared.

A walk takes any step that the model allows, rare actions more often, and so comes to schedules that nobody thought of.
Where the two differ, or where the real classes do not do a step that the model allows, either the model or the rig is
wrong. The walk is then shortened as far as the difference stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from offsetproof.engines.stateful.stepper import Stepper
from offsetproof.ir.system import Instance, Label, State, show_label
from offsetproof.lang.rigging import RigMoment
from offsetproof.lang.stage import Staged
from offsetproof.real.program import JavaLine
from offsetproof.real.replay import OutcomeKind, Replayer, ReplayOutcome, RigStep, SentSteps
from offsetproof.traces.trace import plain

LENGTH = 60
"""Steps of one walk."""

FRUITLESS_MAX = 50
"""So many walks one after the other of which no step can be enforced, and no more are tried."""


class States:
    """The states of a staged model as mappings from full names of fields to what they hold, decoded when asked."""

    def __init__(self, staged: Staged) -> None:
        self._place = {leaf.path: number for number, leaf in enumerate(staged.leaves)}
        self._decode = [_remembering(leaf.domain.decode) for leaf in staged.leaves]

    def of(self, state: State) -> Mapping[str, Any]:
        """A state by names."""
        return _Named(state, self._place, self._decode)


def _remembering(decode: Callable[[int], Any]) -> Callable[[int], Any]:
    """What a trace says of a value, made once for each: domains are small."""
    known: dict[int, Any] = {}

    def show(value: int) -> Any:
        if value not in known:
            known[value] = plain(decode(value))
        return known[value]

    return show


class _Named(Mapping[str, Any]):
    def __init__(self, state: State, place: Mapping[str, int], decode: Sequence[Callable[[int], Any]]) -> None:
        self._state, self._place, self._decode = state, place, decode

    def __getitem__(self, path: str) -> Any:
        number = self._place[path]
        return self._decode[number](self._state[number])

    def __iter__(self) -> Iterator[str]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self._place)


@dataclass(frozen=True)
class Disagreement:
    """Steps after which model and real classes differ: the last of them, in which field, and how it went wrong.

    There are no steps where the two differ before the first.
    """

    steps: tuple[Label, ...]
    field: str | None
    model: Any
    real: Any
    reason: str

    @property
    def is_elsewhere(self) -> bool:
        """Was the last step not done at all: its thread stands elsewhere, or it failed?"""
        return bool(self.steps) and not self.reason.endswith("left something else")

    def __str__(self) -> str:
        differs = "" if self.field is None else f"{self.field} is {self.real} and not {self.model}: "
        where = f"step {len(self.steps)}, {show_label(self.steps[-1])}" if self.steps else "before the first step"
        return f"{where}: {differs}{self.reason}"


@dataclass
class Conformance:
    """How far model and real classes were held side by side: steps compared, how often each action, what differed.

    `entered` are the watched places that were come to in those steps, `built` those while rigs were built.
    """

    steps: int = 0
    walks: int = 0
    silent: int = 0
    taken: Counter[str] = field(default_factory=Counter)
    disagreements: list[Disagreement] = field(default_factory=list)
    entered: set[JavaLine] = field(default_factory=set)
    built: set[JavaLine] = field(default_factory=set)

    def count(self, labels: Sequence[Label], silent: int = 0) -> None:
        """Counts one more walk, of which these steps were compared."""
        self.walks += 1
        self.steps += len(labels)
        self.silent += silent
        self.taken.update(label[0] for label in labels)

    def give_back(self, labels: Sequence[Label]) -> None:
        """These steps of the last walk do not count."""
        self.steps -= len(labels)
        self.taken.subtract(label[0] for label in labels)


class _Walk(NamedTuple):
    """A walk that the real classes were told to do."""

    labels: Sequence[Label]
    sent: SentSteps

    @property
    def left(self) -> Sequence[Label]:
        """Its last steps, which cannot be enforced and were not sent."""
        return self.labels[len(self.sent.steps) :]


class Conformer:
    """Walks over one setting of a model, side by side with a sidecar's rig."""

    def __init__(
        self,
        staged: Staged,
        replayer: Replayer,
        seed: int,
        changed: Mapping[int, Instance] = MappingProxyType({}),
    ) -> None:
        """`changed` has the instances of a wrong model, by their places among the staged model's."""
        self.stepper = Stepper(staged, (), changed=changed)
        self._states = States(staged)
        self.replayer = replayer
        self.random = np.random.Generator(np.random.PCG64(seed))
        self._actions = [instance.label[0] for instance in self.stepper.system.instances]
        self._scope = staged.setting.scope
        self._listener = staged.setting.listener.name if staged.setting.listener else None

    def go(self, steps_max: int, length: int = LENGTH, disagreements_max: int = 1) -> Conformance:
        """Walks until that many steps are compared, or that many disagreements are met.

        While the real classes do one walk, the next is drawn and the one before is compared. It ends with fewer steps
        where walks cannot begin.
        """
        result, drawn, fruitless = Conformance(), Conformance(), 0
        waiting: _Walk | None = None
        for labels, states in self.walks(drawn, steps_max, length):
            drawn.count(labels)
            answered = self.replayer.answers() if waiting else None
            sent = self._send(labels, states)
            if waiting and self._differs(waiting, answered, result):
                self.replayer.answers()
                self._shorten_last(result)
                if len(result.disagreements) >= disagreements_max:
                    return result
                sent = self._send(labels, states)
            drawn.give_back(sent.left)
            waiting, fruitless = sent, 0 if sent.sent.steps else fruitless + 1
            if fruitless == FRUITLESS_MAX:
                break
        if waiting and self._differs(waiting, self.replayer.answers(), result):
            self._shorten_last(result)
        return result

    def _send(self, labels: Sequence[Label], states: Sequence[State]) -> _Walk:
        first = self._states.of(states[0])
        return _Walk(labels, self.replayer.send(self._scope, first, self._steps(labels, states)))

    def _differs(self, walk: _Walk, answered: Any, result: Conformance) -> bool:
        """Counts a walk that was done; is there a disagreement in it?"""
        outcome = self.replayer.judge(walk.sent, answered)
        result.entered |= outcome.entered
        result.built |= outcome.built
        disagreement, compared, silent = self._difference_in(walk.labels, outcome)
        result.count(walk.labels[:compared], silent)
        result.disagreements += [disagreement] if disagreement else []
        return disagreement is not None

    def _shorten_last(self, result: Conformance) -> None:
        result.disagreements[-1] = self._shorten(result.disagreements[-1])

    def walks(
        self, done: Conformance, steps_max: int, length: int = LENGTH
    ) -> Iterator[tuple[list[Label], list[State]]]:
        """Walks one after the other until `done`, which who takes them keeps, has that many steps."""
        while done.steps < steps_max:
            labels, states = self.walk(min(length, steps_max - done.steps), done.taken)
            if not labels:
                return
            yield labels, states

    def walk(self, length: int, taken: Counter[str] | None = None) -> tuple[list[Label], list[State]]:
        """Labels and states of a random walk; actions that were taken seldom are taken sooner."""
        system, layout, taken = self.stepper.system, self.stepper.layout, taken or Counter()
        row = self.stepper.starts[int(self.random.integers(len(self.stepper.starts)))][np.newaxis, :]
        labels: list[Label] = []
        rows = [row[0]]
        while len(labels) < length:
            steps = self.stepper.steps(row)
            possible = [n for n, which in enumerate(steps.which) if self.replayer.can_do(self._actions[int(which)])]
            if not possible:
                break
            weights = np.array([1 / (1 + taken[self._actions[int(steps.which[n])]]) ** 0.5 for n in possible])
            chosen = possible[int(self.random.choice(len(possible), p=weights / weights.sum()))]
            labels.append(system.instances[int(steps.which[chosen])].label)
            row = steps.after[chosen][np.newaxis, :].copy()
            rows.append(row[0])
        return labels, layout.unpack_all(np.array(rows, np.uint64))

    def _compare(self, labels: Sequence[Label], states: Sequence[State]) -> tuple[Disagreement | None, int, int]:
        """The first difference, if there is one; how many steps were compared; how many of them were silent."""
        walk = self._send(labels, states)
        return self._difference_in(labels, self.replayer.judge(walk.sent, self.replayer.answers()))

    @staticmethod
    def _difference_in(labels: Sequence[Label], outcome: ReplayOutcome) -> tuple[Disagreement | None, int, int]:
        if outcome.kind is not OutcomeKind.DIVERGED:
            return None, outcome.steps, len(outcome.silent)
        assert outcome.step is not None
        found = tuple(labels[: outcome.step])
        return (
            Disagreement(found, outcome.field, outcome.model, outcome.real, outcome.reason),
            outcome.step,
            len(outcome.silent),
        )

    def _steps(self, labels: Sequence[Label], states: Sequence[State]) -> list[RigStep]:
        named = [self._states.of(state) for state in states]
        return [
            RigStep(number, label[0], RigMoment(dict(label[1]), before, after, self._listener), show_label(label))
            for number, (label, before, after) in enumerate(zip(labels, named, named[1:], strict=False), 1)
        ]

    def answers_to(self, labels: Sequence[Label], states: Sequence[State], *more: Mapping[str, Any]) -> list[Any]:
        """What the rig answers to the steps, and to more commands after them; nothing is compared."""
        return self.replayer.do(self._scope, self._states.of(states[0]), self._steps(labels, states), more)

    def action(self, instance: int) -> str:
        """The action of an instance."""
        return self._actions[instance]

    def agrees(self, state: State, real: Mapping[str, Any]) -> bool:
        """Does a state show what the rig shows?"""
        return self.replayer.difference(self._states.of(state), real) is None

    def _shorten(self, found: Disagreement) -> Disagreement:
        """The same with as few steps as can be found by leaving out one after the other."""
        start = self.stepper.system.initial[0]
        place = len(found.steps) - 2
        while place >= 0:
            shorter = (*found.steps[:place], *found.steps[place + 1 :])
            states = self._states_along(start, shorter)
            again = None if states is None else self._compare(shorter, states)[0]
            if again is not None and again.reason == found.reason and again.field == found.field:
                found = again
            place = min(place, len(found.steps)) - 1
        return found

    def compare(self, labels: Sequence[Label], counted: Conformance | None = None) -> Disagreement | None:
        """The first difference along steps that the model allows from its first state; `counted` has them as a walk."""
        states = self._states_along(self.stepper.system.initial[0], labels)
        if states is None:
            raise ValueError(f"the model does not allow {', '.join(map(show_label, labels))}")
        found, compared, silent = self._compare(labels, states)
        if counted is not None:
            counted.count(labels[:compared], silent)
        return found

    def difference_along(self, labels: Sequence[Label]) -> Disagreement | None:
        """The first difference along steps; None where there is none, or the model does not allow them."""
        states = self._states_along(self.stepper.system.initial[0], labels)
        return None if states is None else self._compare(labels, states)[0]

    def _states_along(self, start: State, labels: Sequence[Label]) -> list[State] | None:
        """The states that the model comes through; None where it does not allow the steps."""
        stepper, states = self.stepper, [start]
        for label in labels:
            row = np.array([stepper.layout.pack(states[-1])], np.uint64)
            steps = stepper.steps(row)
            taken = [n for n, which in enumerate(steps.which) if stepper.system.instances[int(which)].label == label]
            if not taken:
                return None
            states.append(stepper.layout.unpack(steps.after[taken[0]]))
        return states

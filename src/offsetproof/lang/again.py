"""Asking a model the same question again: code that remembers something outside of its fields answers differently.

`reading` lets no such code pass; this asks the code itself. Pieces of code are staged a second time, and actions and
claims run on the same states again and again in shuffled order, for as long as nobody feels it: a share of the time
that staging takes anyway, and a few hundredths of a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeVar

from offsetproof.ir.system import Instance, Label, State, show_label
from offsetproof.lang.errors import DisagreementError, ModelError
from offsetproof.lang.model import ModelInstance
from offsetproof.lang.reference import NotTaken, take

SHARE, FLOOR = 0.05, 0.03
"""How much of the time of staging goes into asking again, and how many seconds in any case."""

STATES, INSTANCES, ROUNDS = 4, 100, 100
"""The most states and instances that are run again, and how often each."""

Staged = TypeVar("Staged")
Asked = TypeVar("Asked")


class Again:
    """Asks the code of one staged model again; DisagreementError where the answer is another.

    `grown` and `other` are the model twice, in one setting; `initially` must have left both in the same states. `floor`
    are the seconds that it takes in any case.
    """

    def __init__(self, grown: ModelInstance, other: ModelInstance, *, floor: float = FLOOR) -> None:
        self._grown, self._random, self._floor = grown, Random(0), floor
        pairs = zip(grown.tree.leaves, other.tree.leaves, strict=True)
        odd = next((here.path for here, there in pairs if here.initial != there.initial), None)
        if odd is not None or grown.correlated != other.correlated:
            raise DisagreementError(f"initially() answers differently the second time: {odd or 'fields'} start apart")
        self._first = self._second = 0.0
        self.states = [_state(grown, self._random, at) for at in range(STATES)]

    def stage(self, what: str, code: Callable[[], Staged]) -> Staged:
        """What staging the code gives; where there is time left, it is staged twice."""
        start = time.perf_counter()
        staged = code()
        took = time.perf_counter() - start
        self._first += took
        if took <= self._budget():
            again = code()
            self._second += took
            if again != staged:
                raise DisagreementError(f"{what} answers differently the second time{_difference(staged, again)}")
        return staged

    def _budget(self) -> float:
        """Seconds that asking again may still take."""
        return self._floor + SHARE * self._first - self._second

    def run(self, asked: Sequence[Asked], answer: Callable[[Asked], object], tell: Callable[[Asked], str]) -> None:
        """Asks all of it many times in shuffled order, in half of the time that is left; `tell` names what is asked."""
        start = time.perf_counter()
        until = start + self._budget() / 2
        answers: dict[Asked, object] = {}
        for each in self._many_times(asked):
            now = answer(each)
            before = answers.setdefault(each, now)
            if now != before:
                changed = self._difference_of(before, now)
                raise DisagreementError(f"{tell(each)} answers differently the second time: {changed}")
            if time.perf_counter() > until:
                break
        self._second += time.perf_counter() - start

    def _many_times(self, asked: Sequence[Asked]) -> Iterator[Asked]:
        for _ in range(ROUNDS):
            yield from self._random.sample(asked, len(asked))

    def run_instances(self) -> None:
        """Runs one instance of each action, and some of the others, on all states."""
        labels = self._random.sample(list(self._grown.instances), len(self._grown.instances))
        of_each = {self._grown.instances[label][0].name: label for label in labels}
        chosen = list(dict.fromkeys((*of_each.values(), *labels)))[:INSTANCES]
        asked = [(label, state) for label in chosen for state in self.states]
        self.run(asked, self._outcome_of, lambda each: show_label(each[0]))

    def _outcome_of(self, asked: tuple[Label, State]) -> State | NotTaken | str:
        """What an instance does on a state, by the model's own Python."""
        try:
            return take(self._grown, asked[1], asked[0])
        except ModelError as error:
            return error.reason

    def _difference_of(self, before: object, after: object) -> str:
        """Which field is another, or what the answers are."""
        if isinstance(before, tuple) and isinstance(after, tuple):
            at = next(at for at, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1])
            leaf = self._grown.tree.leaves[at]
            values = [leaf.domain.decode(each[at]) for each in (before, after)]
            return f"it gives {leaf.path} {values[0]}, and then {values[1]}"
        answers = ["a step" if isinstance(each, tuple) else str(each) for each in (before, after)]
        return f"it is {answers[0]}, and then {answers[1]}"


def _state(grown: ModelInstance, random: Random, at: int) -> State:
    """A state to run on: the first that the model starts in, then ones that differ from it in ever more fields."""
    return tuple(
        random.randint(leaf.domain.lo, leaf.domain.hi) if random.random() * (STATES - 1) < at else leaf.initial[0]
        for leaf in grown.tree.leaves
    )


def _difference(first: object, second: object) -> str:
    """Which field of an instance that was staged twice is another."""
    if not isinstance(first, Instance) or not isinstance(second, Instance):
        return ""
    names = {*first.updates, *second.updates}
    odd = min((name for name in names if first.updates.get(name) is not second.updates.get(name)), default="")
    return f": what it gives {odd} is not the same" if odd else ": it can be taken in other states"

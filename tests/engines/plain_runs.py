"""Can a fair run owe for ever what a claim about runs waits for? Decided by definition, for tiny models: the oracle.

It knows what an action does to a state and what a claim says of one, from the model's own Python, and is told which
threads are fair. No components are looked for: the states from which a fair run can go on for ever are the largest set
from which each thread's due can be met again and again without leaving it (Emerson and Lei 1986). Which threads go on
again and again is guessed, all guesses in turn: of the strongly fair ones, and of the weakly fair ones whose wait only
a bound or a budget interrupts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, combinations

from offsetproof.ir.system import Label
from offsetproof.lang import ClaimKind, Fairness, ModelError, Property
from offsetproof.lang.model import Model
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.lang.setting import Setting

State = tuple[int, ...]
Thread = tuple[str, str]
Place = tuple[State, Thread | None]
"""A state, and the fair thread that has just taken a step to it (None: somebody else, or nothing happened)."""


@dataclass(frozen=True)
class FairThreads:
    """What is told of a model: the thread of each action, how fair runs are to it, and a budget that starts full."""

    thread_of: Mapping[str, Thread | None]
    fairness: Mapping[Thread, Fairness]
    budget: str = ""
    full: int = 0


class PlainRuns:
    """All states of a model in one setting, and what can be done in each."""

    def __init__(self, model: type[Model], setting: Setting, fair: FairThreads) -> None:
        self.reference, self.fair = Reference(model, setting), fair
        self.steps: dict[State, list[tuple[Thread | None, State]]] = {}
        self.ready: dict[State, set[Thread]] = {}
        self.stopped: dict[State, set[Thread]] = {}
        self.goes_wrong = False
        waiting = self.reference.initial()
        while waiting:
            state = waiting.pop()
            if state not in self.steps:
                self._look_at(state)
                waiting += [after for _, after in self.steps[state]]

    def _look_at(self, state: State) -> None:
        self.steps[state], self.ready[state], self.stopped[state] = [], set(), set()
        for label in self.reference.labels:
            thread = self.fair.thread_of[label[0]]
            is_fair = thread is not None and self.fair.fairness[thread] is not Fairness.NONE
            after = self._outcome(state, label)
            if isinstance(after, tuple):
                self.steps[state].append((thread if is_fair else None, after))
                if thread is not None and is_fair:
                    self.ready[state].add(thread)
            self.goes_wrong |= after is None
            if thread is not None and is_fair:
                tries = (after, self._outcome(self._refilled(state), label))
                if any(tried is not NotTaken.DISABLED for tried in tries):
                    self.stopped[state].add(thread)

    def _outcome(self, state: State, label: Label) -> State | NotTaken | None:
        try:
            return self.reference.take(state, label)
        except ModelError:
            return None

    def _refilled(self, state: State) -> State:
        names = [leaf.path for leaf in self.reference.grown.tree.leaves]
        return tuple(self.fair.full if name == self.fair.budget else n for name, n in zip(names, state, strict=True))

    def verdict(self, prop: Property) -> str:
        """HOLDS, REFUTED, or UNKNOWN where only a bound, or a budget, is in the way, or the model goes wrong."""
        owing = self._owing(prop)
        strong = [thread for thread, fair in self.fair.fairness.items() if fair is Fairness.STRONG]
        fair = [thread for thread, fair in self.fair.fairness.items() if fair is not Fairness.NONE]
        if any(self._goes_on(owing, self.stopped, set(never)) for never in _subsets(strong)):
            return "REFUTED"
        can_owe = any(self._goes_on(owing, self.ready, set(never)) for never in _subsets(fair))
        return "UNKNOWN" if self.goes_wrong or can_owe else "HOLDS"

    def _owing(self, prop: Property) -> set[State]:
        """The states in which what is claimed is owed."""
        judge, asks = self.reference.judge, self.reference.asks
        first = self.reference.initial() if prop.kind is ClaimKind.EVENTUALLY else self.steps
        waiting = [state for state in first if asks(prop, state) and not judge(prop, state)]
        found = set(waiting)
        while waiting:
            for _, after in self.steps[waiting.pop()]:
                if after not in found and not judge(prop, after):
                    found.add(after)
                    waiting.append(after)
        return found

    def _goes_on(self, owing: set[State], ready: Mapping[State, set[Thread]], never: set[Thread]) -> bool:
        """Is there a fair run within these states in which these threads can never go on, and the other strong ones do?

        A weakly fair one that is not among them goes on, or comes where nothing waits, not even for a bound.
        """
        fairness = self.fair.fairness
        states = {state for state in owing if not ready[state] & never}
        weak = {thread for thread, fair in fairness.items() if fair is Fairness.WEAK} - never
        due = {thread for thread, fair in fairness.items() if fair is Fairness.STRONG} - never
        places = {(state, by) for state in states for by in (None, *fairness)}
        while True:
            kept = places
            for thread in (*weak, *due, None):
                met = {
                    (state, by)
                    for state, by in kept
                    if thread is None or by == thread or (thread in weak and thread not in self.stopped[state])
                }
                kept = self._leading_to(met, kept)
            if kept == places:
                return bool(places)
            places = kept

    def _leading_to(self, met: set[Place], within: set[Place]) -> set[Place]:
        """The places from which one of those that are met can be reached by a step or more, within these places."""
        found: set[Place] = set()
        while True:
            more = {place for place in within - found if any(n in met or n in found for n in self._next(place, within))}
            if not more:
                return found
            found |= more

    def _next(self, place: Place, within: set[Place]) -> Iterator[Place]:
        state, _ = place
        yield from (each for each in ((state, None), *((to, by) for by, to in self.steps[state])) if each in within)


def _subsets(threads: list[Thread]) -> Iterable[tuple[Thread, ...]]:
    return chain.from_iterable(combinations(threads, size) for size in range(len(threads) + 1))

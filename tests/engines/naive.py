"""A brute-force enumerator, written as naively as possible: the oracle that shares no code with staging, IR or engines.

It knows only the reference semantics (what an instance does to a concrete state, what a claim says of one) and keeps
everything in dicts and sets. Much too slow for anything but tiny models, which is the point.
"""

from __future__ import annotations

from dataclasses import dataclass

from offsetproof.lang import ClaimKind, ModelError, Property
from offsetproof.lang.model import Model
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.lang.setting import Setting

State = tuple[int, ...]


class TooManyStatesError(Exception):
    """The model is too large for brute force."""


@dataclass(frozen=True)
class Answer:
    """What brute force says: verdict, counts as the contract defines them, shortest trace's length and faults."""

    verdict: str
    states: int
    transitions: int
    depth: int
    initial: int
    cuts: int
    length: int | None = None
    faults: int = 0


@dataclass
class _Level:
    states: set[State]
    transitions: int = 0
    cuts: int = 0
    errors: int = 0
    found: bool = False


class Naive:
    """One model in one setting, to be enumerated."""

    def __init__(self, model: type[Model], setting: Setting, states_max: int = 3000) -> None:
        self.states_max = states_max
        self.reference = Reference(model, setting)
        leaves = self.reference.grown.tree.leaves
        self.spent = [i for i, leaf in enumerate(leaves) if leaf.path.startswith("faults[")]
        self.budget = sum(leaves[i].domain.hi for i in self.spent)

    def decide(self, prop: Property) -> Answer:
        """The answer to one claim: fewest faults first where it is violated."""
        whole = self.levels(prop, self.budget)
        if not whole[-1].found:
            return self._exhausted(prop, whole)
        for cap in range(self.budget):
            levels = self.levels(prop, cap)
            if levels[-1].found:
                return self._found(prop, levels, cap)
        return self._found(prop, whole, self.budget)

    def levels(self, prop: Property, cap: int) -> list[_Level]:
        """Breadth-first levels; the last is the one in which the claim is violated, if it is."""
        seen: set[State] = set()
        levels: list[_Level] = []
        front = set(self.reference.initial())
        while front:
            level = _Level(front)
            levels.append(level)
            seen |= front
            if len(seen) > self.states_max:
                raise TooManyStatesError
            if prop.kind is not ClaimKind.EACH_STEP and any(self.shows(prop, state) for state in front):
                level.found = True
                return levels
            after, broken = self.expand(level, prop, cap)
            front = after - seen
            if broken:
                levels.append(_Level(set(), found=True))
                return levels
        return levels

    def expand(self, level: _Level, prop: Property, cap: int) -> tuple[set[State], bool]:
        """All successors of a level, and whether some step into them violates a claim about steps."""
        after: set[State] = set()
        broken = False
        for state in level.states:
            for label in self.reference.labels:
                is_fault = self.reference.grown.instances[label][0].fault is not None
                if is_fault and sum(state[i] for i in self.spent) >= cap:
                    continue
                try:
                    outcome = self.reference.take(state, label)
                except ModelError:
                    level.errors += 1
                    continue
                if outcome is NotTaken.CUT:
                    level.cuts += 1
                elif not isinstance(outcome, NotTaken):
                    level.transitions += 1
                    after.add(outcome)
                    if prop.kind is ClaimKind.EACH_STEP and not self.reference.judge_step(prop, state, label, outcome):
                        broken = True
        return after, broken

    def shows(self, prop: Property, state: State) -> bool:
        """Does the state end the search for this claim?"""
        if prop.kind is ClaimKind.NO_DEADLOCK:
            return self.stuck(state)
        return self.reference.judge(prop, state) is (prop.kind is ClaimKind.SOMETIMES)

    def stuck(self, state: State) -> bool:
        """Is there no step from here, nothing cut and nothing that fails?"""
        for label in self.reference.labels:
            try:
                if self.reference.take(state, label) is not NotTaken.DISABLED:
                    return False
            except ModelError:
                return False
        return True

    def _found(self, prop: Property, levels: list[_Level], faults: int) -> Answer:
        verdict = "HOLDS" if prop.kind is ClaimKind.SOMETIMES else "REFUTED"
        return self._answer(verdict, levels[:-1], len(levels) - 1, levels[0], len(levels) - 1, faults)

    def _exhausted(self, prop: Property, levels: list[_Level]) -> Answer:
        verdict = "REFUTED" if prop.kind is ClaimKind.SOMETIMES else "HOLDS"
        if any(level.errors for level in levels):
            verdict = "UNKNOWN"
        return self._answer(verdict, levels, len(levels) - 1, levels[0])

    @staticmethod
    def _answer(
        verdict: str, complete: list[_Level], depth: int, first: _Level, length: int | None = None, faults: int = 0
    ) -> Answer:
        return Answer(
            verdict,
            sum(len(level.states) for level in complete),
            sum(level.transitions for level in complete),
            depth,
            len(first.states),
            sum(level.cuts for level in complete),
            length,
            faults,
        )

"""What brute force says of one claim, read off a program's whole graph: verdict, counts, length of the story."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from engines.naive import Answer
from programs.plain_search import Graph, Label, Plain, State


@dataclass
class _Level:
    states: list[State]
    transitions: int = 0
    cuts: int = 0
    errors: int = 0


@dataclass
class _Levels:
    """Breadth-first levels up to the one that shows what is looked for."""

    complete: list[_Level] = field(default_factory=list)
    length: int | None = None
    first: int = 0


class Answers:
    """Answers about one program that was explored."""

    def __init__(self, plain: Plain, graph: Graph) -> None:
        self.plain, self.graph = plain, graph
        paths = list(plain.now.world.domains)
        self._spent = [at for at, path in enumerate(paths) if path.startswith("faults[")]

    @cached_property
    def budget(self) -> int:
        """All faults together that may happen."""
        return sum(budget for budget in self.plain.scope.faults.values())

    def worded(self, state: State) -> dict[str, str]:
        """A state by paths, its values as texts."""
        return dict(zip(self.plain.now.world.domains, map(str, state), strict=True))

    def to(self, claim: str) -> Answer:
        """The answer to one claim: fewest faults first."""
        kind = self.plain.claims[claim].kind if claim in self.plain.claims else claim
        whole = self._levels(claim, kind, self.budget)
        if whole.length is None:
            verdict = "REFUTED" if kind == "sometimes" else "HOLDS"
            verdict = "UNKNOWN" if any(level.errors for level in whole.complete) else verdict
            return self._answer(verdict, whole, len(whole.complete) - 1)
        for cap in range(self.budget + 1):
            found = self._levels(claim, kind, cap)
            if found.length is not None:
                return self._answer("HOLDS" if kind == "sometimes" else "REFUTED", found, found.length, cap)
        raise AssertionError("what is found with all faults is found with as many")

    def _levels(self, claim: str, kind: str, cap: int) -> _Levels:
        levels, seen, front = _Levels(first=len(self.graph.initial)), set(self.graph.initial), self.graph.initial
        while front:
            if kind != "each_step" and any(self._shows(claim, kind, state) for state in front):
                levels.length = len(levels.complete)
                return levels
            level, after, broken = _Level(front), [], False
            levels.complete.append(level)
            for state in front:
                level.cuts += self._counted(self.graph.cuts, state, cap)
                level.errors += self._counted(self.graph.errors, state, cap)
                for label, following in self._steps(state, cap):
                    level.transitions += 1
                    after.append(following)
                    broken |= kind == "each_step" and not self.plain.judge_step(claim, state, label, following)
            front = [state for state in dict.fromkeys(after) if state not in seen]
            seen |= set(front)
            if broken:
                levels.length = len(levels.complete)
                return levels
        return levels

    def _used(self, state: State) -> int:
        return sum(state[at] for at in self._spent)

    def _steps(self, state: State, cap: int) -> list[tuple[Label, State]]:
        return [(label, after) for label, after in self.graph.steps[state] if self._used(after) <= cap]

    def _counted(self, counts: dict[State, dict[bool, int]], state: State, cap: int) -> int:
        """Cuts or errors of a state; those of faults only where one more may happen."""
        return counts[state][False] + (counts[state][True] if self._used(state) < cap else 0)

    def _shows(self, claim: str, kind: str, state: State) -> bool:
        if kind == "no_deadlock":
            tried = [*self.graph.cuts[state].values(), *self.graph.errors[state].values()]
            return not self.graph.steps[state] and not any(tried)
        return self.plain.judge(claim, state) is (kind == "sometimes")

    def _answer(self, verdict: str, levels: _Levels, depth: int, faults: int = 0) -> Answer:
        return Answer(
            verdict,
            sum(len(level.states) for level in levels.complete),
            sum(level.transitions for level in levels.complete),
            depth,
            levels.first,
            sum(level.cuts for level in levels.complete),
            levels.length,
            faults,
        )

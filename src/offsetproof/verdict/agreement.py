"""Several engines asked the same question: what each decided, and whether they can all be right.

An engine may leave a question open; what it did establish must not contradict what another found. That is: decided
verdicts are equal; no trace is smaller than the one that an exhaustive search calls smallest; a bounded search that
found nothing within its depth was not shown a trace that fits into it; nobody reaches a witness that an exhausted scope
does not contain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from offsetproof.reading.typed_json import Count, JsonObject, Seconds
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.result import Reason, Result, Verdict


class OpinionJson(JsonObject):
    """What one engine found."""

    engine: str
    method: str
    verdict: Verdict
    reason: Reason | None
    faults: Count | None
    steps: Count | None
    states: Count | None
    depth: Count
    seconds: Seconds


@dataclass(frozen=True)
class Agreement:
    """The results of all engines on one question, and in words whatever about them contradicts."""

    results: tuple[Result, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """Empty where the engines agree."""
        return tuple(problem for a, b in permutations(self.results, 2) for problem in _contradictions(a, b))

    @property
    def decisive(self) -> Result:
        """The result that stands for all: an exhaustive one, else one that decided, else the first.

        Where a trace of that may have too many faults, another engine's stands for it that has fewer.
        """
        decided = [result for result in self.results if result.verdict is not Verdict.UNKNOWN]
        counted = [result for result in decided if result.counts.states is not None]
        best = (counted or decided or list(self.results))[0]
        if best.fewer_faults_open is None:
            return best
        return min((each for each in decided if each.replay is not None), key=_size)

    def __str__(self) -> str:
        """One line: `agreement: explicit REFUTED in (0 faults, 24 steps), 12,345 states; smt UNKNOWN to depth 20`."""
        verdicts = "; ".join(map(_result_in_words, self.results))
        return f"DISAGREEMENT: {'; '.join(self.problems)} ({verdicts})" if self.problems else f"agreement: {verdicts}"

    def to_json(self) -> tuple[OpinionJson, ...]:
        """One object per engine."""
        return tuple(
            OpinionJson(
                engine=result.engine,
                method=result.method,
                verdict=result.verdict,
                reason=result.reason,
                faults=result.replay.faults if result.replay else None,
                steps=len(result.replay.labels) if result.replay else None,
                states=result.counts.states,
                depth=result.counts.depth,
                seconds=round(result.seconds, 3),
            )
            for result in self.results
        )


def _size(result: Result) -> tuple[int, int]:
    """Faults and steps of a result's trace."""
    assert result.replay is not None
    return result.replay.faults, len(result.replay.labels)


def _result_in_words(result: Result) -> str:
    if result.replay is not None:
        faults, steps = _size(result)
        how = f"in ({quantity(faults, 'fault')}, {quantity(steps, 'step')})"
    elif result.reason is Reason.SAMPLED:
        how = f"({result.reason})"
    else:
        how = f"to depth {result.counts.depth}"
    states = "" if result.counts.states is None else f", {quantity(result.counts.states, 'state')}"
    return f"{result.engine} {result.verdict} {how}{states}"


def _contradictions(a: Result, b: Result) -> Iterator[str]:
    """What a establishes and b contradicts."""
    unknown = Verdict.UNKNOWN in (a.verdict, b.verdict)
    if not unknown and a.verdict is not b.verdict and a.engine < b.engine:
        yield f"{a.engine} says {a.verdict}, {b.engine} says {b.verdict}"
    if a.replay is not None and b.replay is not None and a.counts.states is not None:
        mine, other = _size(a), _size(b)
        if other < mine and a.fewer_faults_open is None:
            yield f"{a.engine}'s smallest trace has (faults, steps) {mine}, but {b.engine}'s has {other}"
        if b.within is not None and mine[1] <= b.within and mine < other:
            yield f"{a.engine}'s smallest trace has (faults, steps) {mine}, but {b.engine}'s has {other}"
    if a.replay is None and a.within is not None and b.replay is not None and len(b.replay.labels) <= a.within:
        yield f"{a.engine} found nothing to depth {a.within}, but {b.engine}'s trace has {len(b.replay.labels)}"
    if a.reason is Reason.OVERFLOW and b.exhaustive:
        yield f"{a.engine} says that the model can go wrong, {b.engine} has exhausted it and says {b.verdict}"
    if a.exhaustive and a.replay is None:
        for id in sorted(id for id, seen in b.witnesses.items() if seen and a.witnesses.get(id) is False):
            yield f"{b.engine} reaches {id}, {a.engine} does not"


def total(agreements: Sequence[Agreement]) -> str:
    """The whole run in one line: which engine decided how many."""
    engines = list(dict.fromkeys(result.engine for each in agreements for result in each.results))
    decided = {
        name: sum(r.engine == name and r.verdict is not Verdict.UNKNOWN for each in agreements for r in each.results)
        for name in engines
    }
    parts = ", ".join(f"{name} decided {count}" for name, count in decided.items())
    problems = sum(bool(each.problems) for each in agreements)
    return f"{quantity(len(agreements), 'question')}: {parts}; {quantity(problems, 'disagreement')}"

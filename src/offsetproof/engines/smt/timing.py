"""The smallest delays with which steps can happen in an order, found by Z3.

Difference constraints over real numbers: one time per step, no step before one that it needs, every gap at least as
long as it must be, and as much longer than it may be as its excess says. The largest excess is made as small as it can
be, then their sum, then the times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3

MILLISECONDS_MAX = 10_000
"""Z3 needs a few hundredths of a second; beyond this there is no answer."""


@dataclass(frozen=True)
class Gap:
    """The time from the latest of the steps `begins` to the step `end`; None: to the end of the story, and beyond.

    It may take `most` from each of them, or what `sooner` has beside the step: what is over last counts. Or it may take
    `rounds`, and any longer time.
    """

    begins: tuple[int, ...]
    end: int | None
    least: float
    most: float | None
    sooner: tuple[tuple[int, float], ...] = ()
    rounds: float | None = None


@dataclass(frozen=True)
class Times:
    """When each step happens, in seconds, and by how much each gap is longer than it may be."""

    steps: tuple[Fraction, ...]
    excess: tuple[Fraction, ...]


def smallest_delays(
    steps: int, order: Iterable[tuple[int, int]], gaps: Sequence[Gap], seconds: float | None = None
) -> Times | None:
    """The times of steps 1 to `steps`; `order` holds pairs of an earlier and a later one.

    None if Z3 gives up, or has not found them after that many seconds.

    >>> smallest_delays(3, [(1, 2), (2, 3)], [Gap((1,), 2, 10, 10), Gap((1,), 3, 0, 4)]).excess
    (Fraction(0, 1), Fraction(6, 1))
    """
    optimum = z3.Optimize()
    given = MILLISECONDS_MAX if seconds is None else int(1000 * seconds)
    optimum.set("timeout", max(1, min(MILLISECONDS_MAX, given)))
    optimum.from_string("\n".join(_commands(steps, order, gaps)))
    if optimum.check() != z3.sat:
        return None
    model = optimum.model()
    times = tuple(_read(model, f"t{i}") for i in range(1, steps + 1))
    return Times(times, tuple(_read(model, f"late{i}") for i in range(len(gaps))))


def _commands(steps: int, order: Iterable[tuple[int, int]], gaps: Sequence[Gap]) -> Iterator[str]:
    """The problem in SMT-LIB, which Z3 reads in a seventh of the time that its Python objects take to be made."""
    times, late = [f"t{i}" for i in range(steps + 1)], [f"late{i}" for i in range(len(gaps))]
    for name in (*times, *late, "worst", "over"):
        yield f"(declare-const {name} Real) (assert (>= {name} 0.0))"
    yield from (f"(assert (>= over {time}))" for time in times)
    yield from (f"(assert (<= t{earlier} t{later}))" for earlier, later in order)
    yield from (f"(assert (>= worst {each}))" for each in late)
    for gap, excess in zip(gaps, late, strict=True):
        yield from _assertions(gap, excess)
    yield "(minimize worst)"
    yield f"(minimize (+ 0.0 0.0 {' '.join(late)}))"
    yield f"(minimize (+ over {' '.join(times)}))"


def _assertions(gap: Gap, late: str) -> Iterator[str]:
    """How long a gap must and may be."""
    end = "over" if gap.end is None else f"t{gap.end}"
    if gap.end is not None:
        yield from (f"(assert (>= {end} {_after(begin, gap.least)}))" for begin in gap.begins)
    if gap.most is not None:
        most = dict.fromkeys(gap.begins, gap.most) | dict(gap.sooner)
        allowed = [f"(<= {end} (+ {_after(i, longest)} {late}))" for i, longest in most.items()]
        if gap.rounds is not None:
            allowed.append(f"(and true {' '.join(f'(>= {end} {_after(begin, gap.rounds)})' for begin in gap.begins)})")
        yield f"(assert (or false {' '.join(allowed)}))"


def _after(step: int, seconds: float) -> str:
    """The time that is so much later than a step."""
    exact = Fraction(str(seconds))
    return f"(+ t{step} (/ {exact.numerator}.0 {exact.denominator}.0))"


def _read(model: z3.ModelRef, name: str) -> Fraction:
    value: Any = model.eval(z3.Real(name), model_completion=True)
    return Fraction(value.numerator_as_long(), value.denominator_as_long())

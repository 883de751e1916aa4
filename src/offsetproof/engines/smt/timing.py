"""The smallest delays with which steps can happen in an order, found by Z3.

Difference constraints over real numbers: one time per step, no step before one that it needs, every gap at least as
long as it must be, and as much longer than it may be as its excess says. The largest excess is made as small as it can
be, then their sum, then the times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    times = [z3.Real(f"t{i}") for i in range(steps + 1)]
    excess = [z3.Real(f"excess{i}") for i in range(len(gaps))]
    worst, over = z3.Reals("worst over")
    optimum = z3.Optimize()
    given = MILLISECONDS_MAX if seconds is None else int(1000 * seconds)
    optimum.set("timeout", max(1, min(MILLISECONDS_MAX, given)))
    optimum.add(*(time >= 0 for time in times), *(over >= time for time in times))
    optimum.add(*(times[a] <= times[b] for a, b in order))
    optimum.add(*(late >= 0 for late in excess), worst >= 0, *(worst >= late for late in excess))
    for gap, late in zip(gaps, excess, strict=True):
        end = over if gap.end is None else times[gap.end]
        begins = [times[i] for i in gap.begins]
        if gap.end is not None:
            optimum.add(*(end >= begin + _number(gap.least) for begin in begins))
        if gap.most is not None:
            most = dict.fromkeys(gap.begins, gap.most) | dict(gap.sooner)
            allowed = [end <= times[i] + _number(longest) + late for i, longest in most.items()]
            if gap.rounds is not None:
                allowed.append(z3.And([end >= begin + _number(gap.rounds) for begin in begins]))
            optimum.add(z3.Or(allowed))
    for objective in (worst, z3.Sum([*excess, z3.RealVal(0)]), over + z3.Sum(times)):
        optimum.minimize(objective)
    if optimum.check() != z3.sat:
        return None
    model = optimum.model()
    return Times(tuple(_read(model, time) for time in times[1:]), tuple(_read(model, late) for late in excess))


def _number(seconds: float) -> Any:
    return z3.RealVal(str(Fraction(str(seconds))))


def _read(model: Any, term: Any) -> Fraction:
    value = model.eval(term, model_completion=True)
    return Fraction(value.numerator_as_long(), value.denominator_as_long())

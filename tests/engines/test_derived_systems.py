"""Whatever derives a system from a system keeps failures and cuts: random models with several kinds of faults.

Brute force enumerates them and counts faults itself. Every model is asked in several ways; which ones goes by its
number, so that each kind of claim meets each derivation and each reduction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from engines import derived
from engines.derived import REDUCTIONS, Case
from engines.naive import TooManyStatesError
from systems import interpreted
from systems.random_models import made

from offsetproof.ir.build import FALSE
from offsetproof.ir.dead import reset_dead
from offsetproof.ir.faults import SPENT
from offsetproof.lang.claim import Property
from offsetproof.verdict.question import Reductions

AT_ONCE = 10
"""How many models one test is about."""

BY_CLAIM: tuple[tuple[Callable[[Case, Property, Reductions], Iterator[str]], int], ...] = (
    (derived.explicit, 1),
    (derived.caps, 1),
    (derived.exported, 2),
    (derived.effects, 3),
    (derived.mutated, 5),
)
"""What is derived, and which models it is derived of: each, each second..."""

SMT_EACH, STATEFUL_EACH = 5, 10


def cases(numbers: range) -> Iterator[tuple[int, Case]]:
    """The models with these numbers that are small enough."""
    for number in numbers:
        case = Case(made(number, several=True))
        try:
            for prop in case.props:
                case.found(prop, case.naive.budget)
        except TooManyStatesError:
            continue
        yield number, case


def differences(number: int, case: Case) -> Iterator[str]:
    """What is derived of a model otherwise than brute force says."""
    for turn, prop in enumerate(case.props):
        reductions = REDUCTIONS[(number + turn) % len(REDUCTIONS)]
        for compare, each in BY_CLAIM:
            if (number + turn) % (len(case.props) * each) < each // 2 + 1:
                yield from (f"{prop.id} {reductions}: {told}" for told in _compared(compare(case, prop, reductions)))
    if number % SMT_EACH == 0:
        yield from derived.smt(case, REDUCTIONS[number // SMT_EACH % len(REDUCTIONS)])
    if number % STATEFUL_EACH == 0:
        yield from derived.stateful(case)


def _compared(told: Iterator[str]) -> Iterator[str]:
    """What is told, where what is derived is small enough for brute force; a mutant may be larger than its model."""
    try:
        yield from told
    except interpreted.TooManyStatesError:
        return


def must_agree(numbers: range) -> None:
    """All of these models; what differs is shown with the model."""
    for number, case in cases(numbers):
        told = list(differences(number, case))
        assert not told, "\n".join([f"made({number}, several=True)", *told, repr(case.drawn)])


def kinds_of(case: Case) -> Iterator[str]:
    """What this model has of what the others here are about."""
    budget = case.naive.budget
    for prop in case.props:
        found = case.found(prop, budget)
        yield found.verdict
        if found.length is not None and case.found(prop, 0).length is None:
            yield "needs a fault"
    sliced = case.system(case.props[0], Reductions(dead=False))
    counted = {variable.name for variable in sliced.variables if variable.name.startswith(SPENT)}
    if any(inst.fault is not None and f"{SPENT}{inst.fault}]" not in counted for inst in sliced.instances):
        yield "a fault that is never taken, beside others" if counted else "only faults that are never taken"
    if any(inst.cut is not FALSE for inst in sliced.instances):
        yield "cuts"
    if reset_dead(sliced).fields:
        yield "dead fields"


def test_models_have_errors_cuts_dead_fields_and_faults_that_are_never_taken() -> None:
    kinds = Counter(kind for _, case in cases(range(60)) for kind in kinds_of(case))
    assert kinds.pop("HOLDS") + kinds.pop("REFUTED") + kinds.pop("UNKNOWN") > 250
    assert len(kinds) == 5
    assert min(kinds.values()) >= 5


@pytest.mark.parametrize("first", range(0, 160, AT_ONCE))
def test_everything_derived_agrees_with_brute_force(first: int) -> None:
    must_agree(range(first, first + AT_ONCE))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(160, 3200, 5 * AT_ONCE))
def test_everything_derived_agrees_with_brute_force_on_many_models(first: int) -> None:
    must_agree(range(first, min(first + 5 * AT_ONCE, 3200)))

"""Do two changes of a system have to do with each other: may a step of the one matter to a step of the other?

The relations are those of `relations.py`, of the instances that each change touches alone. Where they are not settled
in time, or where both may matter to the same claim, the changes count as related.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial

from offsetproof.engines.explicit.reduced_search import goal_of
from offsetproof.engines.explicit.relations import QUERY_EFFORT, Step, clashes, enables
from offsetproof.ir.build import FALSE, negate
from offsetproof.ir.clauses import conjuncts
from offsetproof.ir.kind import TooWideError
from offsetproof.ir.node import Node
from offsetproof.ir.system import Instance, System
from offsetproof.solving.satisfying import Satisfiability, Unsettled

Touched = frozenset[str]
"""Names of instances."""


def touched_by(before: System, after: System) -> Touched:
    """The instances that a change of the world adds or makes others."""
    known = {inst.label: inst for inst in before.instances}
    return frozenset(inst.name for inst in after.instances if known.get(inst.label) != inst)


def are_related(system: System, ones: Touched, others: Touched, seconds: float) -> bool:
    """May what one change touches matter to what the other touches? Where one touches no instance nobody knows."""
    if not ones or not others or ones & others:
        return True
    steps = {inst.name: (inst, Step(system, inst)) for inst in system.instances if inst.name in ones | others}
    both = [[steps[name] for name in sorted(each) if name in steps] for each in (ones, others)]
    goal = goal_of(system).reads
    if all(any(step.writes & goal for _, step in each) for each in both):
        return True
    asking, until = Satisfiability(system.variables, QUERY_EFFORT), time.monotonic() + seconds
    for one in both[0]:
        for other in both[1]:
            for conditions in _when_related(*one, *other):
                late = time.monotonic() > until
                if late or asking.state_where(*conditions) is not Unsettled.NO_STATE:
                    return True
    return False


def _when_related(one: Instance, first: Step, other: Instance, second: Step) -> Iterator[Sequence[Node]]:
    """Conditions of which some state meets all where the first may matter to the second, or the other way round."""
    asked = [((first.enabled, second.enabled), partial(clashes, first, second))]
    for step, inst in ((first, other), (second, one)):
        for condition in conjuncts(inst.enabled):
            asked.append(((step.enabled, negate(condition)), partial(enables, step, condition)))
    for conditions, when in asked:
        try:
            last = when()
        except TooWideError:
            yield ()
            continue
        if last is not FALSE:
            yield (*conditions, last)

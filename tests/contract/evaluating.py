"""A checker that does nothing but evaluate: it searches a staged system state by state, as it is written."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from contract.promises import Told

from offsetproof.ir.node import evaluate
from offsetproof.ir.system import Instance, State, System
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.verdict.result import Verdict

STATES_MAX = 20_000
"""Only a wrong rule makes a toy as large as this."""


def evaluated(system: System, prop: Property) -> Told:
    """The answer about the first claim of a system, fewest faults first; counts where everything was seen."""
    shows, other = Verdict.REFUTED, Verdict.HOLDS
    if prop.kind is ClaimKind.SOMETIMES:
        shows, other = other, shows
    queue = [((0, 0), state) for state in system.initial]
    best: dict[State, tuple[int, int]] = {}
    transitions = 0
    while queue and len(best) < STATES_MAX:
        cost, state = heapq.heappop(queue)
        if state in best:
            continue
        best[state] = cost
        if _ends(system, state, prop):
            return Told(shows, trace=cost)
        for inst, after, broken in _steps(system, state):
            next_cost = (cost[0] + (inst.fault is not None), cost[1] + 1)
            heapq.heappush(queue, (next_cost, after))
            transitions += 1
            if broken:
                best.setdefault(_BROKEN, next_cost)
                best[_BROKEN] = min(best[_BROKEN], next_cost)
        if _BROKEN in best and (not queue or queue[0][0] >= best[_BROKEN]):
            return Told(shows, trace=best[_BROKEN])
    return Told(other, states=len(best), transitions=transitions)


_BROKEN: State = ()
"""In place of a state: where a step leads that breaks the claim."""


def _ends(system: System, state: State, prop: Property) -> bool:
    """Is a state what shows the claim's verdict?"""
    claim, values = system.claims[0], _values(system, state)
    if claim.deadlock:
        return not any(any(evaluate(inst.guards, values)) for inst in system.instances)
    if claim.on_state is None:
        return False
    return bool(evaluate([claim.on_state], values)[0]) is (prop.kind is ClaimKind.SOMETIMES)


def _steps(system: System, state: State) -> Iterator[tuple[Instance, State, bool]]:
    """What can be taken, where it leads, and whether the step breaks the claim."""
    values, kept = _values(system, state), system.claims[0].per_step
    for at, inst in enumerate(system.instances):
        if evaluate([inst.enabled], values)[0]:
            written = dict(zip(inst.updates, evaluate(inst.updates.values(), values), strict=True))
            broken = bool(kept) and not evaluate([kept[at]], values)[0]
            yield inst, tuple({**values, **written}.values()), broken


def _values(system: System, state: State) -> dict[str, int]:
    return dict(zip((variable.name for variable in system.variables), state, strict=True))

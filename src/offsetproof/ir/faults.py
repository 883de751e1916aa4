"""Fault caps: the same system with one more variable, the most faults that a run may spend.

Nothing ever writes the cap, so a search for violations with 0, 1, 2... faults differs only in its initial states, and
the system is compiled once.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.ir.build import FALSE, add, both, const, disjunction, lt
from offsetproof.ir.kind import Sort
from offsetproof.ir.node import Node
from offsetproof.ir.system import Instance, StagedClaim, State, System, Variable

SPENT = "faults["
"""Variables that count spent faults are named `faults[kind]`."""

CAP = "fault_cap"
"""The variable that `with_fault_cap` adds; its initial value is the whole budget."""


def fault_budget(system: System) -> int:
    """The most faults that a run of the system can try to take: a cap of so many takes nothing away.

    Each instance asks for its own kind's counter, and so is within the budget of all counters. A reduction folds a
    counter away where its kind is never taken; an instance of that kind may still go wrong or be cut, after all other
    faults have been spent. Such a try is one fault more, and the last one: it moves no counter.
    """
    counted = {v.name: v.hi for v in system.variables if v.name.startswith(SPENT)}
    is_tried = any(f"{SPENT}{inst.fault}]" not in counted for inst in system.instances if inst.fault is not None)
    return sum(counted.values()) + is_tried


def with_fault_cap(system: System) -> System:
    """The system with a cap on its faults, of whichever kinds; a system without faults stays as it is."""
    budget = fault_budget(system)
    if not budget:
        return system
    cap = Variable(CAP, Sort.INT, 0, budget, (budget,))
    spent: Node = const(0)
    for variable in system.variables:
        if variable.name.startswith(SPENT):
            spent = add(spent, variable.node)
    allowed = lt(spent, cap.node)
    return replace(
        system,
        variables=(*system.variables, cap),
        instances=tuple(_cap_instance(inst, allowed) for inst in system.instances),
        claims=tuple(deadlock_on_states(claim, system) for claim in system.claims),
    )


def initial_with_cap(system: System, cap: int) -> tuple[State, ...]:
    """The initial states of a system with a cap, for another value of it."""
    index = [v.name for v in system.variables].index(CAP)
    return tuple((*state[:index], cap, *state[index + 1 :]) for state in system.initial)


def deadlock_on_states(claim: StagedClaim, system: System) -> StagedClaim:
    """A deadlock claim as one on states: what this system can do counts, not what a cap or a cone leaves of it."""
    if not claim.deadlock:
        return claim
    return StagedClaim(claim.name, on_state=disjunction([guard for inst in system.instances for guard in inst.guards]))


def _cap_instance(inst: Instance, allowed: Node) -> Instance:
    if inst.fault is None:
        return inst
    failures = tuple(replace(f, condition=both(f.condition, allowed)) for f in inst.failures)
    kept = tuple(f for f in failures if f.condition is not FALSE)
    return replace(inst, enabled=both(inst.enabled, allowed), cut=both(inst.cut, allowed), failures=kept)

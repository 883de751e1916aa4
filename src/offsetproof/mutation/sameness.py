"""Mutants that do what the model does: where two systems differ on no state that is reached, their runs are the same.

What is compared are the reduced systems, so a difference in what nobody looks at is none. No guess is made from equal
counts: every state that a run of the model reaches is asked whether a step of the mutant differs there.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.ir.build import FALSE, both, disjunction, either, eq, negate
from offsetproof.ir.node import Node
from offsetproof.ir.system import Instance, StagedClaim, System
from offsetproof.lang.claim import ClaimKind
from offsetproof.mutation.matrix import JointRun


def does_the_same(run: JointRun, mutant: System) -> bool:
    """Does the mutant do the same as the model in every state that the run reaches?"""
    model = run.system
    if model.variables != mutant.variables:
        return False
    apart = replace(model, claims=(StagedClaim("differs", on_state=_difference(model, mutant)),))
    last = None
    for last in run.explore(apart, [ClaimKind.SOMETIMES]):
        if last.alarms[0]:
            return False
    return last is not None and last.stopped is None


def _difference(model: System, mutant: System) -> Node:
    """In which states the next steps of two systems with the same variables differ."""
    ours = {inst.label: inst for inst in model.instances}
    theirs = {inst.label: inst for inst in mutant.instances}
    return disjunction([_apart(model, ours.get(label), theirs.get(label)) for label in {**ours, **theirs}])


def _apart(system: System, one: Instance | None, other: Instance | None) -> Node:
    if one is None or other is None:
        alone = one or other
        return FALSE if alone is None else disjunction(list(alone.guards))
    if one == other:
        return FALSE
    pairs = zip(_conditions(one), _conditions(other), strict=True)
    only_one = disjunction([either(both(a, negate(b)), both(negate(a), b)) for a, b in pairs])
    values = []
    for name in {**one.updates, **other.updates}:
        node = system.by_name[name].node
        values.append(negate(eq(one.updates.get(name, node), other.updates.get(name, node))))
    return either(only_one, both(one.enabled, disjunction(values)))


def _conditions(inst: Instance) -> tuple[Node, Node, Node]:
    """When an instance is taken, when it is cut, and when it goes wrong."""
    return inst.enabled, inst.cut, disjunction([failure.condition for failure in inst.failures])

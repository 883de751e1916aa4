"""Constant variables: those that no step can ever move from their one initial value are replaced by it.

The largest such set is found by assuming all of them constant and taking away what some instance then still changes,
until nothing is left to take away. Whatever folds to false with them (an action that nothing in this scope can ever
lead to) is gone for every engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from offsetproof.ir.build import FALSE, TRUE
from offsetproof.ir.node import Node, variables
from offsetproof.ir.rewrite import simplifier
from offsetproof.ir.slicing import without_dead_instances
from offsetproof.ir.system import Failure, Instance, Lifetime, StagedClaim, System


def constants(system: System) -> dict[Node, Node]:
    """The constant variables' nodes with their values."""
    known = {v.node: v.constant(v.initial[0]) for v in system.variables if len(v.initial) == 1}
    named = [variables([inst.enabled, *inst.updates.values()]) | inst.updates.keys() for inst in system.instances]
    instances: Sequence[Instance] = system.instances
    while True:
        folded = simplifier(known)
        moved = {node for inst in instances for node in _moved_variables(system, inst, known, folded)}
        if not moved:
            return known
        known = {node: value for node, value in known.items() if node not in moved}
        names = {node.name for node in moved}  # an instance that has none of them does what it did before
        instances = [inst for inst, own in zip(system.instances, named, strict=True) if own & names]


def _moved_variables(
    system: System, inst: Instance, known: dict[Node, Node], folded: Callable[[Node], Node]
) -> list[Node]:
    if folded(inst.enabled) is FALSE:
        return []  # it moves nothing; where it goes wrong or is cut no step is taken, and its conditions stay
    updates = ((system.by_name[name].node, value) for name, value in inst.updates.items())
    return [node for node, value in updates if node in known and folded(value) is not known[node]]


def without_constants(system: System, known: dict[Node, Node] | None = None) -> System:
    """The same system with its constant variables folded away; `known` are these, where somebody has found them."""
    known = constants(system) if known is None else known
    gone = {node.name for node in known}
    folded = simplifier(known)
    instances = tuple(_folded_instance(inst, folded, gone) for inst in system.instances)
    return without_dead_instances(
        replace(
            system,
            variables=tuple(v for v in system.variables if v.name not in gone),
            instances=instances,
            claims=tuple(_folded_claim(claim, folded) for claim in system.claims),
            correlated=system.correlated and system.correlated.among(system.by_name.keys() - gone),
            lifetimes=tuple(Lifetime(x.path, folded(x.condition), x.fields) for x in system.lifetimes),
        )
    )


def claims_without_constants(system: System, known: dict[Node, Node]) -> tuple[StagedClaim, ...]:
    """What is left of a system's claims where constant variables have their values, and of steps that can be taken."""
    folded = simplifier(known)
    can_be_taken = [folded(inst.enabled) is not FALSE for inst in system.instances]
    claims = (_folded_claim(claim, folded) for claim in system.claims)
    return tuple(replace(claim, per_step=_among(claim.per_step, can_be_taken)) for claim in claims)


def _among(per_step: Sequence[Node], can_be_taken: Sequence[bool]) -> tuple[Node, ...]:
    return tuple(node if can else TRUE for node, can in zip(per_step, can_be_taken, strict=False))


def _folded_instance(inst: Instance, folded: Callable[[Node], Node], gone: set[str]) -> Instance:
    failures = [Failure(folded(f.condition), f.message) for f in inst.failures]
    return replace(
        inst,
        enabled=folded(inst.enabled),
        cut=folded(inst.cut),
        failures=tuple(f for f in failures if f.condition is not FALSE),
        updates={name: folded(node) for name, node in inst.updates.items() if name not in gone},
    )


def _folded_claim(claim: StagedClaim, folded: Callable[[Node], Node]) -> StagedClaim:
    state = None if claim.on_state is None else folded(claim.on_state)
    in_the_end = None if claim.in_the_end is None else claim.in_the_end.fold_with(folded)
    steps = tuple(map(folded, claim.per_step))
    return replace(claim, on_state=state, per_step=steps, premise=folded(claim.premise), in_the_end=in_the_end)

"""Dead-object reset: fields of a finished object return to their initial values, so that states merge.

A model says when an object is finished (`Lifetime.condition`). Which of its fields then really are dead is proved here
on the IR, per field: in a state where the condition holds no guard, no claim and no update of anything else reads the
field, and no step that ends with the object in use again keeps or reads it. What cannot be proved keeps its value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from offsetproof.ir.build import FALSE, ite, negate
from offsetproof.ir.node import Node, topological, variables
from offsetproof.ir.rewrite import literals, simplifier, simplify, substitute
from offsetproof.ir.system import Instance, Lifetime, System


@dataclass(frozen=True)
class DeadReset:
    """A system whose dead fields are reset, and which fields those are, by object."""

    system: System
    fields: dict[str, tuple[str, ...]]


def reset_dead(system: System) -> DeadReset:
    """The system with the reset built into its updates, for every object whose condition the slice still knows."""
    proved: dict[str, tuple[str, ...]] = {}
    instances = list(system.instances)
    for lifetime in system.lifetimes:
        if variables([lifetime.condition]) <= system.by_name.keys():
            dead = _dead_fields(system, lifetime)
            if dead:
                proved[lifetime.path] = dead
                instances = [_with_reset(system, inst, lifetime, dead) for inst in instances]
    return DeadReset(replace(system, instances=tuple(instances)), proved)


def _dead_fields(system: System, lifetime: Lifetime) -> tuple[str, ...]:
    """The largest provable set: fields are taken away until the proof goes through."""
    support = variables([lifetime.condition])
    candidates = {name for name in lifetime.fields if name in system.by_name and name not in support}
    candidates = {name for name in candidates if len(system.by_name[name].initial) == 1}
    facts = literals(lifetime.condition)
    claims = simplify([node for claim in system.claims for node in claim.roots], facts)
    simplified = simplifier(facts)
    concerned = (inst for inst in system.instances if _concerns(inst, candidates, support))
    views = [_View.of(inst, lifetime, facts, simplified) for inst in concerned]
    read = variables(claims).union(*(view.guards_read for view in views))
    while True:
        read_now = read.union(*(view.read_by_updates(frozenset(candidates)) for view in views))
        if not candidates & read_now:
            return tuple(v.name for v in system.variables if v.name in candidates)
        candidates -= read_now


def _concerns(inst: Instance, candidates: set[str], support: frozenset[str]) -> bool:
    """Does an instance read or write a candidate, or may it wake a finished object?"""
    if not inst.updates.keys().isdisjoint(candidates | support):
        return True
    return any(not node.reads.isdisjoint(candidates) for node in (*inst.guards, *inst.updates.values()))


@dataclass(frozen=True)
class _View:
    """What one instance reads in states where the object is finished.

    `updates` has what each update reads; `waking` the same where the step ends with the object in use again (None
    where it cannot): then the object's fields matter as they are, an untouched field included.
    """

    guards_read: frozenset[str]
    updates: dict[str, frozenset[str]]
    waking: dict[str, frozenset[str]] | None

    @staticmethod
    def of(inst: Instance, lifetime: Lifetime, facts: dict[Node, Node], simplified: Callable[[Node], Node]) -> _View:
        """What it reads, by these facts about a finished object; `simplified` folds by the same."""
        guards = [simplified(guard) for guard in inst.guards]
        if all(node is FALSE for node in guards):  # cuts and failures are among the guards, so what they read is alive
            return _View(frozenset(), {}, None)
        facts = {**facts, **literals(guards[0])}
        wakes = negate(simplify([_after(lifetime.condition, inst)], facts)[0])
        waking = None if wakes is FALSE else _reads(inst, {**facts, **literals(wakes)})
        return _View(variables(guards), _reads(inst, facts), waking)

    def read_by_updates(self, dead: frozenset[str]) -> frozenset[str]:
        """What the updates read that matters, if the fields `dead` are reset wherever the object is finished."""
        outside = [read for name, read in self.updates.items() if name not in dead]
        if self.waking is not None:
            outside += [self.waking.get(name, frozenset({name})) for name in dead]
        return frozenset().union(*outside)


def _reads(inst: Instance, facts: dict[Node, Node]) -> dict[str, frozenset[str]]:
    nodes = simplify(inst.updates.values(), facts)
    return {name: variables([node]) for name, node in zip(inst.updates, nodes, strict=True)}


def _after(condition: Node, inst: Instance) -> Node:
    names = variables([condition])
    nodes = {_variable(condition, name): node for name, node in inst.updates.items() if name in names}
    return substitute([condition], nodes)[0]


def _variable(root: Node, name: str) -> Node:
    return next(node for node in topological([root]) if node.leaf == name)


def _with_reset(system: System, inst: Instance, lifetime: Lifetime, dead: Iterable[str]) -> Instance:
    touched = variables([lifetime.condition]) | set(dead)
    if not touched & inst.updates.keys():
        return inst
    finished = _after(lifetime.condition, inst)
    updates = dict(inst.updates)
    for name in dead:
        variable = system.by_name[name]
        node = ite(finished, variable.constant(variable.initial[0]), updates.get(name, variable.node))
        if node is not variable.node:
            updates[name] = node
    return replace(inst, updates=updates)

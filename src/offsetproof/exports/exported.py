"""What every export starts from: a system, what its names stand for, and the conditions that its claims come to.

An export is written from the staged system, never from the model's Python, so that another tool which counts the same
states and finds the same shortest violation confirms the engines, not the staging; the reference semantics does that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from offsetproof.ir.build import FALSE, conjunction, disjunction, either, negate
from offsetproof.ir.faults import CAP, fault_budget, with_fault_cap
from offsetproof.ir.in_the_end import FairThread
from offsetproof.ir.node import Node
from offsetproof.ir.system import StagedClaim, System
from offsetproof.lang.action import Action
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.domain import Domain
from offsetproof.lang.model import Model, ModelInstance
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.setting import Setting


@dataclass(frozen=True)
class Condition:
    """What must be true in every reachable state for a claim to hold (for a witness: for it not to be reached).

    A claim about steps is stated of the state from which the step is taken: whatever can be taken there keeps it. The
    tool then finds its violation one step earlier, and `steps_after` is 1.
    """

    claim: str
    node: Node
    about: str = ""
    steps_after: int = 0


@dataclass(frozen=True)
class Ending:
    """What a claim about runs says: after each state with the `premise`, or once (None), `comes` is true in the end."""

    claim: str
    premise: Node | None
    comes: Node
    about: str = ""


@dataclass(frozen=True)
class Exported:
    """A system to export. `system` has a constant `fault_cap` where there are faults: the most that a run may spend.

    `claims` belong to the system's claims, in order. `domains` tells what a variable's numbers stand for, `actions`
    holds the declarations behind the instances.
    """

    subject: str
    model: type[Model]
    setting: Setting
    system: System
    claims: tuple[Property, ...]
    domains: Mapping[str, Domain]
    actions: Mapping[str, Action]
    reductions: tuple[str, ...] = ()

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """One condition per claim about states or steps, in their order; then, where the model can go wrong, that it
        does not."""
        both = zip(self.system.claims, self.claims, strict=True)
        about_states = [(claim, prop) for claim, prop in both if claim.in_the_end is None]
        stated = [_condition(self.system, claim, prop, self.setting) for claim, prop in about_states]
        failing = disjunction([f.condition for inst in self.system.instances for f in inst.failures])
        if failing is not FALSE:
            stated.append(Condition(MODEL_ERROR, negate(failing), "Nothing leaves its domain or raises.", 1))
        return tuple(stated)

    @cached_property
    def endings(self) -> tuple[Ending, ...]:
        """One per claim about runs, in their order."""
        return tuple(
            Ending(
                claim.name,
                None if claim.in_the_end.from_start else claim.premise,
                claim.on_state,
                prop.about_in(self.setting.scope.name, self.setting.listener_name),
            )
            for claim, prop in zip(self.system.claims, self.claims, strict=True)
            if claim.in_the_end is not None and claim.on_state is not None
        )

    @cached_property
    def fair_threads(self) -> tuple[FairThread, ...]:
        """Those that the runs of these claims are fair to."""
        return next((claim.in_the_end.threads for claim in self.system.claims if claim.in_the_end is not None), ())

    def condition(self, claim: str) -> Condition:
        """The condition of a claim; UnknownNameError for one that the export does not state."""
        conditions = {condition.claim: condition for condition in self.conditions}
        if claim not in conditions:
            raise UnknownNameError("exported claim", claim, conditions)
        return conditions[claim]


MODEL_ERROR = "no_model_error"
"""The condition that no reachable state lets the model go wrong."""


def export_system(
    subject: str,
    setting: Setting,
    model: type[Model],
    system: System,
    claims: tuple[Property, ...],
    *,
    reductions: tuple[str, ...] = (),
    fault_cap: int | None = None,
) -> Exported:
    """What to export of a system, with at most this many faults (None: all that the scope allows)."""
    grown = ModelInstance(model, setting)
    capped = with_fault_cap(system)
    budget = fault_budget(system)
    if budget:
        most = budget if fault_cap is None else min(fault_cap, budget)
        variables = tuple(replace(v, initial=(most,)) if v.name == CAP else v for v in capped.variables)
        capped = replace(capped, variables=variables)
    domains = {leaf.path: leaf.domain for leaf in grown.tree.leaves}
    return Exported(subject, model, setting, capped, claims, domains, grown.actions, reductions)


def _condition(system: System, claim: StagedClaim, prop: Property, setting: Setting) -> Condition:
    about = prop.about_in(setting.scope.name, setting.listener_name)
    if prop.kind is ClaimKind.SOMETIMES:
        assert claim.on_state is not None
        return Condition(claim.name, negate(claim.on_state), f"Not reached: {about}")
    if claim.deadlock:
        return Condition(claim.name, disjunction([g for inst in system.instances for g in inst.guards]), about)
    if claim.on_state is not None:
        return Condition(claim.name, claim.on_state, about)
    kept = [either(negate(i.enabled), node) for i, node in zip(system.instances, claim.per_step, strict=True)]
    return Condition(claim.name, conjunction(kept), about, 1)

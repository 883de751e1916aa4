"""Slicing: the part of a system that can influence its claims.

A variable is kept when a claim reads it, or when the guard or an update of something kept reads it, transitively;
guards count (control dependence). An instance that writes nothing kept only stutters and is left out. The reachable
states of the slice are the projections of the whole system's, so verdicts and shortest traces stay; counts shrink.

Conditions under which the model itself would be in error are never sliced away: what they read is kept, so a model
that overflows anywhere is noticed in every slice. A cut decides no verdict, so a slice may lose the cuts of instances
that write nothing kept (a report counts those that are left); a claim that there is no deadlock reads every cut. Where
runs end is decided by cuts, and a step that was cut says nothing of what it would have written: `keeps_cuts` keeps all.
A claim about runs keeps the steps of fair threads with their guards, for whether these can be taken, and are, is what
tells a fair run from others.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.ir.build import FALSE, TRUE
from offsetproof.ir.node import variables
from offsetproof.ir.system import Instance, StagedClaim, System


def cone(system: System, *, keeps_cuts: bool = False) -> frozenset[str]:
    """The names of the variables that the system's claims depend on, directly or through others."""
    if any(claim.deadlock for claim in system.claims):
        return frozenset(variable.name for variable in system.variables)
    always_kept = [inst for inst in system.instances if _is_always_kept(inst, keeps_cuts)]
    read = [guard for inst in always_kept for guard in inst.guards]
    kept = set(variables([*read, *(n for claim in system.claims for n in claim.roots)]))
    steps = _spoken_of(system)
    needs = [
        (variables(inst.guards), {name: variables([node]) for name, node in inst.updates.items()})
        for inst in system.instances
    ]
    grown = True
    while grown:
        size = len(kept)
        for i, (guard, writes) in enumerate(needs):
            written = [name for name in writes if name in kept]
            if written or i in steps:
                kept |= guard
                for name in written:
                    kept |= writes[name]
        grown = len(kept) > size
    return frozenset(kept)


def _spoken_of(system: System) -> set[int]:
    """The numbers of the instances that claims speak of: by what they do, or in the end by their being taken."""
    labels = {label for claim in system.claims if claim.in_the_end for label in claim.in_the_end.labels}
    steps = {i for claim in system.claims for i, node in enumerate(claim.per_step) if node is not TRUE}
    return steps | {i for i, inst in enumerate(system.instances) if inst.label in labels}


def _is_always_kept(inst: Instance, keeps_cuts: bool) -> bool:
    return bool(inst.failures) or (keeps_cuts and inst.cut is not FALSE)


def slice_of(system: System, *, keeps_cuts: bool = False) -> System:
    """The slice of the system for its claims; claims and the order of what is left stay as they were."""
    kept = cone(system, keeps_cuts=keeps_cuts)
    steps = _spoken_of(system)
    chosen = [
        i
        for i, inst in enumerate(system.instances)
        if len(kept) == len(system.variables)
        or i in steps
        or _is_always_kept(inst, keeps_cuts)
        or any(n in kept for n in inst.updates)
    ]
    instances = tuple(
        replace(inst, updates={name: node for name, node in inst.updates.items() if name in kept})
        for inst in (system.instances[i] for i in chosen)
    )
    claims = tuple(_pick_steps(claim, chosen) for claim in system.claims)
    return replace(
        system,
        variables=tuple(v for v in system.variables if v.name in kept),
        instances=instances,
        claims=claims,
        correlated=system.correlated and system.correlated.among(kept),
    )


def without_dead_instances(system: System) -> System:
    """The system without the instances whose guard, cut and failures are all false."""
    chosen = [i for i, inst in enumerate(system.instances) if any(guard is not FALSE for guard in inst.guards)]
    return replace(
        system,
        instances=tuple(system.instances[i] for i in chosen),
        claims=tuple(_pick_steps(claim, chosen) for claim in system.claims),
    )


def _pick_steps(claim: StagedClaim, chosen: list[int]) -> StagedClaim:
    return replace(claim, per_step=tuple(claim.per_step[i] for i in chosen)) if claim.per_step else claim

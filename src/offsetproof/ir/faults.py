"""Fault caps: the same system, with at most so many faults in all."""

from __future__ import annotations

from dataclasses import replace

from offsetproof.ir.build import FALSE, add, both, const, le
from offsetproof.ir.node import Node
from offsetproof.ir.system import Instance, System

PREFIX = "faults["
"""Variables that count spent faults are named `faults[kind]`."""


def fault_budget(system: System) -> int:
    """The most faults that a run of the system can spend."""
    return sum(v.hi for v in system.variables if v.name.startswith(PREFIX))


def with_fault_cap(system: System, cap: int) -> System:
    """The system in which faults stop after `cap` of them, of whichever kinds."""
    spent: Node = const(0)
    for variable in system.variables:
        if variable.name.startswith(PREFIX):
            spent = add(spent, variable.node)
    allowed = le(spent, const(cap - 1))
    return replace(system, instances=tuple(_capped(inst, allowed) for inst in system.instances))


def _capped(inst: Instance, allowed: Node) -> Instance:
    if inst.fault is None:
        return inst
    failures = tuple(replace(f, condition=both(f.condition, allowed)) for f in inst.failures)
    kept = tuple(f for f in failures if f.condition is not FALSE)
    return replace(inst, enabled=both(inst.enabled, allowed), cut=both(inst.cut, allowed), failures=kept)

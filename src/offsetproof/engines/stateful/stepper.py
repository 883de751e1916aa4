"""A model's compiled step for walking: which instances can be taken from a state, where they lead, what is alarming.

Speed comes from here; judgement does not. Whatever a walk finds is replayed by the reference semantics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.expander import Expander
from offsetproof.compiled.layout import Layout, Words
from offsetproof.compiled.lower import CLAIMS, DEAD, lower
from offsetproof.compiled.native import Native
from offsetproof.ir import build
from offsetproof.ir.distance import distance
from offsetproof.ir.node import Node, evaluate
from offsetproof.ir.system import Instance, Label, StagedClaim, State, System
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.stage import Staged
from offsetproof.verdict.result import DisagreementError


class Successors(NamedTuple):
    """All steps from some states: rows after, the instance of each, and where each state's steps end."""

    after: Words
    which: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    flags: npt.NDArray[np.int64]


class Stepper:
    """A staged model with its claims, compiled. `block` states are stepped at a time."""

    def __init__(
        self,
        staged: Staged,
        properties: Sequence[Property],
        block: int = 1,
        changed: Mapping[int, Instance] = MappingProxyType({}),
    ) -> None:
        """`changed` has the instances that a mutant does otherwise, by place; `replay` knows nothing of them."""
        self.staged, self.properties = staged, tuple(properties)
        system: System = staged.system(self.properties)
        instances = tuple(changed.get(place, instance) for place, instance in enumerate(system.instances))
        self.system = replace(system, instances=instances) if changed else system
        self.layout = Layout(self.system)
        alarms = [_alarm(c, p) for c, p in zip(self.system.claims, self.properties, strict=True)]
        near = [_nearness(self.system, c, p) for c, p in zip(self.system.claims, self.properties, strict=True)]
        text = lower(self.system, self.layout, alarms, measured=near)
        self.native = Native(text)
        self._expander = Expander(self.layout, self.native, block, tells=True)
        self._near = np.zeros((block, max(1, len(near))), np.int64)
        self.starts: Words = np.array([self.layout.pack(state) for state in self.system.initial], np.uint64)
        self.reference = Reference(staged.model, staged.setting)

    @property
    def fired(self) -> npt.NDArray[np.int64]:
        """How often each instance was taken."""
        return self._expander.fired

    def steps(self, rows: Words) -> Successors:
        """All steps from some states; the arrays are overwritten by the next call."""
        expander = self._expander
        k = expander.expand(rows)
        return Successors(expander.out[:k], expander.which[:k], expander.ends[: len(rows)], expander.flags[: len(rows)])

    def alarms(self, rows: Words) -> npt.NDArray[np.int64]:
        """Per state, a bit for each claim on states that is violated (or witness that is there)."""
        return self._expander.judge(rows) >> CLAIMS

    def nearness(self, rows: Words) -> npt.NDArray[np.int64]:
        """Per state and claim, how far the state is from an alarm."""
        if len(self.properties) == 0:
            return self._near[: len(rows)]
        near = self._near[: len(rows), : len(self.properties)]
        self.native.measure(rows, near)
        return near

    def broken_by(self, claim: int, row: Words, which: npt.NDArray[np.int64]) -> int | None:
        """The first of some instances whose step from a state breaks a claim about steps."""
        state = self.layout.unpack(row)
        values = {v.name: value for v, value in zip(self.system.variables, state, strict=True)}
        conditions = self.system.claims[claim].per_step
        return next((int(i) for i in which if not evaluate([conditions[i]], values)[0]), None)

    def is_dead(self, flags: int) -> bool:
        """Do the flags of a state say that nothing can be taken from it?"""
        return bool(flags & DEAD)

    def replay(self, claim: int, start: State, instances: Sequence[int]) -> Replay:
        """What a walk found, followed by the reference semantics; DisagreementError if that cannot follow."""
        labels: list[Label] = [self.system.instances[i].label for i in instances]
        prop = self.properties[claim]
        try:
            return Replay(self.reference, prop, labels, start)
        except Exception as error:
            what = f"a walk of the compiled model and its own Python disagree on {prop.id}: {error}"
            raise DisagreementError(what) from error


@dataclass(frozen=True)
class Violation:
    """A claim's violation as a walk met it: where it started and which instances it took."""

    claim: int
    start: State
    instances: tuple[int, ...]


def _alarm(claim: StagedClaim, prop: Property) -> Node | None:
    node = claim.on_state
    return node if node is None or prop.kind is ClaimKind.SOMETIMES else build.negate(node)


def _nearness(system: System, claim: StagedClaim, prop: Property) -> Node:
    if claim.on_state is not None:
        return distance(claim.on_state, prop.kind is ClaimKind.SOMETIMES)
    steps = [
        build.add(distance(inst.enabled, True), distance(node, False))
        for inst, node in zip(system.instances, claim.per_step, strict=False)
        if node is not build.TRUE
    ]
    return reduce(lambda a, b: build.ite(build.le(a, b), a, b), steps) if steps else build.const(0)

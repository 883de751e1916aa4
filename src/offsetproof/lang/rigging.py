"""How a model's actions are done on the real program: data beside a subject's claims, for replaying traces there.

A rig is a program that holds the real classes and lets one thread at a time run from line to line. What an action is to
it is said here: a step of a thread, which begins at the action's own anchor, or a change outside of all threads. The
model and the rig must then show the same, field by field, after each step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from offsetproof.lang.anchor import Anchor
from offsetproof.lang.scope import Scope


@dataclass(frozen=True)
class RigMoment:
    """One step of a trace: its arguments, the fields before and after it by their full names, and the listener."""

    args: Mapping[str, Any]
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    listener: str | None = None

    def arg(self, name: str) -> int:
        """An argument that is a number."""
        return int(self.args[name])


Values = Callable[[RigMoment], Mapping[str, Any]]
"""What a rig has to be told of a moment."""


def no_values(_moment: RigMoment) -> Mapping[str, Any]:
    """Nothing."""
    return {}


@dataclass(frozen=True)
class ThreadStep:
    """An action that is a step of one thread of the real program.

    `threads` names the thread; of several the first is meant that is at work, or else the first of all. Where it is
    idle it runs `call`; without one it has to be at work. The step begins at one of `gates` (none: at the action's
    first anchor), or is the `whole` call; `also` are stops of other actions at which it may begin as well. `role` says
    who the thread is: it stops at the gates of each action of its role, but for those `within` this step. In this step
    alone it stops at those in `until` as well. `unforceable` says why the step cannot be enforced at a moment; it says
    nothing where it can.
    """

    role: str
    threads: Callable[[RigMoment], tuple[str, ...]]
    call: str | None = None
    gates: tuple[Anchor | str, ...] = ()
    values: Values = no_values
    whole: bool = False
    also: tuple[Anchor | str, ...] = ()
    within: tuple[Anchor | str, ...] = ()
    until: tuple[Anchor, ...] = ()
    unforceable: Callable[[RigMoment], str] = field(default=lambda moment: "")


@dataclass(frozen=True)
class RigChange:
    """An action that happens outside of the threads: at the broker, in the network, or to a process.

    `presumes` are methods that the rig does not run for it, and whose doing it takes to be the release's.
    """

    name: str
    values: Values = no_values
    presumes: tuple[Anchor, ...] = ()


@dataclass(frozen=True, eq=False)
class Rigging:
    """What the actions of a model are to a rig.

    `settings` are what the rig is built with, from the scope and the first state. A thread stops at the steps of its
    role, and of the roles that `roles` adds to it, and at `holds` although no step begins there. On its way to where a
    step begins it may pass its role's `holds` and `passes`. `fields_in_rig` gives the fields of a state that both sides
    show, under their names in the rig, and `fields_in_scope` those that are there in some scopes alone, or have other
    values there. `steps` and `left_out` may leave the steps to their records (`step.rigging_of`). `left_out` has
    actions that cannot be done there, each with its reason.
    `with_fix` has by fix or behaviour how actions are done where the real program has it, or why they cannot be;
    elsewhere `steps` says how the rig plays its part. `is_outcome` tells the fields that say what came of a story:
    what the broker has, or a file.
    """

    settings: Callable[[Scope, Mapping[str, Any]], Mapping[str, Any]]
    fields_in_rig: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    steps: Mapping[str, ThreadStep | RigChange] = field(default_factory=dict)
    holds: Mapping[str, tuple[Anchor, ...]] = field(default_factory=dict)
    passes: Mapping[str, tuple[Anchor, ...]] = field(default_factory=dict)
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    with_fix: Mapping[str, Mapping[str, ThreadStep | RigChange | str]] = field(default_factory=dict)
    fields_in_scope: Callable[[Scope, Mapping[str, Any]], Mapping[str, Any]] = lambda scope, state: {}
    is_outcome: Callable[[str], bool] = lambda field: field.startswith("broker.")

    def in_scope(self, scope: Scope) -> Rigging:
        """What the actions are to a rig in a scope: with all fields that both sides show there."""
        kept, more = self.fields_in_rig, self.fields_in_scope
        return replace(self, fields_in_rig=lambda state: {**kept(state), **more(scope, state)})

    def on_classes_with(self, fixes: Iterable[str]) -> Rigging:
        """What the actions are to a rig whose classes have these fixes, or behaviours."""
        steps, left_out = dict(self.steps), dict(self.left_out)
        for action, step in [pair for fix in fixes for pair in self.with_fix.get(fix, {}).items()]:
            if isinstance(step, str):
                left_out[action] = step
                del steps[action]
            else:
                steps[action] = step
        return replace(self, steps=steps, left_out=left_out)

    @property
    def anchors(self) -> frozenset[Anchor]:
        """The places at which it stops that no action names."""
        steps = [step for step in self.steps.values() if isinstance(step, ThreadStep)]
        gates = [gate for step in steps for gate in (*step.gates, *step.also, *step.within, *step.until)]
        passed = [place for places in (self.holds, self.passes) for place in chain(*places.values())]
        return frozenset(place for place in (*gates, *passed) if isinstance(place, Anchor))

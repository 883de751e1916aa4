"""Worlds of several queues, and their steps by name."""

from __future__ import annotations

from typing import Any

from offsetproof.ir.system import Label, State
from offsetproof.lang import Release, Setting
from offsetproof.lang.reference import Reference
from offsetproof.model.queues.queues import Queues
from offsetproof.properties.queues.catalogue import QUEUES


def world_of(
    scope: str,
    fixes: tuple[str, ...] = (),
    assumptions: tuple[str, ...] = (),
    release: Release = Queues.usual_release,
    **bounds: int,
) -> Reference:
    """The model in a scope with other bounds."""
    fitting = tuple(fix for fix in Queues.fixes if fix.name in fixes)
    given = tuple(each for each in Queues.assumptions if each.name in assumptions)
    asked = QUEUES.scope(scope).completed(Queues.bounds).with_bounds(bounds)
    return Reference(Queues, Setting(asked, dict.fromkeys(Queues.roles, release), fixes=fitting, assumptions=given))


def taken(world: Reference, state: State, *labels: Label) -> State:
    """The state after these steps."""
    for label in labels:
        after = world.take(state, label)
        assert isinstance(after, tuple), (label, after)
        state = after
    return state


def step(name: str, **args: int) -> Label:
    return name, tuple(args.items())


def first(name: str, **args: int) -> Label:
    """A step of client 0."""
    return step(name, c=0, **args)


def shown(world: Reference, state: State, *paths: str) -> tuple[Any, ...]:
    fields = world.show(state)
    return tuple(fields[path] for path in paths)

"""Worlds of a broker and its slave, and stories in them that tests write down step by step."""

from __future__ import annotations

from typing import Any

from offsetproof.ir.system import Label, State
from offsetproof.lang import Setting
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.model.replicas.replicas import Replicas
from offsetproof.properties.replicas.catalogue import REPLICAS

MASTER, SLAVE = 0, 1
ADDS, PULLS, CONSUMES, SENDS = (
    (f"client_{name}", (("c", 0), ("q", 0))) for name in ("adds_queue", "pulls", "consumes", "sends_commit")
)
HEARS_ROUTE: Label = ("client_hears_route", (("c", 0),))
COPY: tuple[Label, Label] = (("master_sends_table", ()), ("slave_takes_table", ()))


def executes(r: int) -> Label:
    """A broker executes the client's commit."""
    return "broker_executes_commit", (("r", r), ("c", 0), ("q", 0))


def broker(step: str, r: int) -> Label:
    """A broker's own step: flushes, is_killed, shuts_down, starts, moves_version."""
    return f"broker_{step}", (("r", r),)


def resets(x: int) -> Label:
    """The administrator resets queue 0."""
    return "administrator_resets", (("x", x),)


COMMITS_ONE = (ADDS, PULLS, CONSUMES, SENDS, executes(MASTER))
"""The group has consumed message 0, and the master knows it."""


def pair_in(scope: str, release: str = "4.9.4", fixes: tuple[str, ...] = (), **bounds: int) -> Reference:
    """The model in a scope, perhaps with other bounds."""
    asked = REPLICAS.scope(scope).completed(Replicas.bounds).with_bounds(bounds)
    of = next(each for each in Replicas.releases if each.name == release)
    chosen = tuple(fix for fix in Replicas.fixes if fix.name in fixes)
    return Reference(Replicas, Setting(asked, dict.fromkeys(Replicas.roles, of), fixes=chosen))


def after(world: Reference, *labels: Label) -> State:
    """The state after these steps from the start."""
    state = world.first()
    for label in labels:
        taken = world.take(state, label)
        assert isinstance(taken, tuple), (label, taken)
        state = taken
    return state


def shown(world: Reference, *labels: Label) -> dict[str, Any]:
    """The fields after these steps."""
    return dict(world.show(after(world, *labels)))


def cannot(world: Reference, label: Label, *labels: Label) -> bool:
    """Is the step none that can be taken after the others?"""
    return world.take(after(world, *labels), label) is NotTaken.DISABLED

"""How fast walks are, and how much of Hypothesis's time is its own, scope by scope."""

from __future__ import annotations

from typing import Any

from offsetproof.checking.request import Request
from offsetproof.checking.simulation import simulate_settings
from offsetproof.engines.stateful.engine import Effort
from offsetproof.model.scopes import SCOPES
from offsetproof.properties.catalogue import ROCKETMQ

EFFORT = Effort(walk_steps=3_000_000, walk_length=120, examples=30, example_steps=60)


def measure_walks() -> dict[str, Any]:
    """One simulation per scope, of the claim that has no violation and therefore lets walks go on to their end."""
    rows = {}
    for scope in SCOPES:
        (one,) = simulate_settings(Request(ROCKETMQ, ("I7-no-stalled-task",), scope=scope.name), EFFORT)
        rows[scope.name] = {
            "instances": one.instances,
            "bits": one.bits,
            "walk_steps": one.tried.walk_steps,
            "steps_per_second": round(one.tried.rate),
            "hypothesis_steps": one.tried.hypothesis_steps,
            "hypothesis_overhead": None if one.tried.overhead is None else round(one.tried.overhead, 2),
        }
    return rows

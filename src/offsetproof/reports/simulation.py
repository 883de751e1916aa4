"""What was tried in each simulated setting, as text for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import Any

from offsetproof.checking.simulation import Simulated
from offsetproof.traces.escaping import visible


def simulation_text(simulations: Sequence[Simulated], width: int) -> str:
    """What was tried, setting by setting, as text."""
    lines = []
    for one in simulations:
        tried, scope = one.tried, one.setting.scope
        lines.append(fill(f"scope {scope.name} ({scope.describe() or 'no bounds'})", width, subsequent_indent="  "))
        parts = [f"{one.instances:,} action instances, {one.bits} bits per state; {tried}"]
        parts.append(f"{tried.rate / 1e6:.2f} million steps/s walking, longest walk {tried.longest} steps")
        if tried.overhead is not None:
            parts.append(f"Hypothesis: {tried.hypothesis_seconds:.1f} s, {tried.overhead:.0%} of them its own overhead")
        if one.never_taken:
            parts.append(f"never taken: {', '.join(one.never_taken)}")
        lines += [fill(part, width, initial_indent="    ", subsequent_indent="      ") for part in parts]
    return visible("\n".join(lines)) + "\n\n"


def simulation_json(simulations: Sequence[Simulated]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [
        {
            "scope": one.setting.scope.name,
            "instances": one.instances,
            "bits": one.bits,
            "walk_steps": one.tried.walk_steps,
            "walks": one.tried.walks,
            "steps_per_second": round(one.tried.rate),
            "hypothesis_steps": one.tried.hypothesis_steps,
            "hypothesis_overhead": None if one.tried.overhead is None else round(one.tried.overhead, 3),
            "never_taken": list(one.never_taken),
        }
        for one in simulations
    ]

"""What random walks tried, setting by setting, and what they found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from textwrap import fill
from typing import Any

from offsetproof.checking.answers import Answer
from offsetproof.checking.simulation import Simulated
from offsetproof.escaping import visible
from offsetproof.reports.json import envelope, result_json
from offsetproof.reports.text import text_report


def simulation_text(name: str, simulations: Sequence[Simulated], width: int, *, colour: bool) -> str:
    """What was tried, and the verdicts with their stories."""
    return _tried_in_words(simulations, width) + text_report(
        name, _answers(simulations), width, colour=colour, sampled=True
    )


def simulation_json(name: str, simulations: Sequence[Simulated]) -> str:
    """The same as one JSON document."""
    results = [result_json(answer) for answer in _answers(simulations)]
    document = {**envelope(name), "simulations": list(map(_tried_json, simulations)), "results": results}
    return json.dumps(document, indent=2) + "\n"


def _answers(simulations: Sequence[Simulated]) -> list[Answer]:
    return [answer for one in simulations for answer in one.answers]


def _tried_in_words(simulations: Sequence[Simulated], width: int) -> str:
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


def _tried_json(one: Simulated) -> dict[str, Any]:
    return {
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

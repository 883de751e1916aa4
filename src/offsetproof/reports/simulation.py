"""What random walks tried, setting by setting, and what they found."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import Annotated

from msgspec import Meta

from offsetproof.checking.answers import Answer
from offsetproof.checking.simulation import Simulated
from offsetproof.escaping import visible
from offsetproof.reading.typed_json import Count, JsonObject, Names, write_json
from offsetproof.reports.json import DocumentJson, ResultJson, envelope, result_json
from offsetproof.reports.text import text_report
from offsetproof.verdict.phrases import quantity


class SimulationJson(JsonObject):
    """What was tried in one setting."""

    scope: str
    instances: Annotated[Count, Meta(description="Actions with their arguments.")]
    bits: Annotated[Count, Meta(description="Of a state.")]
    walk_steps: Count
    walks: Count
    steps_per_second: Count
    hypothesis_steps: Count
    hypothesis_overhead: Annotated[
        Annotated[float, Meta(le=1)] | None, Meta(description="The share of Hypothesis itself; null: it did not run.")
    ]
    never_taken: Names


class SimulateJson(DocumentJson):
    """Version 1 of what random walks tried and found."""

    simulations: tuple[SimulationJson, ...]
    results: tuple[ResultJson, ...]


def simulation_text(name: str, simulations: Sequence[Simulated], width: int, *, colour: bool) -> str:
    """What was tried, and the verdicts with their stories."""
    return _tried_in_words(simulations, width) + text_report(
        name, _answers(simulations), width, colour=colour, sampled=True
    )


def simulation_json(name: str, simulations: Sequence[Simulated]) -> str:
    """The same as one JSON document."""
    tried, results = map(_tried_json, simulations), map(result_json, _answers(simulations))
    return write_json(SimulateJson(**envelope(name), simulations=tuple(tried), results=tuple(results)))


def _answers(simulations: Sequence[Simulated]) -> list[Answer]:
    return [answer for one in simulations for answer in one.answers]


def _tried_in_words(simulations: Sequence[Simulated], width: int) -> str:
    lines = []
    for one in simulations:
        tried, scope = one.tried, one.setting.scope
        lines.append(fill(f"scope {scope.name} ({scope.describe() or 'no bounds'})", width, subsequent_indent="  "))
        parts = [f"{one.instances:,} action instances, {one.bits} bits per state; {tried}"]
        parts.append(f"{tried.rate / 1e6:.2f} million steps/s walking, longest walk {quantity(tried.longest, 'step')}")
        if tried.overhead is not None:
            parts.append(f"Hypothesis: {tried.hypothesis_seconds:.1f} s, {tried.overhead:.0%} of them its own overhead")
        if one.never_taken:
            parts.append(f"never taken: {', '.join(one.never_taken)}")
        lines += [fill(part, width, initial_indent="    ", subsequent_indent="      ") for part in parts]
    return visible("\n".join(lines)) + "\n\n"


def _tried_json(one: Simulated) -> SimulationJson:
    return SimulationJson(
        scope=one.setting.scope.name,
        instances=one.instances,
        bits=one.bits,
        walk_steps=one.tried.walk_steps,
        walks=one.tried.walks,
        steps_per_second=round(one.tried.rate),
        hypothesis_steps=one.tried.hypothesis_steps,
        hypothesis_overhead=None if one.tried.overhead is None else round(one.tried.overhead, 3),
        never_taken=one.never_taken,
    )

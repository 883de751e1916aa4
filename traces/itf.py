"""A trace in the Informal Trace Format of Apalache and Quint, for their viewers and for model-based testing.

Every integer is a big integer (`{"#bigint": "3"}`), an offset set is a set, an enum member a text. A field that is None
somewhere in the trace is a sequence all through it, empty or of the one value: ITF has no null, and of the variants
`None` and `Some(3)` that Quint would write itf-py can read neither. Each state says with `mbt::actionTaken` and
`mbt::nondetPicks` how it was reached (the first one with `init`), and its `#meta` who did it and which claims hold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import itf_py

from offsetproof.traces.trace import Trace, Value

ABOUT = "https://apalache-mc.org/docs/adr/015adr-trace.html"
TAKEN, PICKS = "mbt::actionTaken", "mbt::nondetPicks"


def to_itf(trace: Trace) -> dict[str, Any]:
    """The trace as an ITF document."""
    optional = {path for state in trace.states for path, value in state.items() if value is None}
    states = [
        itf_py.State(
            _meta(trace, number),
            {TAKEN: "init", PICKS: _Picks({})}
            | {path: _sequence(value) if path in optional else value for path, value in state.items()},
        )
        for number, state in enumerate(trace.states)
    ]
    for step, state in zip(trace.steps, states[1:], strict=True):
        state.values |= {TAKEN: step.action, PICKS: _Picks(step.args)}
    meta = {
        "format": "ITF",
        "format-description": ABOUT,
        "source": trace.subject or "a model",
        "status": "violation",
        "description": f"{trace.property.id} {trace.property.name}",
    }
    if trace.property.kind == "sometimes":
        meta["status"] = "example"
    document = itf_py.trace_to_json(itf_py.Trace(meta, [], [TAKEN, PICKS, *trace.initial], states, trace.cycle_at))
    return {key: _sort_sets(value) for key, value in document.items() if key != "loop" or value is not None}


def itf_text(trace: Trace) -> str:
    """The trace as the text of an ITF file."""
    return json.dumps(to_itf(trace), indent=2) + "\n"


def _meta(trace: Trace, number: int) -> dict[str, Any]:
    meta: dict[str, Any] = {"index": number, "claims": dict(trace.truths[number])}
    if number:
        step = trace.steps[number - 1]
        meta |= {"actor": step.actor, "thread": step.thread, "stands_for": [str(anchor) for anchor in step.stands_for]}
    return meta


class _Picks:
    """A record for itf-py, which writes an object's attributes."""

    def __init__(self, args: Mapping[str, int | str]) -> None:
        self.__dict__.update(args)


def _sequence(value: Value) -> list[Value]:
    return [] if value is None else [value]


def _sort_sets(value: Any) -> Any:
    """The document with its sets in ascending order, so that one trace gives one text."""
    if isinstance(value, list):
        return [_sort_sets(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"#set"}:
        return {"#set": sorted(value["#set"], key=lambda item: int(item["#bigint"]))}
    return {key: _sort_sets(item) for key, item in value.items()}

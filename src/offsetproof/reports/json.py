"""The JSON report: one document per run, in the shape of the contract (schema 1)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from offsetproof.checking.answers import Answer
from offsetproof.conformance.reproduced import found_of
from offsetproof.lang.scope import Scope
from offsetproof.lang.setting import Setting
from offsetproof.lang.world import ClaimInWorld
from offsetproof.traces.store import to_json
from offsetproof.traces.trace import Trace
from offsetproof.version import __version__

SCHEMA = 1
"""The version of the report's shape; it grows only when a reader would have to change."""


def envelope(subject: str) -> dict[str, Any]:
    """What every JSON document starts with."""
    return {"schema": SCHEMA, "tool": {"name": "offsetproof", "version": __version__}, "subject": subject}


def json_report(subject: str, answers: Sequence[Answer], asked: int | None = None) -> str:
    """The whole document, ending in a newline. `asked` is how many questions there were; None: as many as answers."""
    count = len(answers) if asked is None else asked
    results = [result_json(answer) for answer in answers]
    return json.dumps({**envelope(subject), "questions": count, "results": results}, indent=2) + "\n"


def scope_json(scope: Scope) -> dict[str, Any]:
    """A scope with its bounds beside its name, and its fault budgets."""
    return {"name": scope.name, **scope.bounds, "faults": dict(scope.faults)}


def setting_json(setting: Setting) -> dict[str, Any]:
    """What a claim was asked in, by names."""
    named = ClaimInWorld.of("", setting)
    return {
        "release": named.release,
        "fixes": list(named.fixes),
        "assumptions": list(named.assumptions),
        "listener": named.listener,
        "scope": scope_json(setting.scope),
    }


def result_json(answer: Answer) -> dict[str, Any]:
    """One answer as an object of the report."""
    result, counts = answer.result, answer.result.counts
    return {
        "subject": answer.subject.name if answer.subject else None,
        "property": result.prop.id,
        "name": result.prop.name,
        "kind": str(result.prop.kind),
        **setting_json(result.setting),
        "engine": result.engine,
        "method": result.method,
        "verdict": str(result.verdict),
        "expected": str(result.expected) if result.expected else None,
        "reason": str(result.reason) if result.reason else None,
        "detail": result.detail or None,
        "initial": counts.initial,
        "states": counts.states,
        "transitions": counts.transitions,
        "depth": counts.depth,
        "exhaustive": result.exhaustive,
        "bound_cuts": counts.bound_cuts,
        "seconds": round(result.seconds, 3),
        "peak_bytes": counts.peak_bytes,
        "bytes_per_state": round(counts.bytes_per_state, 1),
        "digest": result.digest,
        "reductions": list(result.reductions),
        "notes": list(result.notes),
        "judged": counts.judged,
        "vacuous": result.vacuous or None,
        "unspent": list(result.unspent),
        "scopes_not_asked": list(answer.unasked),
        "actions": dict(counts.fired),
        "witnesses": dict(result.witnesses),
        "agreement": answer.agreement.to_json() if answer.agreement else None,
        "disagreement": answer.disagreement,
        "on_release": on_release_json(answer),
        "trace": trace_json(answer.trace) if answer.trace else None,
    }


def on_release_json(answer: Answer) -> dict[str, Any] | None:
    """What became of the counterexample on the real classes, if it was replayed there."""
    found = found_of(answer.subject, answer.trace)
    return {"release": found.release, "outcome": found.outcome, "story": found.story} if found else None


def trace_json(trace: Trace) -> dict[str, Any]:
    """A trace as reports tell it: what is recorded of one, and the times of its steps, if they are known."""
    schedule = trace.timing
    timing = (
        {"stall": schedule.stall, "where": list(schedule.where), "times": list(schedule.times)} if schedule else None
    )
    return {**to_json(trace.story), "timing": timing}

"""The SARIF report: one rule per claim, one result per surprise or refutation, with a thread flow per actor.

Each step's location is the model's line; the Java places that it stands for are related locations. UNKNOWN is a
warning, never a pass.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from offsetproof import __version__
from offsetproof.check.answers import Answer
from offsetproof.check.words import how
from offsetproof.traces.trace import Trace, TraceStep, shown_file
from offsetproof.verdict.result import Result, Verdict

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_report(subject: str, answers: Sequence[Answer]) -> str:
    """The whole document as JSON."""
    rules = {answer.result.prop.id: _rule(answer.result) for answer in answers}
    run = {
        "tool": {"driver": {"name": "offsetproof", "version": __version__, "rules": list(rules.values())}},
        "automationDetails": {"id": f"offsetproof/{subject}"},
        "results": [_result(answer) for answer in answers],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(result: Result) -> dict[str, Any]:
    text = {"text": result.prop.about or result.prop.name}
    return {"id": result.prop.id, "name": result.prop.name, "shortDescription": text}


def _kind(result: Result) -> tuple[str, str]:
    if result.verdict is Verdict.UNKNOWN:
        return "fail", "warning"
    if not result.as_expected:
        return "fail", "error"
    return ("fail", "note") if result.verdict is Verdict.REFUTED else ("pass", "none")


def _result(answer: Answer) -> dict[str, Any]:
    result, trace = answer.result, answer.trace
    kind, level = _kind(result)
    found: dict[str, Any] = {
        "ruleId": result.prop.id,
        "kind": kind,
        "level": level,
        "message": {"text": f"{result.verdict}: {how(result)}"},
        "locations": [_location(shown_file(result.prop.file), result.prop.line)],
    }
    if trace is not None:
        cause = " ".join([result.prop.id, result.setting.release or "", *trace.cause])
        found["partialFingerprints"] = {"cause/v1": hashlib.sha256(cause.encode()).hexdigest()[:32]}
        found["codeFlows"] = [{"threadFlows": _flows(trace)}]
        anchors = dict.fromkeys(str(anchor) for step in trace.steps for anchor in step.stands_for)
        found["relatedLocations"] = [
            {"id": i, "message": {"text": text}, "logicalLocations": [{"fullyQualifiedName": text}]}
            for i, text in enumerate(anchors, 1)
        ]
    return found


def _location(file: str, line: int) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": file}, "region": {"startLine": max(1, line)}}}


def _flows(trace: Trace) -> list[dict[str, Any]]:
    actors = dict.fromkeys(step.actor for step in trace.steps)
    return [
        {"id": actor, "locations": [_flow_step(step) for step in trace.steps if step.actor == actor]}
        for actor in actors
    ]


def _flow_step(step: TraceStep) -> dict[str, Any]:
    location = _location(step.file, step.line)
    location["message"] = {"text": step.name}
    return {"executionOrder": step.number, "location": location}

"""The SARIF report: one rule per claim, one result per surprise or refutation, with a thread flow per actor.

Each step's location is the model's line; the Java places that it stands for are related locations. UNKNOWN is a
warning, never a pass.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from offsetproof.checking.answers import Answer
from offsetproof.lang.claim import Property
from offsetproof.lang.setting import Setting
from offsetproof.lang.source_paths import shown_file
from offsetproof.reports.text import large_in_words, missing_in_words
from offsetproof.traces.trace import Trace, TraceStep
from offsetproof.verdict.phrases import describe_in_full, verdict_of_release
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict
from offsetproof.version import __version__

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


MISSING = "questions-without-an-answer"
"""The rule that every question has an answer."""


def sarif_report(
    subject: str, answers: Sequence[Answer], asked: int | None = None, large: Sequence[Question] = ()
) -> str:
    """The whole document as JSON; `asked` as in `missing_in_words`."""
    rules = {answer.result.prop.id: rule(answer.result.prop, answer.result.setting) for answer in answers}
    missing, not_asked = missing_in_words(answers, asked), large_in_words(large)
    if missing or not_asked:
        rules[MISSING] = {"id": MISSING, "shortDescription": {"text": "Every question has an answer."}}
    results = [_result(answer) for answer in answers]
    results += [finding(MISSING, "fail", "error", line, None) for line in missing]
    results += [finding(MISSING, "open", "none", line, None) for line in not_asked]
    return document(subject, list(rules.values()), results)


def document(subject: str, rules: list[dict[str, Any]], results: list[dict[str, Any]]) -> str:
    """A SARIF document of one run."""
    run = {
        "tool": {"driver": {"name": "offsetproof", "version": __version__, "rules": rules}},
        "automationDetails": {"id": f"offsetproof/{subject}"},
        "results": results,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def rule(prop: Property, setting: Setting) -> dict[str, Any]:
    """A claim as a rule, in the words that are right in a setting."""
    about = prop.about_in(setting.scope.name, setting.listener_name)
    return {"id": prop.id, "name": prop.name, "shortDescription": {"text": about or prop.name}}


def finding(id: str, kind: str, level: str, text: str, prop: Property | None) -> dict[str, Any]:
    """A result about a claim, at the claim's place where it is known."""
    result: dict[str, Any] = {"ruleId": id, "kind": kind, "level": level, "message": {"text": text}}
    return result if prop is None else {**result, "locations": [location(shown_file(prop.file), prop.line)]}


def evidence(trace: Trace, release: str | None) -> dict[str, Any]:
    """What a result says of its counterexample: a fingerprint of the cause, a flow per actor, the Java places."""
    cause = " ".join([trace.property.id, release or "", *trace.cause])
    anchors = dict.fromkeys(str(anchor) for step in trace.steps for anchor in step.stands_for)
    return {
        "partialFingerprints": {"cause/v1": hashlib.sha256(cause.encode()).hexdigest()[:32]},
        "codeFlows": [{"threadFlows": _flows(trace)}],
        "relatedLocations": [
            {"id": i, "message": {"text": text}, "logicalLocations": [{"fullyQualifiedName": text}]}
            for i, text in enumerate(anchors, 1)
        ],
    }


def _kind(result: Result) -> tuple[str, str]:
    if result.verdict is Verdict.UNKNOWN:
        return "fail", "warning"
    if not result.as_expected:
        return "fail", "error"
    if result.vacuous:
        return "review", "none"
    return ("fail", "note") if result.verdict is Verdict.REFUTED else ("pass", "none")


def _result(answer: Answer) -> dict[str, Any]:
    result, trace = answer.result, answer.trace
    kind, level = _kind(result)
    text = f"{verdict_of_release(result)}: {describe_in_full(result)}"
    if answer.disagreement:
        kind, level, text = "fail", "error", f"DISAGREEMENT: {answer.disagreement}"
    finding_of_case = finding(result.prop.id, kind, level, text, result.prop)
    return finding_of_case if trace is None else {**finding_of_case, **evidence(trace, result.setting.release)}


def location(file: str, line: int) -> dict[str, Any]:
    """A line of a file."""
    return {"physicalLocation": {"artifactLocation": {"uri": quote(file)}, "region": {"startLine": max(1, line)}}}


def _flows(trace: Trace) -> list[dict[str, Any]]:
    flows: dict[str, list[dict[str, Any]]] = {}
    for step in trace.story.steps:
        flows.setdefault(step.actor, []).append(_flow_step(step))
    return [{"id": actor, "locations": locations} for actor, locations in flows.items()]


def _flow_step(step: TraceStep) -> dict[str, Any]:
    place = location(step.file, step.line)
    place["message"] = {"text": step.name}
    return {"executionOrder": step.number, "location": place}

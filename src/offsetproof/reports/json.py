"""The JSON report: one document per run, in the shape of the contract (schema 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from offsetproof.checking.answers import Answer
from offsetproof.conformance.reproduced import OutcomeName, found_of
from offsetproof.lang.cases import Expectation
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.scope import Scope
from offsetproof.lang.setting import Setting
from offsetproof.lang.world import ClaimInWorld
from offsetproof.reading.typed_json import (
    NULL,
    OBJECT,
    TEXT,
    THIS_TOOL,
    Count,
    JsonObject,
    Name,
    Names,
    Seconds,
    ToolJson,
    from_attributes,
    rule,
    write_json,
)
from offsetproof.traces.store import TimingJson, TraceJson, Truths, to_json
from offsetproof.traces.trace import Trace
from offsetproof.verdict.agreement import OpinionJson
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Verdict

SCHEMA: Literal[1] = 1
"""The version of the report's shape; it grows only when a reader would have to change."""


def flat_scope(**texts: Mapping[str, object]) -> Meta:
    """The schema of a scope whose bounds stand beside its name; `texts` are members that are there as well."""
    count = {"type": "integer", "minimum": 0}
    members = {"name": TEXT, "faults": {**OBJECT, "additionalProperties": count}, **texts}
    schema = {"required": [*members], "properties": members, "additionalProperties": count}
    return Meta(description="Every bound stands beside the name; fault budgets are apart.", extra_json_schema=schema)


FlatScope = Annotated[dict[str, Any], flat_scope()]


class DocumentJson(JsonObject):
    """What every document starts with."""

    schema: Literal[1]
    tool: ToolJson
    subject: Name


class OnReleaseJson(JsonObject):
    """What became of a counterexample on the real classes."""

    release: str
    outcome: OutcomeName
    story: str


class ReportedTraceJson(TraceJson):
    """A trace as reports tell it."""

    timing: TimingJson | None


_DECIDED = {"not": {"const": ClaimKind.SOMETIMES}}


class ResultJson(JsonObject):
    """The answer to one question."""

    RULES = (
        rule({"verdict": {"const": "UNKNOWN"}}, {"reason": TEXT, "exhaustive": {"const": False}}, {"reason": NULL}),
        rule({"verdict": {"const": "REFUTED"}, "kind": _DECIDED}, {"trace": OBJECT}),
        rule({"verdict": {"const": "HOLDS"}, "kind": _DECIDED}, {"trace": NULL, "exhaustive": {"const": True}}),
    )
    subject: Annotated[str | None, Meta(description="Whose claim it is; a family has several.")]
    property: Name
    name: Name
    kind: ClaimKind
    release: str | None
    fixes: Names
    assumptions: Names
    listener: str | None
    scope: FlatScope
    engine: str
    method: str
    verdict: Verdict
    expected: Expectation | None
    reason: Reason | None
    detail: str | None
    initial: Count
    states: Count | None
    transitions: Count | None
    depth: Count
    exhaustive: bool
    bound_cuts: Count
    seconds: Seconds
    peak_bytes: Count
    bytes_per_state: Annotated[float, Meta(ge=0)]
    digest: str
    reductions: Names
    notes: Names
    judged: Count | None
    vacuous: str | None
    unspent: Names
    scopes_not_asked: Names
    actions: dict[str, Count]
    witnesses: Truths
    agreement: tuple[OpinionJson, ...] | None
    disagreement: str | None
    on_release: Annotated[OnReleaseJson | None, Meta(description="null: it was not replayed on the real classes.")]
    trace: ReportedTraceJson | None


class NotAskedJson(JsonObject):
    """A question that was not asked."""

    property: Name
    release: str | None
    scope: Name


class CheckJson(DocumentJson):
    """Version 1 of the report."""

    questions: Annotated[
        Count, Meta(description="How many were asked; where somebody ended the run, results are of fewer.")
    ]
    results: tuple[ResultJson, ...]
    not_asked: Annotated[
        tuple[NotAskedJson, ...], Meta(description="Questions that were left out for the size of their systems.")
    ]


def envelope(subject: str) -> dict[str, Any]:
    """What every JSON document starts with, for `DocumentJson`."""
    return {"schema": SCHEMA, "tool": THIS_TOOL, "subject": subject}


def json_report(
    subject: str, answers: Sequence[Answer], asked: int | None = None, large: Sequence[Question] = ()
) -> str:
    """The whole document, ending in a newline. `asked` is how many questions there were; None: as many as answers."""
    count = len(answers) if asked is None else asked
    left = tuple(
        NotAskedJson(property=each.prop.id, release=each.setting.release, scope=each.setting.scope.name)
        for each in large
    )
    results = tuple(map(result_json, answers))
    return write_json(CheckJson(**envelope(subject), questions=count, results=results, not_asked=left))


def scope_json(scope: Scope) -> FlatScope:
    """A scope with its bounds beside its name, and its fault budgets."""
    return {"name": scope.name, **scope.bounds, "faults": dict(scope.faults)}


def setting_json(setting: Setting) -> dict[str, Any]:
    """What a claim was asked in, by names."""
    named = ClaimInWorld.of("", setting)
    return {
        "release": named.release,
        "fixes": named.fixes,
        "assumptions": named.assumptions,
        "listener": named.listener,
        "scope": scope_json(setting.scope),
    }


def result_json(answer: Answer) -> ResultJson:
    """One answer as an object of the report."""
    result, counts = answer.result, answer.result.counts
    return ResultJson(
        subject=answer.subject.name if answer.subject else None,
        property=result.prop.id,
        name=result.prop.name,
        kind=result.prop.kind,
        **setting_json(result.setting),
        engine=result.engine,
        method=result.method,
        verdict=result.verdict,
        expected=result.expected,
        reason=result.reason,
        detail=result.detail or None,
        initial=counts.initial,
        states=counts.states,
        transitions=counts.transitions,
        depth=counts.depth,
        exhaustive=result.exhaustive,
        bound_cuts=counts.bound_cuts,
        seconds=round(result.seconds, 3),
        peak_bytes=counts.peak_bytes,
        bytes_per_state=round(counts.bytes_per_state, 1),
        digest=result.digest,
        reductions=result.reductions,
        notes=result.notes,
        judged=counts.judged,
        vacuous=result.vacuous or None,
        unspent=result.unspent,
        scopes_not_asked=answer.unasked,
        actions=dict(counts.fired),
        witnesses=dict(result.witnesses),
        agreement=answer.agreement.to_json() if answer.agreement else None,
        disagreement=answer.disagreement,
        on_release=on_release_json(answer),
        trace=trace_json(answer.trace) if answer.trace else None,
    )


def on_release_json(answer: Answer) -> OnReleaseJson | None:
    """What became of the counterexample on the real classes, if it was replayed there."""
    found = found_of(answer.subject, answer.trace)
    return OnReleaseJson(release=found.release, outcome=found.outcome, story=found.story) if found else None


def trace_json(trace: Trace) -> ReportedTraceJson:
    """A trace as reports tell it: what is recorded of one, and the times of its steps, if they are known."""
    timing = from_attributes(trace.timing, TimingJson) if trace.timing else None
    return ReportedTraceJson(**to_json(trace.story), timing=timing)

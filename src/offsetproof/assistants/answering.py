"""What an assistant gets: first what is established, each verdict with release, bounds and method; then the document.

The document is the verb's own JSON. Unless all of it is wanted, members go that say how a search was done, and not what
it found.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

from msgspec import Meta, to_builtins

from offsetproof.reading.typed_json import JsonObject, Names
from offsetproof.reports.json import FlatScope
from offsetproof.traces.recorded_stories import recorded_traces
from offsetproof.verdict.phrases import quantity

Document = Mapping[str, Any]

LEFT_OUT = {
    "result": ("initial", "bound_cuts", "peak_bytes", "bytes_per_state", "digest", "judged", "actions", "agreement"),
    "trace": ("claims",),
    "step": ("stands_for", "logs", "file", "line", "claims"),
    "record": ("initial", "digest", "scope"),
}
"""The members of results, traces, their steps and recorded stories that only a full answer has."""

_RECORDED = "a recorded story, which the model's own Python has followed"


class EstablishedJson(JsonObject):
    """A verdict, where it was reached, and how."""

    subject: str | None
    property: str
    name: str | None
    verdict: Annotated[str, Meta(description="HOLDS, REFUTED or UNKNOWN; of a judged cause: removed, left or unknown.")]
    reason: Annotated[str | None, Meta(description="Why it is UNKNOWN.")] = None
    release: str | None
    fixes: Names = ()
    assumptions: Names = ()
    listener: str | None = None
    scope: Annotated[
        FlatScope | None, Meta(description="Its bounds but for those of 0; null: the story's world is not recorded.")
    ]
    method: str


class AnswerJson(JsonObject):
    """An answer of a tool."""

    established: tuple[EstablishedJson, ...]
    exit: Annotated[int, Meta(description="The verb's exit code: 0 as expected, 12 an unexpected violation...")]
    notes: Annotated[Names, Meta(description="What else the verb said.")]
    text: Annotated[str | None, Meta(description="Text for people, where the answer is one.")] = None
    report: Annotated[dict[str, Any] | None, Meta(description="The verb's document; see `offsetproof schema`.")] = None


def answer_of(verb: str, document: Document, code: int, notes: Names, *, full: bool) -> dict[str, Any]:
    """The answer of a verb that has written a document."""
    established = tuple(_ESTABLISHED[verb](document))
    report = dict(document) if full else without_details(document)
    return _builtins(AnswerJson(established=established, exit=code, notes=notes, report=report))


def text_answer(text: str, code: int, notes: Names) -> dict[str, Any]:
    """The answer of a verb that has written text."""
    return _builtins(AnswerJson(established=(), exit=code, notes=notes, text=text))


def without_details(document: Document) -> dict[str, Any]:
    """A document without the members that say how a search was done."""
    brief = {name: value for name, value in document.items() if name != "tool"}
    if "replay" in document:  # a recorded story
        brief = _without("record", brief)
    for name in ("results", "causes"):
        if name in brief:
            brief[name] = [_brief_result(each) for each in brief[name]]
    return brief | ({"trace": _brief_trace(brief["trace"])} if "trace" in brief else {})


def _brief_result(result: Document) -> dict[str, Any]:
    brief = _without("result", result)
    return brief | {"scope": _chief_bounds(result["scope"]), "trace": _brief_trace(result["trace"])}


def _brief_trace(trace: Document | None) -> dict[str, Any] | None:
    if trace is None:
        return None
    return _without("trace", trace) | {"steps": [_without("step", each) for each in trace["steps"]]}


def _without(kind: str, given: Document) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in LEFT_OUT[kind]}


def _builtins(answer: AnswerJson) -> dict[str, Any]:
    made: dict[str, Any] = to_builtins(answer)
    return {name: value for name, value in made.items() if value is not None}


def _world(given: Document) -> dict[str, Any]:
    """Where something was asked, as several documents have it."""
    named = {name: given[name] for name in ("release", "fixes", "assumptions", "listener")}
    return named | {"scope": _chief_bounds(given["scope"])}


def _chief_bounds(scope: Document) -> dict[str, Any]:
    """A scope with the bounds beside its name, as reports have it, and not as stories are recorded; without zeros."""
    flat = {name: value for name, value in scope.items() if name not in ("bounds", "about")}
    return {name: value for name, value in {**flat, **scope.get("bounds", {})}.items() if value != 0}


def _of_check(document: Document) -> Iterator[EstablishedJson]:
    for result in document["results"]:
        yield EstablishedJson(
            subject=result["subject"] or document["subject"],
            property=result["property"],
            name=result["name"],
            verdict=result["verdict"],
            reason=result["reason"],
            **_world(result),
            method=f"{result['method']}, by engine {result['engine']}",
        )


def _of_explain(document: Document) -> Iterator[EstablishedJson]:
    """A cause refutes its claim; the end of a search says what is so without the causes that were found before."""
    for cause in document["causes"]:
        method = f"cause {cause['name']}, a counterexample which the model's own Python has followed"
        named = {"subject": document["subject"], "property": cause["property"], "name": None}
        yield EstablishedJson(**named, verdict="REFUTED", **_world(cause), method=method)
    for end in document["ends"]:
        without = f", but for {quantity(len(end['excluded']), 'cause')} above" if end["excluded"] else ""
        named = {"subject": document["subject"], "property": end["property"], "name": None}
        verdict = {"verdict": end["verdict"], "reason": end["reason"]}
        yield EstablishedJson(**named, **verdict, **_world(end), method=f"exhaustive{without}")


def _of_show(document: Document) -> Iterator[EstablishedJson]:
    """One story has a world; several, a list, are told with theirs."""
    if "replay" in document:
        yield _of_record(document, _outcome_of(document["replay"]))
        return
    yield from _of_stories(each["story"] for each in document["stories"])


def _of_symptom(document: Document) -> Iterator[EstablishedJson]:
    yield from _of_stories(each["story"] for each in document["answers"] if each["story"])


def _of_judge(document: Document) -> Iterator[EstablishedJson]:
    traces = recorded_traces()
    for cause in document["judged"]:
        story = traces.get(cause["trace"])
        world = _world(json.loads(story.read_text(encoding="utf-8"))) if story is not None else {"scope": None}
        yield EstablishedJson(
            subject=document["subject"],
            property=cause["property"],
            name=document["claim"],
            verdict=cause["verdict"],
            reason=cause["why"],
            **{**world, "release": document["base"]},
            method=f"{cause['trace']}, replayed on the classes of the release and on the patched ones",
        )


_ESTABLISHED = {
    "check": _of_check,
    "explain": _of_explain,
    "show": _of_show,
    "symptom": _of_symptom,
    "judge": _of_judge,
}


def _of_stories(names: Iterable[str]) -> Iterator[EstablishedJson]:
    traces = recorded_traces()
    for name in dict.fromkeys(names):
        yield _of_record(json.loads(traces[name].read_text(encoding="utf-8")), f"{name}, {_RECORDED}")


def _of_record(record: Document, method: str) -> EstablishedJson:
    """A story refutes its claim; that of a witness is how it is reached."""
    claim = record["property"]
    return EstablishedJson(
        subject=record["subject"],
        property=claim["id"],
        name=claim["name"],
        verdict="HOLDS" if claim["kind"] == "sometimes" else "REFUTED",
        **_world(record),
        method=method,
    )


def _outcome_of(replay: Document) -> str:
    """What became of a story when it was followed now."""
    outcomes = {
        True: _RECORDED + " again",
        False: "recorded, and the model does it no more",
        None: "recorded, not asked",
    }
    reason = f": {replay['reason']}" if replay["reason"] else ""
    return outcomes[replay["agrees"]] + reason

"""Recorded wider worlds as they are now, for programs, and the stories of those that held and do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from offsetproof.checking.widening import WorldOutcome
from offsetproof.guard.wider_worlds import WorldAgain, WorldsAgain
from offsetproof.reading.typed_json import Count, JsonObject, Name
from offsetproof.reports.json import FlatScope, ReportedTraceJson, scope_json, trace_json
from offsetproof.traces.trace import Trace
from offsetproof.verdict.result import Reason


class WorldAgainJson(JsonObject):
    """A wider world that held when it was recorded."""

    property: Name
    release: str | None
    scope: Annotated[FlatScope, Meta(description="As the case has it.")]
    raised: Annotated[dict[Name, Count], Meta(description="What is raised by one, with what it is then.")]
    found: WorldOutcome
    reason: Reason | None
    detail: str
    faults: Count | None
    steps: Count | None
    trace: ReportedTraceJson | None


def world_again_json(each: WorldAgain) -> WorldAgainJson:
    """The same as a member of the document."""
    question, found = each.world.question, each.found
    trace = None if each.answer is None else each.answer.trace
    return WorldAgainJson(
        property=question.prop.id,
        release=question.setting.release,
        scope=scope_json(question.setting.scope),
        raised=each.world.values,
        found=found.outcome,
        reason=found.reason,
        detail=found.detail,
        faults=found.faults,
        steps=found.steps,
        trace=None if trace is None else trace_json(trace),
    )


def stories_of_worlds(worlds: WorldsAgain | None) -> Iterator[Trace]:
    """The smallest stories of wider worlds that held."""
    for each in worlds.worlds if worlds is not None else ():
        if each.answer is not None and each.answer.trace is not None:
            yield each.answer.trace

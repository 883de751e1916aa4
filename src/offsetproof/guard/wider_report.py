"""Recorded wider worlds as they are now, for programs, and the stories of those that held and do not."""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.guard.wider_worlds import WorldAgain, WorldsAgain
from offsetproof.reports.json import ReportedTraceJson, trace_json
from offsetproof.reports.widening import WorldJson, world_members
from offsetproof.traces.trace import Trace


class WorldAgainJson(WorldJson):
    """A wider world that held when it was recorded."""

    trace: ReportedTraceJson | None


def world_again_json(each: WorldAgain) -> WorldAgainJson:
    """The same as a member of the document."""
    trace = None if each.answer is None else each.answer.trace
    return WorldAgainJson(**world_members(each.world, each.found), trace=None if trace is None else trace_json(trace))


def stories_of_worlds(worlds: WorldsAgain | None) -> Iterator[Trace]:
    """The smallest stories of wider worlds that held."""
    for each in worlds.worlds if worlds is not None else ():
        if each.answer is not None and each.answer.trace is not None:
            yield each.answer.trace

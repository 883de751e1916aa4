"""Which recorded story a trace is, if it is one: names and explanations are of the very story, and of no other."""

from __future__ import annotations

import json

from offsetproof.traces.recorded_stories import mechanisms, recorded_stories
from offsetproof.traces.store import record
from offsetproof.traces.trace import Trace


def recorded_name(trace: Trace) -> str | None:
    """The name of the recorded story that this trace is: of the same claim, with the same values from step to step."""
    named = recorded_stories().about(trace.subject).of(trace.property.id) if trace.subject else {}
    alike = {
        name: story
        for name, story in named.items()
        if (story.property.id, story.length) == (trace.property.id, trace.length)
    }
    own = _what_happens(trace) if alike else ""
    return next((name for name, story in alike.items() if _what_happens(story) == own), None)


def mechanism_of(trace: Trace) -> str:
    """What happens in the recorded story that this trace is, in half a sentence; empty where nobody has written it."""
    return mechanisms().get(recorded_name(trace) or "", "")


def _what_happens(trace: Trace) -> str:
    """The claim, the world, the initial values, and who changes what in each step; as JSON, so that 1 and True differ.

    Of the world it is what shapes states and steps: releases, fixes, listener and bounds. What else might have happened
    there makes no other story of it (the fault budgets and the assumptions, and so the scope's name), nor does what is
    told beside it: places, times, effect.
    """
    recorded = record(trace.story)
    world = [recorded[each] for each in ("subject", "releases", "fixes", "listener", "initial")]
    claim = [recorded["property"][each] for each in ("id", "kind")]
    whose = ("action", "args", "actor", "thread", "fault", "changed")
    steps = [[step[each] for each in whose] for step in recorded["trace"]["steps"]]
    return json.dumps([world, recorded["scope"]["bounds"], claim, steps], sort_keys=True)

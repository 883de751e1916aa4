"""Which stories happened on the real classes: what `make real` has found, kept beside the recorded traces.

A story is told by what was replayed: what the rig was built with, the steps, and what must be seen after each. So a
counterexample that has just been found is known here if the same was replayed before, whatever the scope is called.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

from offsetproof.lang.subject import Subject
from offsetproof.reading.typed_json import JsonObject, read_json
from offsetproof.traces.trace import Trace

FILE = "on_release.json"
"""Beside the recorded traces' folder."""


OutcomeName = Literal["reproduced", "diverged", "not-forceable"]


class Found(JsonObject):
    """What became of a story on the classes of a release: the outcome, and where and why it was not reproduced."""

    story: str
    subject: str
    claim: str
    release: str
    digest: str
    outcome: OutcomeName
    length: int
    silent: tuple[int, ...]
    step: int | None
    field: str | None
    reason: str | None

    @property
    def is_reproduced(self) -> bool:
        """Did every step leave the same on both sides?"""
        return self.outcome == "reproduced"


class _Stories(JsonObject):
    """The file."""

    stories: tuple[Found, ...]


@cache
def found_by_story() -> Mapping[str, Found]:
    """What was found, by story."""
    text = (files("offsetproof.traces") / FILE).read_text(encoding="utf-8")
    return {row.story: row for row in read_json(text, _Stories, FILE, "run `make real`").stories}


def found_of(subject: Subject | None, trace: Trace | None) -> Found | None:
    """What became of a trace on the real classes; None where the same was never replayed there.

    Stories of several claims may have the same steps; the trace's own claim comes first.
    """
    if subject is None or subject.rigging is None or trace is None:
        return None
    digest = digest_of(subject, trace)
    same = [row for row in found_by_story().values() if row.digest == digest]
    return next((row for row in same if row.claim == trace.property.id), same[0] if same else None)


def digest_of(subject: Subject, trace: Trace) -> str:
    """A digest of what a replay does: the release, how the rig is built, the steps, and what is seen after each."""
    rigging, story = subject.rigging, trace.story
    assert rigging is not None
    states = [rigging.fields_in_rig(state) for state in story.states]
    steps = [(step.action, sorted(step.args.items())) for step in story.steps]
    settings = rigging.settings(trace.world.scope, story.states[0])
    what = [subject.name, trace.world.release, trace.world.listener, settings, steps, states]
    return hashlib.sha256(json.dumps(what, sort_keys=True, default=sorted).encode()).hexdigest()[:16]

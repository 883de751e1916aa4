"""The recorded stories as a list: of which claim each is, where it happens, how long it is, and what to type."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import Annotated

from msgspec import Meta

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.escaping import visible
from offsetproof.reading.typed_json import Count, JsonObject, Name, Names, write_json
from offsetproof.reports.json import DocumentJson, envelope
from offsetproof.traces.trace import Trace
from offsetproof.verdict.phrases import quantity


class StoryJson(JsonObject):
    """A recorded story."""

    story: Annotated[Name, Meta(description="The name to type for it.")]
    subject: str | None
    property: str
    name: str
    release: str | None
    scope: str
    fixes: Names
    assumptions: Names
    listener: str | None
    steps: Count
    faults: Count


class ShowJson(DocumentJson):
    """Version 1 of the list of recorded stories."""

    stories: tuple[StoryJson, ...]


def stories_text(stories: Mapping[str, Trace], width: int) -> str:
    """The stories by claim, a line each, and below them what to type for one."""
    claims: dict[tuple[str, str], list[str]] = {}
    for name, trace in stories.items():
        claims.setdefault((trace.property.name, _whose(trace)), []).append(name)
    room = max(map(len, stories))
    lines = [f"recorded stories: {len(stories)}"]
    for (claim, whose), names in claims.items():
        lines += ["", f"{claim}{whose}"]
        for name in names:
            line = f"  {name:<{room}}  {_known_in_words(stories[name])}"
            lines += fill(line, width, subsequent_indent=" " * (room + 4), break_on_hyphens=False).splitlines()
    first, *others = next(iter(claims.values()))
    compared = f", `offsetproof show {first} {others[0]}` compares two" if others else ""
    hint = f"`offsetproof show {first}` tells one{compared}; `offsetproof show CLAIM` has those of a claim"
    return visible("\n".join([*lines, "", fill(hint, width, break_on_hyphens=False)])) + "\n"


def stories_json(subject: str, stories: Mapping[str, Trace]) -> str:
    """The same for programs."""
    rows = (
        StoryJson(
            story=name,
            subject=trace.subject,
            property=trace.property.id,
            name=trace.property.name,
            release=trace.world.release,
            scope=trace.world.scope.name,
            fixes=trace.world.fixes,
            assumptions=trace.world.assumptions,
            listener=trace.world.listener,
            steps=trace.length,
            faults=trace.faults,
        )
        for name, trace in stories.items()
    )
    return write_json(ShowJson(**envelope(subject), stories=tuple(rows)))


def _whose(trace: Trace) -> str:
    """Of which subject the claim is, in brackets, where that is not the one that is meant unnamed."""
    return "" if trace.subject in (None, DEFAULT) else f" ({trace.subject})"


def _known_in_words(trace: Trace) -> str:
    """`I5 in calm-reset, 24 steps, 1 fault`."""
    where, faults = f"{trace.property.id} in {trace.world.scope.name}", trace.faults
    parts = [where, quantity(trace.length, "step")]
    return ", ".join([*parts, *([quantity(faults, "fault")] if faults else [])])

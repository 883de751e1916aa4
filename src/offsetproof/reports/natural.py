"""How often what traces tell happened by itself: a line each with what was counted, and each try."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.conformance.natural import NaturalReplay, tally_as_json
from offsetproof.escaping import visible
from offsetproof.real.natural.trying import Tally, TryEnd
from offsetproof.reports.json import envelope
from offsetproof.reports.markdown import row
from offsetproof.traces.text import wrap_lines


def natural_text(replays: Sequence[NaturalReplay], width: int) -> str:
    """For each trace how often it happened, and below it what was set up, what was counted, and each try."""
    room = max((len(each.name) for each in replays), default=0)
    lines: list[str] = []
    for each in replays:
        lines += wrap_lines(iter([f"{each.name:<{room}}  {in_words(each)}"]), width)
        if each.tally is not None:
            lines += wrap_lines(_tally_lines(each.tally), width)
    return visible("\n".join(lines)) + "\n"


def in_words(each: NaturalReplay) -> str:
    """`happened in 12 of 20 tries on 4.9.4`, or why nothing can be said."""
    if each.tally is None or not each.tally.told:
        return f"{each.outcome}: {each.reason}"
    return f"happened in {each.tally.in_words} tries on {each.release}, natural timing, {each.seconds:.0f} s"


def _tally_lines(tally: Tally) -> Iterator[str]:
    yield f"    {tally.scenario.setting}"
    yield f"    Counted: {tally.scenario.counted}"
    for end in tally.ends:
        yield f"    {end.number:>3}  {mark_of(end):<4} {end.seen}"


def mark_of(end: TryEnd) -> str:
    """`yes` where it happened, `no` where not, `?` where nobody can tell."""
    return {True: "yes", False: "no", None: "?"}[end.happened]


def natural_json(replays: Sequence[NaturalReplay]) -> str:
    """One document, with every trace in the order in which they were asked for."""
    subjects = {each.trace.subject for each in replays}
    subject = subjects.pop() if len(subjects) == 1 else None
    return json.dumps({**envelope(subject or DEFAULT), "replays": [_row(each) for each in replays]}, indent=2) + "\n"


def _row(each: NaturalReplay) -> dict[str, Any]:
    return {
        "trace": each.name,
        "subject": each.trace.subject,
        "property": each.trace.property.id,
        "name": each.trace.property.name,
        "release": each.release,
        "outcome": str(each.outcome),
        "step": None,
        "field": None,
        "reason": each.reason,
        "seconds": round(each.seconds, 3),
        "natural": each.tally and tally_as_json(each.tally),
    }


def natural_markdown(replays: Sequence[NaturalReplay]) -> str:
    """A table for a pull request."""
    lines = ["| trace | claim | release | outcome | |", "|---|---|---|---|---|"]
    for each in replays:
        lines.append(row(each.name, each.trace.property.title, each.release, str(each.outcome), in_words(each)))
    return "\n".join(lines) + "\n"

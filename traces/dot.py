"""A trace as a Graphviz drawing that fits a page: a box per step with who took it and what it changed.

The boxes stand in columns, read from top to bottom and from left to right, as many as make a sheet of A4 in portrait of
them; lines in a box are wrapped. What a step stands for in the real program is its tooltip. Faults are red, the last
step is bold, and dependencies, where they are asked for, are dashed.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, sqrt
from textwrap import wrap
from typing import TYPE_CHECKING

from offsetproof.escaping import one_line, visible
from offsetproof.traces.text import changes_by_actor, claims_shown, time_of_step
from offsetproof.traces.trace import Trace

if TYPE_CHECKING:
    from offsetproof.traces.happens_before import Order

PAGE = "7.5,10.9"
"""Inches of a sheet of A4 in portrait without its margins; Graphviz makes smaller what is larger."""

LINE_MAX = 38
"""Letters in a line of a box."""

_COLUMNS_PER_BOX = 0.3
"""The square of the number of columns, per box, with which boxes of five lines fill a sheet of A4."""


def to_dot(trace: Trace, order: Order | None = None) -> str:
    """The trace in the DOT language; with a happens-before order, its edges are dashed arrows between the steps."""
    return "\n".join(["digraph trace {", *(f"  {line}" for line in _lines(trace.story, order)), "}"]) + "\n"


def dot_string(text: str) -> str:
    r"""A text as a DOT string: quotes and backslashes escaped, lines kept.

    >>> print(dot_string('a "b"\nc'))
    "a \"b\"\nc"
    """
    return '"' + "\\n".join(_escape(text).splitlines()) + '"'


def _escape(text: str) -> str:
    return visible(text).replace("\\", "\\\\").replace('"', '\\"')


def _box_label(lines: list[str]) -> str:
    """The lines of a box as a DOT string: wrapped, and flush left."""
    wrapped = (part for line in lines for part in wrap(one_line(line), LINE_MAX, subsequent_indent="    ") or [""])
    return '"' + "".join(f"{_escape(line)}\\l" for line in wrapped) + '"'


def _lines(story: Trace, order: Order | None) -> Iterator[str]:
    yield f"label={dot_string(story.property.title)}; labelloc=t; size={dot_string(PAGE)};"
    yield 'rankdir=TB; ranksep=0.2; nodesep=0.25; fontname="Helvetica"; fontsize=12;'
    yield 'node [shape=box, fontname="Helvetica", fontsize=9, margin="0.06,0.03"]; edge [arrowsize=0.6];'
    yield f"0 [label={_box_label(['0 the initial state', *claims_shown(story.initial_claims, {})])}];"
    for index, (step, before) in enumerate(zip(story.steps, story.truths, strict=False)):
        fault = f" (fault: {step.fault})" if step.fault else ""
        who = f"{step.number}  {step.actor}, {step.thread}{time_of_step(story, index)}"
        label = [who, f"{step.name}{fault}", *changes_by_actor(step), *claims_shown(step.claims, before)]
        places = "\n".join(map(str, step.stands_for))
        style = (", color=red" if step.fault else "") + (", penwidth=3" if index + 1 == story.length else "")
        yield f"{step.number} [label={_box_label(label)}, tooltip={dot_string(places)}{style}];"
    yield from _columns(story.length + 1)
    if story.goes_on:
        yield f"{story.length} -> {story.cycle_at} [constraint=false, penwidth=2, label={dot_string('again')}];"
    if order is not None:
        for earlier, later in sorted(order.edges):
            by = dot_string(str(order.edges[earlier, later]["by"]))
            yield f"{earlier} -> {later} [style=dashed, constraint=false, label={by}];"


def _columns(boxes: int) -> Iterator[str]:
    """The arrows from box to box; one that begins a new column does not say that its end is below."""
    height = ceil(boxes / max(1, round(sqrt(boxes * _COLUMNS_PER_BOX))))
    tops = range(0, boxes, height)
    if len(tops) > 1:
        yield f"{{rank=same; edge [style=invis]; {' -> '.join(map(str, tops))};}}"
    for box in range(1, boxes):
        yield f"{box - 1} -> {box}{' [constraint=false]' if box in tops else ''};"

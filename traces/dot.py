"""A trace as a Graphviz drawing: states as boxes with what changed, steps as arrows, dependencies dashed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from offsetproof.traces.text import changes_shown, claims_shown
from offsetproof.traces.trace import Trace
from offsetproof.traces.visible import visible

if TYPE_CHECKING:
    from offsetproof.traces.happens import Order


def to_dot(trace: Trace, order: Order | None = None) -> str:
    """The trace in the DOT language; with a happens-before order, its edges are dashed arrows between the states."""
    return "\n".join(["digraph trace {", *(f"  {line}" for line in _lines(trace, order)), "}"]) + "\n"


def quoted(text: str) -> str:
    r"""A text as a DOT string: quotes and backslashes escaped, lines kept.

    >>> print(quoted('a "b"\nc'))
    "a \"b\"\nc"
    """
    escaped = visible(text).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "\\n".join(escaped.splitlines()) + '"'


def _lines(trace: Trace, order: Order | None) -> Iterator[str]:
    yield f"label={quoted(f'{trace.property.id} {trace.property.name}')};"
    yield "rankdir=TB; labelloc=t; node [shape=box];"
    broken = claims_shown(trace.initial_claims, {})
    yield f"0 [label={quoted(chr(10).join(['0 the initial state', *broken]))}];"
    for step, before in zip(trace.steps, trace.truths, strict=False):
        shown = "\n".join([str(step.number), *changes_shown(step), *claims_shown(step.claims, before)])
        last = ", penwidth=3" if step.number == trace.length else ""
        yield f"{step.number} [label={quoted(shown)}{last}];"
    for step in trace.steps:
        places = "\n".join([f"{step.actor}, {step.thread}", step.name, *map(str, step.stands_for)])
        style = ", color=red" if step.fault else ""
        yield f"{step.number - 1} -> {step.number} [label={quoted(places)}{style}];"
    if order is not None:
        for earlier, later in sorted(order.edges):
            by = quoted(str(order.edges[earlier, later]["by"]))
            yield f"{earlier} -> {later} [style=dashed, constraint=false, label={by}];"

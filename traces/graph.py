"""A trace as a networkx graph, for whoever wants to compute on it, and that graph as GraphML, for graph viewers.

Nodes are step numbers, 0 (the initial state) to n, with the attributes

- `state`: the whole state, field paths to values;
- `changed`: what the step into it changed, field paths to (before, after);
- `claims`: the truth of every judged claim.

The one edge from i - 1 to i has the key 0 and the attributes `action`, `args` (a dict), `actor`, `thread`, `fault`
(its kind or None), `stands_for` (a list of `Class.method:line` texts), `file` and `line` (of the action in the model).
Attributes of the graph: `property` (its id), `cause`, `faults`, `length`; of a run without an end `cycle_at`, the node
whose state the last one has as well: from there it goes on as before.

GraphML knows only plain values, so dicts and lists are JSON texts in it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import networkx as nx

from offsetproof.escaping import visible
from offsetproof.traces.store import value_json
from offsetproof.traces.trace import Trace

if TYPE_CHECKING:
    Graph = nx.MultiDiGraph[int]


def to_graph(trace: Trace) -> Graph:
    """The trace as a graph with the attributes described above."""
    graph: Graph = nx.MultiDiGraph(
        property=trace.property.id, cause=list(trace.cause), faults=trace.faults, length=trace.length
    )
    if trace.cycle_at is not None:
        graph.graph["cycle_at"] = trace.cycle_at
    changes = [{}, *(dict(step.changed) for step in trace.steps)]
    for number, (state, changed, claims) in enumerate(zip(trace.states, changes, trace.truths, strict=True)):
        graph.add_node(number, state=dict(state), changed=changed, claims=dict(claims))
    for step in trace.steps:
        graph.add_edge(
            step.number - 1,
            step.number,
            action=step.action,
            args=dict(step.args),
            actor=step.actor,
            thread=step.thread,
            fault=step.fault,
            stands_for=[str(anchor) for anchor in step.stands_for],
            file=step.file,
            line=step.line,
        )
    return graph


def to_graphml(trace: Trace) -> str:
    """The graph of a trace in GraphML; attributes that are None are left out, edges get unique ids."""
    return "\n".join(nx.generate_graphml(_flat(to_graph(trace)))) + "\n"


def _flat(graph: Graph) -> Graph:
    flat: Graph = nx.MultiDiGraph(**_texts(graph.graph))
    for number, attributes in graph.nodes(data=True):
        flat.add_node(number, **_texts(attributes))
    for before, after, attributes in graph.edges(data=True):
        flat.add_edge(before, after, key=after, **_texts(attributes))
    return flat


def _texts(attributes: dict[str, Any]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in attributes.items() if value is not None}


def _plain(value: Any) -> Any:
    """A value that GraphML knows, with nothing in it that XML cannot hold."""
    if isinstance(value, dict | list):
        return visible(json.dumps(value, default=value_json))
    return visible(value) if isinstance(value, str) else value

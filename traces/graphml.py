"""A trace as GraphML, for graph viewers. It knows only plain values, so dicts and lists are JSON texts in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import networkx as nx

from offsetproof.escaping import visible
from offsetproof.traces.graph import to_graph
from offsetproof.traces.store import value_json
from offsetproof.traces.trace import Trace

if TYPE_CHECKING:
    from offsetproof.traces.graph import Graph


def to_graphml(trace: Trace) -> str:
    """The graph of a trace (see `graph`) in GraphML; attributes that are None are left out, edges get unique ids."""
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

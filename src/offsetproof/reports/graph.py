"""The reachable states of a scope in each form for programs."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import networkx as nx

from offsetproof.escaping import visible
from offsetproof.traces.dot import dot_string

Graph: TypeAlias = "nx.MultiDiGraph[Any]"


def graph_dot(made: Graph) -> str:
    """A drawing for Graphviz; initial states have two borders."""
    lines = ["digraph reachable {", "  node [shape=box];"]
    for node, data in made.nodes(data=True):
        style = ", peripheries=2" if data["initial"] else ""
        lines.append(f"  {node} [label={dot_string(f'{node}: ' + data['state'])}{style}];")
    for source, target, data in made.edges(data=True):
        lines.append(f"  {source} -> {target} [label={dot_string(data['action'])}];")
    return "\n".join([*lines, "}"]) + "\n"


def graph_graphml(made: Graph) -> str:
    """GraphML."""
    return "\n".join(nx.generate_graphml(_in_xml(made))) + "\n"


def graph_json(made: Graph) -> str:
    """Nodes and edges, as networkx reads them."""
    return json.dumps(nx.node_link_data(made, edges="edges"), indent=1) + "\n"


def _in_xml(made: Graph) -> Graph:
    """The graph with nothing in its texts that XML cannot hold."""
    of_nodes = (attributes for _, attributes in made.nodes(data=True))
    of_edges = (attributes for *_, attributes in made.edges(data=True))
    for attributes in (made.graph, *of_nodes, *of_edges):
        attributes.update({name: visible(value) for name, value in attributes.items() if isinstance(value, str)})
    return made

"""`offsetproof graph`: the reachable states of a small scope as a graph."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import networkx as nx
import typer

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.reachable import STATES_MAX, TooLargeError, reachable_graph
from offsetproof.checking.request import questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.cli import options
from offsetproof.cli.output import deliver, writable
from offsetproof.traces.dot import dot_string
from offsetproof.traces.escaping import visible


class GraphFormat(StrEnum):
    """How the graph is written."""

    DOT = "dot"
    GRAPHML = "graphml"
    JSON = "json"


def graph(
    subject: options.Subject = DEFAULT,
    release: options.Release = None,
    fix: options.Fix = None,
    assume: options.Assume = None,
    scope: Annotated[
        str | None, typer.Option("--scope", metavar="NAME", help="The scope.", show_default="the model's first")
    ] = None,
    bound: options.BoundOption = None,
    max_states: Annotated[
        int, typer.Option("--max-states", metavar="N", min=1, help="Refuse larger graphs.")
    ] = STATES_MAX,
    format: Annotated[GraphFormat, typer.Option("--format", help="How to write it.")] = GraphFormat.DOT,
    output: options.Output = None,
) -> int:
    """Write the reachable state graph of a small scope."""
    writable(output, reads=[subject])
    loaded = load_subject(subject)
    selected = options.Selection(release, fix, assume, scope=scope, bound=bound)
    request = options.request(loaded, selected, claims=["no_deadlock"])
    setting = questions_of(request)[0].setting
    try:
        with declared_by(loaded.model):
            made = reachable_graph(loaded.model, setting, max_states)
    except TooLargeError as error:
        raise typer.BadParameter(str(error), param_hint="the scope") from error
    return deliver(_written(made, format), output)


def _in_xml(made: nx.MultiDiGraph[Any]) -> nx.MultiDiGraph[Any]:
    """The graph with nothing in its texts that XML cannot hold."""
    of_nodes = (attributes for _, attributes in made.nodes(data=True))
    of_edges = (attributes for *_, attributes in made.edges(data=True))
    for attributes in (made.graph, *of_nodes, *of_edges):
        attributes.update({name: visible(value) for name, value in attributes.items() if isinstance(value, str)})
    return made


def _written(made: nx.MultiDiGraph[Any], format: GraphFormat) -> str:
    if format is GraphFormat.GRAPHML:
        return "\n".join(nx.generate_graphml(_in_xml(made))) + "\n"
    if format is GraphFormat.JSON:
        import json

        return json.dumps(nx.node_link_data(made, edges="edges"), indent=1) + "\n"
    lines = ["digraph reachable {", "  node [shape=box];"]
    for node, data in made.nodes(data=True):
        style = ", peripheries=2" if data["initial"] else ""
        lines.append(f"  {node} [label={dot_string(f'{node}: ' + data['state'])}{style}];")
    for source, target, data in made.edges(data=True):
        lines.append(f"  {source} -> {target} [label={dot_string(data['action'])}];")
    return "\n".join([*lines, "}"]) + "\n"

"""`offsetproof graph`: the reachable states of a small scope as a graph."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import networkx as nx
import typer

from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.reachable import STATES_MAX, TooLargeError, reachable_graph
from offsetproof.checking.request import questions_of
from offsetproof.cli import options
from offsetproof.cli.output import deliver, writable
from offsetproof.lang.claim import NO_DEADLOCK
from offsetproof.traces.dot import dot_string
from offsetproof.traces.escaping import visible


class GraphFormat(StrEnum):
    """How the graph is written."""

    DOT = "dot"
    GRAPHML = "graphml"
    JSON = "json"


@dataclass(frozen=True)
class GraphSelection(options.Selection):
    """What the graph is of, and in which scope."""

    scope: Annotated[
        str | None,
        typer.Option("--scope", metavar="NAME", help="The scope.", show_default="the claim's, or the model's first"),
    ] = None


def graph(
    claims: options.Claims = options.Claims(),
    selected: GraphSelection = GraphSelection(),
    max_states: Annotated[
        int, typer.Option("--max-states", metavar="N", min=1, help="Refuse larger graphs.")
    ] = STATES_MAX,
    format: Annotated[GraphFormat, typer.Option("--format", help="How to write it.")] = GraphFormat.DOT,
    output: options.Output = None,
) -> int:
    """Write the reachable state graph of a small scope. That of a claim is of the first world that it is stated for."""
    writable(output, reads=claims.named or ())
    named = claims.load()
    loaded = named.only
    request = options.request(loaded, selected, claims=named.words or [NO_DEADLOCK.id])
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

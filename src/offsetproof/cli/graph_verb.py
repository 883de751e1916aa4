"""`offsetproof graph`: the reachable states of a small scope as a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.reachable import STATES_MAX, reachable_graph
from offsetproof.checking.request import questions_of
from offsetproof.cli import options
from offsetproof.cli.formats import format_option, writer_of
from offsetproof.cli.output import deliver, writable
from offsetproof.lang.claim import NO_DEADLOCK


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
    format: Annotated[str, format_option("graph", "How to write it.")] = "dot",
    output: options.Output = None,
) -> int:
    """Write the reachable state graph of a small scope. With a claim: in the first world that it is stated for."""
    writable(output, reads=claims.named or ())
    selected.must_be_of_one_world()
    named = claims.load()
    loaded = named.only
    request = options.request(loaded, selected, claims=named.words or [NO_DEADLOCK.id])
    setting = questions_of(request)[0].setting
    with declared_by(loaded.model):
        made = reachable_graph(loaded.model, setting, max_states)
    if made is None:
        raise typer.BadParameter(
            f"scope {setting.scope.name} has more than {max_states} reachable states; "
            "make its bounds smaller with --bound, or allow more with --max-states",
            param_hint="the scope",
        )
    return deliver(writer_of("graph", format)(made), output)

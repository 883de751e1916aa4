"""`offsetproof graph`: the reachable states of a small scope as a graph."""

from __future__ import annotations

from typing import Annotated

import typer

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.reachable import STATES_MAX, TooLargeError, reachable_graph
from offsetproof.checking.request import questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.cli import options
from offsetproof.cli.formats import format_option, writer_of
from offsetproof.cli.output import deliver, writable


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
    format: Annotated[str, format_option("graph", "How to write it.")] = "dot",
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
    return deliver(writer_of("graph", format)(made), output)

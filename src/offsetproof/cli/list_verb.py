"""`offsetproof list`: what can be checked and named."""

from __future__ import annotations

from typing import Annotated

import typer

from offsetproof.check.subject import load_named
from offsetproof.cli import options
from offsetproof.cli.options import TextOrJson
from offsetproof.cli.output import deliver, width, writable
from offsetproof.reports.listing import ALL, SECTIONS, listing_json, listing_text


def list_subject(
    named: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SUBJECT|SECTION|CLAIM",
            help="rocketmq, path/to/file.py[:Name] or package.module[:Name]; then sections "
            f"({', '.join(SECTIONS)}, {ALL}) and claims by id or name. Without a model they are of RocketMQ's.",
        ),
    ] = None,
    about: Annotated[
        str, typer.Option("--about", help="Only what has this text in its name or sentence.", show_default=False)
    ] = "",
    format: options.TextOrJsonOption = TextOrJson.TEXT,
    output: options.Output = None,
) -> int:
    """List claims, scopes, fixes, assumptions, actions... of a model, or all about one claim."""
    writable(output, reads=named or ())
    subject, words = load_named(named or (), (*SECTIONS, ALL))
    if format is TextOrJson.JSON:
        if words or about:
            raise typer.BadParameter("json always has everything; name the model alone", param_hint="--format")
        return deliver(listing_json(subject), output)
    return deliver(listing_text(subject, width(), words, about), output)

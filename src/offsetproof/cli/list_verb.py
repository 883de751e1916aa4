"""`offsetproof list`: what can be checked and named."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from offsetproof.check.listing import listing_json, listing_text
from offsetproof.check.subject import BUILT_IN, load_subject
from offsetproof.cli import options
from offsetproof.cli.output import deliver, width, writable


class ListFormat(StrEnum):
    """How the list is written."""

    TEXT = "text"
    JSON = "json"


def list_subject(
    subject: options.Subject = BUILT_IN,
    format: Annotated[ListFormat, typer.Option("--format", help="How to write it.")] = ListFormat.TEXT,
    output: options.Output = None,
) -> int:
    """List releases, fixes, assumptions, scopes and claims, and what the model leaves out."""
    writable(output, reads=[subject])
    found = load_subject(subject)
    return deliver(listing_json(found) if format is ListFormat.JSON else listing_text(found, width()), output)

"""`offsetproof doctor`: which optional parts are there, what each is for, and what brings the rest."""

from __future__ import annotations

from typing import Annotated

import typer

from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, width, writable
from offsetproof.doctor import doctor_text, examine
from offsetproof.lang.scope import UnknownNameError
from offsetproof.verdict.exits import Exit, worst
from offsetproof.verdict.prerequisite import PARTS


def doctor(
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PART]...",
            help=f"What has to be there, or the code is 69: {', '.join(part.name for part in PARTS)}. Without any: all "
            "are listed, and none has to be.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[str, format_option("doctor")] = TEXT,
    output: options.Output = None,
) -> int:
    """List optional parts: which are there, what brings the rest."""
    writable(output)
    named = {part.name: part for part in PARTS}
    for name in parts or ():
        if name not in named:
            raise UnknownNameError("part", name, named)
    examined = [*examine([named[name] for name in parts] if parts else PARTS)]
    text = doctor_text(examined, width()) if format == TEXT else writer_of("doctor", format)(examined)
    lacking = [Exit.PREREQUISITE for each in examined if parts and each.lacks]
    return worst([*lacking, deliver(text, output)])

"""`offsetproof symptom`: from what somebody sees, or a line of a log, to what is known of it."""

from __future__ import annotations

from typing import Annotated

import typer

from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, width, writable
from offsetproof.reports.symptom import symptom_text
from offsetproof.symptoms.answering import FEW, look_up
from offsetproof.verdict.exits import Exit, worst


def symptom(
    words: Annotated[
        list[str],
        typer.Argument(metavar="TEXT", help="What you see, in English or Chinese, or a line of a log."),
    ],
    release: Annotated[
        str,
        typer.Option(
            "--release",
            metavar="RELEASE",
            help="Only what happens in this release, or all; else in the one that TEXT names.",
            show_default=False,
        ),
    ] = "",
    every: Annotated[bool, typer.Option("--all", help=f"All answers, and not only the {FEW} nearest.")] = False,
    format: Annotated[str, format_option("symptom")] = TEXT,
    output: options.Output = None,
) -> int:
    """Find what is known of something that you see, and what to do."""
    writable(output)
    text = " ".join(words).strip()
    if not text:
        raise typer.BadParameter("say what you see", param_hint="TEXT")
    answered = look_up(text, release, None if every else FEW)
    report = symptom_text(answered, width()) if format == TEXT else writer_of("symptom", format)(answered)
    return worst([deliver(report, output), Exit.AS_EXPECTED if answered.answers else Exit.UNKNOWN])

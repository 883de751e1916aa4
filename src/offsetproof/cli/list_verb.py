"""`offsetproof list`: what can be checked and named."""

from __future__ import annotations

from typing import Annotated

import typer

from offsetproof.checking.catalogue import BUILT_INS, DEFAULT, SINGLES
from offsetproof.checking.releases import release_named
from offsetproof.checking.subject import load_named
from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, width, writable
from offsetproof.reports.listing import ALL, SECTIONS, everywhere_text, family_text, listing_text, names_in


def list_subject(
    named: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SUBJECT|SECTION|NAME",
            help=f"{options.SUBJECTS}; then sections ({', '.join(SECTIONS)}, {ALL}) and what has a name: claims, "
            f"fixes, actions. Without a model they are those of {DEFAULT}.",
        ),
    ] = None,
    about: Annotated[
        str,
        typer.Option(
            "--about",
            metavar="TEXT",
            help="Only what has this text in name, sentence or symptom; of all models where none is named.",
            show_default=False,
        ),
    ] = "",
    release: Annotated[
        str,
        typer.Option(
            "--release", metavar="RELEASE", help="Only what this release has and is asked.", show_default=False
        ),
    ] = "",
    format: Annotated[str, format_option("list")] = TEXT,
    output: options.Output = None,
) -> int:
    """List what a model has: claims, scopes, fixes, actions. Or tell all about one of them."""
    writable(output, reads=named or ())
    loaded = load_named(named or (), (*SECTIONS, ALL), names_in)
    subjects, words = loaded.subjects, loaded.words
    if format != TEXT:
        if words or about or release:
            raise typer.BadParameter(f"{format} always has everything; name the model alone", param_hint="--format")
        return deliver(writer_of("list", format)(loaded.name, subjects), output)
    if len(subjects) > 1:
        if release:
            raise typer.BadParameter(f"{loaded.name} has several models; name one of them", param_hint="--release")
        return deliver(family_text(BUILT_INS[loaded.name], subjects, width(), words, about), output)
    if about and not loaded.word and not release and {*words} <= {*SECTIONS, ALL}:
        built_in = [entry.subjects[0] for entry in SINGLES.values()]
        return deliver(everywhere_text(built_in, width(), words, about), output)
    chosen = release_named(release, subjects[0]) if release else None
    return deliver(listing_text(subjects[0], width(), words, about, chosen), output)

"""`check --html DIR`: the pages of a report, written into a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from offsetproof.checking.answers import Answer
from offsetproof.cli.options import Destination
from offsetproof.cli.output import UnusableFileError, write
from offsetproof.cli.streams import put, warn
from offsetproof.verdict.exits import Exit


def write_report(
    subject: str, answers: Sequence[Answer], asked: int, folder: Path, destination: Destination, *, tells: bool
) -> Exit:
    """Writes the pages, and says where a browser finds them: behind the text that somebody looks at, or on stderr.

    Other files of the folder stay as they are. The code says whether all could be written.
    """
    from offsetproof.reports.html.folder import INDEX, report_pages  # Jinja2 is only loaded where it is needed

    try:
        for name, text in report_pages(subject, answers, asked):
            write(text, folder / name, "--html")
    except UnusableFileError as error:
        warn(f"offsetproof: {error}")
        return Exit.UNREADABLE
    address = (folder / INDEX).resolve().as_uri()
    if tells:
        put(f"\nfor a browser: {address}\n")
    elif destination.is_talkative:
        warn(f"offsetproof: for a browser: {address}")
    return Exit.AS_EXPECTED

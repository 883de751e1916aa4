"""`offsetproof audit`: from logs to findings about queues, each with the story of the model that explains it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, usable, width, writable, write
from offsetproof.cli.signals import Working
from offsetproof.cli.streams import warn
from offsetproof.lang.scope import UnknownNameError
from offsetproof.verdict.exits import worst

if TYPE_CHECKING:
    from offsetproof.audit.auditing import Asked, Done


class FailOn(StrEnum):
    """Which findings make the verb end with 12."""

    CERTAIN = "certain"
    POSSIBLE = "possible"


SKEW = 1.0
"""How far a host's clock may be from the true time, in seconds, where nobody says."""

SKEW_MAX = 86_400.0
"""A clock that is a day off orders nothing."""


@dataclass(frozen=True)
class Logs:
    """How logs are read: what cannot be seen from them."""

    host: Annotated[
        list[str] | None,
        typer.Option("--host", metavar="NAME=PATH", help="The host whose files are below this path; may be repeated."),
    ] = None
    zone: Annotated[
        list[str] | None,
        typer.Option(
            "--zone", metavar="[HOST=]ZONE", help="The time zone of a host's 3.x and 4.x clients: Europe/Berlin, UTC+8."
        ),
    ] = None
    layout: Annotated[
        str | None,
        typer.Option("--layout", metavar="LAYOUT", help="How lines begin, where that cannot be seen from them."),
    ] = None
    skew: Annotated[
        float,
        typer.Option(
            "--skew", metavar="SECONDS", min=0.0, max=SKEW_MAX, help="How far a host's clock may be from the true time."
        ),
    ] = SKEW


@dataclass(frozen=True)
class Why:
    """How findings are explained."""

    release: Annotated[
        str | None,
        typer.Option(
            "--release", metavar="NAME", help="The release that is asked.", show_default="what the lines show"
        ),
    ] = None
    search: Annotated[
        bool, typer.Option("--search/--no-search", help="Search for stories where no recorded one explains a finding.")
    ] = True


FailOnOption = Annotated[
    FailOn | None, typer.Option("--fail-on", help="End with 12 where a finding is as certain as that.")
]


def audit(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help="Logs, snapshots of offset files, folders and globs of them; .gz and rotated ones as well.",
        ),
    ],
    logs: Logs = Logs(),
    why: Why = Why(),
    out_dir: Annotated[
        Path | None,
        typer.Option("--out-dir", metavar="DIR", help="Keep the tables here; a later run reads only what is new."),
    ] = None,
    master: Annotated[
        str | None,
        typer.Option(
            "--master", metavar="URL", help="Spark's master.", show_default="none for up to 2 GB, else local[*]"
        ),
    ] = None,
    fail_on: FailOnOption = None,
    format: Annotated[str, format_option("audit")] = TEXT,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="DIR", help="Write a report for a browser to this folder."),
    ] = None,
    destination: options.Destination = options.Destination(),
) -> int:
    """Find in logs what happened to which queue, and why."""
    from offsetproof.audit.auditing import run_audit

    asked = _request(paths, logs, why)
    writable(destination.output, reads=_files_read(asked))
    usable(out_dir)
    usable(html, "--html")
    progress = destination.progress()
    progress.naming("audit")
    with ExitStack() as kept:
        folder = out_dir or Path(kept.enter_context(TemporaryDirectory(prefix="offsetproof-audit-")))
        with Working(progress) as stop:
            done = run_audit(asked, folder.resolve(), master, progress.reporter(), warn)
        return stop.code or _report(done, fail_on, format, html, destination)


def _request(paths: list[str], logs: Logs, why: Why) -> Asked:
    """What the options ask for; UnknownNameError for a release that no model knows."""
    from offsetproof.audit.auditing import Asked
    from offsetproof.checking.causes import RELEASES

    if why.release is not None and why.release not in RELEASES:
        raise UnknownNameError("release", why.release, RELEASES)
    hosts, zones, layout = _pairs(logs.host, "--host"), _zones(logs.zone), _layout(logs.layout)
    return Asked(tuple(paths), hosts, zones, layout, timedelta(seconds=logs.skew), why.release, why.search)


def _files_read(asked: Asked) -> Iterator[Path]:
    """The files that the paths name, those in folders too; they are looked for when somebody asks."""
    from offsetproof.audit.silver.paths import files_of

    yield from (file for _, file in files_of(asked.named_paths)[0])


def _report(
    done: Done, fail_on: FailOn | None, format: str, html: Path | None, destination: options.Destination
) -> int:
    """Writes the report in its forms; the exit code."""
    from offsetproof.audit.gold.finding import Certainty
    from offsetproof.audit.reports.audit import exit_of_audit
    from offsetproof.audit.reports.page import audit_pages
    from offsetproof.audit.reports.text import audit_text
    from offsetproof.audit.timelines import timelines_of

    codes = [exit_of_audit(done.audit, None if fail_on is None else Certainty(str(fail_on)))]
    if destination.is_wanted:
        text = audit_text(done.audit, width()) if format == TEXT else writer_of("audit", format)(done.audit)
        codes.append(deliver(text, destination.output))
    if html is not None:
        for name, page in audit_pages(done.audit, timelines_of(done.silver), done.stories):
            write(page, html / name, "--html")
        if format == TEXT and not destination.quiet and destination.output is None:
            warn(f"the report for a browser is {html / 'index.html'}")
    return worst(codes)


def _pairs(given: list[str] | None, option: str) -> dict[str, str]:
    """`NAME=PATH` by path; BadParameter for what has no name."""
    found = {}
    for each in given or ():
        name, equals, path = each.partition("=")
        if not (name and equals and path):
            raise typer.BadParameter(f"write NAME=PATH, not {each}", param_hint=option)
        found[path] = name
    return found


def _layout(given: str | None) -> str | None:
    """The layout; BadParameter for what is none."""
    from offsetproof.audit.lines.layouts import layout_named

    try:
        return given and layout_named(given).name
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--layout") from None


def _zones(given: list[str] | None) -> dict[str, str]:
    """Zones by host, that of all others under the empty string; BadParameter for what is no zone."""
    from offsetproof.audit.lines.stamps import zone_named

    found = {}
    for each in given or ():
        host, _, zone = each.rpartition("=")
        try:
            zone_named(zone)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--zone") from None
        found[host] = zone
    return found

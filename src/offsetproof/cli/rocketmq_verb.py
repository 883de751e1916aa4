"""`offsetproof rocketmq fetch`: the published jars of RocketMQ's releases, into the cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import cannot_write, deliver, writable
from offsetproof.cli.progress import Progress
from offsetproof.cli.signals import Working
from offsetproof.real.fetching import SECONDS, Fetched, fetch
from offsetproof.real.jars import folder_of, jars_of, read_lock
from offsetproof.real.jars import releases as known
from offsetproof.verdict.exits import Exit, worst

_FETCH, _ALL = "fetch", "all"


def _known_task(given: str) -> str:
    if given != _FETCH:
        raise typer.BadParameter(f"{given!r} is not {_FETCH!r}.")
    return given


def rocketmq(
    task: Annotated[str, typer.Argument(metavar=_FETCH, callback=_known_task, help="What to do.")],
    releases: Annotated[list[str], typer.Argument(metavar="RELEASE", help=f"{', '.join(known())}, or {_ALL} of them.")],
    check: Annotated[
        bool, typer.Option("--check", help="Only look whether the jars are there, each as it was published.")
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout",
            metavar="SECONDS",
            min=0.0,
            callback=options.parse_seconds,
            help="Give up on a release after this time.",
        ),
    ] = SECONDS,
    format: Annotated[str, format_option("rocketmq")] = TEXT,
    destination: options.Destination = options.Destination(),
) -> int:
    """Fetch the published jars of RocketMQ releases."""
    del task  # there is one
    writable(destination.output)
    progress = destination.progress()
    done: list[Fetched] = []
    with Working(progress) as stop:
        done.extend(_fetch_each(_distinct_releases(releases), timeout, progress, check=check))
    codes = [Exit.AS_EXPECTED]
    if destination.is_wanted and stop.code is None:
        codes.append(deliver(_report(format, done), destination.output))
    return stop.code or worst(codes)


def _distinct_releases(releases: Sequence[str]) -> list[str]:
    """The releases, each once; UnknownNameError before anything is fetched if there is no such release."""
    named = [name for given in releases for name in (known() if given == _ALL else [read_lock(given).release])]
    return [*dict.fromkeys(named)]


def _fetch_each(releases: Sequence[str], seconds: float, progress: Progress, *, check: bool) -> Iterator[Fetched]:
    for release in releases:
        progress.naming(f"RocketMQ {release}")
        with using_cache(release):
            there = Fetched(jars_of(release), None) if check else None
            fetched = there or fetch(release, seconds=seconds, tell=progress.reporter())
        yield fetched


@contextmanager
def using_cache(release: str) -> Iterator[None]:
    """Around what reads and writes a release's part of the cache: UnusableFileError where that cannot be done."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise cannot_write("OFFSETPROOF_CACHE", Path(error.filename or folder_of(release)), why) from error


def _report(format: str, done: Sequence[Fetched]) -> str:
    from offsetproof.reports.fetched import fetched_text

    return fetched_text(done) if format == TEXT else writer_of("rocketmq", format)(done)

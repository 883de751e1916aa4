"""`offsetproof watch`: a consumer group of a running cluster, read-only, and whether a reset of it would be safe."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from offsetproof.audit.event import SECOND
from offsetproof.audit.gold.finding import Certainty, Finding
from offsetproof.audit.live.conditions import Direction
from offsetproof.audit.live.counting import NOTICED_WITHIN
from offsetproof.audit.live.journal import Journal
from offsetproof.audit.live.observer import CLOCK, Observer, observer_rig, observing
from offsetproof.audit.live.report import Report, exit_of_watch, finding_line, watch_text
from offsetproof.audit.live.watching import Wanted, Watch, brokers_release
from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, usable, width, writable
from offsetproof.cli.progress import Progress
from offsetproof.cli.signals import Working
from offsetproof.cli.streams import put, warn
from offsetproof.escaping import visible
from offsetproof.programs import ProgramFailedError
from offsetproof.real.jars import folder_of, jars_of, releases
from offsetproof.verdict.exits import Exit, worst

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0}
_INTERVAL_LEAST = 0.2


def parse_duration(given: str | None) -> str | None:
    """A time as `10m`, `2s`, `500ms`; BadParameter for what is none."""
    if given is not None and not re.fullmatch(r"\d{1,6}(\.\d{1,3})?(ms|s|m|h|)", given):
        raise typer.BadParameter(f"{given!r} is no time; write it as 10m, 90s or 500ms")
    return given


def parse_name_servers(given: str) -> str:
    """Refuses what is no HOST:PORT, or several with `;` between: clients of RocketMQ only say that they cannot connect.

    >>> parse_name_servers("a:9876;[::1]:9876")
    'a:9876;[::1]:9876'
    """
    for each in given.split(";"):
        host, _, port = each.strip().rpartition(":")
        if not host or not (port.isdecimal() and 0 < int(port) < 65_536):
            raise typer.BadParameter(f"{each!r} is no HOST:PORT, such as 10.0.0.1:9876")
    return given


def seconds_of(given: str) -> float:
    """The seconds of a duration.

    >>> [seconds_of(each) for each in ("10m", "2s", "500ms", "90")]
    [600.0, 2.0, 0.5, 90.0]
    """
    number = given.rstrip("mshu")
    return float(number) * _UNITS[given[len(number) :]]


class _Said:
    """Findings and notes as they come: findings on stdout where people read it, the rest on stderr."""

    def __init__(self, progress: Progress, *, prints: bool) -> None:
        self._progress, self._prints = progress, prints

    def finding(self, finding: Finding) -> None:
        self._progress.clear()
        if self._prints:
            put(visible(finding_line(finding)) + "\n")

    def note(self, text: str) -> None:
        if self._progress.on:
            self._progress.clear()
            warn(text)

    def status(self, text: str) -> None:
        self._progress.reporter()(text)


Topic = Annotated[
    str | None, typer.Option("--topic", metavar="TOPIC", help="This topic alone.", show_default="all of the group")
]
Duration = Annotated[
    str | None,
    typer.Option("--for", metavar="TIME", callback=parse_duration, help="How long.", show_default="until Ctrl-C"),
]
Interval = Annotated[
    str, typer.Option("--interval", metavar="TIME", callback=parse_duration, help="From one poll to the next.")
]
Tools = Annotated[
    str | None,
    typer.Option("--release", metavar="RELEASE", help="Whose tools ask, and will reset.", show_default="the broker's"),
]


@dataclass(frozen=True)
class BeforeReset:
    """Whether a reset is announced, and which."""

    before_reset: Annotated[
        bool, typer.Option("--before-reset", help="Say whether a reset would be safe now, and follow it when it comes.")
    ] = False
    direction: Annotated[
        Direction, typer.Option("--direction", help="With --before-reset: what the reset will do.")
    ] = Direction.BACKWARD

    @property
    def announced(self) -> Direction | None:
        """What the administrator is about to do; BadParameter for a direction of nothing."""
        if self.direction is not Direction.BACKWARD and not self.before_reset:
            raise typer.BadParameter("--direction is of a reset: add --before-reset")
        return self.direction if self.before_reset else None


def watch(
    name_server: Annotated[
        str,
        typer.Option(
            "--namesrv",
            metavar="HOST:PORT",
            help="The name server, or several with `;` between.",
            callback=parse_name_servers,
        ),
    ],
    group: Annotated[str, typer.Option("--group", metavar="GROUP", help="The consumer group.")],
    topic: Topic = None,
    duration: Duration = None,
    interval: Interval = "2s",
    reset: BeforeReset = BeforeReset(),
    release: Tools = None,
    fail_on: Annotated[
        Certainty | None, typer.Option("--fail-on", help="Code 12 where a finding is at least so certain.")
    ] = None,
    out_dir: Annotated[
        Path | None, typer.Option("--out-dir", metavar="DIR", help="Keep what is seen, for `audit` and others.")
    ] = None,
    format: Annotated[str, format_option("watch")] = TEXT,
    destination: options.Destination = options.Destination(),
) -> int:
    """Watch a consumer group of a running cluster. Nothing is written there."""
    writable(destination.output)
    _refuse_interval(seconds_of(interval), reset.announced)
    if out_dir is not None:
        from offsetproof.engines.spark.session import require_library
        from offsetproof.verdict.prerequisite import AUDIT

        require_library("pyarrow", ", or leave --out-dir out", AUDIT)
    usable(out_dir)
    seconds = None if duration is None else seconds_of(duration)
    wanted = Wanted(name_server, group, topic, seconds, seconds_of(interval), reset.announced, release or "")
    progress = destination.progress()
    progress.naming(f"group {group}")
    prints = format == TEXT and destination.is_wanted and destination.output is None
    watched: Watch | None = None
    codes: list[Exit] = []
    try:
        with (
            Working(progress) as stop,
            _observer(wanted, release) as observer,
            Journal(out_dir, CLOCK.now()) as journal,
        ):
            watched = Watch(observer, journal, wanted, _Said(progress, prints=prints))
            watched.run()
    except ProgramFailedError as error:
        if watched is None:
            raise
        warn(f"offsetproof: {error}")
        codes = [Exit.INTERNAL]
    if watched is None:
        return stop.code or Exit.AS_EXPECTED
    codes += [exit_of_watch(watched, fail_on), _write(watched, destination, format)]
    return stop.code or worst(codes)


def _refuse_interval(seconds: float, announced: Direction | None) -> None:
    if seconds < _INTERVAL_LEAST:
        raise typer.BadParameter(f"--interval: {_INTERVAL_LEAST:g} s is the least")
    if announced and seconds > NOTICED_WITHIN / SECOND:
        raise typer.BadParameter("--interval: 5 s is the most before a reset: consumers may come and go between polls")


def _write(watched: Watch, destination: options.Destination, format: str) -> Exit:
    if not destination.is_wanted:
        return Exit.AS_EXPECTED
    report = Report(watched)
    text = watch_text(report, width()) if format == TEXT else writer_of("watch", format)(report)
    return deliver(text, destination.output)


@contextmanager
def _observer(wanted: Wanted, release: str | None) -> Iterator[Observer]:
    """An observer of the release that is named, else of the brokers', if its jars are there, else of the newest."""
    there = [name for name in releases() if folder_of(name).is_dir()]
    first = release or (there or [*releases()])[-1]
    rig = observer_rig(jars_of(first))
    with observing(rig, wanted.name_server) as observer:
        own = first if release else brokers_release(observer, wanted)
        if own == first or own not in there:
            yield observer
            return
    with observing(observer_rig(jars_of(own)), wanted.name_server) as observer:
        yield observer

"""`offsetproof replay`: counterexamples on the real classes of a release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.named_traces import traces_named
from offsetproof.cli.output import deliver, usable, width, writable
from offsetproof.cli.progress import Progress
from offsetproof.cli.rocketmq_verb import using_cache
from offsetproof.cli.signals import Working
from offsetproof.cli.streams import warn
from offsetproof.conformance.on_release import (
    PATIENCE,
    OtherModelError,
    Prepared,
    ReplayOnRelease,
    of_release,
    prepare,
    replay_on,
    rig_of,
)
from offsetproof.reading.files import SIZE_MAX
from offsetproof.real.jars import read_lock
from offsetproof.real.replay import OutcomeKind
from offsetproof.real.sidecar import Gates
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.traces.trace import Trace
from offsetproof.verdict.exits import Exit, worst

_CODES = {
    OutcomeKind.REPRODUCED: Exit.AS_EXPECTED,
    OutcomeKind.DIVERGED: Exit.DIFFERS,
    OutcomeKind.NOT_FORCEABLE: Exit.UNKNOWN,
}


@dataclass(frozen=True)
class How:
    """On which classes traces are replayed, how threads are held, and for how long."""

    class_path: options.ClassPath = None
    gates: Annotated[
        Gates,
        typer.Option(
            "--gates",
            help="What holds threads at lines: the JVM's debugger, in unmodified classes; or calls woven into them.",
        ),
    ] = Gates.DEBUGGER
    logs: Annotated[
        Path | None,
        typer.Option("--logs", metavar="DIR", help="Keep RocketMQ's own log files of each trace in this folder."),
    ] = None
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout",
            metavar="SECONDS",
            min=0.1,
            callback=options.parse_seconds,
            help="How long a trace may take on the real classes.",
            show_default="30",
        ),
    ] = None


def replay(
    named: Annotated[
        list[str] | None,
        typer.Argument(metavar="TRACE|CLAIM", help="A trace file, a recorded story, or a claim that has some."),
    ] = None,
    recorded: Annotated[bool, typer.Option("--recorded", help="All recorded stories of these releases.")] = False,
    release: Annotated[
        list[str] | None,
        typer.Option(
            "--release",
            metavar="RELEASE",
            help="On the classes of this release; may be repeated.",
            show_default="each trace's own",
        ),
    ] = None,
    how: How = How(),
    steps: Annotated[bool, typer.Option("--steps", help="Also each step, with what it changed on both sides.")] = False,
    format: Annotated[str, format_option("replay")] = TEXT,
    max_input: options.MaxInput = None,
    destination: options.Destination = options.Destination(),
) -> int:
    """Replay counterexamples on RocketMQ's own classes."""
    writable(destination.output, reads=named or [])
    usable(how.logs, "--logs")
    for name in release or []:
        read_lock(name)
    size_max = options.parse_size(max_input, "--max-input") if max_input else SIZE_MAX
    wanted = {own: found for name in named or [] for own, found in traces_named(name, None, size_max).items()}
    if recorded:
        wanted |= stories_of(release or [])
    if not wanted:
        raise typer.BadParameter("name a trace, or give --recorded for all that are recorded", param_hint="TRACE")
    progress = destination.progress()
    prepared: list[Prepared] = []
    done: list[ReplayOnRelease] = []
    with Working(progress) as stop:
        prepared.extend(_prepare_each(wanted, progress))
        done.extend(_replay_each(prepared, release or [], how, progress))
    codes = [_CODES[each.outcome.kind] for each in done]
    codes += [Exit.DIFFERS] * (len(prepared) < len(wanted))
    if destination.is_wanted and stop.code is None and prepared:
        codes.append(deliver(_report(format, done, steps=steps), destination.output))
    return stop.code or worst(codes)


def stories_of(releases: Sequence[str]) -> dict[str, Trace]:
    """The recorded stories on the classes of these releases; BadParameter where there is none."""
    own = of_release(recorded_stories(), releases)
    if not own:
        raise typer.BadParameter(f"no story of {' or '.join(releases)} is recorded", param_hint="--release")
    return own


def _prepare_each(wanted: Mapping[str, Trace], progress: Progress) -> Iterator[Prepared]:
    """The traces that their models still do; of the others stderr has how they differ."""
    for name, trace in wanted.items():
        progress.naming(name)
        try:
            yield prepare(name, trace)
        except OtherModelError as error:
            warn(f"offsetproof: {error}")


def _replay_each(
    traces: Sequence[Prepared], releases: Sequence[str], how: How, progress: Progress
) -> Iterator[ReplayOnRelease]:
    """Every trace on each of the releases."""
    asked: dict[str, list[Prepared]] = {}
    for prepared in traces:
        for each in dict.fromkeys(releases) or [_own_release(prepared)]:
            asked.setdefault(each, []).append(prepared)
    for each, own in asked.items():
        progress.naming(f"RocketMQ {each}")
        with using_cache(each):
            rig = rig_of(each, progress.reporter(), how.class_path)
        tell, kept, patience = progress.reporter(), how.logs and how.logs / each, how.timeout or PATIENCE
        yield from replay_on(rig, own, how.gates, patience=patience, logs=kept, tell=tell)


def _own_release(prepared: Prepared) -> str:
    """The release whose classes a trace is about."""
    if prepared.trace.world.release is None:
        raise typer.BadParameter(f"{prepared.name} names no release; give one", param_hint="--release")
    return read_lock(prepared.subject.published_as(prepared.trace.world.release)).release


def _report(format: str, done: Sequence[ReplayOnRelease], *, steps: bool) -> str:
    from offsetproof.reports.on_release import replays_text

    return replays_text(done, width(), steps=steps) if format == TEXT else writer_of("replay", format)(done)

"""`offsetproof replay`: counterexamples on the real classes of a release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.named_traces import traces_named
from offsetproof.cli.natural_replays import NaturalOptions, natural_replays, natural_report
from offsetproof.cli.output import deliver, usable, width, writable
from offsetproof.cli.progress import Progress
from offsetproof.cli.rocketmq_verb import using_cache
from offsetproof.cli.signals import Working
from offsetproof.cli.streams import warn
from offsetproof.conformance.drift import CauseFate, drift_of
from offsetproof.conformance.natural import NaturalReplay
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
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.jars import read_lock
from offsetproof.real.natural.trying import TIMES
from offsetproof.real.program import JavaLine
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

_CODES_WHERE_REMOVED = {
    CauseFate.REMOVED: Exit.AS_EXPECTED,
    CauseFate.LEFT: Exit.DIFFERS,
    CauseFate.UNKNOWN: Exit.UNKNOWN,
}


class Expect(StrEnum):
    """What is to become of the traces."""

    REPRODUCED = "reproduced"
    REMOVED = "removed"


@dataclass(frozen=True)
class How:
    """On which classes traces are replayed, what is to become of them, who holds threads, and for how long."""

    class_path: options.ClassPath = None
    expect: Annotated[
        Expect,
        typer.Option(
            "--expect",
            help="removed: code 0 where classes of --classpath come to another end, because of what they changed.",
        ),
    ] = Expect.REPRODUCED
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
            help="How long a trace may take on the real classes; with --natural, one command to a JVM.",
            show_default="30; 60",
        ),
    ] = None


@dataclass(frozen=True)
class Naturally:
    """Whether to try a trace on a whole cluster instead, how often, and with which seed."""

    natural: Annotated[
        bool,
        typer.Option("--natural", help="On a whole cluster, with nothing held: how often does it happen by itself?"),
    ] = False
    times: Annotated[
        int | None,
        typer.Option("--times", metavar="N", min=1, help="With --natural: how often to try.", show_default=str(TIMES)),
    ] = None
    seed: options.Seed = 0


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
    naturally: Naturally = Naturally(),
    format: Annotated[str, format_option("replay")] = TEXT,
    max_input: options.MaxInput = None,
    destination: options.Destination = options.Destination(),
) -> int:
    """Replay counterexamples on RocketMQ's own classes."""
    writable(destination.output, reads=named or [])
    usable(how.logs, "--logs")
    _refuse_odd(naturally, how, steps=steps)
    for name in release or []:
        read_lock(name)
    size_max = options.parse_size(max_input, "--max-input") if max_input else SIZE_MAX
    wanted = _traces(named or [], size_max)
    if recorded:
        wanted |= _stories_of(release or [])
    if not wanted:
        raise typer.BadParameter("name a trace, or give --recorded for all that are recorded", param_hint="TRACE")
    progress = destination.progress()
    if naturally.natural:
        given = NaturalOptions(naturally.times or TIMES, release or [], how.timeout, naturally.seed, how.logs)
        return _naturally(wanted, given, progress, format, destination)
    prepared: list[Prepared] = []
    done: list[ReplayOnRelease] = []
    with Working(progress) as stop:
        prepared.extend(_prepare_each(wanted, progress))
        done.extend(_replay_each(prepared, release or [], how, progress))
    codes = [_code(each, how.expect) for each in done]
    refused = Exit.DIFFERS if how.expect is Expect.REPRODUCED else Exit.UNKNOWN
    codes += [refused] * (len(prepared) < len(wanted))
    if destination.is_wanted and stop.code is None and prepared:
        codes.append(deliver(_report(format, done, steps=steps), destination.output))
    return stop.code or worst(codes)


def _code(each: ReplayOnRelease, expect: Expect) -> Exit:
    """A trace's code. Of classes in front of another release than its own nobody knows that they removed anything."""
    if expect is Expect.REPRODUCED:
        return _CODES[each.outcome.kind]
    if each.own is None:
        return Exit.DIFFERS if each.outcome.happens else Exit.UNKNOWN
    becomes, why = drift_of(each.prepared.subject, each.release, each.own).becomes(each)
    if why:
        warn(f"offsetproof: {each.name}: {why}")
    is_own_release = each.release == each.trace.world.release
    return Exit.UNKNOWN if becomes is CauseFate.REMOVED and not is_own_release else _CODES_WHERE_REMOVED[becomes]


def _refuse_odd(naturally: Naturally, how: How, *, steps: bool) -> None:
    """Options that mean nothing beside each other."""
    if naturally.times is not None and not naturally.natural:
        raise typer.BadParameter(
            "a story that is enforced happens or does not; --natural tries it", param_hint="--times"
        )
    if naturally.natural and steps:
        raise typer.BadParameter("in natural timing there are no steps to tell", param_hint="--steps")
    if naturally.natural and (how.class_path or how.expect is not Expect.REPRODUCED):
        raise typer.BadParameter(
            "in natural timing stories are tried on a release's own jars", param_hint="--classpath, --expect"
        )


def _naturally(
    wanted: Mapping[str, Trace],
    given: NaturalOptions,
    progress: Progress,
    format: str,
    destination: options.Destination,
) -> int:
    """The traces in natural timing: the report, and the code."""
    done: list[NaturalReplay] = []
    with Working(progress) as stop:
        done.extend(natural_replays(wanted, given, progress))
    codes = [_CODES[each.outcome] for each in done]
    codes += [Exit.DIFFERS] * (len({each.name for each in done}) < len(wanted))
    if destination.is_wanted and stop.code is None and done:
        codes.append(deliver(natural_report(format, done), destination.output))
    return stop.code or worst(codes)


def _traces(names: Sequence[str], size_max: int) -> dict[str, Trace]:
    """The traces that are named, by the names that reports show."""
    return {own: trace for name in names for own, trace in traces_named(name, None, size_max).items()}


def _stories_of(releases: Sequence[str]) -> dict[str, Trace]:
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
        for each in dict.fromkeys(releases) or [_own_release(prepared.name, prepared.trace)]:
            asked.setdefault(each, []).append(prepared)
    for each, own in asked.items():
        progress.naming(f"RocketMQ {each}")
        with using_cache(each):
            rig = rig_of(each, progress.reporter(), how.class_path)
        tell, kept, patience = progress.reporter(), how.logs and how.logs / each, how.timeout or PATIENCE
        loosely = how.expect is Expect.REMOVED
        watched = _places_to_watch(own, rig) if loosely else ()
        yield from replay_on(
            rig, own, how.gates, patience=patience, loosely=loosely, watched=watched, logs=kept, tell=tell
        )


def _places_to_watch(traces: Sequence[Prepared], rig: CompiledRig) -> Iterator[JavaLine]:
    """Where the methods begin that changed in the classes in front of the release."""
    for subject in {each.subject.name: each.subject for each in traces}.values():
        yield from drift_of(subject, rig.release, rig.own).places if rig.own else ()


def _own_release(name: str, trace: Trace) -> str:
    if trace.world.release is None:
        raise typer.BadParameter(f"{name} names no release; give one", param_hint="--release")
    return read_lock(trace.world.release).release


def _report(format: str, done: Sequence[ReplayOnRelease], *, steps: bool) -> str:
    from offsetproof.reports.on_release import replays_text

    return replays_text(done, width(), steps=steps) if format == TEXT else writer_of("replay", format)(done)

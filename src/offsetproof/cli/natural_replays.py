"""`offsetproof replay --natural`: stories in natural timing on a whole cluster, tried again and again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from offsetproof.cli.formats import TEXT
from offsetproof.cli.output import width
from offsetproof.cli.progress import Progress
from offsetproof.cli.rocketmq_verb import using_cache
from offsetproof.cli.streams import warn
from offsetproof.conformance.natural import NaturalReplay, replay_naturally, scenario_for
from offsetproof.conformance.on_release import OtherModelError
from offsetproof.real.jars import read_lock
from offsetproof.real.natural.trying import Scenario
from offsetproof.real.whole.cluster import PATIENCE
from offsetproof.traces.trace import Trace


@dataclass(frozen=True)
class NaturalOptions:
    """What `--natural` takes beside the traces: tries of each, releases, seconds for one command, and where logs go."""

    times: int
    releases: Sequence[str]
    timeout: float | None
    seed: int
    logs: Path | None


def natural_replays(wanted: Mapping[str, Trace], given: NaturalOptions, progress: Progress) -> Iterator[NaturalReplay]:
    """Every trace on each of the releases; of those that their models no longer do, stderr has how they differ."""
    asked: dict[str, dict[str, tuple[Trace, Scenario | None]]] = {}
    for name, trace in wanted.items():
        progress.naming(name)
        try:
            scenario = scenario_for(name, trace)
        except OtherModelError as error:
            warn(f"offsetproof: {error}")
            continue
        for release in dict.fromkeys(given.releases) or [_own_release(name, trace)]:
            asked.setdefault(read_lock(release).release, {})[name] = trace, scenario
    for release, own in asked.items():
        progress.naming(f"RocketMQ {release}")
        with using_cache(release):
            yield from replay_naturally(
                own,
                release,
                given.times,
                patience=PATIENCE if given.timeout is None else given.timeout,
                seed=given.seed,
                logs=given.logs and given.logs / release,
                tell=progress.reporter(),
            )


def _own_release(name: str, trace: Trace) -> str:
    if trace.world.release is None:
        raise typer.BadParameter(f"{name} names no release; give one", param_hint="--release")
    return trace.world.release


def natural_report(format: str, done: Sequence[NaturalReplay]) -> str:
    """The report in one of the forms that `replay` has."""
    from offsetproof.reports.natural import natural_json, natural_markdown, natural_text

    writers = {"json": natural_json, "markdown": natural_markdown}
    return natural_text(done, width()) if format == TEXT else writers[format](done)

"""`offsetproof simulate`: random walks and Hypothesis in scopes too large to exhaust."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, shows_colours, width, writable
from offsetproof.cli.signals import Working
from offsetproof.verdict.exits import Exit, exit_of, found_nothing, worst
from offsetproof.verdict.limits import Limits

if TYPE_CHECKING:
    from offsetproof.checking.simulation import Simulated


@dataclass(frozen=True)
class WalkSelection(options.Selection):
    """What is walked in, and where."""

    scope: Annotated[
        str | None, typer.Option("--scope", metavar="NAME", help="In this scope instead of the model's large one.")
    ] = None


def simulate(
    claims: options.Claims = options.Claims(),
    selected: WalkSelection = WalkSelection(),
    steps: Annotated[
        int, typer.Option("--steps", metavar="N", min=0, help="How many steps the walks take.")
    ] = 5_000_000,
    length: Annotated[
        int, typer.Option("--length", metavar="N", min=1, max=10_000, help="The longest walk, in steps.")
    ] = 200,
    examples: Annotated[
        int, typer.Option("--examples", metavar="N", min=0, help="How many runs Hypothesis makes.")
    ] = 20,
    seed: options.Seed = 0,
    timeout: options.Timeout = None,
    format: Annotated[str, format_option("simulate")] = TEXT,
    destination: options.Destination = options.Destination(),
) -> int:
    """Walk at random in scopes far too large to exhaust. Walks are steered; the story of each violation is told."""
    from offsetproof.checking.simulation import simulate_settings
    from offsetproof.engines.stateful.engine import Effort

    writable(destination.output, reads=claims.named or ())
    named = claims.load()
    loaded = named.only
    progress = destination.progress()
    progress.naming(f"simulating {loaded.name}")
    request = options.request(
        loaded,
        selected,
        claims=named.words,
        limits=Limits(seconds=timeout),
        progress=progress,
    )
    effort = Effort(walk_steps=steps, walk_length=length, examples=examples, example_steps=min(length, 100), seed=seed)
    done: list[Simulated] = []
    with Working(progress) as stop:
        done.extend(simulate_settings(request, effort))
    results = [answer.result for one in done for answer in one.answers]
    codes = [Exit.AS_EXPECTED if found_nothing(result) else exit_of(result) for result in results]
    if destination.is_wanted:
        codes.append(deliver(_report(format, loaded.name, done, destination.output), destination.output))
    return stop.code or worst(codes)


def _report(format: str, name: str, done: Sequence[Simulated], output: Path | None) -> str:
    from offsetproof.reports.simulation import simulation_text

    if format == TEXT:
        return simulation_text(name, done, width(), colour=shows_colours(output))
    return writer_of("simulate", format)(name, done)

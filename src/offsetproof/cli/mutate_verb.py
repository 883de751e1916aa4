"""`offsetproof mutate`: breaks the model one small change at a time, and says which claim notices."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from offsetproof.checking.request import Request
from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, shows_colours, width, writable
from offsetproof.cli.progress import Progress
from offsetproof.cli.signals import Stop, Working
from offsetproof.verdict.exits import Exit, worst

if TYPE_CHECKING:
    from offsetproof.checking.mutating import Mutated


@dataclass(frozen=True)
class EachSearch(options.Spending):
    """What the search of a claim, or of one mutant, may spend."""

    max_states: Annotated[
        int | None,
        typer.Option(
            "--max-states",
            metavar="N",
            min=1,
            help="Leave out claims, and give up on mutants, beyond this many states.",
        ),
    ] = 3_000_000
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout",
            metavar="SECONDS",
            min=0.0,
            callback=options.parse_seconds,
            help="Leave out claims, and give up on mutants, that take longer than this.",
        ),
    ] = None


def mutate(
    claims: options.Claims = options.Claims(),
    selected: options.Selection = options.Selection(),
    spending: EachSearch = EachSearch(),
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Try only this many mutants, evenly spread.")
    ] = None,
    workers: options.Workers = options.AUTO,
    format: Annotated[str, format_option("mutate")] = TEXT,
    destination: options.Destination = options.Destination(),
) -> int:
    """Break guards and updates one at a time: which claim notices?"""
    writable(destination.output, reads=claims.named or ())
    named = claims.load()
    loaded = named.only
    progress = destination.progress()
    progress.naming(f"{loaded.name} itself")
    request = options.request(
        loaded,
        selected,
        claims=named.words,
        limits=spending.limits,
        progress=progress,
    )
    result, stop = _judge_all(request, limit, options.parse_workers(workers), progress)
    if result is None:
        return stop.code or Exit.INTERRUPTED
    codes = [Exit.UNKNOWN] if result.undecided else []
    if destination.is_wanted:
        codes.append(deliver(_report(format, result, destination.output), destination.output))
    return stop.code or worst(codes)


def _judge_all(
    request: Request, limit: int | None, workers: int | None, progress: Progress
) -> tuple[Mutated | None, Stop]:
    """What became of the mutants, as far as it got; None where not even the model was explored."""
    from offsetproof.checking.mutants_apart import judge_apart
    from offsetproof.checking.mutating import Mutated, made_for, sample_of

    made, done = None, {}
    with Working(progress) as stop:
        made = made_for(request)
        chosen = sample_of(made.mutations, limit)
        with closing(judge_apart(made, chosen, workers, _tells(len(chosen), progress))) as judged:
            for number, each in judged:
                done[number] = each
    if made is None:
        return None, stop
    return Mutated(request.subject, made, tuple(done[number] for number in sorted(done))), stop


def _tells(count: int, progress: Progress) -> Callable[[int, object], None]:
    """What puts a mutant's number before what its search tells."""
    tell = progress.reporter()

    def report(number: int, what: object) -> None:
        progress.name = f"mutant {number + 1} of {count}"
        tell(what)

    return report


def _report(format: str, result: Mutated, output: Path | None) -> str:
    from offsetproof.reports.mutation import mutation_text

    if format != TEXT:
        return writer_of("mutate", format)(result)
    return mutation_text(result, width(), colour=shows_colours(output))

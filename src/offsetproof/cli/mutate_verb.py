"""`offsetproof mutate`: breaks the model one small change at a time, and says which claim notices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from offsetproof.check.catalogue import DEFAULT
from offsetproof.check.request import Request
from offsetproof.check.subject import load_subject
from offsetproof.cli import options
from offsetproof.cli.output import coloured, deliver, width, writable
from offsetproof.cli.progress import Progress
from offsetproof.cli.signals import Stop, Working
from offsetproof.verdict.exits import Exit, worst
from offsetproof.verdict.question import Limits

if TYPE_CHECKING:
    from offsetproof.check.mutating import Mutated
    from offsetproof.mutation.matrix import Mutation


class MutateFormat(StrEnum):
    """How the report is written."""

    TEXT = "text"
    JSON = "json"


def mutate(
    subject: options.Subject = DEFAULT,
    property: options.Property = None,
    release: options.Release = None,
    fix: options.Fix = None,
    assume: options.Assume = None,
    listener: options.Listener = None,
    scope: options.Scope = None,
    bound: options.BoundOption = None,
    max_states: Annotated[
        int, typer.Option("--max-states", min=1, help="Leave out claims, and give up mutants, beyond so many states.")
    ] = 3_000_000,
    max_memory: options.MaxMemory = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout",
            min=0.0,
            callback=options.parse_seconds,
            help="The same for each search beyond these seconds.",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Try only so many mutants, evenly spread.")
    ] = None,
    format: Annotated[MutateFormat, typer.Option("--format", help="How to write the report.")] = MutateFormat.TEXT,
    output: options.Output = None,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> int:
    """Break guards and updates one at a time: which claim notices?"""
    writable(output, reads=[subject])
    found = load_subject(subject)
    progress = Progress(on=not (quiet or no_progress))
    progress.naming(f"{found.name} itself")
    request = options.request(
        found,
        property=property,
        release=release,
        fix=fix,
        assume=assume,
        listener=listener,
        scope=scope,
        bound=bound,
        limits=Limits(max_states, options.parse_memory(max_memory), timeout),
        progress=progress,
    )
    result, stop = _judged(request, limit, progress)
    if result is None:
        return stop.code or Exit.INTERRUPTED
    codes = [Exit.UNKNOWN] if result.undecided else []
    if not quiet or output is not None:
        codes.append(deliver(_report(format, result, output), output))
    return stop.code or worst(codes)


def _judged(request: Request, limit: int | None, progress: Progress) -> tuple[Mutated | None, Stop]:
    """What became of the mutants, as far as it got; None where not even the model was explored."""
    from offsetproof.check.mutating import Mutated, chosen, judged, made_for

    made, done = None, []
    with Working(progress) as stop:
        made = made_for(request)
        for each in judged(made, _announced(chosen(made.mutations, limit), progress)):
            done.append(each)
    return None if made is None else Mutated(request.subject, made, tuple(done)), stop


def _announced(mutations: Sequence[Mutation], progress: Progress) -> Iterator[Mutation]:
    """The mutants, each of them named on the line of progress."""
    tell = progress.reporter()
    for number, mutation in enumerate(mutations, 1):
        progress.name = f"mutant {number} of {len(mutations)}"
        tell(mutation)
        yield mutation


def _report(format: MutateFormat, result: Mutated, output: Path | None) -> str:
    from offsetproof.check.mutation_report import mutation_json, mutation_text

    if format is MutateFormat.JSON:
        return mutation_json(result)
    return mutation_text(result, width(), colour=coloured(output))

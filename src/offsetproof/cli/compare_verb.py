"""`offsetproof compare`: does one model show what another shows? Releases, fixes, files, or a file in git."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, shows_colours, width, writable
from offsetproof.cli.signals import Working
from offsetproof.reports.stories import Stories
from offsetproof.verdict.exits import Exit, worst
from offsetproof.verdict.result import Reason, Verdict

if TYPE_CHECKING:
    from offsetproof.checking.comparing import Comparison, Followed

_SIDE = "RELEASE[+FIX...], SUBJECT[@RELEASE[+FIX...]], or REVISION:path/to/file.py[@...] as git has it."


@dataclass(frozen=True)
class ComparedIn:
    """Where both sides are, and what is added to both."""

    scope: Annotated[
        str | None, typer.Option("--scope", metavar="NAME", help="The scope.", show_default="the model's first")
    ] = None
    bound: options.BoundOption = None
    assume: options.Assume = None
    listener: options.Listener = None


def compare(
    one: Annotated[str, typer.Argument(metavar="A", help=_SIDE, show_default=False)],
    other: Annotated[str, typer.Argument(metavar="B", help="The other, in the same way.", show_default=False)],
    subject: Annotated[
        str, typer.Option("--subject", metavar="SUBJECT", help="The subject of a side that names only a release.")
    ] = DEFAULT,
    field: Annotated[
        list[str] | None,
        typer.Option(
            "--field",
            metavar="NAME",
            help="Look at this field alone: its path, or a part of it; may be repeated.",
            show_default="all that both have",
        ),
    ] = None,
    where: ComparedIn = ComparedIn(),
    spending: options.Spending = options.Spending(),
    stories: Annotated[Stories, typer.Option("--stories", help="How a difference is told.")] = Stories.BRIEF,
    format: Annotated[str, format_option("compare")] = TEXT,
    destination: options.Destination = options.Destination(),
) -> int:
    """Compare what two models show through chosen fields.

    Either the same in all runs, or a shortest run that only one of them can do.
    """
    from offsetproof.checking.comparing import compare_sides
    from offsetproof.checking.sides import Where, both_sides, file_of
    from offsetproof.checking.subject import load_subject

    writable(destination.output, reads=[file for file in map(file_of, (one, other)) if file is not None])
    progress = destination.progress()
    progress.naming(f"comparing {one} and {other}")
    given = Where(where.scope, options.parse_bounds(where.bound), where.listener, tuple(where.assume or ()))
    done: list[Comparison] = []
    with both_sides((one, other), load_subject(subject), given) as sides:
        with Working(progress) as stop:
            done.append(compare_sides(sides, field or (), spending.limits, progress.reporter()))
        codes = [code for compared in done for code in _codes(compared)]
        if destination.is_wanted:
            codes += [_deliver(compared, stories, format, destination.output) for compared in done]
    return stop.code or worst(codes)


def _deliver(compared: Comparison, stories: Stories, format: str, output: Path | None) -> Exit:
    from offsetproof.reports.comparison import comparison_text

    if format == TEXT:
        smaller = _smaller(compared)
        text = comparison_text(compared, stories, width(), colour=shows_colours(output), smaller=smaller)
    else:
        text = writer_of("compare", format)(compared)
    return deliver(text, output)


def _smaller(compared: Comparison) -> tuple[tuple[str, int], ...]:
    """Scopes to try where a limit was met; where the sides have scopes of their own, there is no such word for both."""
    from offsetproof.guard.smaller_scopes import smaller_scopes  # reads the baseline, for those who met a limit alone

    too_large = {Reason.TIME, Reason.STATES, Reason.MEMORY} & {direction.reason for direction in compared.directions}
    one, other = compared.sides
    return smaller_scopes(one.subject, one.setting) if too_large and one.subject.name == other.subject.name else ()


def _codes(compared: Comparison) -> list[Exit]:
    codes = [_code(direction) for direction in compared.directions]
    return [*codes, Exit.LIVENESS] if compared.is_vacuous else codes


def _code(direction: Followed) -> Exit:
    if direction.verdict is Verdict.UNKNOWN:
        return Exit.MODEL_ERROR if direction.reason is Reason.OVERFLOW else Exit.UNKNOWN
    return Exit.DIFFERS if direction.verdict is Verdict.REFUTED else Exit.AS_EXPECTED

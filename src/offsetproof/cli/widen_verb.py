"""`offsetproof widen`: raises each bound and fault of what holds by one, and says what flips."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from offsetproof.checking.answers import Answer
from offsetproof.checking.answers_apart import answers_apart
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import questions_by_subject
from offsetproof.checking.side_by_side import processes
from offsetproof.cli import options
from offsetproof.cli.check_verb import exit_of_missing
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, shows_colours, width, writable
from offsetproof.cli.progress import Progress
from offsetproof.cli.signals import Working
from offsetproof.lang.cases import REFUTED
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.subject import Subject
from offsetproof.verdict.exits import Exit, worst
from offsetproof.verdict.question import Question

if TYPE_CHECKING:
    from offsetproof.checking.widening import Found, WiderWorld
    from offsetproof.reports.widening import Widened


@dataclass(frozen=True)
class EachWorld(options.Spending):
    """What the search of one world may spend."""

    max_states: Annotated[
        int | None,
        typer.Option("--max-states", metavar="N", min=1, help="Give a world up beyond this many states."),
    ] = 1_500_000


def widen(
    claims: options.Claims = options.Claims(),
    selected: options.Selection = options.Selection(),
    spending: EachWorld = EachWorld(),
    workers: options.Workers = options.AUTO,
    format: Annotated[str, format_option("widen")] = TEXT,
    destination: options.Destination = options.Destination(),
) -> int:
    """Raise each bound and fault of what holds by one: what flips?"""
    from offsetproof.reports.widening import Widened

    writable(destination.output, reads=claims.named or ())
    loaded = claims.load()
    progress = destination.progress()
    request = options.request(
        loaded.subjects[0], selected, claims=loaded.words, limits=spending.limits, progress=progress
    )
    by_subject = [
        (subject, [question for question in those if _may_hold(question)])
        for subject, those in questions_by_subject(loaded.subjects, replace(request, every_release=True))
    ]
    run = _Run(by_subject, options.parse_workers(workers))
    with Working(progress) as stop:
        run.ask(progress)
    widened = Widened(loaded.name, loaded.word, run.worlds, run.odd, run.left)
    codes = [*_codes(widened), *(answer.exit for answer in run.answers)]
    if destination.is_wanted:
        codes.append(deliver(_report(format, widened, destination.output), destination.output))
    if stop.code is None:
        codes.append(exit_of_missing(len(run.answers), len(run.questions)))
        codes.append(exit_of_missing(len(run.worlds), len(run.worlds) + run.left))
    return stop.code or worst(codes)


def _may_hold(question: Question) -> bool:
    """Is it a claim, and none that is refuted by what is expected of it? Witnesses are no claims."""
    prop = question.prop
    return prop.kind is not ClaimKind.SOMETIMES and prop.expects(question.setting) is not REFUTED


class _Run:
    """The cases, and what holds of them; then the wider worlds of that, as far as it got."""

    def __init__(self, by_subject: Sequence[tuple[Subject, Sequence[Question]]], wanted: int | None) -> None:
        self.by_subject, self.wanted = by_subject, wanted
        self.questions = [question for _, those in by_subject for question in those]
        self.answers: list[Answer] = []
        self.worlds: list[tuple[WiderWorld, Found]] = []
        self.left = 0

    @property
    def odd(self) -> list[Answer]:
        """What was asked and is not found to hold."""
        return [answer for answer in self.answers if not answer.holds]

    def ask(self, progress: Progress) -> None:
        """Asks the cases, and then the wider worlds of those that hold."""
        from offsetproof.checking.widening import found_in_wider, wider_worlds

        count = processes(self.wanted, self.questions)
        tells = progress.among(self.questions)
        with closing(answers_apart(explicit_alone(), self.by_subject, count, tells)) as answers:
            self.answers.extend(answers)
        if any(answer.is_interrupted for answer in self.answers):
            return
        asked = zip(self.questions, self.answers, strict=False)
        worlds = [*wider_worlds([question for question, answer in asked if answer.holds])]
        self.left = len(worlds)
        wider = [world.wider for world in worlds]
        with closing(found_in_wider(worlds, processes(self.wanted, wider), progress.among(wider))) as found:
            for world, each in zip(worlds, found, strict=False):
                self.worlds.append((world, each))
                self.left -= 1


def _codes(widened: Widened) -> list[Exit]:
    from offsetproof.checking.widening import WorldOutcome

    codes = [Exit.DIFFERS] if widened.count(WorldOutcome.REFUTED) else []
    codes += [Exit.MODEL_ERROR] if widened.count(WorldOutcome.ERROR) else []
    return [*codes, Exit.UNKNOWN] if widened.undecided or not widened.worlds else codes


def _report(format: str, widened: Widened, output: Path | None) -> str:
    from offsetproof.reports.widening import widening_text

    if format == TEXT:
        return widening_text(widened, width(), colour=shows_colours(output))
    return writer_of("widen", format)(widened)

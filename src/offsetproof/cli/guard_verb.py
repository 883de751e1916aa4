"""`offsetproof guard`: compares what is so now with the committed baseline, or writes it again."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.releases import ALL_RELEASES
from offsetproof.checking.request import questions_of
from offsetproof.checking.scopes import ALL_SCOPES
from offsetproof.checking.side_by_side import processes
from offsetproof.checking.wider import Cases
from offsetproof.checking.wider_record import record_file, recorded_cases
from offsetproof.cli import options
from offsetproof.cli.check_verb import exit_of_missing
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import cannot_write, deliver, keep_aside, shows_colours, width, writable, write
from offsetproof.cli.progress import Progress
from offsetproof.cli.signals import Stop, Working
from offsetproof.cli.streams import warn
from offsetproof.guard.baseline import (
    TURNS,
    Baseline,
    Finding,
    Key,
    RecheckPolicy,
    any_baseline_in,
    baseline_file,
    of_subject,
    read_baseline,
    write_baseline,
)
from offsetproof.guard.comparison import Change, ComparedQuestion, Guard
from offsetproof.guard.deciding import comparisons_of, findings_without_question
from offsetproof.guard.report import guard_text
from offsetproof.guard.wider_worlds import (
    WorldAgain,
    WorldsAgain,
    recorded_worlds,
    wider_worlds_again,
    worlds_not_there,
)
from offsetproof.lang.source_paths import is_installed
from offsetproof.lang.subject import Subject
from offsetproof.reading.files import SIZE_MAX, UnreadableFileError
from offsetproof.verdict.exits import Exit, worst
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.question import Question

WiderOption = Annotated[
    float | None,
    typer.Option(
        "--wider",
        metavar="SECONDS",
        min=0.0,
        callback=options.parse_seconds,
        help="For so many seconds ask again where claims held with a bound or fault raised.",
    ),
]


@dataclass(frozen=True)
class Deciding:
    """Which questions are decided although nothing below them has changed."""

    all: Annotated[bool, typer.Option("--all", help="Decide every question, even those whose system is unchanged.")] = (
        False
    )
    turn: Annotated[
        int | None,
        typer.Option(
            "--turn",
            metavar="N",
            min=0,
            max=TURNS - 1,
            help="Which tenth of the questions to decide again.",
            show_default="by the day",
        ),
    ] = None

    @property
    def again(self) -> RecheckPolicy:
        """The same, with the turn of the day where none is named."""
        return RecheckPolicy(self.all, RecheckPolicy.of_today().turn if self.turn is None else self.turn)


def guard(
    claims: options.Claims = options.Claims(),
    release: options.Release = None,
    scope: options.Scope = None,
    update: Annotated[bool, typer.Option("--update", help="Write the baseline again, and print what changed.")] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="With --update: also accept verdicts that claims do not expect.")
    ] = False,
    deciding: Deciding = Deciding(),
    wider: WiderOption = None,
    baseline: Annotated[Path | None, typer.Option("--baseline", metavar="FILE", help="The baseline's file.")] = None,
    spending: options.Spending = options.Spending(),
    max_input: options.MaxInput = None,
    workers: options.Workers = options.AUTO,
    format: Annotated[str, format_option("guard")] = TEXT,
    destination: options.Destination = options.Destination(),
) -> int:
    """Compare verdicts, counts and causes with the committed baseline."""
    writable(destination.output, reads=claims.named or ())
    several = options.parse_workers(workers)
    named = claims.load()
    loaded, subject = named.only, named.word or DEFAULT
    path = baseline or baseline_file(subject, loaded)
    writable(destination.output, reads=[path])
    if update and is_installed(path):
        raise cannot_write("--baseline", path, "it came with the program; name a file of your own")
    _refuse_odd_update(wider, update=update, accept=accept)
    only_some = bool(named.words or release or scope not in (None, ALL_SCOPES))
    size_max = options.parse_size(max_input, "--max-input") if max_input else SIZE_MAX
    cases = None if wider is None else recorded_cases(record_file(subject, loaded), loaded, size_max)
    known = _known_baseline(subject, path, loaded, size_max, update=update, only_some=only_some)
    progress = destination.progress()
    selected = options.Selection(release or [ALL_RELEASES] if loaded.model.releases else release, scope=scope)
    request = options.request(loaded, selected, claims=named.words, limits=spending.limits, progress=progress)
    questions = questions_of(request)
    findings = known.findings if known else {}
    again = deciding.again
    done, stop = _compare(loaded, questions, findings, again, processes(several, questions), progress)
    worlds = None
    if cases is not None and stop.code is None:
        worlds, stop = _ask_wider(loaded, done, cases, again, wider or 0.0, several, progress)
    whole = stop.code is None and not only_some
    gone = findings_without_question(questions, findings) if whole else ()
    missing = len(questions) - len(done)
    own = [each for each in done if each.before is not None or not each.same_as]
    asked = tuple(dict.fromkeys(each.setting.release or "" for each in questions))
    compared = Guard(
        loaded, (*own, *gone), whole, again, missing=missing, same=len(done) - len(own), releases=asked, wider=worlds
    )
    codes = [compared.exit_when_accepted(against_expected=accept) if update else compared.exit]
    if destination.is_wanted:
        codes.append(deliver(_report(format, compared, destination.output), destination.output))
    if not (update or destination.quiet) and _would_be_green(compared):
        warn("a change that is meant: the same with `--update` accepts it")
    if update and stop.code is None:
        _write(path, loaded, compared, known, accept=accept, quiet=destination.quiet)
    if stop.code is None:
        codes.append(exit_of_missing(len(done), len(questions)))
    return stop.code or worst(codes)


def _refuse_odd_update(wider: float | None, *, update: bool, accept: bool) -> None:
    if accept and not update:
        raise typer.BadParameter("it is for --update", param_hint="--accept")
    if update and wider is not None:
        raise typer.BadParameter("`widen --update` records wider worlds; drop one of both", param_hint="--wider")


def _would_be_green(compared: Guard) -> bool:
    """Is something in the baseline other than now, and would all be well if it were accepted?"""
    has_changed = any(each.change not in (Change.NONE, Change.NEW) for each in compared.compared)
    accepted = compared.exit_when_accepted(against_expected=False)
    if compared.wider is not None and compared.wider.wrong:
        return False
    return has_changed and compared.exit is not Exit.AS_EXPECTED and accepted is Exit.AS_EXPECTED


def _compare(
    subject: Subject,
    questions: list[Question],
    findings: Mapping[Key, Finding],
    again: RecheckPolicy,
    count: int,
    progress: Progress,
) -> tuple[list[ComparedQuestion], Stop]:
    """What is compared before a signal ends the work, if one does."""
    done: list[ComparedQuestion] = []
    with Working(progress) as stop:
        comparing = comparisons_of(
            subject, explicit_alone(), questions, findings, again, count, progress.among(questions)
        )
        with closing(comparing):
            for each in comparing:
                done.append(each)
    return done, stop


def _ask_wider(
    subject: Subject,
    done: list[ComparedQuestion],
    cases: Cases,
    again: RecheckPolicy,
    seconds: float,
    several: int | None,
    progress: Progress,
) -> tuple[WorldsAgain, Stop]:
    """What became of recorded wider worlds before a signal ends the work, if one does."""
    worlds = recorded_worlds(done, cases, again)
    wider = [world.wider for world in worlds]
    found: list[WorldAgain] = []
    with Working(progress) as stop:
        asking = wider_worlds_again(subject, worlds, seconds, processes(several, wider), progress.among(wider))
        with closing(asking):
            for each in asking:
                found.append(each)
    return WorldsAgain(found, [*worlds_not_there(done, cases)], missing=len(worlds) - len(found)), stop


def _known_baseline(
    name: str, path: Path, subject: Subject, size_max: int, *, update: bool, only_some: bool
) -> Baseline | None:
    """The baseline; None where it is to be written and there is none worth keeping."""
    if not update:
        return read_baseline(path, subject, size_max)
    writable(path, "--baseline", reads=[name])
    if not path.exists():
        return None
    try:
        found = any_baseline_in(path, size_max)
    except UnreadableFileError as error:
        if only_some:
            raise
        warn(f"offsetproof: {error.file}: {error.place}: {error.wrong}; it is replaced")
        return None
    return of_subject(subject, found, path)


def _report(format: str, compared: Guard, output: Path | None) -> str:
    if format == TEXT:
        return guard_text(compared, width(), colour=shows_colours(output))
    return writer_of("guard", format)(compared)


def _write(path: Path, subject: Subject, compared: Guard, known: Baseline | None, *, accept: bool, quiet: bool) -> None:
    if known is None and path.is_file():
        warn(f"offsetproof: what could not be read is kept as {keep_aside(path)}")
    kept = compared.findings_to_accept(known, against_expected=accept)
    write(write_baseline(subject, kept), path, "--baseline", lasting=True)
    left = sum(each.change is Change.UNKNOWN for each in compared.compared)
    if not quiet:
        undecided = f"; not decided and left as they were: {left}" if left else ""
        warn(f"wrote {path}: {quantity(len(kept), 'question')}{undecided}")
    for each in compared.unexpected if not quiet else ():
        meant = f"change what the claim expects, as with expected={each.found.verdict}, or say --accept"
        said = "accepted" if accept else f"not accepted ({meant})"
        warn(f"{each.title}: {each.found.verdict} where {each.expected} is expected: {said}")

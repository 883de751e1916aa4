"""`offsetproof widen`: raises each bound and fault of what holds by one, and says what flips."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from offsetproof.checking.answers import Answer
from offsetproof.checking.answers_apart import answers_apart
from offsetproof.checking.catalogue import BUILT_INS, DEFAULT
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import questions_by_subject
from offsetproof.checking.side_by_side import processes
from offsetproof.checking.subject import NamedSubjects
from offsetproof.checking.widening import (
    STATES_MAX,
    Found,
    WiderWorld,
    WorldOutcome,
    found_in_wider,
    wider_pairs,
    wider_worlds,
)
from offsetproof.checking.wider import Known
from offsetproof.checking.wider_record import cases_of, read_worlds, record_file, record_text
from offsetproof.cli import options
from offsetproof.cli.check_verb import exit_of_missing
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, shows_colours, usable, width, writable, write
from offsetproof.cli.progress import Progress
from offsetproof.cli.signals import Working
from offsetproof.cli.streams import warn
from offsetproof.lang.cases import REFUTED
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.subject import Subject
from offsetproof.sweep.fingerprint import Imports
from offsetproof.verdict.exits import Exit, worst
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.question import Question, Reductions

if TYPE_CHECKING:
    from offsetproof.reports.widening import Widened


@dataclass(frozen=True)
class EachWorld(options.Spending):
    """What the search of one world may spend, and all of them together."""

    max_states: Annotated[
        int | None,
        typer.Option("--max-states", metavar="N", min=1, help="Give a world up beyond this many states."),
    ] = STATES_MAX
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            metavar="SECONDS",
            min=0.0,
            callback=options.parse_seconds,
            help="Leave what is not asked after this time, and say so.",
        ),
    ] = None

    @property
    def limits_elsewhere(self) -> Limits:
        """The limits on other machines, of whose memory nothing is known here."""
        memory = None if self.max_memory is None else options.parse_memory(self.max_memory)
        return Limits(self.max_states, memory, self.timeout)


PairsOption = Annotated[
    bool,
    typer.Option("--pairs", help="Then raise two together that hold alone and whose steps are related."),
]
OutDirOption = Annotated[
    Path | None,
    typer.Option(
        "--out-dir", metavar="DIR", help="Write a Parquet table of the worlds, and Spark's log, to this folder."
    ),
]
UpdateOption = Annotated[
    bool,
    typer.Option("--update", help="Write what holds beside your model, for `guard --wider`."),
]


def widen(
    claims: options.Claims = options.Claims(),
    selected: options.Selection = options.Selection(),
    spending: EachWorld = EachWorld(),
    workers: options.Workers = options.AUTO,
    pairs: PairsOption = False,
    stubborn: options.Stubborn = False,
    update: UpdateOption = False,
    master: options.Master = None,
    out_dir: OutDirOption = None,
    format: Annotated[str, format_option("widen")] = TEXT,
    destination: options.Destination = options.Destination(),
) -> int:
    """Raise each bound and fault of what holds by one: what flips?"""
    from offsetproof.reports.widening import Widened

    writable(destination.output, reads=claims.named or ())
    _refuse_odd_spark(master, out_dir, spending, stubborn=stubborn)
    usable(out_dir)
    imports = Imports()
    loaded = claims.load()
    record = _record_of(loaded) if update else None
    known = read_worlds(record) or {} if record is not None else {}
    progress = destination.progress()
    limits = spending.limits if master is None else spending.limits_elsewhere
    reductions = Reductions(stubborn=stubborn)
    request = options.request(
        loaded.subjects[0], selected, claims=loaded.words, limits=limits, reductions=reductions, progress=progress
    )
    by_subject = [
        (subject, [question for question in those if _may_hold(question)])
        for subject, those in questions_by_subject(loaded.subjects, replace(request, every_release=True))
    ]
    until = None if spending.budget is None else time.monotonic() + spending.budget
    finding = _here(options.parse_workers(workers), until, progress)
    if master is not None and out_dir is not None:
        finding = _on_spark(loaded, master, out_dir.resolve(), imports, progress)
    run = _Run(by_subject, options.parse_workers(workers), finding, pairs=pairs)
    with Working(progress) as stop:
        run.ask(progress)
    widened = Widened(loaded.name, loaded.word, run.worlds, run.odd, run.left + run.unasked)
    codes = [*_codes(widened), *(answer.exit for answer in run.answers)]
    if destination.is_wanted:
        codes.append(deliver(_report(format, widened, destination.output), destination.output))
    if out_dir is not None:
        codes.append(_write_table(run, out_dir))
    if record is not None and stop.code is None:
        _write(record, known, loaded.only, run, quiet=destination.quiet)
    if stop.code is None:
        codes.append(exit_of_missing(len(run.answers), len(run.questions)))
        codes.append(exit_of_missing(len(run.worlds), len(run.worlds) + run.left))
    return stop.code or worst(codes)


def _record_of(loaded: NamedSubjects) -> Path:
    """The file for what is recorded; BadParameter where that is not the user's."""
    if (loaded.word or DEFAULT) in BUILT_INS:
        raise typer.BadParameter(
            "what came with the program has a record; name a model of your own", param_hint="--update"
        )
    path = record_file(loaded.word, loaded.only)
    writable(path, "--update")
    return path


def _write(path: Path, known: Known, subject: Subject, run: _Run, *, quiet: bool) -> None:
    before = known.get(subject.name, {})
    cases = {**before, **cases_of(run.worlds, before)}
    write(record_text({**known, subject.name: cases}), path, "--update", lasting=True)
    if not quiet:
        held = sum(len(case.held) for case in cases.values())
        warn(f"wrote {path}: {quantity(held, 'world')} that hold, of {quantity(len(cases), 'case')}")


def _may_hold(question: Question) -> bool:
    """Is it a claim, and none that is refuted by what is expected of it? Witnesses are no claims."""
    prop = question.prop
    return prop.kind is not ClaimKind.SOMETIMES and prop.expects(question.setting) is not REFUTED


_Finding = Callable[[Sequence[WiderWorld]], Generator[Found, None, None]]
"""Who says what worlds are, in their order."""


def _here(wanted: int | None, until: float | None, progress: Progress) -> _Finding:
    """Processes of this machine, as many as wanted."""

    def find(worlds: Sequence[WiderWorld]) -> Generator[Found, None, None]:
        wider = [world.wider for world in worlds]
        yield from found_in_wider(worlds, processes(wanted, wider), progress.among(wider), until)

    return find


def _on_spark(loaded: NamedSubjects, master: str, out: Path, imports: Imports, progress: Progress) -> _Finding:
    """Tasks of Spark, which load the one subject by its name."""
    subject, (file, colon, name) = loaded.only, (loaded.word or DEFAULT).partition(":")
    named = f"{Path(file).resolve()}{colon}{name}" if file.endswith(".py") else loaded.word or DEFAULT
    report = progress.reporter()

    def find(worlds: Sequence[WiderWorld]) -> Generator[Found, None, None]:
        from offsetproof.sweep.widening import found_on_spark

        yield from found_on_spark(
            subject,
            named,
            worlds,
            out,
            master=master,
            imported=imports.so_far,
            tell=lambda done: report(f"{done:,} of {quantity(len(worlds), 'world')}"),
        )

    return find


def _refuse_odd_spark(master: str | None, out_dir: Path | None, spending: EachWorld, *, stubborn: bool) -> None:
    if master is not None and out_dir is None:
        raise typer.BadParameter("say with --out-dir where Spark's rows and its log go", param_hint="--master")
    if master is not None and spending.budget is not None:
        raise typer.BadParameter("other machines have other clocks; drop one of both", param_hint="--budget")
    if master is not None and stubborn:
        raise typer.BadParameter("on Spark a whole search comes first; drop one of both", param_hint="--stubborn")


def _write_table(run: _Run, out_dir: Path) -> Exit:
    from offsetproof.engines.spark.session import require_library
    from offsetproof.sweep.widening import write_table

    require_library("pyarrow", ", or drop --out-dir")
    try:
        write_table(run.worlds, out_dir / "widened.parquet")
    except OSError as error:
        warn(f"offsetproof: the table could not be written: {error}")
        return Exit.UNREADABLE
    return Exit.AS_EXPECTED


class _Run:
    """The cases, and what holds of them; then the wider worlds of that, as far as it got."""

    def __init__(
        self,
        by_subject: Sequence[tuple[Subject, Sequence[Question]]],
        wanted: int | None,
        finding: _Finding,
        *,
        pairs: bool,
    ) -> None:
        self.by_subject, self.wanted, self.finding, self.pairs = by_subject, wanted, finding, pairs
        self.unasked = 0
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
        count = processes(self.wanted, self.questions)
        tells = progress.among(self.questions)
        with closing(answers_apart(explicit_alone(), self.by_subject, count, tells)) as answers:
            self.answers.extend(answers)
        if any(answer.is_interrupted for answer in self.answers):
            return
        asked = zip(self.questions, self.answers, strict=False)
        self._find([*wider_worlds([question for question, answer in asked if answer.holds])])
        if self.pairs and not self.left:
            self._find([*wider_pairs(self.worlds)])

    def _find(self, worlds: Sequence[WiderWorld]) -> None:
        """Asks these worlds, as far as the time suffices."""
        self.left = len(worlds)
        with closing(self.finding(worlds)) as found:
            for world, each in zip(worlds, found, strict=False):
                self.left -= 1
                if each.outcome is WorldOutcome.LEFT:
                    self.unasked += 1
                else:
                    self.worlds.append((world, each))


def _codes(widened: Widened) -> list[Exit]:
    codes = [Exit.DIFFERS] if widened.count(WorldOutcome.REFUTED) else []
    codes += [Exit.MODEL_ERROR] if widened.count(WorldOutcome.ERROR) else []
    is_open = widened.undecided or widened.left or not widened.worlds
    return [*codes, Exit.UNKNOWN] if is_open else codes


def _report(format: str, widened: Widened, output: Path | None) -> str:
    from offsetproof.reports.widening import widening_text

    if format == TEXT:
        return widening_text(widened, width(), colour=shows_colours(output))
    return writer_of("widen", format)(widened)

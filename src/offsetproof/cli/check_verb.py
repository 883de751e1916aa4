"""`offsetproof check`: decides claims and prints verdicts with the smallest counterexample of each refuted one."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from offsetproof.checking.answers import Answer, answers_of_all, have_several_subjects
from offsetproof.checking.answers_apart import answers_apart
from offsetproof.checking.engines import EngineChoice, EngineName
from offsetproof.checking.request import Request, questions_by_subject
from offsetproof.checking.side_by_side import processes
from offsetproof.checking.subject import NamedSubjects
from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.options import Destination
from offsetproof.cli.output import deliver, shows_colours, usable, width, writable, write
from offsetproof.cli.progress import Progress
from offsetproof.cli.signals import Stop, Working
from offsetproof.cli.streams import put, warn
from offsetproof.guard.fast_set import fast_and_large
from offsetproof.lang.subject import Subject
from offsetproof.reading.files import UnusableFileError
from offsetproof.reports.file_names import file_name, free_name, trace_name
from offsetproof.reports.stories import Stories
from offsetproof.reports.text import report_for_people
from offsetproof.traces.store import write_record
from offsetproof.verdict.exits import Exit, worst
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.workers import cpus

StoriesOption = Annotated[
    Stories | None,
    typer.Option(
        "--stories",
        help="How the text report tells counterexamples.",
        show_default="full for one claim, else brief; of many questions only what is not as expected",
    ),
]

CompactOption = Annotated[
    bool,
    typer.Option(
        "--compact",
        help="Few bytes a state; traces take another search (explicit).",
    ),
]

AllowVacuousOption = Annotated[
    bool,
    typer.Option("--allow-vacuous", help="Accept a HOLDS of a claim that nothing could have broken."),
]


def check(
    claims: options.Claims = options.Claims(),
    selected: options.Selection = options.Selection(),
    engine: Annotated[EngineName, typer.Option("--engine", help="Which engine decides.")] = EngineName.EXPLICIT,
    depth: options.Depth = 25,
    seed: options.Seed = 0,
    master: options.Master = None,
    resume: options.Resume = False,
    spill: options.Spill = None,
    compact: CompactOption = False,
    spending: options.Spending = options.Spending(),
    workers: options.Workers = options.AUTO,
    reducing: options.Reducing = options.Reducing(),
    stubborn: options.Stubborn = False,
    allow_vacuous: AllowVacuousOption = False,
    format: Annotated[str, format_option("check")] = TEXT,
    stories: StoriesOption = None,
    destination: options.Destination = options.Destination(),
    out_dir: options.OutDir = None,
    html: options.Html = None,
) -> int:
    """Decide claims, of all releases or of those that are named."""
    writable(destination.output, reads=claims.named or ())
    usable(out_dir)
    usable(html, "--html")
    _refuse_odd_spark(engine, master, spill)
    _refuse_odd_resume(engine, out_dir, spill, stubborn=stubborn, resume=resume)
    _refuse_odd_compact(engine, spill, compact=compact)
    usable(spill, "--spill")
    loaded = claims.load()
    progress = destination.progress()
    choice = EngineChoice(engine, depth, seed, master, out_dir and out_dir.resolve() / "spark", resume, spill, compact)
    memory = None if spending.max_memory is None else options.parse_memory(spending.max_memory)
    threads = options.parse_workers(workers) or cpus()
    request = options.request(
        loaded.subjects[0],
        selected,
        claims=loaded.words,
        limits=Limits(spending.max_states, choice.limit(memory), spending.timeout, threads),
        reductions=replace(reducing.reductions, stubborn=stubborn),
        progress=progress,
    )
    by_subject, large = _fast_set(loaded, selected, replace(request, every_release=True))
    questions = _all(by_subject)
    answering = _Answering(choice, by_subject, _processes(engine, workers, questions), allow_vacuous)
    given, stop, failed = _decide(answering, progress)
    codes, report = [answer.exit for answer in given], (loaded.name, given, len(questions), large)
    if (given or failed is None) and destination.is_wanted:
        if format == TEXT:
            text = _text(loaded, given, questions, stories, destination.output, large)
        else:
            text = writer_of("check", format)(*report)
        codes.append(deliver(text, destination.output))
    codes.append(_write_traces(given, out_dir))
    if html is not None and (given or failed is None):
        is_looked_at = format == TEXT and not destination.quiet and destination.output is None
        codes.append(_write_report(report, html, destination, tells=is_looked_at))
    if failed is None and stop.code is None:
        codes.append(exit_of_missing(len(given), len(questions)))
    return stop.code or worst(codes) if failed is None else _fail(failed, given, questions)


_BySubject = Sequence[tuple[Subject, Sequence[Question]]]


def _fast_set(
    loaded: NamedSubjects, selected: options.Selection, request: Request
) -> tuple[_BySubject, Sequence[Question]]:
    """What is asked; and, where no claim, release or scope is named, what is left out for its size."""
    by_subject = questions_by_subject(loaded.subjects, request)
    if loaded.words or selected.release or selected.scope:
        return by_subject, ()
    parts = [(subject, *fast_and_large(subject, questions)) for subject, questions in by_subject]
    return [(subject, fast) for subject, fast, _ in parts], [question for *_, large in parts for question in large]


def _all(by_subject: _BySubject) -> list[Question]:
    return [question for _, those in by_subject for question in those]


def _refuse_odd_spark(engine: EngineName, master: str | None, spill: Path | None) -> None:
    if engine is not EngineName.SPARK and master:
        raise typer.BadParameter("only --engine spark knows it", param_hint="--master")
    if engine is not EngineName.EXPLICIT and spill:
        raise typer.BadParameter("only --engine explicit knows it", param_hint="--spill")


def _refuse_odd_resume(
    engine: EngineName, out_dir: Path | None, spill: Path | None, *, stubborn: bool, resume: bool
) -> None:
    if spill and stubborn:
        raise typer.BadParameter("a search in files explores everything; drop one of both", param_hint="--stubborn")
    if resume and spill is None and engine is not EngineName.SPARK:
        raise typer.BadParameter("say with --spill where to go on from, or use --engine spark", param_hint="--resume")
    if resume and spill is None and out_dir is None:
        raise typer.BadParameter("say with --out-dir where the run is to go on from", param_hint="--resume")


def _refuse_odd_compact(engine: EngineName, spill: Path | None, *, compact: bool) -> None:
    if compact and engine is not EngineName.EXPLICIT:
        raise typer.BadParameter("only --engine explicit knows it", param_hint="--compact")
    if compact and spill:
        raise typer.BadParameter(
            "a compact search has no rows to keep in files; drop one of both", param_hint="--spill"
        )


def _processes(engine: EngineName, workers: str, questions: Sequence[Question]) -> int:
    """How many processes decide; only one engine's questions are independent."""
    wanted = options.parse_workers(workers)
    if engine is EngineName.EXPLICIT:
        return processes(wanted, questions)
    if wanted not in (None, 1):
        raise typer.BadParameter("only --engine explicit decides in several processes", param_hint="--workers")
    return 1


@dataclass(frozen=True)
class _Answering:
    """What is asked of which engines, by how many processes."""

    choice: EngineChoice
    by_subject: _BySubject
    count: int
    allows_vacuous: bool

    def answers(self, stack: ExitStack, progress: Progress) -> Generator[Answer, None, None]:
        """One answer per question, in their order; fewer, the last of them interrupted, where the user stops it."""
        with closing(self._decide(stack, progress)) as decided:
            for answer in decided:
                result = replace(answer.result, allows_vacuous=self.allows_vacuous)
                yield replace(answer, result=result)

    def _decide(self, stack: ExitStack, progress: Progress) -> Generator[Answer, None, None]:
        questions = _all(self.by_subject)
        tell = warn if progress.on else (lambda _text: None)
        engines = self.choice.start(stack, questions, tell)
        if self.choice.name is EngineName.EXPLICIT:
            return answers_apart(engines, self.by_subject, self.count, progress.among(questions))
        named = [(subject, progress.naming_each(those)) for subject, those in self.by_subject]
        return answers_of_all(engines, named)


def _decide(answering: _Answering, progress: Progress) -> tuple[list[Answer], Stop, Exception | None]:
    """The answers, and what ended the work before all were there: a signal, or an error."""
    given: list[Answer] = []
    failed: Exception | None = None
    with Working(progress) as stop:
        try:
            with ExitStack() as stack:
                for answer in stack.enter_context(closing(answering.answers(stack, progress))):
                    given.append(answer)
        except Exception as error:
            failed = error
    return given, stop, failed


def exit_of_missing(given: int, wanted: int) -> Exit:
    """The code that questions without an answer call for, where no signal has ended the work: not 0, whatever the
    others say. The program does not interrupt itself, so a model's code has raised KeyboardInterrupt."""
    if given == wanted:
        return Exit.AS_EXPECTED
    warn(
        f"offsetproof: the report has {given} of {wanted} questions; KeyboardInterrupt was raised, and no signal has "
        "come; a model must not end the program"
    )
    return Exit.MODEL_ERROR


def _fail(failed: Exception, given: Sequence[Answer], questions: Sequence[Question]) -> NoReturn:
    """Ends with what went wrong, after saying that a report has less than was asked for."""
    if given:
        warn(f"offsetproof: the report has {len(given)} of {len(questions)} questions; the next one ended it:")
    raise failed


def _text(
    loaded: NamedSubjects,
    given: Sequence[Answer],
    questions: Sequence[Question],
    stories: Stories | None,
    output: Path | None,
    large: Sequence[Question],
) -> str:
    return report_for_people(
        loaded.name,
        given,
        width(),
        claims=[question.prop for question in questions],
        colour=shows_colours(output),
        form=stories,
        model=loaded.word,
        large=large,
    )


def _write_traces(given: Sequence[Answer], folder: Path | None) -> Exit:
    if folder is None:
        return Exit.AS_EXPECTED
    subjects = have_several_subjects(given)
    taken: set[str] = set()
    try:
        for answer in given:
            if answer.trace is not None:
                name = free_name(file_name(trace_name(answer, with_subject=subjects)), taken)
                taken.add(name)
                write(write_record(answer.trace), folder / f"{name}.json", "--out-dir")
    except UnusableFileError as error:
        warn(f"offsetproof: {error}")
        return Exit.UNREADABLE
    return Exit.AS_EXPECTED


_Report = tuple[str, Sequence[Answer], int, Sequence[Question]]
"""The subject's name, the answers, how many questions were asked, and those that were not."""


def _write_report(report: _Report, folder: Path, destination: Destination, *, tells: bool) -> Exit:
    """Writes the pages, and says where a browser finds them: behind the text that somebody looks at, or on stderr.

    Other files of the folder stay as they are. The code says whether all could be written.
    """
    from offsetproof.reports.html.folder import INDEX, report_pages  # Jinja2 is only loaded where it is needed

    try:
        for name, text in report_pages(*report):
            write(text, folder / name, "--html")
    except UnusableFileError as error:
        warn(f"offsetproof: {error}")
        return Exit.UNREADABLE
    address = (folder / INDEX).resolve().as_uri()
    if tells:
        put(f"\nfor a browser: {address}\n")
    elif destination.is_talkative:
        warn(f"offsetproof: for a browser: {address}")
    return Exit.AS_EXPECTED

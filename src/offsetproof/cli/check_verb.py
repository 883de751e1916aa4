"""`offsetproof check`: decides claims and prints verdicts with the smallest counterexample of each refuted one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from offsetproof.api.results import report_for_people
from offsetproof.checking.answers import Answer, answers_of_all, have_several_subjects
from offsetproof.checking.engines import EngineChoice, EngineName
from offsetproof.checking.request import questions_by_subject
from offsetproof.checking.subject import is_subject, load_named
from offsetproof.cli import options
from offsetproof.cli.output import UnusableFileError, coloured, deliver, usable, width, writable, write
from offsetproof.cli.progress import Progress
from offsetproof.cli.signals import Stop, Working
from offsetproof.cli.streams import warn
from offsetproof.lang.subject import Subject
from offsetproof.reports.json import json_report
from offsetproof.reports.junit import junit_report
from offsetproof.reports.markdown import github_report, markdown_report
from offsetproof.reports.sarif import sarif_report
from offsetproof.reports.stories import Stories
from offsetproof.traces.store import write_record
from offsetproof.verdict.exits import Exit, worst
from offsetproof.verdict.question import Limits, Question


class CheckFormat(StrEnum):
    """How the report is written."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"
    MARKDOWN = "markdown"


REPORTS: Mapping[CheckFormat, Callable[[str, Sequence[Answer]], str]] = {
    CheckFormat.JSON: json_report,
    CheckFormat.JUNIT: junit_report,
    CheckFormat.SARIF: sarif_report,
    CheckFormat.GITHUB: github_report,
    CheckFormat.MARKDOWN: markdown_report,
}
"""Reports for programs; text for people depends on the terminal and is made apart."""


StoriesOption = Annotated[
    Stories | None,
    typer.Option(
        "--stories", help="How text tells what refutes a claim.", show_default="full for one claim, else brief"
    ),
]


def check(
    named: options.SubjectAndClaims = None,
    selected: options.Selection = options.Selection(),
    engine: Annotated[EngineName, typer.Option("--engine", help="Which engine decides.")] = EngineName.EXPLICIT,
    depth: options.Depth = 25,
    seed: options.Seed = 0,
    master: options.Master = None,
    resume: options.Resume = False,
    spending: options.Spending = options.Spending(),
    reducing: options.Reducing = options.Reducing(),
    format: Annotated[CheckFormat, typer.Option("--format", help="How to write the report.")] = CheckFormat.TEXT,
    stories: StoriesOption = None,
    printing: options.Printing = options.Printing(),
    out_dir: options.OutDir = None,
) -> int:
    """Decide claims; print the verdict table and the smallest counterexample of each refuted one."""
    writable(printing.output, reads=named or ())
    usable(out_dir)
    _refuse_odd_spark(engine, master, out_dir, resume=resume)
    found = load_named(named or ())
    progress = printing.progress()
    choice = EngineChoice(engine, depth, seed, master, out_dir and out_dir.resolve() / "spark", resume)
    memory = None if spending.max_memory is None else options.parse_memory(spending.max_memory)
    request = options.request(
        found.subjects[0],
        selected,
        claims=found.words,
        limits=Limits(spending.max_states, choice.limit(memory), spending.timeout),
        reductions=reducing.reductions,
        progress=progress,
    )
    by_subject = questions_by_subject(found.subjects, request)
    asked = [question for _, those in by_subject for question in those]
    given, stop, failed = _decide(choice, by_subject, progress, warn if printing.is_talkative else (lambda _text: None))
    codes = [answer.exit for answer in given]
    if (given or failed is None) and printing.is_wanted:
        told = _text(found.name, given, asked, stories, named, printing.output) if format is CheckFormat.TEXT else None
        codes.append(deliver(told or REPORTS[format](found.name, given), printing.output))
    if out_dir is not None:
        codes.append(_write_traces(given, out_dir))
    return stop.code or worst(codes) if failed is None else _fail(failed, given, asked)


def _refuse_odd_spark(engine: EngineName, master: str | None, out_dir: Path | None, *, resume: bool) -> None:
    if engine is not EngineName.SPARK and (master or resume):
        raise typer.BadParameter("only --engine spark knows it", param_hint="--master" if master else "--resume")
    if resume and out_dir is None:
        raise typer.BadParameter("say with --out-dir where the run is to go on from", param_hint="--resume")


def _decide(
    choice: EngineChoice,
    by_subject: Sequence[tuple[Subject, Sequence[Question]]],
    progress: Progress,
    tell: Callable[[str], None],
) -> tuple[list[Answer], Stop, Exception | None]:
    """The answers, and what ended the work before all were there: a signal, or an error."""
    given: list[Answer] = []
    failed: Exception | None = None
    asked = [question for _, those in by_subject for question in those]
    with Working(progress) as stop:
        try:
            with ExitStack() as stack:
                named = ((subject, progress.naming_each(those)) for subject, those in by_subject)
                for answer in answers_of_all(choice.started(stack, asked, tell), named):
                    given.append(answer)
        except Exception as error:
            failed = error
    return given, stop, failed


def _fail(failed: Exception, given: Sequence[Answer], asked: Sequence[Question]) -> NoReturn:
    """Ends with what went wrong, after saying that a report has less than was asked for."""
    if given:
        warn(f"offsetproof: the report has {len(given)} of {len(asked)} questions; the next one ended it:")
    raise failed


def _text(
    name: str,
    given: Sequence[Answer],
    asked: Sequence[Question],
    stories: Stories | None,
    named: Sequence[str] | None,
    output: Path | None,
) -> str:
    """The report for people: in full about little, else a page."""
    model = named[0] if named and is_subject(named[0]) else ""
    props = [question.prop for question in asked]
    return report_for_people(name, given, width(), asked=props, colour=coloured(output), form=stories, model=model)


def _write_traces(given: Sequence[Answer], folder: Path) -> Exit:
    several = len({answer.result.setting.release for answer in given}) > 1
    subjects = have_several_subjects(given)
    try:
        for answer in given:
            if answer.trace is not None:
                name = _trace_name(answer, with_release=several, with_subject=subjects)
                write(write_record(answer.trace), folder / name, "--out-dir")
    except UnusableFileError as error:
        warn(f"offsetproof: {error}")
        return Exit.UNREADABLE
    return Exit.AS_EXPECTED


def _trace_name(answer: Answer, *, with_release: bool, with_subject: bool) -> str:
    """The file of a trace: claim and scope, release and subject where there are several; nothing that ends a folder.

    A name that had to be changed or shortened ends with a digest, so that no two traces have the same.
    """
    setting = answer.result.setting
    subject = answer.subject.name if with_subject and answer.subject else ""
    release = (setting.release or "") if with_release else ""
    parts = [subject, answer.result.prop.id, setting.scope.name.rstrip("*"), release]
    meant = "-".join(part for part in parts if part)
    name = re.sub(r"[^\w.=,-]", "_", meant, flags=re.ASCII)
    if name == meant and len(name) <= _NAME_MAX:
        return f"{name}.json"
    return f"{name[:_NAME_MAX]}-{hashlib.sha256(meant.encode(errors='replace')).hexdigest()[:12]}.json"


_NAME_MAX = 100
"""How long the name of a trace's file may be; folders allow 255 bytes."""

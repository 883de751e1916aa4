"""`offsetproof check`: decides claims and prints verdicts with the smallest counterexample of each refuted one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn, assert_never

import typer

from offsetproof.check.answers import Answer, Engine, answers
from offsetproof.check.answers_apart import answers_apart
from offsetproof.check.condensed_report import condensed_report
from offsetproof.check.json_report import json_report
from offsetproof.check.junit_report import junit_report
from offsetproof.check.markdown_report import github_report, markdown_report
from offsetproof.check.request import questions
from offsetproof.check.sarif_report import sarif_report
from offsetproof.check.side_by_side import processes
from offsetproof.check.stories import Stories
from offsetproof.check.subject import is_subject, load_named
from offsetproof.check.text_report import text_report
from offsetproof.check.unfolding_report import Unfolding
from offsetproof.cli import options
from offsetproof.cli.output import UnusableFileError, coloured, deliver, usable, width, writable, write
from offsetproof.cli.progress import Progress
from offsetproof.cli.signals import Stop, Working
from offsetproof.cli.streams import STDOUT, put, warn
from offsetproof.lang.subject import Subject
from offsetproof.traces.store import write_record
from offsetproof.verdict.exits import Exit, worst
from offsetproof.verdict.question import Limits, Question, Reductions


class CheckFormat(StrEnum):
    """How the report is written."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"
    MARKDOWN = "markdown"


class EngineName(StrEnum):
    """Which engine decides."""

    EXPLICIT = "explicit"
    SMT = "smt"
    STATEFUL = "stateful"
    SPARK = "spark"
    ALL = "all"


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
    property: options.Property = None,
    release: options.Release = None,
    fix: options.Fix = None,
    assume: options.Assume = None,
    listener: options.Listener = None,
    scope: options.Scope = None,
    bound: options.BoundOption = None,
    engine: Annotated[EngineName, typer.Option("--engine", help="Which engine decides.")] = EngineName.EXPLICIT,
    depth: options.Depth = 25,
    seed: options.Seed = 0,
    master: options.Master = None,
    resume: options.Resume = False,
    max_states: options.MaxStates = None,
    max_memory: options.MaxMemory = None,
    timeout: options.Timeout = None,
    workers: options.Workers = options.AUTO,
    slicing: options.Slicing = True,
    dead: options.Dead = True,
    format: Annotated[CheckFormat, typer.Option("--format", help="How to write the report.")] = CheckFormat.TEXT,
    stories: StoriesOption = None,
    output: options.Output = None,
    out_dir: options.OutDir = None,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> int:
    """Decide claims; print the verdict table and the smallest counterexample of each refuted one."""
    _refuse_unusable(engine, master, output, out_dir, named, resume=resume)
    found, claims = load_named(named or ())
    progress = Progress(on=not (quiet or no_progress))
    request = options.request(
        found,
        property=[*claims, *(property or ())],
        release=release,
        fix=fix,
        assume=assume,
        listener=listener,
        scope=scope,
        bound=bound,
        limits=Limits(max_states, _memory(engine, max_memory), timeout),
        reductions=Reductions(slicing, dead),
        progress=progress,
    )
    asked = questions(request)

    def engines(stack: ExitStack) -> list[Engine]:
        if engine is EngineName.SPARK:
            return [_spark(stack, master, out_dir, resume=resume, told=progress.on)]
        return _engines(engine, asked, depth, seed)

    looked_at = format is CheckFormat.TEXT and not quiet and output is None and engine is EngineName.EXPLICIT
    unfolding = _unfolding(found.name, asked, stories, named) if looked_at else None
    given, stop, failed = _decide(found, engines, asked, _processes(engine, workers, asked), progress, unfolding)
    codes = [answer.exit for answer in given]
    if (given or failed is None) and (not quiet or output is not None):
        told = _text(found.name, given, asked, stories, named, output, unfolding) if format is CheckFormat.TEXT else ""
        codes.append(deliver(told or REPORTS[format](found.name, given), output))
    codes.append(_write_traces(given, out_dir))
    return stop.code or worst(codes) if failed is None else _fail(failed, given, asked)


def _refuse_unusable(
    engine: EngineName,
    master: str | None,
    output: Path | None,
    out_dir: Path | None,
    named: Sequence[str] | None,
    *,
    resume: bool,
) -> None:
    """Complains at once about files that could not be written, and options that only Spark knows."""
    writable(output, reads=named or ())
    usable(out_dir)
    if engine is not EngineName.SPARK and (master or resume):
        raise typer.BadParameter("only --engine spark knows it", param_hint="--master" if master else "--resume")
    if resume and out_dir is None:
        raise typer.BadParameter("say with --out-dir where the run is to go on from", param_hint="--resume")


def _memory(engine: EngineName, told: str | None) -> int | None:
    """What a search may hold; on Spark that is what each task may hold, and the engine has its own measure for it."""
    return None if engine is EngineName.SPARK and told is None else options.parse_memory(told)


def _spark(stack: ExitStack, master: str | None, out_dir: Path | None, *, resume: bool, told: bool) -> Engine:
    """The engine on Spark, for as long as the stack is open; says where Spark's own pages are."""
    from offsetproof.pipeline.engine import Spark

    spark = stack.enter_context(Spark(master or "local[*]", out_dir and out_dir.resolve() / "spark", resume=resume))
    if told and spark.address:
        warn(f"Spark runs at {spark.address}")
    return spark


SMT_SECONDS_AMONG_OTHERS = 30.0
"""What smt may take for one setting beside other engines where there is no --timeout: it would go on for hours."""


def _engines(name: EngineName, asked: Sequence[Question], depth: int, seed: int) -> list[Engine]:
    """The engines of this name; their libraries are loaded only now."""
    if name is EngineName.ALL:
        from offsetproof.engines.smt.engine import Smt

        explicit, stateful = (EngineName.EXPLICIT, EngineName.STATEFUL)
        smt = Smt(asked, depth=depth, seconds=SMT_SECONDS_AMONG_OTHERS)
        return [*_engines(explicit, asked, depth, seed), smt, *_engines(stateful, asked, depth, seed)]
    if name is EngineName.EXPLICIT:
        from offsetproof.engines.explicit.engine import Explicit

        return [Explicit()]
    if name is EngineName.SMT:
        from offsetproof.engines.smt.engine import Smt

        return [Smt(asked, depth=depth)]
    if name is EngineName.STATEFUL:
        from offsetproof.engines.stateful.engine import Effort, Stateful

        return [Stateful(Effort(seed=seed))]
    if name is EngineName.SPARK:
        raise AssertionError("Spark is started apart, because it has to be stopped")
    assert_never(name)


def _processes(engine: EngineName, workers: str, asked: Sequence[Question]) -> int:
    """How many processes decide; only one engine's questions are independent."""
    wanted = options.parse_workers(workers)
    if engine is EngineName.EXPLICIT:
        return processes(wanted, asked)
    if wanted not in (None, 1):
        raise typer.BadParameter("only --engine explicit decides in several processes", param_hint="--workers")
    return 1


def _decide(
    subject: Subject,
    engines: Callable[[ExitStack], list[Engine]],
    asked: list[Question],
    count: int,
    progress: Progress,
    unfolding: Unfolding | None,
) -> tuple[list[Answer], Stop, Exception | None]:
    """The answers, and what ended the work before all were there: a signal, or an error."""
    given: list[Answer] = []
    failed: Exception | None = None
    with Working(progress) as stop:
        try:
            with ExitStack() as stack:
                deciding = engines(stack)
                found = (
                    answers(subject, deciding, progress.naming_each(asked))
                    if count == 1
                    else answers_apart(subject, deciding[0], asked, count, progress.among(asked))
                )
                for answer in stack.enter_context(closing(found)):
                    given.append(answer)
                    if unfolding is not None and (text := unfolding.add(answer)):
                        progress.clear()
                        put(text)
        except Exception as error:
            failed = error
    return given, stop, failed


def _fail(failed: Exception, given: Sequence[Answer], asked: Sequence[Question]) -> NoReturn:
    """Ends with what went wrong, after saying that a report has less than was asked for."""
    if given:
        warn(f"offsetproof: the report has {len(given)} of {len(asked)} questions; the next one ended it:")
    raise failed


FEW = 6
"""About so many questions each answer is told in full detail, and about one claim always."""


def _text(
    name: str,
    given: Sequence[Answer],
    asked: Sequence[Question],
    stories: Stories | None,
    named: Sequence[str] | None,
    output: Path | None,
    unfolding: Unfolding | None,
) -> str:
    """The report for people: in full about little, else a page, or what is left of one that has been shown."""
    if not given:
        return f"{name}: interrupted before anything was decided\n"
    if unfolding is not None:
        return unfolding.end()
    if not _is_page(asked):
        form = stories or (Stories.FULL if _is_one(asked) else Stories.BRIEF)
        return text_report(name, given, width(), colour=coloured(output), form=form)
    form = stories or Stories.BRIEF
    return condensed_report(name, given, width(), colour=coloured(output), form=form, model=_model(named))


def _is_one(asked: Sequence[Question]) -> bool:
    return len({question.prop.id for question in asked}) == 1


def _is_page(asked: Sequence[Question]) -> bool:
    """Are there so many questions about several claims that their answers are a page?"""
    return not _is_one(asked) and len(asked) > FEW


def _model(named: Sequence[str] | None) -> str:
    """What the subject is called on the command line, if it is named there."""
    return named[0] if named and is_subject(named[0]) else ""


def _unfolding(
    name: str, asked: Sequence[Question], stories: Stories | None, named: Sequence[str] | None
) -> Unfolding | None:
    """The report that shows each claim as it is decided, where there are many."""
    if not STDOUT.is_terminal or not _is_page(asked):
        return None
    form = stories or Stories.BRIEF
    return Unfolding(name, asked, width(), colour=coloured(None), form=form, model=_model(named))


def _write_traces(given: Sequence[Answer], folder: Path | None) -> Exit:
    if folder is None:
        return Exit.AS_EXPECTED
    several = len({answer.result.setting.release for answer in given}) > 1
    try:
        for answer in given:
            if answer.trace is not None:
                name = _trace_name(answer, with_release=several)
                write(write_record(answer.trace), folder / name, "--out-dir")
    except UnusableFileError as error:
        warn(f"offsetproof: {error}")
        return Exit.UNREADABLE
    return Exit.AS_EXPECTED


def _trace_name(answer: Answer, *, with_release: bool) -> str:
    """The file of a trace: claim and scope, and the release where there are several; nothing that ends a folder.

    A name that had to be changed or shortened ends with a digest, so that no two traces have the same.
    """
    setting = answer.result.setting
    parts = [answer.result.prop.id, setting.scope.name.rstrip("*"), (setting.release or "") if with_release else ""]
    meant = "-".join(part for part in parts if part)
    name = re.sub(r"[^\w.=,-]", "_", meant, flags=re.ASCII)
    if name == meant and len(name) <= _NAME_MAX:
        return f"{name}.json"
    return f"{name[:_NAME_MAX]}-{hashlib.sha256(meant.encode(errors='replace')).hexdigest()[:12]}.json"


_NAME_MAX = 100
"""How long the name of a trace's file may be; folders allow 255 bytes."""

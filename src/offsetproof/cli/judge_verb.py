"""`offsetproof judge`: what a patch does to the recorded causes of a claim, and what it breaks."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.side_by_side import processes
from offsetproof.cli import options
from offsetproof.cli.conform_verb import rig_to_conform
from offsetproof.cli.formats import FORMATS, TEXT, format_option, writer_of
from offsetproof.cli.named_traces import traces_named
from offsetproof.cli.output import deliver, width, writable
from offsetproof.cli.progress import Progress
from offsetproof.cli.signals import Working
from offsetproof.cli.streams import warn
from offsetproof.conformance.drift import CauseFate, Drift, drift_of
from offsetproof.conformance.on_release import (
    OtherModelError,
    Prepared,
    classes_of,
    prepare,
    replay_on,
    rigged_subjects,
)
from offsetproof.conformance.walks import Conformed, conform_settings
from offsetproof.conformance.with_fixes import happens_with
from offsetproof.guard.baseline import RecheckPolicy, baseline_file, read_baseline
from offsetproof.guard.comparison import ComparedQuestion
from offsetproof.guard.deciding import comparisons_of
from offsetproof.guard.judge_report import judge_text
from offsetproof.guard.judging import JudgedCause, Judgement, components_of, findings_without
from offsetproof.lang.model import usual_releases
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.subject import Subject
from offsetproof.reading.files import SIZE_MAX
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.jars import read_lock
from offsetproof.real.sidecar import Gates
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.verdict.exits import Exit, worst
from offsetproof.verdict.prerequisite import NotStartedError


@dataclass(frozen=True)
class _Patch:
    """The release and the patched classes, as rigs, and how they are asked."""

    base: CompiledRig
    patched: CompiledRig
    classes: options.OwnClassesOptions
    gates: Gates


_Expected = Annotated[
    str | None,
    typer.Option(
        "--expect",
        metavar="removed=STORY[,STORY...]",
        help="End with 0 where these are removed, whatever is left of the others.",
    ),
]
_Also = Annotated[
    list[str] | None,
    typer.Option("--also", metavar="FORMAT=FILE", help="Write the same result in another form as well; repeatable."),
]


def judge(
    claims: options.Claims = options.Claims(),
    classes: options.OwnClassesOptions = options.OwnClassesOptions(),
    trace: Annotated[
        str | None,
        typer.Option("--trace", metavar="TRACE", help="By this story alone: a trace file, or a recorded one."),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option("--base", metavar="RELEASE", help="The release that was patched.", show_default="4.9.4"),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep", metavar="CLAIM", help="With --fix: ask only of these claims whether it breaks them; repeatable."
        ),
    ] = None,
    expect: _Expected = None,
    gates: Annotated[
        Gates, typer.Option("--gates", help="What holds threads at lines: calls woven in, or the JVM's debugger.")
    ] = Gates.WOVEN,
    spending: options.Spending = options.Spending(),
    workers: options.Workers = options.AUTO,
    format: Annotated[str, format_option("judge")] = TEXT,
    also: _Also = None,
    destination: options.Destination = options.Destination(),
) -> int:
    """Replay every recorded cause of a claim on patched classes."""
    others = parse_other_forms(also or ())
    for file in (destination.output, *others.values()):
        writable(file, reads=claims.named or ())
    named = claims.load()
    _refuse_odd_options(named.words, trace, classes, keep or ())
    several, progress = options.parse_workers(workers), destination.progress()
    try:
        stories = _story(trace, base) if trace else _stories(named.only, named.words[0], base)
    except OtherModelError as error:
        warn(f"offsetproof: {error}")
        return Exit.UNKNOWN
    expected = parse_expected(expect, [story.name for story in stories]) if expect else ()
    subject, release = stories[0].subject, read_lock(classes_of(stories[0].trace) or "").release
    with Working(progress) as stop:
        patched = rig_to_conform(release, classes.class_path, progress)
        patch = _Patch(rig_to_conform(release, None, progress), patched, classes, gates)
        judged = replace(_judge(subject, patch, stories, progress), expected=expected)
        if classes.fix:
            selected = options.Selection([release], classes.fix)
            asked = options.request(subject, selected, claims=keep or (), limits=spending.limits, progress=progress)
            judged = replace(judged, claims=_asked_again(subject, asked, several))
    if stop.code is not None:
        return stop.code
    codes = [judged.exit]
    if destination.is_wanted:
        text = judge_text(judged, width()) if format == TEXT else writer_of("judge", format)(judged)
        codes.append(deliver(text, destination.output))
    codes += [deliver(writer_of("judge", form)(judged), file) for form, file in others.items()]
    return worst(codes)


def _refuse_odd_options(
    words: Sequence[str], trace: str | None, classes: options.OwnClassesOptions, keep: Sequence[str]
) -> None:
    """BadParameter for what is missing, or means nothing."""
    if classes.class_path is None:
        raise typer.BadParameter("say where the patched classes are", param_hint="--classpath")
    if len(words) != (0 if trace else 1):
        raise typer.BadParameter("name the one claim by which the patch is judged, or --trace", param_hint="CLAIM")
    if keep and not classes.fix:
        raise typer.BadParameter("say with --fix what the patch is in the model", param_hint="--keep")


def parse_other_forms(given: Sequence[str]) -> dict[str, Path]:
    """The file of each form; BadParameter where a form is none of the verb's for programs, or no file is named.

    >>> parse_other_forms(["sarif=judge.sarif"])
    {'sarif': PosixPath('judge.sarif')}
    """
    known = [form for form in FORMATS["judge"] if form != TEXT]
    files: dict[str, Path] = {}
    for each in given:
        form, _, file = each.partition("=")
        if form not in known or not file or form in files:
            raise typer.BadParameter(f"write FORMAT=FILE, once for each of {', '.join(known)}", param_hint="--also")
        files[form] = Path(file)
    return files


def parse_expected(given: str, stories: Sequence[str]) -> tuple[str, ...]:
    """The causes that have to be removed; BadParameter and UnknownNameError for what is none of these stories."""
    fate, _, names = given.partition("=")
    expected = tuple(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    if fate != CauseFate.REMOVED or not expected:
        raise typer.BadParameter("write removed=STORY,STORY", param_hint="--expect")
    for name in expected:
        if name not in stories:
            raise UnknownNameError("recorded cause of it", name, stories)
    return expected


def _asked_again(subject: Subject, asked: Request, several: int | None) -> tuple[ComparedQuestion, ...]:
    """What the model with the patch's fixes says of claims, compared with the baseline, which is of the release."""
    known = read_baseline(baseline_file(subject.name, subject), subject).findings
    questions = questions_of(asked)
    findings, count = findings_without(asked.fixes, questions, known), processes(several, questions)
    tells = Progress(on=False).among(questions)
    with closing(
        comparisons_of(subject, explicit_alone(), questions, findings, RecheckPolicy(), count, tells)
    ) as comparing:
        return tuple(replace(each, overlay=asked.fixes) for each in comparing)


def _story(name: str, base: str | None) -> list[Prepared]:
    """The story of that name, as its model does it now; OtherModelError where that does something else."""
    found = traces_named(name, None, SIZE_MAX)
    if len(found) > 1:
        raise typer.BadParameter(f"{name} has {len(found)} stories; name one of them", param_hint="--trace")
    (trace,) = found.values()
    release = classes_of(trace)
    if release is None or (base is not None and read_lock(base).release != release):
        raise typer.BadParameter(f"{name} is a story of {release or 'no release'}", param_hint="--trace, --base")
    return [prepare(name, trace)]


def _stories(subject: Subject, claim: str, base: str | None) -> list[Prepared]:
    """The claim's recorded stories of this release; OtherModelError where their model does something else."""
    release, title = _one_release(subject, base), subject.named(claim)[0].name
    found = recorded_stories().about(subject.name).of(title)
    own = {name: trace for name, trace in found.items() if classes_of(trace) == release}
    if not own:
        raise typer.BadParameter(f"no cause of {title} is recorded for {release}", param_hint="CLAIM")
    return [prepare(name, trace) for name, trace in own.items()]


def _one_release(subject: Subject, base: str | None) -> str:
    """The release whose jars are behind the patched classes."""
    if subject.rigging is None:
        raise NotStartedError(
            f"{subject.name} says nothing of how its actions are done on the real classes (a rigging), so no class "
            f"path can be compared with it; possible for {', '.join(rigged_subjects())}"
        )
    usual = usual_releases(subject.model)
    if base is None and len(usual) > 1:
        raise typer.BadParameter("name the release whose jars are behind the classes", param_hint="--base")
    return read_lock(base or usual[0].name).release


def _judge(subject: Subject, patch: _Patch, stories: Sequence[Prepared], progress: Progress) -> Judgement:
    own, tell, release = patch.patched.own, progress.reporter(), patch.base.release
    assert own is not None
    drift, fixes = drift_of(subject, release, own), patch.classes.fixes
    base = [*replay_on(patch.base, stories, patch.gates, tell=tell)]
    patched = [*replay_on(patch.patched, stories, patch.gates, loosely=True, watched=drift.places, tell=tell)]
    chosen = [fix for fix in subject.model.fixes if fix.name in fixes]
    causes = tuple(
        JudgedCause(on_base, on_patch, *drift.becomes(on_patch), happens_with(story, chosen))
        for story, on_base, on_patch in zip(stories, base, patched, strict=True)
    )
    claim = stories[0].trace.property.name
    return Judgement(claim, release, drift, causes, _conform(subject, patch, stories, drift, progress), fixes)


def _conform(
    subject: Subject, patch: _Patch, stories: Sequence[Prepared], drift: Drift, progress: Progress
) -> tuple[Conformed, ...]:
    """The components of the causes, compared with the patched classes."""
    steps = patch.classes.steps
    settings = components_of(stories, patch.classes.fixes) if steps else []
    total = steps * len(settings)
    watched, tell = drift.places, progress.reporter()
    found = conform_settings(
        patch.patched, subject, settings, steps=total, seed=0, gates=Gates.WOVEN, watched=watched, tell=tell
    )
    return tuple(found) if settings else ()

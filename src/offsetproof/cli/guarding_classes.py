"""`guard --classpath`: what the baseline says of a release, asked of somebody's own classes in front of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import typer

from offsetproof.cli import options
from offsetproof.cli.conform_verb import rig_to_conform
from offsetproof.cli.progress import Progress
from offsetproof.conformance.drift import drift_of
from offsetproof.conformance.on_release import (
    NoRiggingError,
    ReplayOnRelease,
    of_release,
    prepare,
    replay_on,
    rigged_subjects,
)
from offsetproof.conformance.walks import conform_settings
from offsetproof.conformance.with_fixes import happens_with
from offsetproof.guard.comparison import ComparedQuestion
from offsetproof.guard.drift import Drifted, affected_settings, judged_by_drift
from offsetproof.lang.subject import Subject
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.jars import read_lock
from offsetproof.real.sidecar import Gates
from offsetproof.traces.recorded_stories import recorded_stories


def refuse_odd_options(classes: options.OwnClassesOptions, releases: Sequence[str], *, update: bool) -> None:
    """BadParameter for options that mean nothing, or the wrong thing, together."""
    if classes.class_path is None and classes.fix:
        raise typer.BadParameter("it is for --classpath: the baseline is of the release", param_hint="--fix")
    if classes.class_path is not None and update:
        raise typer.BadParameter("the baseline is of the release, not of other classes", param_hint="--update")
    if classes.class_path is not None and len(releases) > 1:
        raise typer.BadParameter("name the one release whose jars are behind the classes", param_hint="--release")


def rig_of_own_classes(
    subject: Subject, classes: options.OwnClassesOptions, releases: Sequence[str], progress: Progress
) -> CompiledRig | None:
    """The rig with somebody's own classes in front of the release's; None where there are none."""
    if classes.class_path is None:
        return None
    return rig_to_conform(one_release(subject, releases), classes.class_path, progress)


def one_release(subject: Subject, releases: Sequence[str]) -> str:
    """The release whose jars are behind somebody's own classes."""
    if subject.rigging is None:
        raise NoRiggingError(
            f"{subject.name} says nothing of how its actions are done on the real classes (a rigging), so no class "
            f"path can be compared with it; possible for {', '.join(rigged_subjects())}"
        )
    known = [release.name for release in subject.model.releases]
    if not releases and len(known) > 1:
        raise typer.BadParameter("name the release whose jars are behind the classes", param_hint="--release")
    return read_lock((releases or known)[0]).release


def drifted_guard(
    subject: Subject,
    rig: CompiledRig,
    done: Sequence[ComparedQuestion],
    classes: options.OwnClassesOptions,
    progress: Progress,
) -> tuple[list[ComparedQuestion], Drifted]:
    """The comparisons as they are of the rig's own classes, with the fixes that they are said to have.

    The components that the affected questions are asked in are compared with the classes, for that many steps each;
    then the recorded stories that the fixes rule out are tried.
    """
    assert rig.own is not None
    drift = drift_of(subject, rig.release, rig.own)
    overlaid = [replace(each, overlay=classes.fixes) for each in done]
    settings = affected_settings(overlaid, drift) if classes.steps else []
    tell = progress.reporter()
    total = classes.steps * len(settings)
    conforming = conform_settings(
        rig, subject, settings, steps=total, seed=0, gates=Gates.WOVEN, watched=drift.places, tell=tell
    )
    drifted = Drifted(drift)
    if settings:
        drifted = Drifted(drift, tuple(conforming), _replay_ruled_out(subject, rig, classes.fixes, progress))
    return judged_by_drift(overlaid, drifted), drifted


def _replay_ruled_out(
    subject: Subject, rig: CompiledRig, fixes: Sequence[str], progress: Progress
) -> tuple[ReplayOnRelease, ...]:
    """The recorded stories of the release that the model with the fixes cannot do, on the rig's own classes."""
    chosen = [fix for fix in subject.model.fixes if fix.name in fixes]
    own = of_release(recorded_stories().about(subject.name), [rig.release]) if chosen else {}
    stories = [prepare(name, trace) for name, trace in own.items()]
    ruled_out = [each for each in stories if not happens_with(each, chosen)]
    return tuple(replay_on(rig, ruled_out, Gates.WOVEN, loosely=True, tell=progress.reporter())) if ruled_out else ()

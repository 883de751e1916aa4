"""Conformance of a subject: each of its settings walked on the model and on the classes of a release, side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from offsetproof.checking.request import Request, questions_of
from offsetproof.conformance.on_release import anchors_of, lines_of, rigged_subjects, running
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.conform import Conformance, Conformer
from offsetproof.real.own_classes import OwnClasses
from offsetproof.real.program import AbsentError, JavaLine
from offsetproof.real.replay import Replayer
from offsetproof.real.schedule import RigSchedule
from offsetproof.real.sidecar import CommandRefusedError, Gates
from offsetproof.verdict.prerequisite import NotStartedError

_NOT_ON_RELEASE = "offsetproof.NotOnReleaseException: "


@dataclass(frozen=True)
class Conformed:
    """How one setting of a subject was compared with a release, or against classes in front of it (`own`).

    `component` names it: the scope, and the listener. `fixes` are those that the classes are said to have. `not_held`
    says why nothing was compared: the classes lack a place at which a step begins, the rig has no such part on this
    release, or there was no step. `lacking` are actions for which the release has no place, each with the reason: walks
    do not take them.
    """

    subject: str
    component: str
    release: str
    result: Conformance
    seconds: float
    fixes: tuple[str, ...] = ()
    own: OwnClasses | None = None
    not_held: str = ""
    lacking: Mapping[str, str] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        """Were the two compared, could each action be done, and was nothing different?"""
        return not (self.not_held or self.lacking or self.result.disagreements) and self.result.steps > 0


def settings_to_conform(
    subject: Subject, scope: str | None = None, fixes: Sequence[str] = (), release: str = ""
) -> list[Setting]:
    """The settings of the subject's own questions that change nothing in the release, each once; or those of one scope.

    With `fixes` those that change just this. They are of this release where the model knows it, else of its usual one.
    UnknownNameError for a scope that no such question is asked in.
    """
    settings: dict[tuple[str, object], Setting] = {}
    releases = tuple(each.name for each in subject.model.releases if each.jars == release)
    for question in questions_of(Request(subject, releases=releases, fixes=tuple(fixes))):
        setting = question.setting
        if _changed_by_fixes(setting) == set(fixes) and not setting.assumptions:
            settings.setdefault((setting.scope.name, (setting.listener, setting.release)), setting)
    if scope is not None and scope not in {name for name, _ in settings}:
        raise UnknownNameError("scope", scope, [*dict.fromkeys(name for name, _ in settings)])
    return [setting for (name, _), setting in settings.items() if scope in (None, name)]


def _changed_by_fixes(setting: Setting) -> set[str]:
    """The fixes of a setting that its releases do not have already."""
    released = replace(setting, fixes=())
    return {fix.name for fix in setting.fixes if not all(map(released.behaves, fix.adds))}


def conform_settings(
    rig: CompiledRig,
    subject: Subject,
    settings: Sequence[Setting],
    *,
    steps: int,
    seed: int,
    gates: Gates,
    watched: Iterable[JavaLine] = (),
    tell: Callable[[object], None] = lambda said: None,
) -> Iterator[Conformed]:
    """Walks each setting for its share of the steps, up to its first disagreement. ProgramFailedError if the JVM dies.

    Each says which of the `watched` places were come to.
    """
    places = tuple(watched)
    with running(rig, gates) as sidecar:
        for number, setting in enumerate(settings):
            share = steps // len(settings) + (number < steps % len(settings))
            component = component_of(setting)
            tell(f"{component} ({number + 1} of {len(settings)})")
            begun = time.monotonic()
            staged, result, not_held = Staged(subject.model, setting), Conformance(), ""
            schedule, lacking = _schedule_in(subject, staged, rig)
            try:
                result = Conformer(staged, Replayer(sidecar, schedule, watched=places), seed + number).go(share)
            except AbsentError as error:
                not_held = str(error)
            except CommandRefusedError as error:
                not_held = _not_on_release(error)
            not_held = not_held or why_nothing(result, share)
            fixes, seconds = tuple(fix.name for fix in setting.fixes), time.monotonic() - begun
            yield Conformed(subject.name, component, rig.release, result, seconds, fixes, rig.own, not_held, lacking)


def why_nothing(result: Conformance, share: int) -> str:
    """Why no step was compared; empty where some were, or the two differ before the first."""
    if result.steps or result.disagreements:
        return ""
    if share == 0:
        return "no step was compared: there are fewer steps than components; --steps says how many"
    return "no step was compared: none that the model allows at first can be done there"


def _schedule_in(subject: Subject, staged: Staged, rig: CompiledRig) -> tuple[RigSchedule, dict[str, str]]:
    """Where steps begin in a rig's classes, and the actions for which its release has no place."""
    return schedule_of(subject, staged, rig.release, rig.own).in_release(lines_of(subject, rig.release))


def _not_on_release(error: CommandRefusedError) -> str:
    """What the rig says that it cannot be on its release; any other error is raised again."""
    if not error.why.startswith(_NOT_ON_RELEASE):
        raise error
    return error.why.removeprefix(_NOT_ON_RELEASE)


def component_of(setting: Setting) -> str:
    """How reports call a setting: its scope, and its listener."""
    return setting.scope.name + (f", {setting.listener.name}" if setting.listener else "")


def schedule_of(subject: Subject, staged: Staged, release: str, own: OwnClasses | None = None) -> RigSchedule:
    """Where the steps of a setting begin in a release, or in classes in front of it.

    A step whose place these do not have begins where its method does: what it leaves is compared all the same.
    NotStartedError where nobody has said how they are done there.
    """
    rigging = subject.rigging_in(staged.setting)
    if rigging is None:
        raise NotStartedError(
            f"{subject.name} does not say how its actions are done on the real classes (a rigging); "
            f"{' and '.join(rigged_subjects())} do"
        )
    rigging = rigging.on_classes_with(behaviour.name for behaviour in staged.setting.behaviours)
    return RigSchedule(rigging, anchors_of(staged), lines_of(subject, release, own), own.beginning if own else None)

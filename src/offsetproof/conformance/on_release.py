"""Traces on the classes of a release: what each needs for that, and one JVM that replays them one after the other.

A trace must be what its model does now, else nothing that it meets on the real classes would say anything about the
model. So it is replayed there first, and refused where it differs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from offsetproof.checking.catalogue import BUILT_INS, SINGLES
from offsetproof.checking.replaying import question_of_trace, replay_trace
from offsetproof.lang.anchor import Anchor, AnchorLines
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.rigging import Rigging
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.programs import ProgramFailedError
from offsetproof.real.compiling import CompiledRig, compile_rig
from offsetproof.real.fetching import fetch
from offsetproof.real.kept_logs import KeptLog
from offsetproof.real.own_classes import OwnClasses, read_class_path
from offsetproof.real.program import AbsentError, JavaLine
from offsetproof.real.replay import OutcomeKind, Replayer, ReplayOutcome, flat
from offsetproof.real.schedule import NOWHERE, RigSchedule
from offsetproof.real.sidecar import Gates, Sidecar, folder_of_jvm
from offsetproof.traces.trace import Trace, TraceStep
from offsetproof.verdict.prerequisite import NotStartedError
from offsetproof.verdict.question import Question

PATIENCE = 30.0
"""How many seconds one trace may take on the real classes."""


class OtherModelError(Exception):
    """The trace is not what its model does now; the message says where they part.

    `replay` leaves it out, with code 20; `judge` has nothing to compare, with code 30.
    """


@dataclass(frozen=True)
class Prepared:
    """A trace that its model still does, under the name that reports show, with its steps in the order of its times."""

    name: str
    trace: Trace
    subject: Subject
    rigging: Rigging
    replay: Replay

    @cached_property
    def question(self) -> Question:
        """The question that the trace answers."""
        return question_of_trace(self.subject, self.trace)

    def rests_on_fixes(self, step: int) -> bool:
        """Is the model another one without the trace's fixes, up to this step?"""
        setting = replace(self.question.setting, fixes=())
        without, now = Reference(self.question.model, setting), self.replay.states[0]
        for label, after in zip(self.replay.labels[:step], self.replay.states[1:], strict=False):
            taken = without.take(now, label) if label in without.grown.instances else None
            if taken != after:
                return True
            now = after
        return False

    def schedule(self, release: str, own: OwnClasses | None = None, *, loosely: bool = False) -> RigSchedule:
        """Where the steps of the actions that there are in the trace's setting begin and end in a release.

        Classes in front of it are taken to have the trace's fixes; the release alone has its own behaviours. With
        `loosely` a place that they do not have is where its method begins.
        """
        staged = Staged(self.subject.model, self.question.setting)
        setting = self.question.setting if own is not None else replace(self.question.setting, fixes=())
        rigging = self.rigging.on_classes_with(each.name for each in setting.behaviours)
        instead = (lambda anchor: own.beginning(anchor) or NOWHERE) if own is not None and loosely else None
        return RigSchedule(rigging, anchors_of(staged), lines_of(self.subject, release, own), instead)


Values = tuple[Any, Any]
"""What a field held before a step and after it."""


@dataclass(frozen=True)
class StepOnBoth:
    """A step on both sides: where it begins in the release, and the fields that it changed, in the model and really.

    `silent`: it has no line of its own in what the code does there, and changes nothing. A field that one side did not
    change has None there.
    """

    step: TraceStep
    place: str
    silent: bool
    changes: Mapping[str, tuple[Values | None, Values | None]]


@dataclass(frozen=True)
class ReplayOnRelease:
    """What became of a trace on the classes of a release, or on others in front, and how many seconds that took."""

    prepared: Prepared
    release: str
    gates: Gates
    outcome: ReplayOutcome
    seconds: float
    own: OwnClasses | None = None

    @property
    def name(self) -> str:
        """The trace's name."""
        return self.prepared.name

    @property
    def trace(self) -> Trace:
        """The trace as it was replayed."""
        return self.prepared.trace

    @property
    def parted(self) -> TraceStep | None:
        """The step after which model and real classes differ, if there is one."""
        number = self.outcome.step
        return self.trace.steps[number - 1] if number else None

    def place_of(self, step: TraceStep) -> str:
        """The place that a step stands for, with its line in this release; empty where it stands for none."""
        for anchor in step.stands_for[:1]:
            tables = lines_of(self.prepared.subject, self.release, self.own)
            lines = (table.line_of[anchor.unplaced] for table in tables if anchor.unplaced in table.line_of)
            return str(replace(anchor, line=next(lines, None)))
        return ""

    @cached_property
    def steps(self) -> tuple[StepOnBoth, ...]:
        """The steps that were done, on both sides."""
        seen = self.prepared.rigging.fields_in_rig
        real = [flat(state) for state in self.outcome.real_states]
        both = zip(self.trace.steps, pairwise(map(seen, self.trace.states)), pairwise(real), strict=False)
        return tuple(
            StepOnBoth(step, self.place_of(step), step.number in self.outcome.silent, _changes(*model, *actual))
            for step, model, actual in both
        )


def rigged_subjects() -> list[str]:
    """The built-in subjects whose traces can be replayed on the real classes."""
    return [name for name, entry in SINGLES.items() if entry.subjects[0].rigging is not None]


def anchors_of(staged: Staged) -> dict[str, tuple[Anchor, ...]]:
    """What the actions stand for that can happen in a setting, by their names."""
    possible = staged.actions.keys() - staged.impossible_actions
    return {name: action.stands_for for name, action in staged.actions.items() if name in possible}


def prepare(name: str, trace: Trace) -> Prepared:
    """The trace, once its model has done it; OtherModelError where that does something else.

    NotStartedError where its subject has no rigging.
    """
    entry = BUILT_INS.get(trace.subject or "")
    subject = None if entry is None or entry.is_family else entry.subjects[0]
    rigging = None if subject is None else subject.rigging_in(question_of_trace(subject, trace).setting)
    if subject is None or rigging is None:
        whose = "a model that it does not name" if trace.subject is None else trace.subject
        raise NotStartedError(
            f"{name}: the trace is of {whose}, which says nothing of how its actions are done on the real classes "
            f"(a rigging); {' and '.join(rigged_subjects())} can be replayed"
        )
    replayed = replay_trace(trace)
    if not replayed.agrees or replayed.replay is None:
        raise OtherModelError(f"{name}: {replayed}; only what the model does now is replayed on the real classes")
    return Prepared(name, trace.story, subject, rigging, replayed.replay)


def rig_of(
    release: str, tell: Callable[[object], None] = lambda said: None, class_path: str | None = None
) -> CompiledRig:
    """The compiled rig of a release, whose jars are fetched if they are not there; what `class_path` has stands first.

    UnknownNameError where there is no such release, UnusableFileError for a class path that cannot be used,
    PrerequisiteError for what is missing, OSError for the cache.
    """
    jars = fetch(release, tell=tell).jars
    own = None if class_path is None else read_class_path(class_path, jars)
    tell("compiling the rig")
    return compile_rig(jars, own)


def replay_on(
    rig: CompiledRig,
    traces: Sequence[Prepared],
    gates: Gates,
    *,
    patience: float = PATIENCE,
    loosely: bool = False,
    watched: Iterable[JavaLine] = (),
    logs: Path | None = None,
    tell: Callable[[object], None] = lambda said: None,
) -> Iterator[ReplayOnRelease]:
    """Replays traces one after the other in one JVM, which is gone afterwards with all that it has written.

    With `loosely` a step may begin where its method does, in classes that do not have its place, and what can be done
    of the steps behind one that differs is done as well. Outcomes tell which of the `watched` places were come to.
    What RocketMQ has logged during each trace is kept in the folder `logs`, where one is given. Where the JVM ends or
    hangs, ProgramFailedError says in which trace, and its log stays where the message says.
    """
    with running(rig, gates, patience, "WARN" if logs is None else "INFO") as sidecar:
        log = KeptLog(sidecar.client_log, logs)
        schedules: dict[tuple[object, ...], RigSchedule] = {}
        places = tuple(watched)
        for number, each in enumerate(traces, 1):
            tell(f"{each.name} ({number} of {len(traces)})")
            key = (each.subject.name, each.question.setting.key)
            if key not in schedules:
                schedules[key] = each.schedule(rig.release, rig.own, loosely=loosely)
            begun, schedule = time.monotonic(), schedules[key]
            with log.during(each.name):
                outcome = _outcome(each, rig, partial(Replayer, sidecar, schedule, to_the_end=loosely, watched=places))
            sidecar.ask("close")  # what clients log when they are taken apart is not part of the next trace
            yield ReplayOnRelease(each, rig.release, gates, outcome, time.monotonic() - begun, rig.own)


def _outcome(each: Prepared, rig: CompiledRig, replayer: Callable[[], Replayer]) -> ReplayOutcome:
    try:
        outcome = replayer().replay(each.trace)
    except AbsentError as error:
        return ReplayOutcome(OutcomeKind.NOT_FORCEABLE, 0, reason=str(error))
    except ProgramFailedError as error:
        raise ProgramFailedError(f"{each.name}: {error}") from error
    if outcome.kind is not OutcomeKind.DIVERGED or not each.rests_on_fixes(outcome.step or 0):
        return outcome
    fixes = " and ".join(each.trace.world.fixes)
    whose = "the release does" if rig.own is None else "these classes do"
    reason = f"rests on {fixes}, which {whose} not have: {outcome.reason}"
    return replace(outcome, kind=OutcomeKind.NOT_FORCEABLE, reason=reason)


def lines_of(subject: Subject, release: str, own: OwnClasses | None = None) -> list[AnchorLines]:
    """The lines of a subject's anchors in a release, or in the classes that stand in front of it, for each role."""
    tables = [table for table in subject.model.anchor_lines if table.release == release]
    return tables if own is None else [*map(own.lines, tables)]


def _changes(
    before: Mapping[str, Any], after: Mapping[str, Any], real_before: Mapping[str, Any], real_after: Mapping[str, Any]
) -> dict[str, tuple[Values | None, Values | None]]:
    """The fields that either side has changed, of those that both show."""
    changes = {}
    for name in dict.fromkeys((*before, *after)):
        both = _change(name, before, after), _change(name, real_before, real_after)
        if any(both):
            changes[name] = both
    return changes


def _change(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Values | None:
    old, new = (sorted(v) if isinstance(v, frozenset) else v for v in (before.get(name), after.get(name)))
    return None if old == new else (old, new)


@contextmanager
def running(rig: CompiledRig, gates: Gates, patience: float = PATIENCE, level: str = "WARN") -> Iterator[Sidecar]:
    """A JVM with the rig, which is gone afterwards with all that it has written.

    ProgramFailedError says where its log is.
    """
    with folder_of_jvm() as folder, Sidecar(rig, folder, gates, patience, level) as sidecar:
        yield sidecar


def of_release(traces: Mapping[str, Trace], releases: Iterable[str]) -> dict[str, Trace]:
    """Those on the classes of the releases, or all where none is named, whose subject has a rigging."""
    subjects, wanted = rigged_subjects(), [*releases]
    rigged = {name: trace for name, trace in traces.items() if trace.subject in subjects}
    return {name: trace for name, trace in rigged.items() if not wanted or classes_of(trace) in wanted}


def classes_of(trace: Trace) -> str | None:
    """The release whose published classes a trace is about."""
    release, entry = trace.world.release, SINGLES.get(trace.subject or "")
    return release if entry is None or release is None else entry.subjects[0].published_as(release)

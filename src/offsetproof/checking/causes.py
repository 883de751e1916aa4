"""What is known of a recorded story: its case, in which releases that is refuted, and what to do.

All of it is read from the catalogue of claims and the recorded stories; nothing is written here by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.remedies import remedies_in
from offsetproof.checking.request import question_of
from offsetproof.lang.cases import HOLDS, REFUTED, Expectation, Remedy
from offsetproof.lang.claim import Property
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.reference import Reference, Replay, ReplayError
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.setting import Fix, Release, Setting
from offsetproof.lang.subject import Subject
from offsetproof.traces.recorded_stories import mechanisms, recorded_stories
from offsetproof.traces.trace import Trace

RELEASES = ("4.9.4", "4.9.8", "5.3.3-client-reset", "5.3.3", "5.5.0")
"""The releases that are asked where nothing says which one it is, the oldest first."""


@dataclass(frozen=True)
class Cause:
    """A story with what its case says.

    The very steps happen in the releases of `happens_in`; the case is refuted in those of `refuted_in`, perhaps by
    other steps. `now` is what an operator can do, `changes` are changes of RocketMQ that mend it.
    """

    story: str
    subject: str
    case: str
    claim: str
    sentence: str
    happens_in: tuple[str, ...]
    refuted_in: tuple[str, ...]
    holds_in: tuple[str, ...]
    now: tuple[str, ...]
    changes: tuple[str, ...]
    faults: int
    stall: float | None
    effect: str


@cache
def subject_named(name: str) -> Subject:
    """A built-in subject."""
    return SINGLES[name].subjects[0]


@cache
def happens_in(story: str, release: str) -> bool:
    """Can the steps of a recorded story be taken in a release, and does its claim fail at their end alone?"""
    return trace_happens_in(recorded_stories()[story], release)


def trace_happens_in(trace: Trace, release: str, *, with_fixes: bool = False) -> bool:
    """The same of any trace of a built-in subject; `with_fixes`: with those that it is world with."""
    if trace.world.release == release and (with_fixes or not trace.world.fixes):
        return True
    subject = subject_named(str(trace.subject))
    world = replace(trace.world.claim(trace.property.id), release=release)
    try:
        question = question_of(subject, world if with_fixes else replace(world, fixes=()))
        setting = question.setting if with_fixes else replace(question.setting, fixes=())
        labels = [step.label for step in trace.steps]
        Replay(Reference(question.model, setting), question.prop, labels, cycle_at=trace.cycle_at)
    except (ReplayError, UnknownNameError, DeclarationError):
        return False
    return True


@cache
def cause_of_story(story: str, release: str) -> Cause:
    """What is known of a recorded story, told for a release."""
    return cause_of_trace(story, recorded_stories()[story], release)


def cause_of_trace(name: str, trace: Trace, release: str) -> Cause:
    """The same of any trace of a built-in subject."""
    subject = subject_named(str(trace.subject))
    prop = subject.find(trace.property.id)
    changes = changes_for(subject, prop, release)
    now = tuple(dict.fromkeys(part for doing in doings_for(subject, prop, release) for part in doing.parts))
    return Cause(
        name,
        subject.name,
        prop.id,
        prop.name,
        mechanisms().get(name) or prop.case.why or prop.about,
        tuple(each for each in RELEASES if trace_happens_in(trace, each)),
        refuted_in(subject, prop),
        holds_in(subject, prop),
        now,
        changes or (() if now or not prop.case.no_remedy else (prop.case.no_remedy,)),
        trace.faults,
        trace.timing.stall if trace.timing else None,
        str(trace.effect) if trace.effect else "",
    )


def refuted_in(subject: Subject, prop: Property) -> tuple[str, ...]:
    """The releases, of those that have what the case is stated with, in which it is refuted in any of its scopes."""
    return tuple(each for each in releases_asked_of(subject, prop) if REFUTED in verdicts_in(subject, prop, each))


def holds_in(subject: Subject, prop: Property) -> tuple[str, ...]:
    """The releases, of those that have what the case is stated with, in which it holds in all of its scopes."""
    return tuple(each for each in releases_asked_of(subject, prop) if verdicts_in(subject, prop, each) == {HOLDS})


def releases_asked_of(subject: Subject, prop: Property) -> tuple[str, ...]:
    """The releases that somebody runs as a case is stated.

    A fix that some release has is no patch: with it the case is about that release, and not about one without it.
    A tool alone may be of another release than what it is used with.
    """
    model, patches = subject.model, patches_of(subject, prop)
    released = [each for fix in prop.fixes if fix not in patches for each in fix.adds]
    own = [each for each in released if each.role in model.roles]
    named = (each for each in model.releases if each.name in RELEASES and all(map(each.shows, own)))
    return tuple(each.name for each in named)


def patches_of(subject: Subject, prop: Property) -> tuple[Fix, ...]:
    """The fixes with which a case is stated and that no release has."""
    releases = subject.model.releases
    return tuple(fix for fix in prop.fixes if not any(all(map(each.shows, fix.adds)) for each in releases))


@dataclass(frozen=True)
class Doing:
    """What an operator or a listener can do, all of `parts`, and the case that holds where it is done.

    `case` is empty where none states it; `world` says where it was decided. `is_procedure`: each part says what to do,
    and not only what has to be so.
    """

    parts: tuple[str, ...]
    case: str
    world: str
    is_procedure: bool


@cache
def doings_for(subject: Subject, prop: Property, release: str) -> tuple[Doing, ...]:
    """What operators and listeners can do about a refuted case in a release, without a change of RocketMQ."""
    return tuple(_doing(remedy, prop, subject) for remedy in _remedies(subject, prop, release) if not remedy.fixes)


def changes_for(subject: Subject, prop: Property, release: str) -> tuple[str, ...]:
    """What changes of RocketMQ mend a refuted case in a release."""
    fixes = (remedy.fixes for remedy in _remedies(subject, prop, release) if remedy.fixes)
    return tuple(dict.fromkeys(" and ".join(f"{fix.name}: {fix.about}" for fix in each) for each in fixes))


def _remedies(subject: Subject, prop: Property, release: str) -> tuple[Remedy, ...]:
    known = release_of(subject, release)
    return remedies_in(subject, prop, dict.fromkeys(subject.model.roles, known)) if known else ()


def _doing(remedy: Remedy, prop: Property, subject: Subject) -> Doing:
    own = [each for each in remedy.assumptions if each not in prop.assumptions]
    parts = [each.today or f"see to it that {each.about}" for each in own]
    listener = remedy.listener
    usual = listener is not None and listener in subject.model.listeners[:1]
    if listener is not None:
        parts.append(f"the listener {listener.about}")
    return Doing(tuple(parts), remedy.case, remedy.world, all(each.today for each in own) and not usual)


def release_of(subject: Subject, name: str) -> Release | None:
    """The release of a subject's model with this name, if it has it."""
    return next((each for each in subject.model.releases if each.name == name), None)


@cache
def verdict_by_scope(subject: Subject, prop: Property, release: str) -> Mapping[str, Expectation]:
    """The verdict of a case in a release, by the name of the scope; none where the model has no such release."""
    known = release_of(subject, release)
    return subject.expected_in(known, prop) if known else {}


def verdicts_in(subject: Subject, prop: Property, release: str) -> frozenset[Expectation]:
    """The verdicts that a case has in a release, in any of its scopes."""
    return frozenset(verdict_by_scope(subject, prop, release).values())


def scopes_refuted(subject: Subject, prop: Property, release: str) -> tuple[str, ...]:
    """The scopes in which a case is expected to be refuted in a release."""
    return tuple(scope for scope, verdict in verdict_by_scope(subject, prop, release).items() if verdict is REFUTED)


def setting_named(subject: Subject, release: str, scope: str) -> Setting:
    """A scope of a subject in a release; LookupError where there is no such release."""
    known = release_of(subject, release)
    if known is None:
        raise LookupError(f"{subject.name} has no release {release}")
    return Setting(subject.scope(scope), dict.fromkeys(subject.model.roles, known))

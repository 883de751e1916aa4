"""What is known of a story that explains a finding: its case, in which releases that is refuted, and what to do.

All of it is read from the catalogue of claims and the recorded stories: nothing is written here by hand but which
claims a kind of finding may be about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from offsetproof.audit.finding import CLAIM_OF, FindingKind
from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.remedies import remedies_in
from offsetproof.checking.request import question_of
from offsetproof.lang.cases import HOLDS, REFUTED, Expectation
from offsetproof.lang.claim import Property
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.reference import Reference, Replay, ReplayError
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.setting import Assumption, Release, Setting
from offsetproof.lang.subject import Subject
from offsetproof.traces.recorded_stories import mechanisms, recorded_stories
from offsetproof.traces.trace import Trace

ALSO: Mapping[FindingKind, tuple[str, ...]] = {
    FindingKind.COMMIT_REGRESSION: ("I2", "I5", "I7", "I16", "I17", "I18", "I27"),
    FindingKind.RESET_OVERRIDDEN: ("I7", "I28", "I29"),
    FindingKind.RESET_WITHOUT_EFFECT: ("I5", "I21", "I28"),
    FindingKind.MARKER_TAKEN_BY_OTHER: ("I6",),
    FindingKind.RANGE_SKIPPED: ("I1", "I26", "I27"),
    FindingKind.RANGE_REPEATED: ("I10", "I14", "I16", "I20", "I27", "I29", "I30"),
    FindingKind.NEW_GROUP_FROM_ZERO: ("I4-new-group",),
    FindingKind.NEW_GROUP_FROM_END: ("I4-new-group",),
    FindingKind.COMMIT_WITHOUT_QUEUE: ("I5", "I17", "I18", "I27"),
    FindingKind.CLIENT_ID_TWICE: ("I8-heals-one-id",),
    FindingKind.OFFSET_PINNED: ("I23", "I32", "I34"),
    FindingKind.SAME_START_AGAIN: ("I31", "I34"),
    FindingKind.PULL_BEYOND_END: ("I4-fail-over",),
}
"""Claims, or cases, beside the one of `CLAIM_OF` whose stories may show a kind of finding."""

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


def is_about(kind: FindingKind, case: str) -> bool:
    """May the stories of a case show a kind of finding?"""
    return is_own_claim(kind, case) or any(map(partial(_is_of, case), ALSO.get(kind, ())))


def is_own_claim(kind: FindingKind, case: str) -> bool:
    """Is a case one of the very claim that a kind of finding breaks?"""
    claim = CLAIM_OF[kind]
    return claim is not None and _is_of(case, claim)


def _is_of(case: str, claim: str) -> bool:
    return case == claim or case.startswith(f"{claim}-")


@cache
def candidates(kind: FindingKind, release: str) -> tuple[str, ...]:
    """The recorded stories that may explain a kind of finding in a release: their very steps happen there.

    One that is told with a fix must happen without it as well: nobody runs the fix.
    """
    return tuple(
        name
        for name, trace in recorded_stories().items()
        if is_about(kind, trace.property.id) and happens_in(name, release)
    )


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
        Replay(Reference(question.model, setting), question.prop, [step.label for step in trace.steps])
    except (ReplayError, UnknownNameError, DeclarationError):
        return False
    return True


@cache
def cases_refuted(kind: FindingKind, release: str) -> tuple[tuple[Subject, Property], ...]:
    """The cases without fixes that a kind of finding may be about, and that are refuted in a release."""
    return tuple(
        (subject, prop)
        for subject in map(subject_named, SINGLES)
        for prop in subject.properties
        if is_about(kind, prop.id) and not prop.fixes and REFUTED in _verdicts_of(subject, prop, release)
    )


def cause_of_story(story: str, release: str) -> Cause:
    """What is known of a recorded story, told for a release."""
    return cause_of_trace(story, recorded_stories()[story], release)


def cause_of_trace(name: str, trace: Trace, release: str) -> Cause:
    """The same of any trace of a built-in subject."""
    subject = subject_named(str(trace.subject))
    prop = subject.find(trace.property.id)
    by_verdict = {
        verdict: tuple(each for each in RELEASES if verdict in _verdicts_of(subject, prop, each))
        for verdict in (REFUTED, HOLDS)
    }
    now, changes = _remedies(subject, prop, release)
    return Cause(
        name,
        subject.name,
        prop.id,
        prop.name,
        mechanisms().get(name) or prop.case.why or prop.about,
        tuple(each for each in RELEASES if trace_happens_in(trace, each)),
        by_verdict[REFUTED],
        tuple(each for each in by_verdict[HOLDS] if each not in by_verdict[REFUTED]),
        now,
        changes,
        trace.faults,
        trace.timing.stall if trace.timing else None,
        str(trace.effect) if trace.effect else "",
    )


def _remedies(subject: Subject, prop: Property, release: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What operators can do, and what changes of RocketMQ mend the case."""
    model = subject.model
    known = {each.name: each for each in model.releases}
    if release not in known:
        return (), ()
    now: list[str] = []
    changes: list[str] = []
    for remedy in remedies_in(subject, prop, dict.fromkeys(model.roles, known[release])):
        if remedy.fixes:
            changes.append(" and ".join(f"{fix.name}: {fix.about}" for fix in remedy.fixes))
        else:
            now += _doing(remedy.assumptions, prop)
            now += [f"the listener {remedy.listener.about}"] if remedy.listener else []
    if not now and not changes and prop.case.no_remedy:
        changes.append(prop.case.no_remedy)
    return tuple(dict.fromkeys(now)), tuple(dict.fromkeys(changes))


def _doing(assumptions: Sequence[Assumption], prop: Property) -> Iterator[str]:
    for each in assumptions:
        if each not in prop.assumptions:
            yield each.today or f"see to it that {each.about}"


@cache
def _verdicts_of(subject: Subject, prop: Property, release: str) -> frozenset[Expectation]:
    """The verdicts that a case has in a release, in any of its scopes."""
    known: dict[str, Release] = {each.name: each for each in subject.model.releases}
    if release not in known:
        return frozenset()
    return frozenset(subject.expected_in(known[release], prop).values())


def scopes_refuted(subject: Subject, prop: Property, release: str) -> tuple[str, ...]:
    """The scopes in which a case is expected to be refuted in a release."""
    known = {each.name: each for each in subject.model.releases}
    return tuple(scope for scope, verdict in subject.expected_in(known[release], prop).items() if verdict is REFUTED)


def setting_named(subject: Subject, release: str, scope: str) -> Setting:
    """A scope of a subject in a release."""
    known = {each.name: each for each in subject.model.releases}
    return Setting(subject.scope(scope), dict.fromkeys(subject.model.roles, known[release]))

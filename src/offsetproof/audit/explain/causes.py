"""Which recorded stories, and which refuted cases, a kind of finding may be about.

What is known of a story itself is in `checking/causes.py`; here stands alone which claims belong to a kind of finding.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from offsetproof.audit.gold.finding import CLAIM_OF, FindingKind
from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.causes import happens_in, subject_named, trace_happens_in, verdicts_in
from offsetproof.lang.cases import REFUTED
from offsetproof.lang.claim import Property
from offsetproof.lang.subject import Subject
from offsetproof.traces.recorded_stories import recorded_stories

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
    FindingKind.SAME_START_AGAIN: ("I24-broadcast", "I31", "I34"),
    FindingKind.PULL_BEYOND_END: ("I4-fail-over",),
}
"""Claims, or cases, beside the one of `CLAIM_OF` whose stories may show a kind of finding."""


def is_about(kind: FindingKind, case: str) -> bool:
    """May the stories of a case show a kind of finding?"""
    return is_own_claim(kind, case) or any(map(partial(_is_of, case), ALSO.get(kind, ())))


def is_own_claim(kind: FindingKind, case: str) -> bool:
    """Is a case one of the very claim that a kind of finding breaks?"""
    claim = CLAIM_OF[kind]
    return claim is not None and _is_of(case, claim)


def _is_of(case: str, claim: str) -> bool:
    return case == claim or case.startswith(f"{claim}-")


HISTORY = frozenset({"start-persisted"})
"""What a longer history gives as well as a fix: the file has an offset of the queue before the story begins."""


@cache
def has_story(kind: FindingKind) -> bool:
    """Is any recorded story, of any release, about a kind of finding?"""
    return any(is_about(kind, case) for _, _, case in recorded_stories().cases())


@cache
def candidates(kind: FindingKind, release: str, subjects: frozenset[str]) -> tuple[str, ...]:
    """The recorded stories of subjects that may explain a kind of finding in a release: their steps happen there.

    One that is told with a fix must happen without it as well, as nobody runs the fix, or it is a history alone.
    """
    return tuple(
        name
        for name, subject, case in recorded_stories().cases()
        if subject in subjects and is_about(kind, case) and (happens_in(name, release) or _has_history(name, release))
    )


def _has_history(story: str, release: str) -> bool:
    """Is a story told with nothing but a history, and can its steps be taken in a release after that?"""
    trace = recorded_stories()[story]
    return HISTORY.issuperset(trace.world.fixes) and trace_happens_in(trace, release, with_fixes=True)


@cache
def cases_refuted(kind: FindingKind, release: str, subjects: frozenset[str]) -> tuple[tuple[Subject, Property], ...]:
    """The cases of subjects, without fixes, that a kind of finding may be about, and that are refuted in a release."""
    return tuple(
        (subject, prop)
        for subject in (subject_named(name) for name in SINGLES if name in subjects)
        for prop in subject.properties
        if is_about(kind, prop.id) and not prop.fixes and REFUTED in verdicts_in(subject, prop, release)
    )

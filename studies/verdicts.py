"""The verdicts of the committed baselines: of a case, in one scope or all, in each release that its subject has.

The guard writes nothing for a release that gives a claim the system of an earlier one. The earlier finding speaks for
both: it is the latest one with the verdict that the case expects of the release.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from offsetproof.checking.catalogue import DEFAULT, SINGLES
from offsetproof.guard.baseline import Baseline, Finding, baseline_file, read_baseline
from offsetproof.lang import ClaimKind, Fix, Property, Release, Subject
from offsetproof.model.concurrent.rocketmq import RocketMQ
from studies.claims import expected_in, page_of
from studies.subjects import ABOUT_ROCKETMQ

RELEASES = tuple(RocketMQ.releases)
"""The releases of all subjects, the oldest first."""

SUBJECTS = {subject.name: subject for subject in ABOUT_ROCKETMQ}

HOLDS, REFUTED, NOT_ASKED, NOT_MODELLED = "HOLDS", "REFUTED", "not asked", "not modelled"
"""A case speaks of some releases only, and a subject has some releases only."""


class NoFindingError(Exception):
    """A baseline has no finding of a case, or findings that contradict each other."""


@dataclass(frozen=True)
class AskedCase:
    """A case of a subject, in one of its scopes or (an empty name) in all of them."""

    subject: Subject
    prop: Property
    scope: str = ""

    @property
    def is_witness(self) -> bool:
        """Is HOLDS the sight of what is feared?"""
        return self.prop.kind is ClaimKind.SOMETIMES

    @property
    def id(self) -> str:
        """The case's id, with its subject where that is not the usual one: two subjects may have a case of one id."""
        return self.prop.id if self.subject.name == DEFAULT else f"{self.subject.name} {self.prop.id}"

    @property
    def place(self) -> str:
        """Its claim's place on the subject's page; a witness has none there."""
        return "" if self.is_witness else f"{page_of(self.subject).name}#{self.prop.name}"

    @property
    def name(self) -> str:
        """The id with its place."""
        return f"[{self.prop.id}]({self.place})" if self.place else self.prop.id

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes that are meant."""
        return (self.scope,) if self.scope else self.prop.scopes


def case_named(text: str) -> AskedCase:
    """The case of `SUBJECT ID` or `SUBJECT ID SCOPE`.

    >>> case_named("rocketmq I3 hand-over").name
    '[I3](concurrent.md#broker-offset-never-falls)'
    """
    subject, id, *scope = text.split()
    prop = SUBJECTS[subject].find(id)
    if scope and scope[0] not in prop.scopes:
        raise NoFindingError(f"{text}: the case is not asked in that scope, but in {', '.join(prop.scopes)}")
    return AskedCase(SUBJECTS[subject], prop, *scope)


@cache
def baseline_of(subject: str) -> Baseline:
    """The committed baseline."""
    return read_baseline(baseline_file(subject, SINGLES[subject].subjects[0]), SUBJECTS[subject])


def findings_of(case: AskedCase, release: Release) -> list[Finding]:
    """One finding per scope; none where the subject lacks the release, or the case says nothing of it."""
    if release not in case.subject.model.releases or expected_in(release, case.prop, case.subject) is None:
        return []
    spoken = [s for s in case.scopes if expected_in(release, case.prop, case.subject, s) is not None]
    return [_finding_of(case, scope, release) for scope in spoken]


def verdict_of(case: AskedCase, release: Release) -> str:
    """HOLDS, REFUTED, `not asked` or `not modelled`."""
    if release not in case.subject.model.releases:
        return NOT_MODELLED
    verdicts = {str(finding.verdict) for finding in findings_of(case, release)}
    if len(verdicts) > 1:
        raise NoFindingError(f"{case.subject.name} {case.prop.id} has several verdicts in {release.name}; name a scope")
    return verdicts.pop() if verdicts else NOT_ASKED


def releases_with(case: AskedCase, verdict: str) -> list[Release]:
    """The releases in which the baseline has this verdict of a case."""
    return [release for release in RELEASES if verdict_of(case, release) == verdict]


def has_itself(release: Release, fixes: Iterable[Fix]) -> bool:
    """Has a release what these fixes add, of all that releases have? Else it is asked as if it were a later one.

    >>> [has_itself(release, case_named("offset-files I12-in-place").prop.fixes) for release in RELEASES]
    [False, False, True, True, True]
    """
    released = (each for fix in fixes for each in fix.adds if any(known.shows(each) for known in RELEASES))
    return all(map(release.shows, released))


def has_all(cause: Iterable[str], actions: Iterable[str]) -> bool:
    """Has a finding's cause each of these actions? `a|b` is either.

    >>> has_all(["a", "c"], ["a", "b|c"]), has_all(["a"], ["a", "b"])
    (True, False)
    """
    taken = {*cause}
    return all(taken & {*each.split("|")} for each in actions)


def in_words(releases: Sequence[Release]) -> str:
    """Names, with `A to B` for three or more that follow each other.

    >>> in_words(RELEASES[:3]), in_words([RELEASES[0], RELEASES[3], RELEASES[4]])
    ('4.9.4 to 5.3.3-client-reset', '4.9.4, 5.3.3, 5.5.0')
    """
    places = sorted(RELEASES.index(release) for release in releases)
    runs = [[place for _, place in run] for _, run in groupby(enumerate(places), lambda pair: pair[1] - pair[0])]
    return ", ".join(name for run in runs for name in _names([RELEASES[place].name for place in run]))


def _names(run: list[str]) -> Iterable[str]:
    return run if len(run) < 3 else [f"{run[0]} to {run[-1]}"]


def _finding_of(case: AskedCase, scope: str, release: Release) -> Finding:
    expected = expected_in(release, case.prop, case.subject, scope)
    known = [*case.subject.model.releases]
    found = {
        finding.asked.release: finding
        for finding in baseline_of(case.subject.name).findings.values()
        if (finding.asked.claim, finding.asked.scope) == (case.prop.id, scope)
    }
    if release.name in found:
        return found[release.name]
    earlier = (found.get(each.name) for each in reversed(known[: known.index(release)]))
    finding = next((each for each in earlier if each is not None and each.verdict is expected), None)
    if finding is None:
        where = f"{case.subject.name} {case.prop.id} in {scope} of {release.name}"
        raise NoFindingError(f"no finding speaks of {where}; write the baseline with `offsetproof guard --update`")
    return finding

"""The generated parts of docs/releases.md: verdicts by release, claims, cases that differ, behaviours.

What a release is expected to show is what the guard finds in each of its questions, or fails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from offsetproof.guard.baseline import Finding
from offsetproof.lang import HOLDS, REFUTED, Behaviour, ClaimKind, Property, Release, Subject
from offsetproof.lang.cases import Expectation
from offsetproof.traces.recorded_stories import recorded_stories
from studies.claims import claims_of, expected_in, page_of
from studies.real import mark_of
from studies.subjects import ABOUT_ROCKETMQ
from studies.verdicts import RELEASES, SUBJECTS, AskedCase, findings_of, in_words

IN_README = (
    ("rocketmq", "backward-reset-stays", "a backward reset stays"),
    ("rocketmq", "forward-reset-stays", "a forward reset stays"),
    ("rocketmq", "answered-reset-has-landed", "an answered reset was written"),
    ("rocketmq", "committed-offset-never-exceeds-min-unacked", "a commit passes done work only"),
    ("rocketmq", "new-group-starts-at-max", "LAST_OFFSET starts at the end"),
    ("rocketmq", "graceful-shutdown-commits-finished-work", "a shutdown commits what is done"),
    ("rocketmq", "one-process-queue-pulls-at-rest", "at rest a queue has one puller"),
    ("several-queues", "reset-lands-on-all-queues-or-on-none", "a reset is all or nothing"),
    ("orderly", "at-most-one-listener-runs", "one orderly listener at a time"),
    ("offset-files", "offset-file-loads-what-was-persisted", "an offset file can be loaded"),
)
"""The claims that matter most: their subjects, their names, and what they say in few words."""


def in_readme() -> str:
    """A row per claim that matters most: how many of the cases that are asked of a release are refuted there.

    Releases with the same counts share a column.
    """
    columns: dict[tuple[str, ...], list[Release]] = {}
    for release in RELEASES:
        columns.setdefault(tuple(_refuted(subject, name, release) for subject, name, _ in IN_README), []).append(
            release
        )
    head = ["cases refuted", *map(in_words, columns.values())]
    rows = [[words, *cells] for (_, _, words), *cells in zip(IN_README, *columns, strict=True)]
    return _table(head, rows)


def _refuted(subject: str, name: str, release: Release) -> str:
    """How many of a claim's cases are refuted in some scope of theirs, of those asked; a dash without a model."""
    cases = dict(claims_of(SUBJECTS[subject]))[name]
    if release not in SUBJECTS[subject].model.releases:
        return "-"
    found = [{str(each.verdict) for each in findings_of(AskedCase(SUBJECTS[subject], prop), release)} for prop in cases]
    return f"{sum(str(REFUTED) in verdicts for verdicts in found)} of {sum(map(bool, found))}"


def totals() -> str:
    """A row per subject, and what all come to: cells that HOLD and cells that are REFUTED, in each release."""
    rows = [[subject.name, *(_counts([subject], release) for release in RELEASES)] for subject in ABOUT_ROCKETMQ]
    rows.append(["all", *(_counts(ABOUT_ROCKETMQ, release) for release in RELEASES)])
    claims = [_found(ABOUT_ROCKETMQ, release) for release in RELEASES]
    rows.append(["decided in that release", *(_own(cells, each) for cells, each in zip(claims, RELEASES, strict=True))])
    rows.append(["hold, and say nothing", *(str(sum(bool(cell.vacuous) for cell in cells)) for cells in claims)])
    witnesses = [_found(ABOUT_ROCKETMQ, release, ClaimKind.SOMETIMES) for release in RELEASES]
    rows.append(["witnesses: reached, not", *map(_verdicts, witnesses)])
    return _table(["HOLDS, REFUTED", *(release.name for release in RELEASES)], rows)


def _found(subjects: Iterable[Subject], release: Release, *kinds: ClaimKind) -> list[Finding]:
    """What was found of the cases of claims in their scopes, or of those of one kind."""
    return [
        finding
        for subject in subjects
        for prop in subject.properties
        if (prop.kind in kinds if kinds else prop.kind is not ClaimKind.SOMETIMES)
        for finding in findings_of(AskedCase(subject, prop), release)
    ]


def _counts(subjects: Iterable[Subject], release: Release) -> str:
    found = _found(subjects, release)
    return _verdicts(found) if found else "-"


def _verdicts(found: Iterable[Finding]) -> str:
    verdicts = Counter(str(finding.verdict) for finding in found)
    return f"{verdicts[str(HOLDS)]}, {verdicts[str(REFUTED)]}"


def _own(found: Iterable[Finding], release: Release) -> str:
    """How many were not decided in an earlier release with the same system."""
    return str(sum(finding.asked.release == release.name for finding in found))


def matrix() -> str:
    """A row per claim about RocketMQ, a column per release."""
    head = ["claim", "model", *(release.name for release in RELEASES)]
    rows = [
        [_named(name, cases), subject.name, *(_summary(subject, cases, release) for release in RELEASES)]
        for subject in ABOUT_ROCKETMQ
        for name, cases in claims_of(subject)
    ]
    return _table(head, rows)


def differing() -> str:
    """A row per case that is not the same in all releases of its model, with the stories that are recorded of it."""
    head = ["case", "model", *(release.name for release in RELEASES), "stories"]
    rows = [
        [f"[{prop.id}]({page_of(subject).name}#{prop.name})", subject.name, *verdicts, _stories(subject, prop)]
        for subject in ABOUT_ROCKETMQ
        for _, cases in claims_of(subject)
        for prop in cases
        for verdicts in [[_verdict(subject, prop, release) for release in RELEASES]]
        if len({*verdicts} - {_NOT_OFFERED}) > 1
    ]
    return _table(head, rows)


def behaviours() -> str:
    """A row per behaviour: the first release that has it, its source, and the cases that name it."""
    rows = [
        [f"`{each.name}`", each.role, first.name, each.about, each.source, _cases_in_words(each)]
        for first in RELEASES
        for each in sorted(first.behaviours, key=lambda behaviour: behaviour.name)
    ]
    return _table(["behaviour", "role", "first in", "what it is", "source", "cases that name it"], rows)


_NOT_OFFERED = ""

CASES_MAX = 12
"""How many cases of a behaviour are named; where they are more, they are counted."""


def _named(name: str, cases: list[Property]) -> str:
    return f"{name} ({cases[0].id})"


def _summary(subject: Subject, cases: Iterable[Property], release: Release) -> str:
    """What all cases of a claim come to in a release."""
    found = [expected for prop in cases if (expected := _expected(subject, prop, release)) is not None]
    if not found:
        return _NOT_OFFERED
    refuted = sum(expected is REFUTED for expected in found)
    if refuted in (0, len(found)):
        return str(found[0])
    return f"{refuted} of {len(found)}"


def _verdict(subject: Subject, prop: Property, release: Release) -> str:
    if release not in subject.model.releases:
        return _NOT_OFFERED
    expected = _expected(subject, prop, release)
    return "not asked" if expected is None else str(expected)


def _expected(subject: Subject, prop: Property, release: Release) -> Expectation | None:
    """The verdict of a case; None where its model does not offer the release, or the case says nothing of it."""
    return expected_in(release, prop, subject) if release in subject.model.releases else None


def _stories(subject: Subject, prop: Property) -> str:
    named = recorded_stories().about(subject.name).of(prop.id)
    return ", ".join(f"`{name}`{mark_of(name)}" for name in named if named[name].property.id == prop.id)


def _cases_in_words(behaviour: Behaviour) -> str:
    cases = list(_cases_with(behaviour))
    if len(cases) > CASES_MAX:
        return f"{len(cases)} cases (`offsetproof list {behaviour.name}`)"
    return ", ".join(cases) or "-"


def _cases_with(behaviour: Behaviour) -> Iterator[str]:
    for subject in ABOUT_ROCKETMQ:
        for prop in subject.properties:
            adds = {each for fix in prop.fixes for each in fix.adds}
            if (
                behaviour in (*prop.case.unless, *prop.case.turned_back_by, *prop.case.not_of, *prop.case.only_of)
                or behaviour in adds
            ):
                yield prop.id


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)

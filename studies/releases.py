"""The generated parts of docs/releases.md: claims by release, cases that differ between releases, behaviours.

What a release is expected to show is what the guard finds in each of its questions, or fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from offsetproof.lang import REFUTED, Property, Release, Subject
from offsetproof.lang.cases import Expectation
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.traces.recorded_stories import recorded_stories
from studies.claims import claims_of, expected_in, page_of
from studies.real import mark_of
from studies.subjects import ABOUT_ROCKETMQ

RELEASES = tuple(RocketMQ.releases)
"""All that some model offers, the oldest first."""


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
        [f"`{each.name}`", each.role, first.name, each.about, each.source, ", ".join(_cases_with(each)) or "-"]
        for first in RELEASES
        for each in sorted(first.behaviours, key=lambda behaviour: behaviour.name)
    ]
    return _table(["behaviour", "role", "first in", "what it is", "source", "cases that name it"], rows)


_NOT_OFFERED = ""


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
    return f"REFUTED in {refuted} of {len(found)}"


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


def _cases_with(behaviour: object) -> Iterator[str]:
    for subject in ABOUT_ROCKETMQ:
        for prop in subject.properties:
            adds = {each for fix in prop.fixes for each in fix.adds}
            if behaviour in (*prop.case.unless, *prop.case.not_of, *prop.case.only_of) or behaviour in adds:
                yield prop.id


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)

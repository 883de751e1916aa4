"""The parts of docs/reported.md: what was reported about RocketMQ, and the verdicts of the cases that say it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from offsetproof.conformance.reproduced import found_by_story
from offsetproof.lang import Release
from offsetproof.traces.recorded_stories import recorded_stories
from studies import RECORDS
from studies.claims import page_of
from studies.real import mark_of
from studies.verdicts import (
    HOLDS,
    NOT_ASKED,
    NOT_MODELLED,
    REFUTED,
    RELEASES,
    SUBJECTS,
    AskedCase,
    case_named,
    findings_of,
    has_all,
    in_words,
    releases_with,
)

DATA = RECORDS / "reported.toml"


@dataclass(frozen=True)
class Report:
    """A report, with the cases that say it and the recorded stories that have its steps.

    A finding is of the report's mechanism where its cause has one of each of `mechanism` (`a|b` is either), and none
    of `without`.
    """

    section: str
    numbers: str
    said: str
    cases: tuple[AskedCase, ...]
    stories: tuple[str, ...]
    mechanism: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def is_shown_by(self, cause: tuple[str, ...]) -> bool:
        """Do these actions do what was reported?"""
        return has_all(cause, self.mechanism) and not {*self.without} & {*cause}

    def stories_of(self, case: AskedCase) -> list[str]:
        """The recorded stories that refute the case with what was reported."""
        stories = recorded_stories()
        named = [name for name in self.stories if stories[name].subject == case.subject.name]
        return [name for name in named if stories[name].property.id == case.prop.id]

    def is_seen(self, case: AskedCase, release: Release) -> bool:
        """Is what was reported seen in the case's findings of a release, or in a story of it?"""
        releases = [recorded_stories()[name].world.release for name in self.stories_of(case)]
        causes = [finding.cause for finding in findings_of(case, release)]
        return release.name in releases or any(map(self.is_shown_by, causes))


@dataclass(frozen=True)
class Unsaid:
    """A report that no case says: it was fixed too early, a model leaves it out by its own words, or another reason."""

    numbers: str
    said: str
    fixed: str = ""
    left_out: tuple[str, ...] = ()
    because: str = ""

    def __post_init__(self) -> None:
        if not (self.fixed or self.left_out or self.because):
            raise ValueError(f"{self.numbers} says nothing of why no case says it")
        if self.left_out:
            subject, words = self.left_out
            if not any(words in line for line in SUBJECTS[subject].model.left_out):
                raise ValueError(f"{self.numbers}: model {subject} does not leave out {words!r}")

    @property
    def reason(self) -> str:
        """Why no case says it."""
        return " ".join(filter(None, [self._fixed, self._left_out, self.because]))

    @property
    def _fixed(self) -> str:
        oldest = RELEASES[0].name
        when = f"Fixed in {self.fixed}" if self.fixed == oldest else f"Fixed in {self.fixed}, before {oldest}"
        return f"{when}, the oldest release here." if self.fixed else ""

    @property
    def _left_out(self) -> str:
        if not self.left_out:
            return ""
        subject, words = self.left_out
        return f"Left out of the model [{subject}]({page_of(SUBJECTS[subject]).name}): {words}."


@cache
def reports() -> tuple[Report, ...]:
    """All reports that some case says."""
    return tuple(
        Report(**{**_tuples(row), "cases": tuple(map(case_named, row["cases"]))}) for row in _table()["report"]
    )


@cache
def reports_without_case() -> tuple[Unsaid, ...]:
    """All reports that no case says."""
    return tuple(Unsaid(**_tuples(row)) for row in _table()["unsaid"])


def with_case() -> str:
    """A heading for each kind of report, with the cases below it."""
    sections = dict.fromkeys(report.section for report in reports())
    return "\n\n".join("\n".join(_section(name)) for name in sections)


def without_case() -> str:
    """A line for each report that no case says."""
    rows = (f"| **{each.numbers}**: {each.said} | {each.reason} |" for each in reports_without_case())
    return "\n".join(["| report | why no case says it |", "|---|---|", *rows])


def counts() -> str:
    """How many reports there are, and how many are replayed on the real classes."""
    stories = {name for report in reports() for name in report.stories}
    reproduced = sum(found_by_story()[name].is_reproduced for name in stories if name in found_by_story())
    with_one, without = len(reports()), len(reports_without_case())
    return (
        f"{with_one} reports have a case, {without} have none. {len(stories)} recorded stories "
        f"have the steps of a report;\n{reproduced} of them happen on the real classes (✓)."
    )


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}


def _section(name: str) -> Iterator[str]:
    yield from (f"### {name}", "")
    yield "| report | case and scope | seen in | holds first in | story |"
    yield "|---|---|---|---|---|"
    for report in reports():
        if report.section == name:
            yield from (_row(report, case) for case in report.cases)


def _row(report: Report, case: AskedCase) -> str:
    head = f"**{report.numbers}**: {report.said}" if case is report.cases[0] else ""
    cells = (head, _where(report, case), seen_in(report, case), first_holding(case), _stories(report, case))
    return f"| {' | '.join(cells)} |"


def seen_in(report: Report, case: AskedCase) -> str:
    """The releases in which the case shows what was reported, and those in which something else refutes it."""
    broken = releases_with(case, HOLDS if case.is_witness else REFUTED)
    own = [release for release in broken if report.is_seen(case, release)]
    others = [release for release in broken if release not in own]
    texts = [in_words(own)] if own else ["no release"]
    texts += [f"refuted by another cause in {in_words(others)}"] if others else []
    for verdict, words in ((NOT_ASKED, "not asked of"), (NOT_MODELLED, "no model yet of")):
        if releases := releases_with(case, verdict):
            texts.append(f"{words} {in_words(releases)}")
    return "; ".join(texts)


def first_holding(case: AskedCase) -> str:
    """The first release in which the case holds, or the witness is not reached."""
    whole = releases_with(case, REFUTED if case.is_witness else HOLDS)
    return whole[0].name if whole else "none"


def _where(report: Report, case: AskedCase) -> str:
    """The case with its scopes: those of the stories, or else those in which what was reported is seen."""
    seen = [recorded_stories()[name].world.scope.name for name in report.stories_of(case)] or [
        finding.scope.name
        for release in RELEASES
        for finding in findings_of(case, release)
        if finding.verdict != HOLDS and report.is_shown_by(finding.cause)
    ]
    scopes = ", ".join(dict.fromkeys(seen or case.scopes))
    return f"{case.subject.name} {case.name} in {scopes}"


def _stories(report: Report, case: AskedCase) -> str:
    return ", ".join(f"`{name}`{mark_of(name)}" for name in report.stories_of(case)) or "none"

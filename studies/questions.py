"""Questions of operators, answered by the verdicts of cases in each release (docs/questions.md)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from offsetproof.lang import Release
from offsetproof.symptoms.declared import Statement as Said
from offsetproof.symptoms.declared import Symptom, symptoms
from studies import RECORDS
from studies.verdicts import (
    NOT_MODELLED,
    REFUTED,
    RELEASES,
    AskedCase,
    case_named,
    findings_of,
    has_all,
    verdict_of,
)

DATA = RECORDS / "questions.toml"


class UnsupportedError(Exception):
    """A sentence is true of no release, or a story is not on record."""


@dataclass(frozen=True)
class Statement:
    """A sentence, and the verdicts that must be so for it to be told of a release.

    `by` are actions that a finding of each refuted case must have taken.
    """

    words: str
    where: tuple[tuple[AskedCase, str], ...]
    by: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.where:
            raise UnsupportedError(f"no verdict stands beside {self.words!r}")

    def is_true_of(self, release: Release) -> bool:
        """Has the baseline all the verdicts of the release?"""
        return all(
            verdict_of(case, release) == verdict and (verdict != REFUTED or self._is_cause(case, release))
            for case, verdict in self.where
        )

    def _is_cause(self, case: AskedCase, release: Release) -> bool:
        return any(has_all(finding.cause, self.by) for finding in findings_of(case, release))

    @property
    def releases(self) -> tuple[Release, ...]:
        """Those of which it is true; UnsupportedError where there is none."""
        found = tuple(release for release in RELEASES if self.is_true_of(release))
        if not found:
            raise UnsupportedError(f"the baselines have no release of which this is true: {self.words}")
        return found

    @property
    def line(self) -> str:
        """The sentence with the verdicts that it rests on."""
        return f"{self.words} ({', '.join(f'{case.id} {verdict}' for case, verdict in self.where)})"


@dataclass(frozen=True)
class Question:
    """A question with its answers, stories that show them, and advice; `remedies` are cases whose remedies are told."""

    title: str
    answers: tuple[Statement, ...]
    advice: tuple[Statement, ...]
    stories: tuple[str, ...]
    remedies: tuple[AskedCase, ...]

    @property
    def cases(self) -> list[AskedCase]:
        """All that the answers rest on."""
        return [case for statement in self.answers for case, _ in statement.where]

    @property
    def unanswered(self) -> list[tuple[str, list[Release]]]:
        """The models that lack releases, and these."""
        lacking = {
            case.subject.name: [release for release in RELEASES if verdict_of(case, release) == NOT_MODELLED]
            for case in self.cases
        }
        return [(name, releases) for name, releases in lacking.items() if releases]


@cache
def questions() -> tuple[Question, ...]:
    """All of them, in the order of the page."""
    table = tomllib.loads(DATA.read_text(encoding="utf-8"))
    return tuple(
        Question(
            row["title"],
            tuple(map(_statement, row["answers"])),
            tuple(_advice(row["advice"])),
            tuple(row["stories"]),
            tuple(map(case_named, row["remedies"])),
        )
        for row in table["question"]
    )


def _advice(rows: list[dict[str, Any]]) -> Iterator[Statement]:
    """Sentences of the file, and what a symptom says to do now where it names one."""
    for row in rows:
        if "symptom" in row:
            yield from map(_of_symptom, _symptom(row["symptom"]).now)
        else:
            yield _statement(row)


def _symptom(id: str) -> Symptom:
    return next(each for each in symptoms() if each.id == id)


def _of_symptom(said: Said) -> Statement:
    where = (f"{each.case.name} {each.scope} {each.verdict}" for each in said.where)
    return Statement(f"{said.words[0].upper()}{said.words[1:]}.", tuple(_condition(" ".join(x.split())) for x in where))


def _statement(row: dict[str, Any]) -> Statement:
    return Statement(row["words"], tuple(map(_condition, row["where"])), tuple(row.get("by", ())))


def _condition(text: str) -> tuple[AskedCase, str]:
    case, _, verdict = text.rpartition(" ")
    return case_named(case), verdict.replace("-", " ")

"""The part of docs/questions.md: questions of operators, answered by the verdicts of cases in each release."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from offsetproof.checking.replaying import question_of_trace, replay_trace
from offsetproof.lang import Release
from offsetproof.lang.stage import Staged
from offsetproof.model.releases import USUAL
from offsetproof.traces.brief import brief, outline_of
from offsetproof.traces.recorded_stories import mechanisms, recorded_stories
from offsetproof.traces.trace import Trace
from studies import RECORDS
from studies.claims import repairs_of
from studies.real import mark_of
from studies.verdicts import (
    NOT_MODELLED,
    REFUTED,
    RELEASES,
    SUBJECTS,
    AskedCase,
    case_named,
    findings_of,
    has_all,
    in_words,
    verdict_of,
)

DATA = RECORDS / "questions.toml"

STEPS = 5
"""How many steps of a story are told."""

WIDTH = 92


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

    def line(self) -> str:
        """The sentence as an item of a list, with its releases and verdicts; UnsupportedError where it has none."""
        releases = [release for release in RELEASES if self.is_true_of(release)]
        if not releases:
            raise UnsupportedError(f"the baselines have no release of which this is true: {self.words}")
        verdicts = ", ".join(f"{case.id} {verdict}" for case, verdict in self.where)
        return f"- **{in_words(releases)}**: {self.words} ({verdicts})"


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
            tuple(map(_statement, row["advice"])),
            tuple(row["stories"]),
            tuple(map(case_named, row["remedies"])),
        )
        for row in table["question"]
    )


def answers() -> str:
    """A heading for each question, with all that belongs to it."""
    return "\n\n".join("\n".join(_section(question)) for question in questions())


def _statement(row: dict[str, Any]) -> Statement:
    return Statement(row["words"], tuple(map(_condition, row["where"])), tuple(row.get("by", ())))


def _condition(text: str) -> tuple[AskedCase, str]:
    case, _, verdict = text.rpartition(" ")
    return case_named(case), verdict.replace("-", " ")


def _section(question: Question) -> Iterator[str]:
    yield from (f"## {question.title}", "")
    yield from (statement.line() for statement in question.answers)
    for name, releases in question.unanswered:
        yield f"- No model yet of {in_words(releases)} in `{name}`: what rests on its cases is not said of them."
    for name in question.stories:
        yield from ("", _heading(name), "", "```", *steps_of(name), "```")
    yield from ("", "*What to do now*", "")
    yield from (statement.line() for statement in question.advice)
    yield from map(_remedy, question.remedies)
    cases = dict.fromkeys(case.name for case in question.cases)
    yield from ("", f"*Cases*: {', '.join(cases)}; {', '.join(_commands(question.cases))}")


def _remedy(case: AskedCase) -> str:
    """The remedies of a case, which were decided for the usual release; or why there is none."""
    words = "holds with" if case.prop.remedies else "has no remedy:"
    return f"- **{USUAL.name}**: {case.id} {words} {repairs_of(case.prop)}"


def _commands(cases: Iterable[AskedCase]) -> Iterator[str]:
    """A command for each subject, which asks all its cases again."""
    for name in SUBJECTS:
        if ids := dict.fromkeys(case.prop.id for case in cases if case.subject.name == name):
            yield f"`offsetproof check {name} {' '.join(ids)} --release all`"


def _heading(name: str) -> str:
    """A story's name, what happens in it, its effect, and the stall or delay that it needs."""
    trace = recorded_stories()[name]
    what = mechanisms().get(name) or _reason(trace)
    timing = str(trace.timing).split(" between ")[0]
    head = f"`{name}`{mark_of(name)} ({trace.world.release})" + (f": {what}" if what else "")
    return f"{head}. *Effect*: {trace.effect}. *Timing*: {timing}."


def _reason(trace: Trace) -> str:
    """The reason that a case gives for its verdict, where the story refutes that of the usual release."""
    prop = SUBJECTS[str(trace.subject)].find(trace.property.id)
    return prop.case.why if trace.world.release == USUAL.name else ""


@cache
def steps_of(name: str) -> tuple[str, ...]:
    """The lines of the steps of a recorded story that say most."""
    trace = recorded_stories()[name]
    subject = SUBJECTS[str(trace.subject)]
    replayed, asked = replay_trace(trace, subject), question_of_trace(subject, trace)
    if replayed.replay is None:
        raise UnsupportedError(f"{name}: {replayed}")
    outline = outline_of(replayed.replay, Staged(asked.model, asked.setting))
    return brief(trace, outline, WIDTH, STEPS).lines

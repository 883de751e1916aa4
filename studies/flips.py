"""Takes each behaviour away, alone, from the release that brought it: which cases move, and which stories?

`python -m studies.flips` asks of all subjects; where subjects or behaviours are named, other rows stay. Asked is each
case in each of its scopes that the baseline decided within `STATES` states, and within `MORE` of a behaviour without
which no verdict has turned among those; what is larger is counted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from offsetproof.checking.engines import Engines, explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.guard.baseline import Finding
from offsetproof.lang import Behaviour, Release, Subject
from offsetproof.lang.other_release import is_right_for
from offsetproof.lang.setting import Setting
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict
from studies import RECORDS
from studies.rows import Row, read_rows, write_rows
from studies.subjects import ABOUT_ROCKETMQ
from studies.verdicts import SUBJECTS, AskedCase, findings_of

DATA = RECORDS / "flips.json"

STATES = 200_000
"""What is asked at first: where the release itself has at most so many states."""

MORE = 2_000_000

LIMITS = Limits(states=5 * MORE)


@dataclass(frozen=True)
class Flip:
    """A behaviour of a subject, and the first release that has it."""

    subject: Subject
    behaviour: Behaviour
    release: Release

    def questions(self) -> Iterator[tuple[Question, Finding]]:
        """Each case of the release in one of its scopes, and what the baseline has found of it there."""
        for question in _asked_of(self.subject.name, self.release.name):
            case = AskedCase(self.subject, question.prop, question.setting.scope.name)
            for finding in findings_of(case, self.release):
                yield question, finding

    def taken_from(self, question: Question) -> Question:
        """The same question, of the release without the behaviour."""
        return replace(question, setting=without_behaviour(question.setting, self.behaviour))


def without_behaviour(setting: Setting, behaviour: Behaviour) -> Setting:
    """The setting with its releases, but for a behaviour of theirs."""
    name, loses = f" without {behaviour.name}", frozenset({behaviour})
    changed = {
        role: Release(f"{each.name}{name}", based_on=each, loses=loses) for role, each in setting.releases.items()
    }
    return replace(setting, releases=changed)


def flips() -> Iterator[Flip]:
    """Each behaviour of each subject, taken from the first of its releases that has it."""
    for subject in ABOUT_ROCKETMQ:
        seen: set[Behaviour] = set()
        for release in subject.model.releases:
            brought = {each for line in release.lineage for each in line.behaviours if release.shows(each)} - seen
            seen |= brought
            for behaviour in sorted(brought, key=lambda each: each.name):
                yield Flip(subject, behaviour, release)


@cache
def _asked_of(subject: str, release: str) -> list[Question]:
    return [
        question
        for question in questions_of(Request(SUBJECTS[subject], (), (release,), limits=LIMITS))
        if question.prop.case.speaks_of(question.setting)
    ]


def row_of(flip: Flip, engines: Engines) -> Row:
    """How the cases of the release come out without the behaviour."""
    row: Row = {"subject": flip.subject.name, "behaviour": flip.behaviour.name, "release": flip.release.name}
    row |= {"cells": 0, "same": 0, "larger": 0, "as_before": 0, "other_story": 0, "moved": []}
    changed = [(finding, flip.taken_from(question)) for question, finding in _changed(flip, row, engines)]
    small = [pair for pair in changed if pair[0].states <= STATES]
    more = [pair for pair in changed if STATES < pair[0].states <= MORE]
    _ask(row, small, engines)
    if not row["moved"]:
        _ask(row, more, engines)
    row["larger"] = row["cells"] - len(row["moved"]) - row["same"] - row["as_before"] - row["other_story"]
    return row


def _changed(flip: Flip, row: Row, engines: Engines) -> Iterator[tuple[Question, Finding]]:
    """The cells that may be other systems without the behaviour; counts all, and those that are the same."""
    for question, finding in flip.questions():
        row["cells"] += 1
        without, asked = flip.taken_from(question).setting, (question.prop, *question.witnesses)
        if is_right_for(engines.models.of(question), without, asked):
            row["same"] += 1
        else:
            yield question, finding


def _ask(row: Row, asked: list[tuple[Finding, Question]], engines: Engines) -> None:
    for finding, question in asked:
        _count(row, finding, engines.only.decide(question))


def _count(row: Row, finding: Finding, result: Result) -> None:
    if result.digest == finding.digest:
        row["same"] += 1
    elif result.verdict is Verdict.UNKNOWN:
        return
    elif str(result.verdict) != str(finding.verdict):
        verdicts = [str(finding.verdict), str(result.verdict)]
        row["moved"].append([finding.asked.claim, finding.scope.name, *verdicts, finding.states])
    elif result.replay and (result.replay.faults, len(result.replay.labels)) != (finding.faults, finding.steps):
        row["other_story"] += 1
    else:
        row["as_before"] += 1


def recorded() -> dict[tuple[str, str], Row]:
    """What is written down, by subject and behaviour."""
    return {(row["subject"], row["behaviour"]): row for row in read_rows(DATA)}


def main() -> None:
    """All, or those whose subjects and behaviours are named; writes after each."""
    named = {*sys.argv[1:]}
    subjects = named & {*SUBJECTS}
    behaviours = named - subjects
    asked = [
        flip
        for flip in flips()
        if (not subjects or flip.subject.name in subjects) and (not behaviours or flip.behaviour.name in behaviours)
    ]
    rows = recorded() if named else {}
    engines = explicit_alone()
    for flip in asked:
        row = row_of(flip, engines)
        rows[row["subject"], row["behaviour"]] = row
        print(*row.values(), flush=True)
        write_rows(DATA, (rows[key] for key in sorted(rows)))


if __name__ == "__main__":
    main()

"""What makes the refuted cases of docs/questions.md hold, in each release.

A remedy that a case states is one where that case holds (`remedies_in`). `python -m studies.remedies` asks the others
of the releases in which they were never asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.remedies import is_asked_of, remedies_in
from offsetproof.checking.request import question_with_remedy
from offsetproof.lang import Release, Remedy
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from studies import RECORDS
from studies.claims import remedy_in_words
from studies.questions import questions
from studies.rows import Row, read_rows, write_rows
from studies.verdicts import REFUTED, AskedCase, has_itself, verdict_of

DATA = RECORDS / "remedies.json"

LIMITS = Limits(states=12_000_000)

Key = tuple[str, str, str]


def known_remedies(case: AskedCase, release: Release) -> tuple[Remedy, ...]:
    """Those with which a case that is refuted in a release is known to hold there, in their order."""
    stated = remedies_in(case.subject, case.prop, dict.fromkeys(case.subject.model.roles, release))
    asked = [each for each in case.prop.remedies if _recorded().get(_key(case, each, release)) == "HOLDS"]
    return tuple(each for each in _of_scope(case) if each in (*stated, *asked))


def is_told_of(case: AskedCase, release: Release) -> bool:
    """Is the case refuted in a release, and not by what a later one has brought?"""
    return verdict_of(case, release) == REFUTED and has_itself(release, case.prop.fixes)


def unasked() -> Iterator[tuple[Key, Question]]:
    """The remedies of the page that neither a case nor the release of which it is asked speaks for, in each release."""
    for case in dict.fromkeys(case for question in questions() for case in question.remedies):
        for release in filter(partial(is_told_of, case), case.subject.model.releases):
            for remedy in (each for each in _of_scope(case) if not each.case):
                if not is_asked_of(remedy, release, case.subject):
                    question = question_with_remedy(case.subject, case.prop, remedy, LIMITS, release.name)
                    yield _key(case, remedy, release), question


def decide_all() -> Iterator[Row]:
    """A row for each; what holds and says nothing is no remedy."""
    engines = explicit_alone()
    for (case, remedy, release), question in unasked():
        result = engines.only.decide(question)
        verdict = "EMPTY" if result.vacuous else str(result.verdict)
        yield {"case": case, "remedy": remedy, "release": release, "verdict": verdict, "states": result.counts.states}


@cache
def _recorded() -> dict[Key, str]:
    return {(row["case"], row["remedy"], row["release"]): row["verdict"] for row in read_rows(DATA)}


def _of_scope(case: AskedCase) -> Iterator[Remedy]:
    return (each for each in case.prop.remedies if not case.scope or each.scope == case.scope)


def _key(case: AskedCase, remedy: Remedy, release: Release) -> Key:
    return f"{case.subject.name} {case.prop.id}", f"{remedy_in_words(remedy)} in {remedy.world}", release.name


if __name__ == "__main__":
    write_rows(DATA, decide_all())

"""Decides every claim about concurrent consumers in mixed clusters: a client of one release, a broker of another.

`python -m studies.mixed` decides all; claims that are named are decided alone, and the rows of others stay.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby

from offsetproof.checking.engines import Engines, explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.lang import ClaimKind
from offsetproof.lang.other_release import is_right_for
from offsetproof.lang.stage import Staged
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.traces.trace import trace_of
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from studies import RECORDS
from studies.rows import Row, read_rows, write_rows

DATA = RECORDS / "mixed.json"

PAIRS = (
    "broker=5.3.3,client=4.9.4",
    "broker=5.3.3,client=4.9.8",
    "broker=5.5.0,client=4.9.4",
    "broker=5.5.0,client=4.9.8",
    "broker=5.3.3-client-reset,client=4.9.4",
    "broker=5.3.3-client-reset,client=4.9.8",
    "broker=4.9.4,client=5.3.3",
)
"""Brokers are upgraded before clients, as a rule; and one client that is newer than its broker."""

LIMITS = Limits(states=12_000_000)


def claims_in_pairs(named: tuple[str, ...] = ()) -> Iterator[list[Question]]:
    """Each claim in one of its scopes, in every pair of which it speaks; no witnesses."""
    asked = [
        question
        for pair in PAIRS
        for question in questions_of(Request(ROCKETMQ, named, (pair,), limits=LIMITS))
        if question.prop.kind is not ClaimKind.SOMETIMES and question.prop.case.speaks_of(question.setting)
    ]
    for _, questions in groupby(sorted(asked, key=_name), key=_name):
        yield list(questions)


def _name(question: Question) -> tuple[str, str]:
    return question.prop.id, question.setting.scope.name


def decided(question: Question, engines: Engines) -> Row:
    """The verdict of a claim in a pair; of a counterexample its steps and its cause."""
    result = engines.only.decide(question)
    row: Row = {"verdict": str(result.verdict), "states": result.counts.states}
    if result.replay is None:
        return row
    trace = trace_of(result.replay, subject=ROCKETMQ.name, digest=result.digest, staged=engines.models.of(question))
    return row | {"steps": trace.length, "cause": list(trace.cause)}


def rows_of(questions: list[Question], engines: Engines) -> Iterator[Row]:
    """A row per pair; where pairs show the same of all behaviours that are asked for, they are decided once."""
    known: list[tuple[Staged, Row]] = []
    for question in questions:
        asked = (question.prop, *question.witnesses)
        alike = next((row for staged, row in known if is_right_for(staged, question.setting, asked)), None)
        if alike is None:
            alike = decided(question, engines)
            known.append((engines.models.of(question), alike))
        claim, scope = _name(question)
        yield {"claim": claim, "scope": scope, "pair": question.setting.release, **alike}


def recorded() -> dict[tuple[str, str, str], Row]:
    """What is written down, by claim, scope and pair."""
    return {(row["claim"], row["scope"], row["pair"]): row for row in read_rows(DATA)}


def main() -> None:
    """All claims, or those that are named; writes after each."""
    rows = recorded() if sys.argv[1:] else {}
    for questions in claims_in_pairs(tuple(sys.argv[1:])):
        for row in rows_of(questions, explicit_alone()):
            rows[row["claim"], row["scope"], row["pair"]] = row
        write_rows(DATA, (rows[key] for key in sorted(rows)))


if __name__ == "__main__":
    main()

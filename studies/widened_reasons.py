"""Why a claim that holds is refuted where one thing is raised by one: the reasons in studies/data/reasons-SUBJECT.toml.

A reason is given for what was raised, and for all claims, for some, or for single cases of them; what is said of fewer
comes first. It names refuted cases that have the same cause (`cases`), or the words of the claim or its case that
exclude what is raised (`said`). Not every story was read: of `orderly` 40 of 265, and those of `several-queues`, and of
`hang` and `group_deletions` in `rocketmq`, were sorted by what was raised.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from offsetproof.lang import Property, Subject
from studies import RECORDS
from studies.subjects import ABOUT_ROCKETMQ


@dataclass(frozen=True)
class Reason:
    """Why claims are refuted where this is raised.

    `claims` are claims by their names, or cases by their ids. `cases` are refuted cases with the same cause; one of
    another subject is written `SUBJECT ID`. `said` are words, one of which each claim or its case says.
    """

    raised: str
    claims: tuple[str, ...]
    words: str
    cases: tuple[str, ...] = ()
    said: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.cases) == bool(self.said):
            raise ValueError(f"the reason for {self.raised} ({self.words}) must have either cases or said")

    @property
    def kind(self) -> str:
        """What a world that it is given for tells about the claim."""
        return ON_RECORD if self.cases else EXCLUDED


ON_RECORD, EXCLUDED = "on record", "excluded"
"""A cause that has a case of its own; or something that the claim, or its case, is stated without."""


class NoReasonError(Exception):
    """A claim is refuted in a wider world, and nobody has said why."""


@cache
def reasons(subject: Subject) -> tuple[Reason, ...]:
    """The reasons of a subject, in their order; ValueError for one that neither names a case nor quotes words."""
    file = RECORDS / f"reasons-{subject.name}.toml"
    if not file.is_file():
        return ()
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(_reason(row, table.get("words", {})) for row in table["reason"])


def _reason(row: dict[str, Any], sentences: dict[str, str]) -> Reason:
    lists = {key: tuple(row.get(key, ())) for key in ("claims", "cases", "said")}
    return Reason(row["raised"], words=sentences.get(row["words"], row["words"]), **lists)


def reason_for(subject: Subject, claim: str, raised: str) -> Reason:
    """The first reason that is given for the case of this id; NoReasonError where there is none."""
    names = {claim, subject.find(claim).name}
    for reason in reasons(subject):
        if reason.raised == raised and names & {*reason.claims}:
            return reason
    raise NoReasonError(f"{subject.name} {claim} is refuted where {raised} is one more, and no reason says why")


def case_named(subject: Subject, name: str) -> Property:
    """The case that a reason names: of the reason's own subject, or of the one before the id."""
    other, _, id = name.rpartition(" ")
    subjects = {each.name: each for each in ABOUT_ROCKETMQ}
    return (subjects[other] if other else subject).find(id)

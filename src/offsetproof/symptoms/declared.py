"""The symptoms that are declared beside the claims (`symptoms.toml`), each bound to its cases."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from offsetproof.checking.catalogue import DEFAULT, SINGLES
from offsetproof.checking.causes import (
    RELEASES,
    patches_of,
    releases_asked_of,
    subject_named,
    verdict_by_scope,
    verdicts_in,
)
from offsetproof.lang.cases import HOLDS, Expectation
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.setting import Fix
from offsetproof.lang.subject import Subject
from offsetproof.symptoms.words import Meanings

FILE = "symptoms.toml"


@dataclass(frozen=True)
class BoundCase:
    """A case with the subject that has it."""

    subject: Subject
    prop: Property

    @property
    def name(self) -> str:
        """As it is named on the command line."""
        return f"{self.subject.name} {self.prop.id}"

    @property
    def claim(self) -> tuple[str, str]:
        """The claim that it is a case of, with its subject."""
        return self.subject.name, self.prop.name

    @property
    def kind_of_group(self) -> str:
        """How its group consumes, if that is declared: what was checked of one kind says nothing of another."""
        return str(_table()["kinds-of-groups"].get(self.subject.name, ""))

    @property
    def broken(self) -> Expectation:
        """The verdict with which what is seen can happen: a witness of it is reached, a claim against it is refuted."""
        return Expectation.HOLDS if self.prop.kind is ClaimKind.SOMETIMES else Expectation.REFUTED

    def seen_in(self) -> tuple[str, ...]:
        """The releases in which it can happen."""
        return tuple(each for each in self._asked_of() if self.broken in verdicts_in(self.subject, self.prop, each))

    def unseen_in(self) -> tuple[str, ...]:
        """The releases in which it is asked, and cannot happen."""
        return tuple(
            each for each in self._asked_of() if verdicts_in(self.subject, self.prop, each) == {self.broken.other}
        )

    def _asked_of(self) -> tuple[str, ...]:
        return releases_asked_of(self.subject, self.prop)

    @property
    def patches(self) -> tuple[Fix, ...]:
        """The fixes with which it is stated and that no release has."""
        return patches_of(self.subject, self.prop)


@dataclass(frozen=True)
class Verdict:
    """A case, in one of its scopes or in all of them, and the verdict that it must have."""

    case: BoundCase
    scope: str
    verdict: Expectation

    def is_so_in(self, release: str) -> bool:
        """Is that the verdict of a release? Where no scope is named HOLDS is asked of all, REFUTED of any."""
        found = verdict_by_scope(self.case.subject, self.case.prop, release)
        if self.scope:
            return found.get(self.scope) is self.verdict
        return {*found.values()} == {HOLDS} if self.verdict is HOLDS else self.verdict in found.values()

    @property
    def words(self) -> str:
        """The case, the verdict, its scopes, and the fixes with which it is stated to hold, with the reason.

        >>> from offsetproof.symptoms.declared import verdict_named
        >>> verdict_named("rocketmq I4-ack-before-failure HOLDS").words
        'I4-ack-before-failure HOLDS in batch'
        """
        prop = self.case.prop
        where = self.scope or ", ".join(prop.scopes)
        own = "" if self.case.subject.name == DEFAULT else f"{self.case.subject.name} "
        fixes = " and ".join(fix.name for fix in prop.fixes)
        why = f": {prop.case.why}" if prop.case.why and self.verdict is HOLDS else ""
        return f"{own}{prop.id} {self.verdict} in {where}" + (f", with {fixes}{why}" if fixes else "")


@dataclass(frozen=True)
class Statement:
    """A sentence, and the verdicts that a release must have for it to be told of that release."""

    words: str
    where: tuple[Verdict, ...]

    def releases(self) -> tuple[str, ...]:
        """Those of which it is told."""
        return tuple(each for each in RELEASES if all(verdict.is_so_in(each) for verdict in self.where))

    @property
    def is_checked(self) -> bool:
        """Does a case of it hold?"""
        return any(verdict.verdict is Expectation.HOLDS for verdict in self.where)


@dataclass(frozen=True)
class Symptom:
    """What somebody sees: in half a sentence, in phrases of two languages, and as pieces of log lines.

    `kind` is what it is about, in a word: reset, skipped, repeated, ...

    The first case is the one that is meant where a text does not say more, and `story`, if it is named, the recorded
    story that is told then. `now` is what to do, `because` why it is as it is, `none` why no procedure is known for its
    first case. `about` are words of which a text says one if it is fully about this.
    """

    id: str
    kind: str
    says: str
    cases: tuple[BoundCase, ...]
    story: str
    english: tuple[str, ...]
    chinese: tuple[str, ...]
    logs: tuple[str, ...]
    now: tuple[Statement, ...]
    because: tuple[Statement, ...]
    none: str = ""
    about: tuple[str, ...] = ()

    @property
    def phrases(self) -> tuple[str, ...]:
        """All that it is known by, beside what its cases are seen as."""
        return (self.says, *self.english, *self.chinese)


@cache
def symptoms() -> tuple[Symptom, ...]:
    """All of them, in the order of the file. UnknownNameError where one names a case that there is not."""
    return tuple(map(_symptom, _table()["symptom"]))


def phrases_of(prop: Property) -> tuple[str, ...]:
    """The phrases of the symptoms of which a case is the first; none of a case that is not built in."""
    return _phrases().get(prop, ())


@cache
def _phrases() -> Mapping[Property, tuple[str, ...]]:
    found: dict[Property, tuple[str, ...]] = {}
    for symptom in symptoms():
        prop = symptom.cases[0].prop
        found[prop] = (*found.get(prop, ()), *symptom.phrases)
    return found


@cache
def meanings() -> Meanings:
    """The words that mean one thing."""
    return Meanings({name: tuple(words) for name, words in _table()["words"].items()})


def cases_named(text: str) -> tuple[BoundCase, ...]:
    """`SUBJECT CASE`, or all cases of `SUBJECT CLAIM`."""
    name, _, word = text.partition(" ")
    subject = subject_named(name)
    return tuple(BoundCase(subject, prop) for prop in subject.named(word))


def verdict_named(text: str) -> Verdict:
    """`SUBJECT CASE VERDICT` or `SUBJECT CASE SCOPE VERDICT`."""
    subject, case, *scope, verdict = text.split()
    return Verdict(cases_named(f"{subject} {case}")[0], "".join(scope), Expectation(verdict))


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((SINGLES[DEFAULT].folder / FILE).read_text(encoding="utf-8"))


def _symptom(row: dict[str, Any]) -> Symptom:
    return Symptom(
        row["id"],
        row["kind"],
        row["says"],
        tuple(dict.fromkeys(case for text in row["cases"] for case in cases_named(text))),
        row.get("story", ""),
        tuple(row["en"]),
        tuple(row["zh"]),
        tuple(row.get("logs", ())),
        tuple(map(_advice, row.get("now", ()))),
        tuple(_statement(each["words"], each["where"]) for each in row.get("because", ())),
        row.get("none", ""),
        tuple(row.get("about", ())),
    )


def _advice(row: dict[str, Any]) -> Statement:
    """What to do: in the words of the file, or of the assumptions of the first case that holds."""
    verdicts = {*map(str, Expectation)}
    named = (case if case.split()[-1] in verdicts else f"{case} {HOLDS}" for case in row["where"])
    where = tuple(map(verdict_named, named))
    today = dict.fromkeys(each.today for each in where[0].case.prop.assumptions if each.today)
    return Statement(row.get("words") or "; ".join(today), where)


def _statement(words: str, where: Iterable[str]) -> Statement:
    return Statement(words, tuple(map(verdict_named, where)))

"""The claims that hold, their scopes with one thing raised by one, and the data of what was found there."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from offsetproof.checking.engines import Engines
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.widening import decide_whole_or_reduced, scope_with_raised
from offsetproof.checking.wider import BY_STUBBORN_SETS
from offsetproof.lang import HOLDS, Subject
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.errors import RefusedError
from offsetproof.lang.model import faults_of, usual_releases
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result, Verdict
from studies import RECORDS
from studies.explored import explored_digest
from studies.subjects import ABOUT_ROCKETMQ, SMALLER

OUTCOMES = (
    *("same", "holds", BY_STUBBORN_SETS, "refuted", "too large"),
    *("witness", "bound", "model error", "not asked"),
)
SAME, HELD, HELD_REDUCED, REFUTED, TOO_LARGE, WITNESS, BOUND, ERROR, OPEN = OUTCOMES
"""What a world may be found to be. In the same system as before a claim holds as before; an open one is to be asked.

`by stubborn sets`: it holds, and a whole search has too many states to say so.
`bound`: nothing but a bound of the scope may keep runs from what a claim about them says.
"""


class Found(NamedTuple):
    """What was found in a world: the system that was explored, the outcome, and the size of the smallest trace."""

    digest: str
    outcome: str
    faults: int | None = None
    steps: int | None = None


@dataclass(frozen=True)
class Pair:
    """A claim that is expected to hold, in one of its scopes."""

    question: Question

    @property
    def name(self) -> str:
        """The key of its record."""
        return f"{self.question.prop.id} {self.question.setting.scope.name}"

    def with_raised(self, raised: str) -> Question | None:
        """The same question where this bound or fault is one more; None where it cannot be."""
        setting = self.question.setting
        scope = scope_with_raised(setting.scope, raised, self.question.model)
        return None if scope is None else replace(self.question, setting=replace(setting, scope=scope))


Record = dict[str, dict[str, Found]]
"""What was found, by pair and by what was raised; not there is what cannot be."""


@dataclass(frozen=True)
class Widening:
    """What is asked of one subject, and where it is written down.

    What has more `states` is too large, and so is what cannot be staged.
    """

    subject: Subject
    states: int

    @property
    def data(self) -> Path:
        """The file of its record."""
        return RECORDS / f"widened-{self.subject.name}.json"

    @cached_property
    def faults(self) -> tuple[str, ...]:
        """The kinds of fault that can be raised."""
        return tuple(fault.name for fault in faults_of(self.subject.model))

    @cached_property
    def raised(self) -> tuple[str, ...]:
        """What is raised by one: each bound, and how often each kind of fault may happen."""
        return (*self.subject.model.bounds, *self.faults)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every claim that is expected to hold, in each of its scopes, in the first release in which it is.

        The usual release comes first, and witnesses are no such claims.
        """
        model = self.subject.model
        releases = dict.fromkeys(release.name for release in (*usual_releases(model), *model.releases))
        first: dict[tuple[str, str], Question] = {}
        for question in questions_of(Request(self.subject, (), tuple(releases), limits=Limits(states=self.states))):
            if question.prop.kind is not ClaimKind.SOMETIMES and question.prop.expects(question.setting) is HOLDS:
                first.setdefault((question.prop.id, question.setting.scope.name), question)
        return tuple(Pair(question) for question in first.values())

    def read(self) -> Record:
        """What is written down, but what was too large for a smaller limit."""
        known: dict[str, Any] = {"limit": self.states, "worlds": {}}
        if self.data.is_file():
            known = json.loads(self.data.read_text(encoding="utf-8"))
        if known["limit"] > self.states:
            return {}
        kept = {*OUTCOMES} - ({TOO_LARGE} if known["limit"] < self.states else set())
        rows = {name: {raised: Found(*found) for raised, found in row.items()} for name, row in known["worlds"].items()}
        return {
            name: {raised: found for raised, found in row.items() if found.outcome in kept}
            for name, row in rows.items()
        }

    def write(self, record: Record) -> None:
        """Writes a line for each world."""
        lines = []
        for name, row in record.items():
            ordered = [raised for raised in self.raised if raised in row]
            worlds = [f"  {json.dumps(raised)}: {json.dumps(_short(row[raised]))}" for raised in ordered]
            lines.append(f" {json.dumps(name)}: {{\n" + ",\n".join(worlds) + "\n }")
        text = f'{{"limit": {self.states}, "worlds": {{\n' + ",\n".join(lines) + "\n}}\n"
        self.data.write_text(text, encoding="utf-8")


WIDENINGS = tuple(Widening(subject, 500_000 if subject in SMALLER else 1_500_000) for subject in ABOUT_ROCKETMQ)
"""All subjects about RocketMQ, the one that is meant when none is named first."""


def digest_of(question: Question, engines: Engines) -> str:
    """The system that is explored for the question, as it is written down; "" where it is too large to be staged."""
    try:
        return explored_digest(question, engines)[:12]
    except RefusedError:
        return ""


def decided(question: Question, digest: str, engines: Engines, *, whole: bool = False) -> Found:
    """What the explicit engine finds; by a `whole` search alone, or by stubborn sets where that is too large."""
    if not digest:
        return Found(digest, TOO_LARGE)
    result = engines.only.decide(question) if whole else decide_whole_or_reduced(engines, question)
    if result.replay is None:
        return Found(digest, _outcome(result))
    return Found(digest, REFUTED, result.replay.faults, len(result.replay.labels))


def _outcome(result: Result) -> str:
    if result.verdict is Verdict.HOLDS:
        return HELD_REDUCED if result.counts.reduced else HELD
    outcomes = {Reason.STATES: TOO_LARGE, Reason.WITNESS: WITNESS, Reason.BOUND: BOUND}
    return ERROR if result.reason is None else outcomes.get(result.reason, ERROR)


def _short(found: Found) -> list[str | int]:
    return [each for each in found if each is not None]

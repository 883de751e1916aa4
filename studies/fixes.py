"""Decides every claim with each fix and each assumption alone; writes its data (`make fixes`).

A cell is decided only where the fix or assumption changes the system that is explored for the claim: elsewhere the
verdict cannot differ. What is written down already is kept while that system is the same (its digest) and the limit on
states, too; `--again` decides everything. The claims of the catalogue are asked in their own scopes, with what they
state themselves.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, question_with_remedy, questions_of
from offsetproof.lang import Assumption, ClaimKind, Fix, Property, Remedy
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from studies import DOCS, RECORDS
from studies.explored import explored_digest
from studies.fixes_page import draw

FIXES, ASSUMPTIONS = RocketMQ.fixes, RocketMQ.assumptions

DATA, PLOT = RECORDS / "fixes.json", DOCS / "studies" / "fixes" / "verdicts.svg"

STATES = 12_000_000
"""What has more states than this is not decided."""

ENGINES = explicit_alone()

Record = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """A claim in one of its scopes, with what it states itself."""

    question: Question

    @property
    def name(self) -> str:
        """The key of its record."""
        return f"{self.question.prop.id} {self.question.setting.scope.name}"

    def with_fix(self, fix: Fix) -> Question | None:
        """The same with one fix more; None where the claim states it itself."""
        setting = self.question.setting
        if fix in setting.fixes:
            return None
        return replace(self.question, setting=replace(setting, fixes=(*setting.fixes, fix)))

    def assuming(self, assumption: Assumption) -> Question | None:
        """The same with one assumption more; None where the claim states it itself."""
        setting = self.question.setting
        if assumption in setting.assumptions:
            return None
        return replace(self.question, setting=replace(setting, assumptions=(*setting.assumptions, assumption)))

    def cells(self) -> Iterator[tuple[str, Question | None]]:
        """Every column's question, under its name."""
        yield from ((fix.name, self.with_fix(fix)) for fix in FIXES)
        yield from ((assumption.name, self.assuming(assumption)) for assumption in ASSUMPTIONS)


def rows() -> list[Row]:
    """Every claim in each of its scopes; witnesses are no claims."""
    questions = questions_of(Request(ROCKETMQ, limits=Limits(states=STATES)))
    return [Row(question) for question in questions if question.prop.kind is not ClaimKind.SOMETIMES]


def combined_questions() -> dict[str, Question]:
    """What makes a refuted claim hold, where that is more than one fix or assumption, or a smaller world.

    Remedies that are cases have rows of their own, which need other witnesses than what they repair.
    """
    return {
        options(prop, remedy): question_with_remedy(ROCKETMQ, prop, remedy, Limits(states=STATES))
        for prop in ROCKETMQ.properties
        for remedy in prop.remedies
        if not remedy.case
        and (len(remedy.fixes) + len(remedy.assumptions) > 1 or remedy.bounds or remedy.listener is not None)
    }


def options(prop: Property, remedy: Remedy) -> str:
    """The options of `offsetproof check` that ask it."""
    said = [f"--property {prop.id}", f"--scope {remedy.scope}"]
    said += [f"--fix {fix.name}" for fix in remedy.fixes]
    said += [f"--assume {assumption.name}" for assumption in remedy.assumptions]
    said += [f"--bound {name}={value}" for name, value in remedy.bounds.items()]
    said += [f"--listener {remedy.listener.name}"] if remedy.listener else []
    said += [f"--release {remedy.release}"] if remedy.release else []
    return " ".join(said)


def digest_of(question: Question) -> str:
    """The system that is explored for the question."""
    return explored_digest(question, ENGINES)


def decide_record(question: Question, digest: str) -> Record:
    """The verdict on the system of this digest, and the size of its smallest trace."""
    result = ENGINES.only.decide(question)
    return {
        "digest": digest,
        "verdict": str(result.verdict),
        "reason": None if result.reason is None else str(result.reason),
        "faults": None if result.replay is None else result.replay.faults,
        "steps": None if result.replay is None else len(result.replay.labels),
        "states": result.counts.states,
    }


def main() -> None:
    """Decides what is not known yet, and writes all at the end."""
    known: Record = json.loads(DATA.read_text(encoding="utf-8")) if DATA.is_file() else {}
    again = "--again" in sys.argv or known.get("limit") != STATES
    before: Record = {} if again else known.get("claims", {})
    combinations: Record = {} if again else known.get("combinations", {})
    started = time.process_time()
    made: Record = {}
    for row in rows():
        made[row.name] = _row(row, before.get(row.name, {}))
        print(row.name, f"{time.process_time() - started:.0f} s", flush=True)
    known = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "limit": STATES,
        "claims": made,
        "combinations": {
            name: _keep_or_decide(questions, digest_of(questions), combinations.get(name))
            for name, questions in combined_questions().items()
        },
    }
    DATA.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    draw(known, PLOT)


def _row(row: Row, before: Record) -> Record:
    """The claim as it is stated, and every cell whose system differs."""
    own = digest_of(row.question)
    cells = {}
    for name, question in row.cells():
        if question is not None and (digest := digest_of(question)) != own:
            cells[name] = _keep_or_decide(question, digest, before.get("cells", {}).get(name))
    setting = row.question.setting
    stated = [*(fix.name for fix in setting.fixes), *(assumption.name for assumption in setting.assumptions)]
    return {"stated": stated, "alone": _keep_or_decide(row.question, own, before.get("alone")), "cells": cells}


def _keep_or_decide(question: Question, digest: str, before: Record | None) -> Record:
    if before is not None and before["digest"] == digest:
        return before
    return decide_record(question, digest)


if __name__ == "__main__":
    main()

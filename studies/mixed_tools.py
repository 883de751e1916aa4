"""Decides what a tool of another release than its broker's changes: named pairs, and a table in docs/releases.md.

`python -m studies.mixed_tools` asks each claim of the models that know the tool, in those scopes alone in which it is
told from that of the broker's release. Where a case names a behaviour of the tool among its fixes, the pair's tool has
it or not instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from offsetproof.checking.engines import Engines, explicit_alone
from offsetproof.checking.releases import parse_release
from offsetproof.checking.request import Request, questions_of
from offsetproof.lang import ClaimKind, Scope, Subject
from offsetproof.lang.behaviours import optional_roles
from offsetproof.lang.other_release import is_right_for
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.properties.queues.catalogue import QUEUES
from offsetproof.traces.trace import trace_of
from offsetproof.verdict.question import Question
from studies import RECORDS
from studies.claims import page_of
from studies.rows import Row, read_rows, write_rows
from studies.verdicts import NOT_ASKED, SUBJECTS

DATA = RECORDS / "mixed-tools.json"

KNOWS_TOOL = (ROCKETMQ, QUEUES)
PAIRS = (
    "broker=4.9.4,client=4.9.4,tool=5.3.3",
    "broker=5.3.3,client=4.9.4,tool=4.9.4",
    "broker=5.3.3-client-reset,client=5.3.3-client-reset,tool=4.9.4",
)
"""A dashboard or mqadmin of 5.x before a cluster of 4.9.x; and one of 4.9.x before brokers that have been upgraded."""

_TOOL_ACTS = ("resets", "writes")
"""Where neither is in a scope the tool does nothing there."""

Told = tuple[Question, Question]
"""A question with the pair's tool, and the same with the tool of the broker's release."""


def told_apart(subject: Subject, pair: str, engines: Engines, named: tuple[str, ...] = ()) -> Iterator[Told]:
    """The claims, or those named, in the scopes in which the tool's release is asked for; no witnesses."""
    optional = optional_roles(subject.model)
    for question in questions_of(Request(subject, named, (pair,))):
        setting = question.setting
        if question.prop.kind is ClaimKind.SOMETIMES or not _has_tool(setting.scope):
            continue
        fixes = tuple(fix for fix in setting.fixes if not {each.role for each in fix.adds} & {*optional})
        there = replace(question, setting=replace(setting, fixes=fixes))
        without = {role: of for role, of in setting.releases.items() if role not in optional}
        own = replace(there, setting=replace(there.setting, releases=without))
        staged, asked = engines.models.of(own), (own.prop, *own.witnesses)
        if not is_right_for(staged, there.setting, asked):
            yield there, own


def _has_tool(scope: Scope) -> bool:
    return any(scope.bounds.get(name, 0) > 0 for name in _TOOL_ACTS)


def row_of(subject: Subject, told: Told, engines: Engines) -> Row:
    """The verdict with the pair's tool, that with the broker's own, and of a counterexample its steps and cause."""
    there, own = told
    result = engines.only.decide(there)
    speaks = there.prop.case.speaks_of(own.setting)
    row: Row = {
        "subject": subject.name,
        "claim": there.prop.id,
        "scope": there.setting.scope.name,
        "pair": there.setting.release,
        "verdict": str(result.verdict),
        "own": str(engines.only.decide(own).verdict) if speaks else NOT_ASKED,
        "states": result.counts.states,
    }
    if result.replay is None:
        return row
    trace = trace_of(result.replay, subject=subject.name, digest=result.digest, staged=engines.models.of(there))
    return row | {"steps": trace.length, "cause": list(trace.cause)}


@cache
def recorded() -> tuple[Row, ...]:
    """What is written down."""
    return tuple(read_rows(DATA))


def table() -> str:
    """A row per claim and scope with another verdict than with the tool of the broker's release, and how many have."""
    lines = [
        "| case | scope | client | broker | tool | verdict | with the broker's tool |",
        "|---|---|---|---|---|---|---|",
    ]
    differing = [row for row in recorded() if row["verdict"] != row["own"]]
    for row in differing:
        subject = SUBJECTS[row["subject"]]
        prop = subject.find(row["claim"])
        of = {role: release.name for role, release in parse_release(row["pair"], subject).items()}
        named = f"[{prop.id}]({page_of(subject).name}#{prop.name})"
        cells = (named, row["scope"], of["client"], of["broker"], of["tool"], row["verdict"], row["own"])
        lines.append(f"| {' | '.join(cells)} |")
    told = f"{len(recorded())} cells have another system by the tool's release, {len(differing)} another verdict."
    return "\n".join([*lines, "", told])


def main() -> None:
    """All pairs; writes at the end."""
    engines = explicit_alone()
    rows = [
        row_of(subject, told, engines)
        for subject in KNOWS_TOOL
        for pair in PAIRS
        for told in told_apart(subject, pair, engines)
    ]
    write_rows(DATA, rows)


if __name__ == "__main__":
    main()

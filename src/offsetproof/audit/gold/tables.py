"""The gold tables: what each queue's events come to, a row for each spell, run of commits, start, reset and finding."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.finding import Certainty, Evidence, Finding, FindingKind
from offsetproof.audit.gold.history import History
from offsetproof.audit.gold.rules.overriding import landing_of
from offsetproof.audit.gold.rules.owners import spells_of
from offsetproof.audit.gold.rules.regression import lower_commits
from offsetproof.audit.gold.rules.resets import resets_of
from offsetproof.audit.silver.columns import Column

Row = dict[str, Any]


_QUEUE = (
    Column("group", "string", "consumer group", may_be_empty=True),
    Column("topic", "string", "topic", may_be_empty=True),
    Column("broker", "string", "broker name; empty where no line tells it", may_be_empty=True),
    Column("queue", "int32", "queue id", may_be_empty=True),
)
_SPAN = (
    Column("time_from", "int64", "begin of the first line's interval, in microseconds since 1970 UTC"),
    Column("time_to", "int64", "end of the last line's interval, exclusive"),
)
_FIRST = (
    Column("file", "string", "file of the first line"),
    Column("byte_offset", "int64", "where the first line's record begins"),
)
_LAST = (
    Column("last_file", "string", "file of the last line"),
    Column("last_byte_offset", "int64", "where the last line's record begins"),
)

TABLES: dict[str, tuple[Column, ...]] = {
    "spells": (
        *_QUEUE,
        *_SPAN,
        Column("owner", "string", "who had the queue: its process, and its id where several write one log"),
        Column("client", "string", "client id, else as owner"),
        Column("given_up", "bool", "a line says that the client gave the queue up, or stopped"),
        *_FIRST,
        *_LAST,
    ),
    "commits": (
        *_QUEUE,
        *_SPAN,
        Column("client", "string", "client id"),
        Column("first_offset", "int64", "offset of the run's first line; no line of the run has a lower one"),
        Column("last_offset", "int64", "offset of its last line"),
        *_FIRST,
        *_LAST,
    ),
    "starts": (
        *_QUEUE,
        *_SPAN,
        Column("client", "string", "client id, else its process"),
        Column("offset", "int64", "where it starts"),
        Column(
            "committed",
            "int64",
            "offset of the last commit line before, by the stamps; empty without one",
            may_be_empty=True,
        ),
        *_FIRST,
    ),
    "resets": (
        *_QUEUE,
        *_SPAN,
        Column("target", "int64", "target, where a line tells it; else empty", may_be_empty=True),
        Column("before", "int64", "offset before it landed; empty if it did not", may_be_empty=True),
        Column("landed", "int64", "the lower offset that it brought; empty if none was seen", may_be_empty=True),
        *_FIRST,
    ),
    "lower_commits": (
        *_QUEUE,
        *_SPAN,
        Column("before", "int64", "offset before"),
        Column("after", "int64", "the lower one"),
        Column("by_reset", "bool", "a reset brought it"),
        Column("certain", "bool", "every order that the stamps allow has it"),
        *_FIRST,
    ),
    "gaps": (*_QUEUE, *_SPAN, *_FIRST),
    "findings": (
        *_QUEUE,
        *_SPAN,
        Column("kind", "string", "name of the finding"),
        Column("certainty", "string", "certain or possible"),
        Column("says", "string", "one sentence"),
        Column("numbers", "string", "its offsets by name, as JSON"),
        Column("evidence", "string", "its lines, as JSON"),
        Column("decided_by", "string", "what would decide it; empty of a certain one", may_be_empty=True),
    ),
}
"""The columns of each table. A gap is a time in which no client is seen with the queue."""


def rows_of_queue(history: History) -> Iterator[tuple[str, Row]]:
    """The rows of a queue, each with its table; findings apart."""
    queue = {"group": history.group, "topic": history.topic, "broker": history.broker, "queue": history.queue}
    for table, row in (*_spells(history), *_commits(history), *_starts(history), *_resets(history), *_lower(history)):
        yield table, queue | row


def _spells(history: History) -> Iterator[tuple[str, Row]]:
    spells = spells_of(history)
    for each in spells:
        yield (
            "spells",
            {
                **_span(each.first, each.end),
                "owner": each.owner,
                "client": history.members.name(each.last),
                "given_up": each.given_up is not None,
                **_last(each.end),
            },
        )
    latest: Event | None = None
    for each in spells:
        if latest is not None and latest.time_to < each.first.time_from:
            gap = {"time_from": latest.time_to, "time_to": each.first.time_from}
            yield "gaps", {**gap, "file": latest.file, "byte_offset": latest.byte_offset}
        latest = each.end if latest is None or each.end.time_to > latest.time_to else latest


def _commits(history: History) -> Iterator[tuple[str, Row]]:
    commits = history.commits
    run = commits[:1]
    for last, each in pairwise([*commits, None]):
        assert last is not None
        if each is not None and each.file == last.file and (each.offset or 0) >= (last.offset or 0):
            run.append(each)
            continue
        offsets = {"first_offset": run[0].offset, "last_offset": last.offset}
        yield "commits", {**_span(run[0], last), "client": last.client, **offsets, **_last(last)}
        run = [] if each is None else [each]


def _starts(history: History) -> Iterator[tuple[str, Row]]:
    committed: int | None = None
    for event in history.of(EventKind.START, EventKind.COMMIT_SENT):
        if event.kind is EventKind.COMMIT_SENT:
            committed = event.offset
        else:
            row = {"client": history.members.name(event), "offset": event.offset, "committed": committed}
            yield "starts", {**_span(event, event), **row}


def _resets(history: History) -> Iterator[tuple[str, Row]]:
    for reset in resets_of(history):
        low = landing_of(history, reset)
        offsets = {"before": low[1] if low else None, "landed": low[0].offset if low else None}
        yield "resets", {**_span(reset.begun, reset.lines[-1]), "target": reset.target, **offsets}


def _lower(history: History) -> Iterator[tuple[str, Row]]:
    for each in lower_commits(history):
        row = {"before": each.before, "after": each.low.offset, "by_reset": each.own, "certain": each.certain}
        yield "lower_commits", {**_span(each.low, each.low), **row}


def _span(first: Event, last: Event) -> Row:
    place = {"file": first.file, "byte_offset": first.byte_offset}
    return {"time_from": first.time_from, "time_to": max(first.time_to, last.time_to), **place}


def _last(event: Event) -> Row:
    return {"last_file": event.file, "last_byte_offset": event.byte_offset}


def row_of_finding(finding: Finding) -> Row:
    """A finding as a row of its table."""
    plain = {name: getattr(finding, name) for name in ("group", "topic", "broker", "queue", "time_from", "time_to")}
    return {
        **plain,
        "kind": finding.kind.value,
        "certainty": finding.certainty.value,
        "says": finding.says,
        "numbers": json.dumps(finding.values),
        "evidence": json.dumps([asdict(each) for each in finding.evidence]),
        "decided_by": finding.decided_by,
    }


def finding_of_row(row: Row) -> Finding:
    """The finding of a row."""
    plain = {name: row[name] for name in ("group", "topic", "broker", "queue", "time_from", "time_to", "says")}
    return Finding(
        **plain,
        kind=FindingKind(row["kind"]),
        certainty=Certainty(row["certainty"]),
        values=json.loads(row["numbers"]),
        evidence=tuple(Evidence(**each) for each in json.loads(row["evidence"])),
        decided_by=row["decided_by"],
    )

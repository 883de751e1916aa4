"""Offset files that lost a queue (I15) or fell back to their backup (I12), and pulls beyond the end (I19)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.finding import Certainty, Finding, FindingKind
from offsetproof.audit.gold.history import History, evidence_of
from offsetproof.verdict.phrases import quantity

SNAPSHOTS = (EventKind.OFFSET_STORED, EventKind.OFFSET_LOCAL)


BACKUP = ".bak"

State = tuple[str, int]


def is_snapshot(event: Event) -> bool:
    """Is it a row of an offset file? What a running broker tells has the queue's end beside it."""
    return event.kind in SNAPSHOTS and event.other_offset is None


def state_of(row: Event) -> State:
    """The file of a row, and when it had it: an audit that goes on reads a file again that was written anew."""
    return row.file, row.time_from


def lost_queues(history: History) -> Iterator[Finding]:
    """Claim I15: an offset file keeps the queues that it has.

    Inferred from two snapshots of one machine's file: a queue of the first is not in the second, and no line says that
    the group's or the topic's offsets were removed. A file without any row is no snapshot. A backup is older than its
    file, whatever the times of copies say. Possible if the two are in different folders: a machine may have several
    brokers. It does not say who removed the row: a tool that deletes a group leaves no line in some releases.
    """
    rows = [event for event in history.events if is_snapshot(event)]
    states = {state_of(each) for each in rows}
    for row in rows:
        later = [each for each in history.snapshots if _is_of(row, each) and _is_later(history, row, each)]
        if not later:
            continue
        after = min(later, key=lambda each: each.time_from)
        if state_of(after) in states:
            continue
        cleaned = [
            each
            for each in history.of_group(EventKind.GROUP_CLEANED, EventKind.TOPIC_CLEANED)
            if row.time_from <= each.time_to and each.time_from <= max(row.time_to, after.time_to)
        ]
        if not cleaned:
            is_same = row.file == after.file
            found = history.finding(
                FindingKind.FILE_LOST_QUEUE,
                Path(row.file).parent == Path(after.file).parent,
                f"the queue stood at {row.offset} in {row.file} and is not in "
                f"{'what it has later' if is_same else after.file}",
                [(row, "row of the queue"), (after, "a row of the later file")],
                "whether both files are of one broker",
                offset=row.offset,
            )
            yield _with_row(found, row) if is_same else found


def _with_row(found: Finding, row: Event) -> Finding:
    """The finding with the text of its first line, which is no longer in the file."""
    text = f"{row.topic}@{row.group} {row.queue}:{row.offset}"
    return replace(found, evidence=(replace(found.evidence[0], text=text), *found.evidence[1:]))


def _is_of(row: Event, other: Event) -> bool:
    return row.kind is other.kind and row.host == other.host and state_of(row) != state_of(other)


def _is_later(history: History, row: Event, other: Event) -> bool:
    """Is another snapshot surely later than a row's? A backup and its file count as they were read last."""
    if other.file == row.file + BACKUP:
        return False
    if row.file == other.file + BACKUP:
        newest = [max(each.time_from for each in history.snapshots if each.file == it.file) for it in (row, other)]
        return newest == [row.time_from, other.time_from]
    return history.clocks.before(row, other) is True


def file_findings(events: Iterable[Event]) -> Iterator[Finding]:
    """Claims I12 and I19, as lines of brokers and clients say it themselves.

    I12, an offset file can be read: the line that it was damaged, so that the backup is loaded. I19, a fail-over keeps
    the offsets: the line of a pull beyond the end of the queue, one finding for those of one group and log. The line
    does not say that there was a fail-over: messages of the end that were lost with a machine look the same.
    """
    beyond: dict[tuple[str, str | None, str | None, str | None], list[Event]] = {}
    for event in events:
        if event.kind is EventKind.FILE_FELL_BACK:
            yield _said(FindingKind.FILE_FELL_BACK, [event], f"{event.detail} was damaged, its backup is loaded")
        elif event.kind is EventKind.PULL_BEYOND_END:
            beyond.setdefault((event.file, event.group, event.topic, event.detail), []).append(event)
    for lines in beyond.values():
        first = lines[0]
        asked = f"a pull asked for {first.offset}, beyond the end {first.other_offset}"
        yield _said(FindingKind.PULL_BEYOND_END, lines, f"{asked} ({quantity(len(lines), 'line')})")


def _said(kind: FindingKind, lines: list[Event], says: str) -> Finding:
    first, last = lines[0], lines[-1]
    values = {"asked": first.offset, "end": first.other_offset}
    return Finding(
        kind=kind,
        certainty=Certainty.CERTAIN,
        group=first.group,
        topic=first.topic,
        broker=first.broker,
        queue=first.queue,
        time_from=first.time_from,
        time_to=last.time_to,
        says=says,
        evidence=tuple(evidence_of(each, "line") for each in ([first] if len(lines) == 1 else [first, last])),
        values={name: value for name, value in values.items() if value is not None},
    )

"""Offset files that lost a queue (I15) or fell back to their backup (I12), and pulls beyond the end (I19)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.finding import Certainty, Finding, FindingKind
from offsetproof.audit.history import History, evidence_of

SNAPSHOTS = (EventKind.OFFSET_STORED, EventKind.OFFSET_LOCAL)


def is_snapshot(event: Event) -> bool:
    """Is it a row of an offset file? What a running broker tells has the queue's end beside it."""
    return event.kind in SNAPSHOTS and event.other_offset is None


def lost_queues(history: History) -> Iterator[Finding]:
    """Claim I15: an offset file keeps the queues that it has.

    Inferred from two snapshots of one machine's file: a queue of the first is not in the second, and no line says that
    the group's or the topic's offsets were removed. A file without any row is no snapshot. It does not say who
    removed the row: a tool that deletes a group leaves no line in some releases.
    """
    rows = [event for event in history.events if is_snapshot(event)]
    for row in rows:
        later = [each for each in history.snapshots if _is_of(row, each) and history.clocks.before(row, each) is True]
        if not later:
            continue
        after = min(later, key=lambda each: each.time_from)
        if any(each.file == after.file for each in rows):
            continue
        cleaned = [
            each
            for each in history.of_group(EventKind.GROUP_CLEANED, EventKind.TOPIC_CLEANED)
            if row.time_from <= each.time_to and each.time_from <= after.time_to
        ]
        if not cleaned:
            yield history.finding(
                FindingKind.FILE_LOST_QUEUE,
                True,
                f"the queue stood at {row.offset} in {row.file} and is not in {after.file}",
                [(row, "row of the queue"), (after, "a row of the later file")],
                offset=row.offset,
            )


def _is_of(row: Event, other: Event) -> bool:
    return row.kind is other.kind and row.host == other.host and row.file != other.file


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
        yield _said(FindingKind.PULL_BEYOND_END, lines, f"{asked} ({len(lines)} lines)")


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

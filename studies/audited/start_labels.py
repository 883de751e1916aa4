"""Where consumers start: above or below what was committed, at none of the messages, or at one offset again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from offsetproof.audit.gold.finding import FindingKind
from studies.audited.file_labels import rows_of_file
from studies.audited.label import LOOK, Changes, Label, addresses_of, first_pull, spells_of, value_at
from studies.audited.recording import Life, Recorded, Row

_LATE = 1_000_000
"""Microseconds after which a commit of the owner before does not come any more."""
_AGAIN = 3
"""So many starts at one offset are one too many."""


def starts(recorded: Recorded, stored: Mapping[Row, Changes]) -> Iterator[Label]:
    """Where a process starts on a queue: at what is committed, above or below it, or, with nothing committed, where.

    What is committed for a broadcasting client is in its own file.
    """
    addresses = addresses_of(recorded)
    for row, spells in spells_of(recorded).items():
        for place, (begins, ends, life) in enumerate(spells):
            start = first_pull(recorded, addresses, row, life, begins - LOOK, ends)
            if start is None:
                continue
            others = {other.process for _, _, other in spells[:place]} - {life.process}
            if life.subscription.broadcasting:
                before = known = _in_file(recorded, life, row, begins)
            else:
                before = value_at(stored.get(row, []), begins)
                if before is not None:
                    before = max(before, recorded.highest_before_load(row, begins) or 0)
                known = max(before or 0, _late_commit(recorded, addresses, row, life, begins)) if others else before
            yield from _start(recorded, row, begins, life, start, before, known)


def _late_commit(recorded: Recorded, addresses: Mapping[str, Life], row: Row, life: Life, at: int) -> int:
    """The highest commit of others that comes after a process has started on a queue."""
    commits = (
        commit[5]
        for commit in recorded.requests("commit")
        if at < commit[0] < at + _LATE and commit[2:5] == [*row] and addresses.get(commit[1]) is not life
    )
    return max(commits, default=0)


def _in_file(recorded: Recorded, life: Life, row: Row, at: int) -> int | None:
    """What a broadcasting client's file has for a queue, as far as a copy of it was kept."""
    texts = [text for when, name, text in recorded.snapshots if name == life.name and when <= at]
    return rows_of_file(texts[-1]).get((row[1], row[2])) if texts else None


def _start(
    recorded: Recorded, row: Row, at: int, life: Life, start: int, before: int | None, known: int | None
) -> Iterator[Label]:
    """`before` is what is committed when it starts; `known` the highest that is then, or later by those before it.

    `known` is None where nobody has had the queue before, and nothing is committed.
    """
    end = recorded.max_offset(row[1], row[2], at)
    values = {"start": start, "end": end, "committed": known}
    if before is None or known is None:
        if known is None and start == 0 < end and not life.subscription.broadcasting:
            says = f"{end} messages are older than the group"
            yield Label(FindingKind.NEW_GROUP_FROM_ZERO, *row, at, says, values=values)
        elif start == end > 0:
            says = f"it starts behind {end} messages"
            yield Label(FindingKind.NEW_GROUP_FROM_END, *row, at, says, values=values)
    elif start > known or start < before:
        kind = FindingKind.RANGE_SKIPPED if start > known else FindingKind.RANGE_REPEATED
        yield Label(kind, *row, at, f"it starts at {start}, {known} is committed", values=values)
    elif start < known:
        says = f"it starts at {start}; {known} is committed by the one before, too late"
        yield Label(FindingKind.RANGE_REPEATED, *row, at, says, values=values)


def same_starts(recorded: Recorded, stored: Mapping[Row, Changes]) -> Iterator[Label]:
    """Three starts at one offset before the end, one after the other, with nothing committed beyond in between."""
    addresses = addresses_of(recorded)
    for row, spells in spells_of(recorded).items():
        run: list[tuple[int, int]] = []
        for begins, ends, life in spells:
            start = first_pull(recorded, addresses, row, life, begins - LOOK, ends)
            if start is None:
                continue
            beyond = any(
                value is not None and value > start and run and run[-1][0] < at < begins
                for at, value in stored.get(row, [])
            )
            run = [*run, (begins, start)] if run and run[-1][1] == start and not beyond else [(begins, start)]
            if len(run) == _AGAIN and start < recorded.max_offset(row[1], row[2], begins):
                says = f"it starts at {start} for the third time, and nothing was committed beyond"
                yield Label(FindingKind.SAME_START_AGAIN, *row, begins, says, values={"start": start})
                break


def ranges_gone(recorded: Recorded) -> Iterator[Label]:
    """A group asks for messages that the broker has deleted: those up to the lowest offset are given to nobody."""
    seen = set()
    for at, _, group, topic, queue, offset, *_ in recorded.requests("pull"):
        begin = recorded.min_offset(topic, queue, at)
        row = group, topic, queue
        if offset < begin and row not in seen:
            seen.add(row)
            says = f"it asks for {offset}, and the lowest offset is {begin}"
            yield Label(FindingKind.RANGE_SKIPPED, *row, at, says, values={"asked": offset, "begin": begin})

"""Events back from the silver table: all of them, and those around findings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.explain.explaining import AFTER, BEFORE
from offsetproof.audit.explain.member_releases import versions_of
from offsetproof.audit.gold.clocks import turns_of
from offsetproof.audit.gold.copies import without_copies
from offsetproof.audit.gold.finding import Finding
from offsetproof.audit.silver.arrow_tables import EVENT_COLUMNS, events_of_rows

MOST = 400
"""How many events around a finding are looked at: those nearest to its own lines."""


@dataclass(frozen=True)
class Around:
    """The events that findings may be about, by group, in the order of stamps; those of no group under None."""

    events: Mapping[str | None, Sequence[Event]]
    versions: Mapping[str | None, frozenset[str]]
    """The versions of each group's clients, as brokers' logs tell them, whenever that was."""

    def __call__(self, finding: Finding) -> Sequence[Event]:
        """Those around one finding."""
        return events_around(finding, chain(*(self.events.get(each, ()) for each in {finding.group, None})))

    @property
    def turns(self) -> Mapping[str, Sequence[int]]:
        """Where the stamps of their files go back far: lines there were joined, and are not in their order."""
        return turns_of(chain(*self.events.values()))


@dataclass(frozen=True)
class Silver:
    """The events of a run, as Parquet files below a folder."""

    folder: Path

    def around(self, findings: Sequence[Finding]) -> Around:
        """What gives the events around each of these findings; they are read once, those of other queues left out."""
        groups = {each.group for each in findings}
        queues = {(each.group, each.topic, each.queue) for each in findings}
        whole = {group for group, topic, queue in queues if topic is None or queue is None}
        begin = min((each.time_from for each in findings), default=0) - BEFORE
        end = max((each.time_to for each in findings), default=0) + AFTER
        kept: dict[str | None, list[Event]] = {}
        for event in self.events(begin, end):
            place = event.group, event.topic, event.queue
            is_wide = event.group is None or (None in place and event.group in groups)
            if is_wide or place in queues or event.group in whole:
                kept.setdefault(event.group, []).append(event)
        for events in kept.values():
            events.sort(key=in_order)
        return Around(kept, versions_of(self._members(groups)))

    def _members(self, groups: Collection[str | None]) -> Iterator[Event]:
        """What brokers' logs say of clients that came, or went, in all of the time that was read."""
        import pyarrow.dataset

        named = [each for each in groups if each is not None]
        field = pyarrow.dataset.field
        if named:
            yield from self._where(
                field("kind").cast("string").isin([EventKind.MEMBER_SEEN.value, EventKind.MEMBER_GONE.value])
                & field("group").cast("string").isin(named)
            )

    def events(self, begin: int | None = None, end: int | None = None) -> Iterator[Event]:
        """The events in a stretch of time, or all, file by file."""
        import pyarrow.dataset  # of offsetproof[audit]

        within = None
        if begin is not None and end is not None:
            time = pyarrow.dataset.field
            within = (time("time_to") >= begin) & (time("time_from") <= end)
        yield from self._where(within)

    def _where(self, condition: Any) -> Iterator[Event]:
        import pyarrow.dataset

        if not any(self.folder.rglob("*.parquet")):
            return
        data: Any = pyarrow.dataset.dataset(self.folder, format="parquet", partitioning=None)
        for batch in data.to_batches(columns=[*EVENT_COLUMNS], filter=condition):
            yield from events_of_rows(batch)


def in_order(event: Event) -> tuple[int, str, int]:
    """The order of stamps; within one file that of its lines."""
    return event.time_from, event.file, event.byte_offset


def events_around(finding: Finding, events: Iterable[Event]) -> list[Event]:
    """The events of a finding's queue, of its group, and of its broker, around it, in the order of their stamps."""
    begin, end = finding.time_from - BEFORE, finding.time_to + AFTER
    near = without_copies(
        event for event in events if begin <= event.time_to and event.time_from <= end and _is_about(finding, event)
    )
    if len(near) > MOST:
        near.sort(key=lambda event: max(finding.time_from - event.time_to, event.time_from - finding.time_to, 0))
        near = near[:MOST]
    return sorted(near, key=in_order)


def _is_about(finding: Finding, event: Event) -> bool:
    """Is an event of the queue, or of what has the queue?"""
    return all(
        ours is None or theirs is None or ours == theirs
        for ours, theirs in (
            (finding.group, event.group),
            (finding.topic, event.topic),
            (finding.broker, event.broker),
            (finding.queue, event.queue),
        )
    )

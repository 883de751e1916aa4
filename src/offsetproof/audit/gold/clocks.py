"""Which of two events was first, as far as their stamps and their places prove it.

Two events of one file are ordered by their place, but for clients of two machines, whose logs somebody put together by
their stamps. Pieces of one process's log are on one clock, so there disjoint
intervals are enough. Events of different clocks are ordered if their intervals, each widened by `skew`, are disjoint
and both zones are known. A file whose stamps go back a little (a clock that was set, an asynchronous appender) still
has the order of its lines: `events_in_order` lets a line end no earlier than those before it, so that no stamp
contradicts a place. Where they go back by more, a clock was set far, or logs were put together in another order: the
lines before and behind are not ordered.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from offsetproof.audit.event import Event, EventKind

TURNS_BACK = 60_000_000
"""Stamps of a file that go back by so much are no longer those of one run of lines."""

_NEW_YEAR = 180 * 86_400_000_000
"""Stamps that go back by more are those of a layout without a year, at its end: the lines are in order."""


@dataclass(frozen=True)
class Lasts:
    """The events that may be the last one before another; `some_before`: at least one surely is before it."""

    events: tuple[Event, ...]
    some_before: bool


class Clocks:
    """The order that stamps prove, for clocks that differ from the true time by at most `skew` microseconds.

    `turns` has the places in files behind which stamps have gone back far, as `turns_of` finds them.
    """

    def __init__(self, skew: timedelta, turns: Mapping[str, Sequence[int]] | None = None) -> None:
        self.skew = round(skew / timedelta(microseconds=1))
        self.apart = 2 * self.skew
        self._turns = turns or {}

    def before(self, first: Event, second: Event) -> bool | None:
        """Is the first event surely before the second (True), surely after it (False), or is that unknown (None)?"""
        if first.file != second.file and not (first.zone_known and second.zone_known) and not _one_clock(first, second):
            return None
        return self.before_as_assumed(first, second)

    def before_as_assumed(self, first: Event, second: Event) -> bool | None:
        """As `before`, if the zones that were assumed are right."""
        if first.file == second.file and _state(first) == _state(second) and not _of_two_machines(first, second):
            if first.byte_offset == second.byte_offset or not self._in_one_run(first, second):
                return None
            return first.byte_offset < second.byte_offset
        apart = 0 if _one_clock(first, second) and not _of_two_machines(first, second) else self.apart
        if first.time_to + apart <= second.time_from:
            return True
        return False if second.time_to + apart <= first.time_from else None

    def lasts_before(self, event: Event, others: Sequence[Event], at: int) -> Lasts:
        """Which of `others`, sorted by time, may be the last before `event`; `at` is where `event` is among them.

        Without `event` among them, `at` is where it would stand. Zones that were assumed are taken to be right.
        """
        found: list[Event] = []
        surely: list[Event] = []
        for other in self._around(event, others, at):
            order = self.before_as_assumed(other, event)
            if order is False or other is event or any(self.before_as_assumed(other, each) for each in surely):
                continue
            if order:
                surely.append(other)
            found.append(other)
        some_before = any(self.before(each, event) for each in surely)
        found = [each for each in found if not any(self.before_as_assumed(each, sure) for sure in surely)]
        return Lasts(tuple(found), some_before)

    def are_comparable(self, event: Event, others: Sequence[Event]) -> bool:
        """Are the zones known of all the files that `others` are in, so that `lasts_before` left none out?"""
        return all(
            self._in_one_run(other, event)
            if other.file == event.file
            else (other.zone_known and event.zone_known) or _one_clock(other, event)
            for other in others
        )

    def _in_one_run(self, first: Event, second: Event) -> bool:
        """Do stamps go back far nowhere between two lines of a file?"""
        turns = self._turns.get(first.file)
        return turns is None or bisect_right(turns, first.byte_offset) == bisect_right(turns, second.byte_offset)

    def _around(self, event: Event, others: Sequence[Event], at: int) -> Iterator[Event]:
        """Those that can be the last before `event`, and some more: backward in time, then forward."""
        limit: int | None = None
        for number in range(min(at, len(others)) - 1, -1, -1):
            other = others[number]
            if limit is not None and other.time_to + self.apart <= limit:
                break
            if self.before_as_assumed(other, event) and (limit is None or other.time_from < limit):
                limit = other.time_from
            yield other
        for number in range(at, len(others)):
            other = others[number]
            if other.time_from >= event.time_to + self.apart:
                break
            yield other


_SIGNED = frozenset({EventKind.COMMIT_SENT, EventKind.ALLOCATED})
"""Lines in which a client says who it is."""


def _of_two_machines(first: Event, second: Event) -> bool:
    """Did clients with different addresses write the lines? In one file these were put together by their stamps."""
    if first.client is None or second.client is None or not {first.kind, second.kind} <= _SIGNED:
        return False
    return first.client.partition("@")[0] != second.client.partition("@")[0]


def _one_clock(first: Event, second: Event) -> bool:
    return first.process == second.process and first.host == second.host


def events_in_order(events: Iterable[Event]) -> list[Event]:
    """The events by time, where those of a file keep the order of their places; none ends before one before it.

    Where the stamps of a file go back far, that begins anew.
    """
    found = []
    run, start, end = ("", 0), 0, 0
    for event in sorted(events, key=_place):
        if _place(event)[:2] != run or _turns_back(start, event):
            run, start, end = _place(event)[:2], event.time_from, event.time_to
        start, end = max(start, event.time_from), max(end, event.time_to)
        settled_event = event if end == event.time_to else replace(event, time_to=end)
        found.append((start, event.file, event.byte_offset, settled_event))
    return [event for *_, event in sorted(found, key=lambda each: each[:3])]


def turns_of(settled_events: Iterable[Event]) -> dict[str, list[int]]:
    """The places in files with which stamps go back far, of events as `events_in_order` gives them."""
    turns: dict[str, list[int]] = {}
    run, start = ("", 0), 0
    for event in sorted(settled_events, key=_place):
        if _place(event)[:2] != run:
            run, start = _place(event)[:2], event.time_from
        elif _turns_back(start, event):
            turns.setdefault(event.file, []).append(event.byte_offset)
            start = event.time_from
        start = max(start, event.time_from)
    return turns


def _turns_back(start: int, event: Event) -> bool:
    return TURNS_BACK <= start - event.time_to < _NEW_YEAR


def _place(event: Event) -> tuple[str, int, int]:
    return event.file, _state(event), event.byte_offset


def _state(event: Event) -> int:
    """Which state of a file that is replaced as a whole, as an offset file is; 0 for lines of a log."""
    is_row = event.kind in (EventKind.OFFSET_STORED, EventKind.OFFSET_LOCAL) and event.process != "watch"
    return event.time_from if is_row else 0

"""Findings from what brokers and clients say over time: each rule is given the events in their order, one by one.

They speak of series of `watch`'s own events, so they say the same of a group that is watched and of events that were
kept. One file has all events, and they are in the order in which they were seen: a rule that says CERTAIN needs no
clock but the watcher's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from offsetproof.audit.event import SECOND, Event, EventKind
from offsetproof.audit.gold.finding import Certainty, Finding, FindingKind
from offsetproof.audit.live.counting import SPAN, Given
from offsetproof.audit.live.journal import evidence

BACK_WITHIN = 45 * SECOND
"""An offset that falls and is back within this time has come back; later it may have been consumed again."""
PINNED_AFTER = 60 * SECOND
_MOVES_NEEDED = 3

QueueKey = tuple[str | None, str | None, int | None]


class Rule(Protocol):
    """One kind of finding, over the events of a group."""

    def look(self, event: Event) -> Iterator[Finding]:
        """What the next event lets it find."""


def queue_of(event: Event) -> QueueKey:
    """The queue that an event is about."""
    return event.topic, event.broker, event.queue


def finding_about(
    kind: FindingKind,
    certainty: Certainty,
    shown: Sequence[tuple[Event, str]],
    says: str,
    decided_by: str | None = None,
    **values: int,
) -> Finding:
    """A finding about the queue of the last event that has one."""
    events = [event for event, _ in shown]
    last = next((event for event in reversed(events) if event.queue is not None), events[-1])
    return Finding(
        kind=kind,
        certainty=certainty,
        group=last.group,
        topic=last.topic,
        broker=last.broker,
        queue=last.queue,
        time_from=min(event.time_from for event in events),
        time_to=max(event.time_to for event in events),
        says=says,
        evidence=tuple(evidence(event, role) for event, role in shown),
        values=values,
        decided_by=decided_by,
    )


@dataclass
class Fall:
    """An offset that fell: the events before and after, and the one with which it was back."""

    before: Event
    after: Event
    back: Event | None = None

    def is_back(self, event: Event) -> bool:
        """Is the offset where it was, or beyond? Less is what a consumer commits that works up from the lower one."""
        return (event.offset or 0) >= (self.before.offset or 0)

    def is_waiting(self, now: int) -> bool:
        """Is it back, and may a count still say what came between?"""
        return self.back is not None and now - self.after.time_from <= SPAN

    @property
    def missing(self) -> int:
        """How many messages lie between where it was and where it fell to."""
        return (self.before.offset or 0) - (self.after.offset or 0)


@dataclass
class Falls:
    """A commit regression (I3): an offset that fell between two polls.

    A reset makes it fall, too. So it is only possible, until it is back within 45 s with no offset between, and fewer
    messages were delivered again than there are between: then it was no reset that stayed.
    """

    given: Given
    _last: dict[QueueKey, Event] = field(default_factory=dict)
    _falls: dict[QueueKey, list[Fall]] = field(default_factory=dict)
    """Those that may yet be decided; the last of a queue is the one that may come back."""

    def look(self, event: Event) -> Iterator[Finding]:
        """The fall at once; that it was undone when it is known."""
        self.given.look(event)
        if event.kind is EventKind.MESSAGES_GIVEN:
            yield from self._decide(event)
        if event.kind is not EventKind.OFFSET_STORED or event.offset is None:
            return
        queue, last = queue_of(event), self._last.get(queue_of(event))
        self._last[queue] = event
        if last is None or last.offset is None:
            return
        if event.offset < last.offset:
            falls = [fall for fall in self._falls.get(queue, []) if fall.is_waiting(event.time_from)]
            self._falls[queue] = [*falls, Fall(last, event)]
            yield finding_about(
                FindingKind.COMMIT_REGRESSION,
                Certainty.POSSIBLE,
                [(last, "before"), (event, "after")],
                f"the offset fell from {last.offset} to {event.offset}; a reset does that as well",
                "broker.log: a line of a reset, or `update consumer offset less than store`",
                before=last.offset,
                after=event.offset,
            )
        elif (fell := self._falls.get(queue)) and fell[-1].back is None and event.offset != fell[-1].after.offset:
            if fell[-1].is_back(event) and event.time_to - fell[-1].after.time_from <= BACK_WITHIN:
                fell[-1].back = event
            else:
                fell.pop()

    def _decide(self, count: Event) -> Iterator[Finding]:
        for queue, falls in self._falls.items():
            for fall in [*falls]:
                if fall.back is None or queue[:2] != (count.topic, count.broker):
                    continue
                came = self.given.came_again(count, fall.after.time_from, fall.back.time_to, fall.missing)
                if came is not None:
                    falls.remove(fall)
                if came is False:
                    yield _not_again(fall, count)


def _not_again(fall: Fall, count: Event) -> Finding:
    assert fall.back is not None
    before, after, back = (event.offset or 0 for event in (fall.before, fall.after, fall.back))
    return finding_about(
        FindingKind.COMMIT_REGRESSION,
        Certainty.CERTAIN,
        [(fall.before, "before"), (fall.after, "after"), (fall.back, "back"), (count, "messages given")],
        f"the offset fell from {before} to {after} and was back at {back}, and the {fall.missing} messages between did "
        "not come again: an old commit came late, or a reset came undone",
        before=before,
        after=after,
        back=back,
    )


@dataclass
class RowsLost:
    """An offset that a broker had and has no more (I15): the row is gone, not 0."""

    _last: dict[QueueKey, Event] = field(default_factory=dict)

    def look(self, event: Event) -> Iterator[Finding]:
        """At once."""
        if event.kind is EventKind.OFFSET_STORED:
            self._last[queue_of(event)] = event
        elif event.kind is EventKind.OFFSET_ABSENT and (last := self._last.pop(queue_of(event), None)):
            yield finding_about(
                FindingKind.FILE_LOST_QUEUE,
                Certainty.CERTAIN,
                [(last, "before"), (event, "after")],
                f"the broker had the offset {last.offset} and now has none: its file was lost, or the offset deleted",
                before=last.offset or 0,
            )


@dataclass
class BeyondEnd:
    """An offset beyond the end of its queue (I19): the end that was told later is below it."""

    _last: dict[QueueKey, Event] = field(default_factory=dict)
    _told: set[tuple[QueueKey, int]] = field(default_factory=set)

    def look(self, event: Event) -> Iterator[Finding]:
        """With the poll after the one that showed it: within one poll the end was looked up first."""
        if event.kind is not EventKind.OFFSET_STORED or event.offset is None:
            return
        queue, last = queue_of(event), self._last.get(queue_of(event))
        self._last[queue] = event
        if last is None or last.offset is None or event.other_offset is None or last.offset <= event.other_offset:
            return
        if (queue, last.offset) not in self._told:
            self._told.add((queue, last.offset))
            yield finding_about(
                FindingKind.PULL_BEYOND_END,
                Certainty.CERTAIN,
                [(last, "offset"), (event, "end")],
                f"the offset {last.offset} is beyond the end of the queue, {event.other_offset}",
                offset=last.offset,
                end=event.other_offset,
            )


@dataclass
class Pinned:
    """An offset that stands for 60 s before messages that are there, while others of its topic move.

    A listener that works so long on one message looks the same.
    """

    _since: dict[QueueKey, Event] = field(default_factory=dict)
    _waiting: dict[QueueKey, Event] = field(default_factory=dict)
    _moves: dict[QueueKey, list[int]] = field(default_factory=dict)
    _told: set[QueueKey] = field(default_factory=set)

    def look(self, event: Event) -> Iterator[Finding]:
        """With the poll in which the time is over."""
        if event.kind is not EventKind.OFFSET_STORED or event.offset is None or event.other_offset is None:
            return
        queue = queue_of(event)
        since = self._since.get(queue)
        if since is None or since.offset != event.offset:
            self._since[queue] = event
            self._waiting.pop(queue, None)
            self._moves.setdefault(queue, []).append(event.time_from)
            del self._moves[queue][:-16]
            self._told.discard(queue)
            return
        if event.other_offset <= event.offset:
            return
        waits = self._waiting.setdefault(queue, event)
        if event.time_from - waits.time_from < PINNED_AFTER or queue in self._told:
            return
        movers = [other for other in self._moves if other[0] == queue[0] and self._has_moved(other, waits.time_from)]
        if movers:
            self._told.add(queue)
            yield finding_about(
                FindingKind.OFFSET_PINNED,
                Certainty.CERTAIN,
                [(waits, "stands"), (event, "still stands")],
                f"the offset stands at {event.offset} for {(event.time_from - waits.time_from) // SECOND} s, with "
                f"{event.other_offset - event.offset} messages behind it, while {len(movers)} other queues move",
                offset=event.offset,
                end=event.other_offset,
            )

    def _has_moved(self, queue: QueueKey, since: int) -> bool:
        return sum(at >= since for at in self._moves[queue]) >= _MOVES_NEEDED

"""Pictures of queues, small enough for a page: who had each, what was committed, and what happened to it.

Pure: events go in, in the order of their stamps. A queue with many commits keeps its first and last, and every turn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from offsetproof.audit.event import Event
from offsetproof.audit.event import EventKind as Kind
from offsetproof.audit.explain.observables import BROKER_KINDS
from offsetproof.audit.gold.broker_names import BrokerNames

POINTS_MAX = 600
"""With twice as many commits of a queue, each second one that is no turn is left out."""

QueueKey = tuple[str | None, str | None, str | None, int | None]
"""Group, topic, broker and queue."""


@dataclass
class Span:
    """A time in which a client had the queue, in microseconds; `is_closed` where its end is seen."""

    lane: int
    begin: int
    end: int
    is_closed: bool = False


@dataclass(frozen=True)
class Point:
    """An offset at a time: of a commit that was sent or refused or fell, of a start, or of a row that was stored."""

    time: int
    offset: int
    lane: int
    kind: Kind


@dataclass(frozen=True)
class Mark:
    """What happened to the queue at a time: `lane` is -1 where it is no client's."""

    time: int
    kind: Kind
    lane: int
    offset: int | None


POINTS = frozenset(
    {Kind.RESET_MARKED, Kind.COMMIT_SENT, Kind.COMMIT_BELOW_STORE, Kind.START, Kind.OFFSET_STORED, Kind.OFFSET_LOCAL}
)
"""Kinds that are points of the step line."""

STORED = frozenset({Kind.OFFSET_STORED, Kind.OFFSET_LOCAL})
"""Rows of files, which are no client's lines."""

OPENS = frozenset({Kind.QUEUE_ADDED, Kind.START, Kind.LOCAL_LOADED, Kind.COMMIT_SENT})
CLOSES = frozenset({Kind.QUEUE_REMOVED, Kind.CONSUMER_STOPPED})

QUIET = frozenset({Kind.CELL_REMOVED, Kind.LOCKED, Kind.ALLOCATED, Kind.QUEUE_ADDED, Kind.QUEUE_REMOVED})
"""Kinds that are seen from the spans, or tell too little for a mark."""


@dataclass
class QueuePicture:
    """One queue: `lanes` are its clients in the order in which they are met."""

    key: QueueKey
    lanes: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    _open: dict[int, Span] = field(default_factory=dict)
    _room: int = 2 * POINTS_MAX
    """With more points they are thinned out; where most are turns there is room for twice as many, so that it ends."""

    def add(self, event: Event, client: str | None) -> None:
        """Adds an event; `client` is who wrote it, where the log tells."""
        lane = -1 if client is None or event.kind in BROKER_KINDS | STORED else self._lane(client)
        time = event.time_from
        if lane >= 0:
            self._own(event.kind, lane, time)
        if event.kind in POINTS and event.offset is not None:
            self._point(Point(time, event.offset, lane, event.kind))
        if event.kind not in QUIET | POINTS or event.kind is Kind.RESET_MARKED:
            self.marks.append(Mark(time, event.kind, lane, event.offset))

    def _lane(self, client: str) -> int:
        if client not in self.lanes:
            self.lanes.append(client)
        return self.lanes.index(client)

    def _own(self, kind: Kind, lane: int, time: int) -> None:
        span = self._open.get(lane)
        if span is None and kind in OPENS:
            span = self._open[lane] = Span(lane, time, time)
            self.spans.append(span)
        if span is not None:
            span.end = time
            if kind in CLOSES:
                span.is_closed = True
                del self._open[lane]

    def _point(self, point: Point) -> None:
        self.points.append(point)
        if len(self.points) > self._room:
            self.points = thin_out(self.points)
            self._room = max(2 * POINTS_MAX, 2 * len(self.points))


def thin_out(points: list[Point]) -> list[Point]:
    """Every second of the points that only go on in the direction of their neighbours; all turns, falls and ends."""
    kept = []
    for number, point in enumerate(points):
        is_end = number in (0, len(points) - 1)
        if is_end or number % 2 == 0 or _is_turn(points[number - 1], point, points[number + 1]):
            kept.append(point)
    return kept


def _is_turn(before: Point, point: Point, after: Point) -> bool:
    if point.kind is not Kind.COMMIT_SENT or {before.lane, after.lane} != {point.lane}:
        return True
    return point.offset < before.offset or after.offset < point.offset


def pictures_of(events: Iterable[tuple[Event, str | None]]) -> dict[QueueKey, QueuePicture]:
    """The timelines of all queues, from events with who wrote each. What is a group's own is in no queue's.

    A line that names no broker is of the one that others name, as far as no other can be meant.
    """
    found: dict[QueueKey, QueuePicture] = {}
    every = [(event, client) for event, client in events if event.queue is not None and event.group is not None]
    names = BrokerNames.of(event for event, _ in every)
    for event, client in every:
        key = (event.group, event.topic, names.broker_of(event), event.queue)
        if key not in found:
            found[key] = QueuePicture(key)
        found[key].add(event, client)
    return found

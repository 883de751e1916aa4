"""Polls: what the brokers of a group have now, told as events where it has changed.

A row that stays as it is is told again every half minute, so that standing still can be seen in what is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from offsetproof.audit.event import SECOND, Event, EventKind
from offsetproof.audit.live.journal import Journal
from offsetproof.audit.live.observer import (
    CLOCK,
    AnswerError,
    Clock,
    Member,
    Members,
    Observer,
    StoredOffset,
)

_ROUTE_EVERY, _TOLD_AGAIN, _COUNTED_EVERY = 30 * SECOND, 30 * SECOND, 60 * SECOND
_COUNTED_AFTER_A_FALL = tuple(seconds * SECOND for seconds in (13, 23, 33, 43, 55))
_RETRY = "%RETRY%"
_JAVA = "JAVA"

Queue = tuple[str, str, int]
"""Topic, broker, queue."""


@dataclass
class Broker:
    """What a broker said last.

    `members_since` is since when its members are seen to be what they are, in microseconds since 1970. `model` and
    `versions` are those of its last members, which may have gone.
    """

    name: str
    address: str
    answers: bool = False
    release: str = ""
    resets_at_broker: bool = False
    answers_since: int = 0
    members: Members = field(default_factory=Members)
    members_since: int = 0
    model: str = ""
    versions: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Row:
    """The group's offset of a queue, None where it has none, and the queue's end; `event` told it last."""

    offset: int | None
    end: int
    event: Event


class Poller:
    """Asks, keeps what was said last, and tells what is new."""

    def __init__(
        self,
        observer: Observer,
        journal: Journal,
        group: str,
        topic: str | None,
        cells_every: int,
        clock: Clock = CLOCK,
    ) -> None:
        """`cells_every`: clients' own offsets are asked for in one poll of so many."""
        self.group, self.topic = group, topic
        self.brokers: dict[str, Broker] = {}
        self.rows: dict[Queue, Row] = {}
        self.cells: dict[tuple[str, Queue], int] = {}
        self.polls = 0
        self.why_nothing = ""
        self._observer, self._journal, self._cells_every, self._now = observer, journal, cells_every, clock.now
        self._routed = self._counted = self._zero_asked = 0
        self._count_at: list[int] = []
        self._absent: set[Queue] = set()

    def poll(self) -> Iterator[Event]:
        """Asks everything once; the events in the order in which they were seen."""
        self.polls += 1
        began = self._now()
        silent = any(not broker.answers for broker in self.brokers.values())
        if silent or not self.brokers or began - self._routed >= _ROUTE_EVERY:
            self._route()
        for broker in [*self.brokers.values()]:
            yield from self._ask(broker)
        if self.polls % self._cells_every == 1 or self._cells_every == 1:
            yield from self._ask_for_cells()
        yield from self._count()

    def first_answers(self) -> Iterator[Event]:
        """Asks each broker for its release alone; those that answer."""
        self._route()
        for broker in self.brokers.values():
            with suppress(AnswerError):
                yield self._answers(broker, self._now())

    @property
    def topics(self) -> list[str]:
        """The topics of the group, without its retries."""
        topics = {topic for topic, _, _ in self.rows}
        topics |= {topic for broker in self.brokers.values() for topic in broker.members.expressions}
        return sorted(topic for topic in topics if not topic.startswith(_RETRY) and self.topic in (None, topic))

    @property
    def clients(self) -> dict[str, Member]:
        """The group's members, at whichever broker, by client id."""
        return {each.client: each for broker in self.brokers.values() for each in broker.members.clients}

    @property
    def requests(self) -> int:
        """How many requests were sent so far."""
        return self._observer.requests

    def _route(self) -> None:
        self._routed = self._now()
        for topic in dict.fromkeys([f"{_RETRY}{self.group}", *([self.topic] if self.topic else [])]):
            try:
                found = self._observer.brokers(topic)
            except AnswerError as error:
                self.why_nothing = self.why_nothing or f"{topic}: {error.why}"
                continue
            for name, addresses in found.items():
                address = addresses[min(addresses)]
                self.brokers.setdefault(name, Broker(name, address)).address = address

    def _ask(self, broker: Broker) -> Iterator[Event]:
        began = self._now()
        try:
            if not broker.answers:
                yield self._answers(broker, began)
            members = self._observer.members(broker.address, self.group)
            asked = self._now()
            rows = self._observer.offsets(broker.address, self.group, self.topic)
        except AnswerError as error:
            if broker.answers or not broker.answers_since:
                yield self._journal.add(
                    EventKind.BROKER_SILENT, began, self._now(), broker=broker.name, detail=error.why
                )
                broker.answers_since = broker.answers_since or began
            broker.answers = False
            return
        yield from self._compare_members(broker, members, began, asked)
        yield from self._compare_rows(broker, rows, asked, self._now())

    def _answers(self, broker: Broker, began: int) -> Event:
        broker.release = self._observer.version(broker.address)
        broker.resets_at_broker = self._observer.resets_at_broker(broker.address)
        broker.answers, broker.answers_since, broker.members_since = True, self._now(), 0
        detail = f"{broker.release} {'resets-at-broker' if broker.resets_at_broker else 'resets-at-clients'}"
        return self._add(EventKind.BROKER_ANSWERS, began, broker=broker.name, detail=detail)

    def _add(self, kind: EventKind, began: int, **values: Any) -> Event:
        return self._journal.add(kind, began, self._now(), group=self.group, **values)

    def _compare_members(self, broker: Broker, members: Members, began: int, ended: int) -> Iterator[Event]:
        before, now = {*broker.members.clients}, {*members.clients}
        if before != now or not broker.members_since:
            broker.members_since = ended
        broker.members = members
        if members.clients:
            broker.model, broker.versions = members.model, frozenset(each.version for each in members.clients)
        for kind, changed in ((EventKind.MEMBER_GONE, before - now), (EventKind.MEMBER_SEEN, now - before)):
            for each in sorted(changed, key=str):
                detail = f"{each.address} {each.language} {each.version} {members.model}"
                yield self._journal.add(
                    kind, began, ended, group=self.group, client=each.client, broker=broker.name, detail=detail
                )

    def _compare_rows(self, broker: Broker, rows: list[StoredOffset], began: int, ended: int) -> Iterator[Event]:
        for row in sorted(rows, key=lambda each: (each.topic, each.queue)):
            queue: Queue = (row.topic, broker.name, row.queue)
            offset = None if row.offset == 0 and self._is_absent(broker, row, queue) else row.offset
            before = self.rows.get(queue)
            if before is not None and not self._is_new(before, offset, row.end, began):
                continue
            if before is not None and (offset or 0) < (before.offset or 0):
                self._count_at = [began + later for later in _COUNTED_AFTER_A_FALL]
            kind = EventKind.OFFSET_ABSENT if offset is None else EventKind.OFFSET_STORED
            event = self._journal.add(
                kind, began, ended,
                group=self.group, topic=row.topic, broker=broker.name, queue=row.queue,
                offset=offset, other_offset=row.end,
            )  # fmt: skip
            self.rows[queue] = Row(offset, row.end, event)
            yield event

    def _is_new(self, before: Row, offset: int | None, end: int, now: int) -> bool:
        beyond = offset is not None and offset > end
        changed = (before.offset, before.end) != (offset, end)
        return changed or beyond or now - before.event.time_from >= _TOLD_AGAIN

    def _is_absent(self, broker: Broker, row: StoredOffset, queue: Queue) -> bool:
        """Is a 0 no offset at all? Asked when the 0 is new, and every half minute."""
        before, now = self.rows.get(queue), self._now()
        if before is None or before.offset not in (0, None) or now - before.event.time_from >= _TOLD_AGAIN:
            has = self._observer.has_row(broker.address, self.group, row.topic, row.queue)
            (self._absent.discard if has else self._absent.add)(queue)
        return queue in self._absent

    def _ask_for_cells(self) -> Iterator[Event]:
        """Clients' own offsets. Asked of the Java clients alone: others leave the broker waiting for their answer."""
        asked = next((each for each in self.brokers.values() if each.answers and each.members.clients), None)
        cells: dict[tuple[str, Queue], int] = {}
        began = self._now()
        if asked is not None and all(each.language == _JAVA for each in asked.members.clients):
            for topic in self.topics:
                try:
                    found = self._observer.cells(asked.address, self.group, topic)
                except AnswerError:
                    return
                for client, rows in found.items():
                    cells |= {(client, (topic, name, queue)): offset for (name, queue), offset in rows.items()}
        yield from self._compare_cells(cells, began)

    def _compare_cells(self, cells: Mapping[tuple[str, Queue], int], began: int) -> Iterator[Event]:
        before, self.cells = self.cells, dict(cells)
        for client, (topic, broker, queue) in sorted(before.keys() - cells.keys()):
            yield self._add(EventKind.CELL_GONE, began, client=client, topic=topic, broker=broker, queue=queue)
        for (client, (topic, broker, queue)), offset in sorted(cells.items()):
            if before.get((client, (topic, broker, queue))) != offset:
                yield self._add(
                    EventKind.CELL_SEEN, began, client=client, topic=topic, broker=broker, queue=queue, offset=offset
                )

    def _count(self) -> Iterator[Event]:
        """How many messages the group was given: every minute, and where an offset has fallen some seconds later."""
        now = self._now()
        due = [at for at in self._count_at if at <= now]
        if not due and now - self._counted < _COUNTED_EVERY:
            return
        self._counted, self._count_at = now, [at for at in self._count_at if at > now]
        for broker in self.brokers.values():
            for topic in self.topics if broker.answers else ():
                try:
                    given = self._observer.messages_given(broker.address, self.group, topic)
                except AnswerError:
                    continue
                expression = broker.members.expressions.get(topic)
                yield self._add(
                    EventKind.MESSAGES_GIVEN, now, topic=topic, broker=broker.name, offset=given, detail=expression
                )

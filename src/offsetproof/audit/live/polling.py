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
    NO_ANSWER,
    AnswerError,
    Clock,
    Member,
    Members,
    Observer,
    StoredOffset,
)

_ROUTE_EVERY, _TOLD_AGAIN, _COUNTED_EVERY = 30 * SECOND, 30 * SECOND, 60 * SECOND
_COUNTED_AFTER_A_FALL = tuple(seconds * SECOND for seconds in (13, 23, 33, 43, 55))
_HANGS_AFTER = 10 * SECOND
_RETRY = "%RETRY%"
_MASTER = 0
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
    address: str = ""
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
        """`cells_every`: clients' own offsets are asked for in one poll of so many.

        `moved_alone`: when an offset moved last though no member was seen, in microseconds since 1970, or 0.
        `name_server_silent`: why the name server did not answer last, or empty. `left_hanging`: clients that have left
        after one of them had not answered for ten seconds.
        """
        self.group, self.topic = group, topic
        self.brokers: dict[str, Broker] = {}
        self.rows: dict[Queue, Row] = {}
        self.cells: dict[tuple[str, Queue], int] = {}
        self.polls = 0
        self.why_nothing = self.name_server_silent = ""
        self.moved_alone = 0
        self.left_hanging: set[str] = set()
        self._hanging: tuple[int, set[str]] | None = None
        self._observer, self._journal, self._cells_every, self._now = observer, journal, cells_every, clock.now
        self._routed = self._counted = self._zero_asked = 0
        self._count_at: list[int] = []
        self._absent: set[Queue] = set()
        self._asked_alone: dict[tuple[str, str], int] = {}
        self._is_routed = False
        self._routed_topics: set[str] = set()

    def poll(self) -> Iterator[Event]:
        """Asks everything once; the events in the order in which they were seen."""
        self.polls += 1
        began = self._now()
        silent = self.name_server_silent or self.silent
        is_due = began - self._routed >= _ROUTE_EVERY or not self._routed_topics.issuperset(self.topics)
        if silent or not self.brokers or is_due:
            self._route(of_topics=is_due)
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
                yield self._answers(broker, self._now(), self._release(broker))

    @property
    def topics(self) -> list[str]:
        """The topics of the group, without its retries."""
        topics = {topic for topic, _, _ in self.rows}
        topics |= {topic for broker in self.brokers.values() for topic in broker.members.expressions}
        return sorted(topic for topic in topics if not topic.startswith(_RETRY) and self.topic in (None, topic))

    @property
    def silent(self) -> list[str]:
        """The brokers that do not answer."""
        return [broker.name for broker in self.brokers.values() if not broker.answers]

    @property
    def knows_group(self) -> bool:
        """Is there a sign of the group? Its retry topic is made by its first heartbeat, its offsets by a commit."""
        return self._is_routed or bool(self.silent or self.clients) or any(row.offset for row in self.rows.values())

    @property
    def clients(self) -> dict[str, Member]:
        """The group's members, at whichever broker, by client id."""
        return {each.client: each for broker in self.brokers.values() for each in broker.members.clients}

    @property
    def requests(self) -> int:
        """How many requests were sent so far."""
        return self._observer.requests

    def _route(self, *, of_topics: bool = True) -> None:
        self._routed, self.name_server_silent = self._now(), ""
        retries = f"{_RETRY}{self.group}"
        topics = [] if not of_topics else [self.topic] if self.topic else self.topics
        self._routed_topics |= {*topics}
        for topic in [retries, *topics]:
            try:
                found = self._observer.brokers(topic)
            except AnswerError as error:
                self.why_nothing = self.why_nothing or f"{topic}: {error.why}"
                if error.code == NO_ANSWER:
                    self.name_server_silent = error.why
                    return
                continue
            self._is_routed = self._is_routed or topic == retries
            for name, addresses in found.items():
                broker = self.brokers.setdefault(name, Broker(name))
                broker.address = addresses.get(_MASTER, broker.address)

    def _ask(self, broker: Broker) -> Iterator[Event]:
        began = self._now()
        try:
            release = None if broker.answers else self._release(broker)
            members = self._observer.members(broker.address, self.group)
            asked = self._now()
            rows = self._rows(broker)
        except AnswerError as error:
            if broker.answers or not broker.answers_since:
                yield self._journal.add(
                    EventKind.BROKER_SILENT, began, self._now(), broker=broker.name, detail=error.why
                )
                broker.answers_since = broker.answers_since or began
            broker.answers = False
            return
        if release is not None:
            yield self._answers(broker, began, release)
        yield from self._compare_members(broker, members, began, asked)
        yield from self._compare_rows(broker, rows, asked, self._now())

    def _release(self, broker: Broker) -> str:
        """What a broker is, as an event tells it. A slave is not asked for its master: its offsets are copies."""
        if not broker.address:
            raise AnswerError(NO_ANSWER, "the name server has no master of it")
        broker.release = self._observer.version(broker.address)
        broker.resets_at_broker = self._observer.resets_at_broker(broker.address)
        return f"{broker.release} {'resets-at-broker' if broker.resets_at_broker else 'resets-at-clients'}"

    def _answers(self, broker: Broker, began: int, detail: str) -> Event:
        broker.answers, broker.answers_since, broker.members_since = True, self._now(), 0
        return self._add(EventKind.BROKER_ANSWERS, began, broker=broker.name, detail=detail)

    def _rows(self, broker: Broker) -> list[StoredOffset]:
        """What a broker tells of the group's offsets, and looks whether a 0 is none."""
        rows = self._observer.offsets(broker.address, self.group, self.topic)
        for row in rows:
            if row.offset == 0:
                self._look_for(broker, row)
        return rows if self.topic else rows + self._rows_of_topics(broker, {row.topic for row in rows})

    def _rows_of_topics(self, broker: Broker, there: set[str]) -> list[StoredOffset]:
        """A topic of which a broker has no offset of the group is told by its name only: it is asked for at once, and
        every half minute. Each 0 of it is none."""
        rows: list[StoredOffset] = []
        for topic in self.topics:
            key, now = (broker.name, topic), self._now()
            if topic in there:
                self._asked_alone.pop(key, None)
            elif now - self._asked_alone.get(key, 0) >= _TOLD_AGAIN:
                self._asked_alone[key] = now
                alone = self._observer.offsets(broker.address, self.group, topic)
                self._absent |= {(topic, broker.name, row.queue) for row in alone}
                rows += alone
            else:
                rows += [
                    StoredOffset(topic, queue, row.offset or 0, row.end)
                    for (of, at, queue), row in self.rows.items()
                    if (of, at) == (topic, broker.name)
                ]
        return rows

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
        self._forget(broker, rows)
        for row in sorted(rows, key=lambda each: (each.topic, each.queue)):
            queue: Queue = (row.topic, broker.name, row.queue)
            offset = None if row.offset == 0 and queue in self._absent else row.offset
            before = self.rows.get(queue)
            if before is not None and before.offset != offset and not self.clients:
                self.moved_alone = ended
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

    def _look_for(self, broker: Broker, row: StoredOffset) -> None:
        """Is a 0 no offset at all? Asked when the 0 is new, and every half minute."""
        queue: Queue = (row.topic, broker.name, row.queue)
        before, now = self.rows.get(queue), self._now()
        if before is None or before.offset not in (0, None) or now - before.event.time_from >= _TOLD_AGAIN:
            (self._absent.discard if self._has_row(broker, row) else self._absent.add)(queue)

    def _has_row(self, broker: Broker, row: StoredOffset) -> bool:
        try:
            return self._observer.has_row(broker.address, self.group, row.topic, row.queue)
        except AnswerError as error:
            if error.code == NO_ANSWER:
                raise
            return True

    def _forget(self, broker: Broker, rows: list[StoredOffset]) -> None:
        """Queues that a broker does not tell of any more: of a topic that was deleted, or that no member consumes."""
        there = {(row.topic, broker.name, row.queue) for row in rows}
        for queue in [queue for queue in self.rows if queue[1] == broker.name and queue not in there]:
            del self.rows[queue]

    def _ask_for_cells(self) -> Iterator[Event]:
        """Clients' own offsets. Asked of the Java clients alone: others leave the broker waiting for their answer.

        A client that hangs leaves it waiting, too. When it has left, it may go on where it was.
        """
        asked = next((each for each in self.brokers.values() if each.answers and each.members.clients), None)
        cells: dict[tuple[str, Queue], int] = {}
        began = self._now()
        if asked is not None and all(each.language == _JAVA for each in asked.members.clients):
            for topic in self.topics:
                try:
                    found = self._observer.cells(asked.address, self.group, topic)
                except AnswerError as error:
                    if error.code == NO_ANSWER:
                        self._hanging = self._hanging or (began, {*self.clients})
                    return
                for client, rows in found.items():
                    cells |= {(client, (topic, name, queue)): offset for (name, queue), offset in rows.items()}
        since, hung = self._hanging or (began, set())
        self.left_hanging |= hung if began - since >= _HANGS_AFTER else set()
        self.left_hanging -= {*self.clients}
        self._hanging = None
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

"""Findings from members and from clients' own offsets: who has a queue, and who says to be whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from offsetproof.audit.event import SECOND, Event, EventKind
from offsetproof.audit.gold.finding import Certainty, Finding, FindingKind
from offsetproof.audit.live.series import QueueKey, finding_about, queue_of

SAME_ID_FOR = 130 * SECOND
"""A broker forgets a connection that says nothing after 120 s, and looks every 10 s."""
_BOTH_FOR = 10 * SECOND
_RISES_NEEDED = 2


@dataclass
class SameId:
    """Two connections of one client id at one broker: two processes, which take each other's queues for their own.

    A process that has just connected anew has two for a while: the broker forgets the old one after 130 s at the most.
    While a broker is silent nothing is known of its connections; then they count anew.
    """

    _there: dict[tuple[str | None, str | None], dict[str, Event]] = field(default_factory=dict)
    _told: dict[tuple[str | None, str | None], Certainty] = field(default_factory=dict)
    _silent: set[str | None] = field(default_factory=set)
    _answers: dict[str | None, int] = field(default_factory=dict)

    def look(self, event: Event) -> Iterator[Finding]:
        """Possible at once, certain after 130 s."""
        key = event.client, event.broker
        address = (event.detail or "").partition(" ")[0]
        if event.kind is EventKind.MEMBER_SEEN:
            self._there.setdefault(key, {})[address] = event
        elif event.kind is EventKind.MEMBER_GONE:
            self._there.get(key, {}).pop(address, None)
            self._told.pop(key, None)
        elif event.kind is EventKind.BROKER_SILENT:
            self._silent.add(event.broker)
        elif event.kind is EventKind.BROKER_ANSWERS:
            self._silent.discard(event.broker)
            self._answers[event.broker] = event.time_to
        for each, there in self._there.items():
            if len(there) > 1 and each[1] not in self._silent:
                yield from self._two(each, [*there.values()], event.time_from)

    def _two(self, key: tuple[str | None, str | None], there: list[Event], now: int) -> Iterator[Finding]:
        since = max(sorted(event.time_to for event in there)[1], self._answers.get(key[1], 0))
        certainty = Certainty.CERTAIN if now - since >= SAME_ID_FOR else Certainty.POSSIBLE
        if self._told.get(key) in (certainty, Certainty.CERTAIN):
            return
        self._told[key] = certainty
        yield finding_about(
            FindingKind.CLIENT_ID_TWICE,
            certainty,
            [(event, "connection") for event in there],
            f"{len(there)} connections have the client id {key[0]}",
            None if certainty is Certainty.CERTAIN else "whether both are still there in two minutes",
            connections=len(there),
        )


@dataclass
class _Owner:
    """A client that has an offset of its own of a queue."""

    seen: Event
    rises: list[int] = field(default_factory=list)


@dataclass
class TwoOwners:
    """Two clients of a clustering group have an offset of their own of one queue (I8).

    A client that has lost a queue forgets its offset within 5 s, so it is possible after 10 s. It is certain when both
    offsets rise, twice each since both are there: a task of a lost queue may write once.
    """

    _owners: dict[QueueKey, dict[str, _Owner]] = field(default_factory=dict)
    _broadcast: set[str | None] = field(default_factory=set)
    _both_since: dict[QueueKey, int] = field(default_factory=dict)
    _told: dict[QueueKey, Certainty] = field(default_factory=dict)

    def look(self, event: Event) -> Iterator[Finding]:
        """With the poll that shows it."""
        if event.kind is EventKind.MEMBER_SEEN and (event.detail or "").endswith("BROADCASTING"):
            self._broadcast.add(event.group)
        if event.kind not in (EventKind.CELL_SEEN, EventKind.CELL_GONE) or event.group in self._broadcast:
            return
        owners = self._owners.setdefault(queue_of(event), {})
        client = event.client or ""
        if event.kind is EventKind.CELL_GONE:
            owners.pop(client, None)
            self._both_since.pop(queue_of(event), None)
            self._told.pop(queue_of(event), None)
            return
        owner = owners.setdefault(client, _Owner(event))
        if owner.seen.offset is not None and event.offset is not None and event.offset > owner.seen.offset:
            owner.rises.append(event.time_from)
            del owner.rises[:-16]
        if owner.seen is not event:
            owner.seen = event
        if len(owners) > 1:
            yield from self._two(queue_of(event), owners, event)

    def _two(self, queue: QueueKey, owners: dict[str, _Owner], event: Event) -> Iterator[Finding]:
        both_since = self._both_since.setdefault(queue, event.time_to)
        rising = [
            client for client, each in owners.items() if sum(at >= both_since for at in each.rises) >= _RISES_NEEDED
        ]
        certain = len(rising) > 1
        if not certain and event.time_from - both_since < _BOTH_FOR:
            return
        certainty = Certainty.CERTAIN if certain else Certainty.POSSIBLE
        if self._told.get(queue) in (certainty, Certainty.CERTAIN):
            return
        self._told[queue] = certainty
        yield finding_about(
            FindingKind.TWO_OWNERS,
            certainty,
            [(each.seen, f"offset of {client}") for client, each in sorted(owners.items())],
            f"{' and '.join(sorted(owners))} have an offset of the queue"
            + (", and both go on" if certain else " for more than 10 s"),
            None if certain else "the clients' logs: who has added the queue, and removed it",
            owners=len(owners),
        )

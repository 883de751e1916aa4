"""The events of one queue of a group by time, with what happened to the whole group beside them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.clocks import Clocks
from offsetproof.audit.gold.finding import Certainty, Evidence, Finding, FindingKind

Part = tuple[Event, str]
"""An event and the role that it has in a finding."""


@dataclass(frozen=True)
class Members:
    """Who wrote the events of a group, as far as its clients' logs say: the clients of each process."""

    clients: Mapping[str, frozenset[str]] = field(default_factory=dict)
    without_log: frozenset[str] = frozenset()
    """Clients of the group that others name, and of which there is no log."""

    def owner(self, event: Event) -> str:
        """A name for who wrote an event of a client's log: two owners have two names."""
        known = self.clients.get(event.process_name, frozenset())
        if event.client is not None and len(known) > 1:
            return f"{event.client} in {event.process_name}"
        return event.process_name

    def name(self, event: Event) -> str:
        """What to call who wrote it: the client's id, else the process."""
        known = self.clients.get(event.process_name, frozenset())
        return event.client or (next(iter(known)) if len(known) == 1 else event.process_name)

    def has_one_id(self, event: Event) -> bool:
        """Is it known by which id others call who wrote it?"""
        return event.client is not None or len(self.clients.get(event.process_name, frozenset())) == 1

    def is_mixed(self, event: Event) -> bool:
        """Is the event's log that of several clients, so that a line without a client may be of any of them?"""
        return len(self.clients.get(event.process_name, frozenset())) > 1


@dataclass(frozen=True)
class History:
    """One queue of one group: `events` are its own, `around` those of its group or topic that name no queue."""

    group: str | None
    topic: str | None
    broker: str | None
    queue: int | None
    events: Sequence[Event]
    around: Sequence[Event]
    members: Members
    clocks: Clocks
    ranks: Mapping[int, int]
    """The place of each event among all, as `events_in_order` has them, by its identity."""

    snapshots: Sequence[Event] = ()
    """One row of each offset file that was read, whichever queue it is of."""

    memo: dict[str, Any] = field(default_factory=dict, compare=False)
    """What several rules ask for, once it has been worked out."""

    def rank(self, event: Event) -> int:
        """Where an event stands among all."""
        return self.ranks[id(event)]

    def of(self, *kinds: EventKind) -> list[Event]:
        """The queue's events of these kinds, by time."""
        return [event for event in self.events if event.kind in kinds]

    def of_group(self, *kinds: EventKind) -> list[Event]:
        """The events of these kinds of its group or topic."""
        return [event for event in self.around if event.kind in kinds]

    @cached_property
    def commits(self) -> list[Event]:
        """What clients say that they committed, by time."""
        return self.of(EventKind.COMMIT_SENT)

    @property
    def last(self) -> Event:
        """The last event of all that concern the queue."""
        return max((*self.events[-1:], *self.around[-1:]), key=self.rank)

    @cached_property
    def by_owner(self) -> dict[str, list[Event]]:
        """The events of the clients' logs, by owner, in the order of each one's log."""
        found: dict[str, list[Event]] = {}
        for event in self.events:
            if event.kind in OF_CLIENTS:
                found.setdefault(self.members.owner(event), []).append(event)
        for event in self.around:
            if event.kind in (EventKind.CONSUMER_STOPPED, EventKind.CONSUMER_STARTED):
                owner = self.members.owner(event)
                if owner in found:
                    found[owner].append(event)
        for events in found.values():
            events.sort(key=self.rank)
        return found

    def finding(
        self,
        kind: FindingKind,
        certain: bool,
        says: str,
        parts: Iterable[Part],
        decided_by: str = "",
        whole_group: bool = False,
        **values: int | None,
    ) -> Finding:
        """A finding about the queue; `parts` are its lines, in the order in which it tells them."""
        lines = list(parts)
        return Finding(
            kind=kind,
            certainty=Certainty.CERTAIN if certain else Certainty.POSSIBLE,
            group=self.group,
            topic=None if whole_group else self.topic,
            broker=None if whole_group else self.broker,
            queue=None if whole_group else self.queue,
            time_from=min(event.time_from for event, _ in lines),
            time_to=max(event.time_to for event, _ in lines),
            says=says,
            evidence=tuple(evidence_of(event, role) for event, role in lines),
            values={name: value for name, value in values.items() if value is not None},
            decided_by=None if certain else decided_by or ORDER_UNKNOWN,
        )


def evidence_of(event: Event, role: str, text: str = "") -> Evidence:
    """An event as part of a finding."""
    return Evidence(event.file, event.line, event.byte_offset, event.byte_length, role, text)


def between(events: Sequence[Event], begin: int, end: int) -> Sequence[Event]:
    """Those of some events by time that begin at `begin` or later, and before `end`."""
    first = bisect_left(events, begin, key=lambda each: each.time_from)
    return events[first : bisect_left(events, end, lo=first, key=lambda each: each.time_from)]


ORDER_UNKNOWN = "the order of the lines: clocks that are known to agree, or a zone that is known, would decide"

OF_CLIENTS = frozenset(
    {
        EventKind.COMMIT_SENT,
        EventKind.CELL_REMOVED,
        EventKind.QUEUE_ADDED,
        EventKind.START,
        EventKind.QUEUE_REMOVED,
        EventKind.PULL_ILLEGAL,
        EventKind.PULL_FIXED,
        EventKind.LOCK_LOST_WHILE_CONSUMING,
        EventKind.RESULT_DISCARDED,
    }
)
"""Kinds that only clients' logs have, about one queue."""

Rule = Callable[[History], Iterable[Finding]]
"""Looks at one queue."""

GroupRule = Callable[[Sequence[History]], Iterable[Finding]]
"""Looks at the queues of one group."""

"""Which broker a line is of that does not say so: brokers' own lines seldom have their name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from offsetproof.audit.event import Event, EventKind

_Topic = tuple[str | None, str | None]


@dataclass(frozen=True)
class BrokerNames:
    """The brokers of each group's topic that some events name, and by host those that a broker's own log does."""

    of_topic: Mapping[_Topic, set[str]]
    of_host: Mapping[str, set[str]]

    @classmethod
    def of(cls, events: Iterable[Event]) -> BrokerNames:
        """The names that events say. A broker marks queues of its own only."""
        topics: dict[_Topic, set[str]] = {}
        hosts: dict[str, set[str]] = {}
        for event in events:
            if event.broker is None or event.queue is None:
                continue
            topics.setdefault((event.group, event.topic), set()).add(event.broker)
            if event.kind is EventKind.RESET_MARKED:
                hosts.setdefault(event.host, set()).add(event.broker)
        return cls(topics, hosts)

    def broker_of(self, event: Event) -> str | None:
        """The broker of an event of one queue: by its line, its host, or as no other can be meant; else None."""
        if event.broker is not None:
            return event.broker
        names = self.of_host.get(event.host, set())
        if not names:
            names = self.of_topic.get((event.group, event.topic), set())
            if event.host in names:
                return event.host
            names = names.difference(*self.of_host.values())
        return next(iter(names)) if len(names) == 1 else None

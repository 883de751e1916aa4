"""From events to findings: the events are sorted into queues, and each rule looks at each queue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta

from offsetproof.audit.clocks import Clocks, by_time, settled
from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.finding import Finding
from offsetproof.audit.history import History, Members, Rule
from offsetproof.audit.rules.overriding import resets_overridden
from offsetproof.audit.rules.owners import two_owners
from offsetproof.audit.rules.ranges import range_findings
from offsetproof.audit.rules.regression import commit_regressions

SKEW = timedelta(seconds=1)
"""How far the clocks of two machines may be from the true time, unless the user says otherwise."""

RULES: tuple[Rule, ...] = (commit_regressions, two_owners, resets_overridden, range_findings)
"""What looks at each queue."""

_WRITTEN_BY_ITSELF = frozenset({EventKind.COMMIT_SENT, EventKind.ALLOCATED})
_NAMED_BY_OTHERS = frozenset({EventKind.RESET_SENT, EventKind.MEMBER_SEEN, EventKind.CELL_SEEN})

Key = tuple[str | None, str | None, str | None, int]


def find(events: Iterable[Event], skew: timedelta = SKEW) -> Iterator[Finding]:
    """The findings of some events, in any order; those of a queue follow each other, by time."""
    for history in histories_of(events, skew):
        found = [finding for rule in RULES for finding in rule(history)]
        yield from sorted(found, key=lambda each: (each.time_from, each.kind))


def histories_of(events: Iterable[Event], skew: timedelta = SKEW) -> Iterator[History]:
    """The queues that the events are about, each with its own events and those of its group and topic."""
    clocks = Clocks(skew)
    every = settled(events)
    named = _names_of_brokers(every)
    queues: dict[Key, list[Event]] = {}
    around: list[Event] = []
    for event in every:
        if event.queue is None:
            around.append(event)
        else:
            broker = event.broker or named.get((event.group, event.topic))
            queues.setdefault((event.group, event.topic, broker, event.queue), []).append(event)
    members = {group: members_of(group, every) for group in {key[0] for key in queues}}
    for (group, topic, broker, queue), own in sorted(queues.items(), key=lambda each: str(each[0])):
        beside = [each for each in around if each.group in (None, group) and each.topic in (None, topic)]
        yield History(group, topic, broker, queue, own, sorted(beside, key=by_time), members[group], clocks)


def _names_of_brokers(events: Iterable[Event]) -> dict[tuple[str | None, str | None], str]:
    """The broker of each group's topic, where the events name but one: a broker's own lines do not say its name."""
    names: dict[tuple[str | None, str | None], set[str]] = {}
    for event in events:
        if event.broker is not None and event.queue is not None:
            names.setdefault((event.group, event.topic), set()).add(event.broker)
    return {key: next(iter(each)) for key, each in names.items() if len(each) == 1}


def members_of(group: str | None, events: Iterable[Event]) -> Members:
    """Which clients of a group wrote which process's log."""
    clients: dict[str, set[str]] = {}
    named: set[str] = set()
    for event in events:
        if event.client is not None and event.group == group:
            if event.kind in _WRITTEN_BY_ITSELF:
                clients.setdefault(event.process, set()).add(event.client)
            elif event.kind in _NAMED_BY_OTHERS:
                named.add(event.client)
    have_log = {client for each in clients.values() for client in each}
    return Members({process: frozenset(each) for process, each in clients.items()}, frozenset(named - have_log))

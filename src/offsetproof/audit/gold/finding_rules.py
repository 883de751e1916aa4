"""From events to findings: the events are sorted into queues, and each rule looks at each queue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.broker_names import BrokerNames
from offsetproof.audit.gold.clocks import Clocks, turns_of
from offsetproof.audit.gold.finding import Finding
from offsetproof.audit.gold.history import GroupRule, History, Members, Rule
from offsetproof.audit.gold.rules.clients import client_ids_twice, commits_without_queue
from offsetproof.audit.gold.rules.files import is_snapshot, lost_queues, state_of
from offsetproof.audit.gold.rules.locks import locks_lost
from offsetproof.audit.gold.rules.markers import markers_taken_by_others, refused_commits
from offsetproof.audit.gold.rules.new_groups import new_groups
from offsetproof.audit.gold.rules.overriding import resets_overridden, resets_without_effect
from offsetproof.audit.gold.rules.owners import two_owners
from offsetproof.audit.gold.rules.ranges import range_findings
from offsetproof.audit.gold.rules.regression import commit_regressions
from offsetproof.audit.gold.rules.standing import pinned_offsets, queues_without_owner, starts_again

SKEW = timedelta(seconds=1)
"""How far the clocks of two machines may be from the true time, unless the user says otherwise."""

RULES: tuple[Rule, ...] = (
    commit_regressions,
    two_owners,
    resets_overridden,
    range_findings,
    refused_commits,
    markers_taken_by_others,
    new_groups,
    commits_without_queue,
    locks_lost,
    lost_queues,
)
"""What looks at each queue."""

GROUP_RULES: tuple[GroupRule, ...] = (
    resets_without_effect,
    client_ids_twice,
    pinned_offsets,
    queues_without_owner,
    starts_again,
)
"""What looks at the queues of a group side by side."""

_WRITTEN_BY_ITSELF = frozenset({EventKind.COMMIT_SENT, EventKind.ALLOCATED})
_NAMED_BY_OTHERS = frozenset({EventKind.RESET_SENT, EventKind.MEMBER_SEEN, EventKind.CELL_SEEN})

Key = tuple[str | None, str | None, str | None, int, str]
"""Group, topic, broker, queue; and the host where it is not known which broker that is."""


def find_in_group(histories: Sequence[History]) -> list[Finding]:
    """The findings of one group's queues, by time."""
    found = [finding for rule in GROUP_RULES for finding in rule(histories)]
    for history in histories:
        found += [finding for rule in RULES for finding in rule(history)]
    return sorted(found, key=lambda each: (each.time_from, each.kind, str(each.topic), each.queue or 0))


def histories_of(
    settled_events: Sequence[Event], skew: timedelta = SKEW, snapshots: Sequence[Event] = ()
) -> Iterator[History]:
    """The queues that events, as `events_in_order` gives them, are about, each with its own and those of its group.

    `snapshots` has a row of each offset file that the events may not show, as its rows are of other groups.
    """
    clocks = Clocks(skew, turns_of(settled_events))
    names = BrokerNames.of(settled_events)
    queues: dict[Key, list[Event]] = {}
    around: list[Event] = []
    for event in settled_events:
        if event.queue is None:
            around.append(event)
        else:
            broker = names.broker_of(event)
            host = event.host if broker is None else ""
            queues.setdefault((event.group, event.topic, broker, event.queue, host), []).append(event)
    ranks = {id(event): number for number, event in enumerate(settled_events)}
    files = {state_of(each): each for each in (*snapshots, *filter(is_snapshot, settled_events))}
    of_group: dict[str | None, list[Event]] = {}
    for event in settled_events:
        of_group.setdefault(event.group, []).append(event)
    members = {group: members_of(group, of_group[group]) for group in {key[0] for key in queues}}
    beside: dict[tuple[str | None, str | None], list[Event]] = {}
    for (group, topic, broker, queue, _), own in sorted(queues.items(), key=lambda each: str(each[0])):
        if (group, topic) not in beside:
            beside[group, topic] = [
                each for each in around if each.group in (None, group) and each.topic in (None, topic)
            ]
        mine = beside[group, topic]
        yield History(group, topic, broker, queue, own, mine, members[group], clocks, ranks, list(files.values()))


def members_of(group: str | None, events: Iterable[Event]) -> Members:
    """Which clients of a group wrote which process's log.

    A log without any client's id, as of broadcasting, is taken to be that of a client that others name.
    """
    clients: dict[str, set[str]] = {}
    named: set[str] = set()
    processes: set[str] = set()
    for event in events:
        if event.group != group:
            continue
        if event.kind in _WRITTEN_BY_ITSELF and event.client is not None:
            clients.setdefault(event.process_name, set()).add(event.client)
        elif event.kind in _NAMED_BY_OTHERS and event.client is not None:
            named.add(event.client)
        elif event.kind in (EventKind.QUEUE_ADDED, EventKind.CONSUMER_STARTED):
            processes.add(event.process_name)
    unmatched = named - {client for each in clients.values() for client in each}
    nameless = processes - clients.keys()
    if len(unmatched) == len(nameless) == 1:
        clients[next(iter(nameless))] = unmatched
    without_log = unmatched if len(unmatched) > len(nameless) else set()
    return Members({process: frozenset(each) for process, each in clients.items()}, frozenset(without_log))

"""Clients that commit for a queue that they gave up, and clients of one id in two processes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import permutations

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.finding import Finding, FindingKind
from offsetproof.audit.gold.history import History
from offsetproof.audit.gold.rules.owners import was_under_way


def commits_without_queue(history: History) -> Iterator[Finding]:
    """A client commits for a queue that it has given up (no claim says that this must not be).

    Inferred from one log: a commit line more than a second after the line that removes the queue, with no line between
    that adds it again. It does not say that the commit did harm: a regression is a finding of its own.
    """
    for events in history.by_owner.values():
        removed: Event | None = None
        for event in events:
            if event.kind in (EventKind.QUEUE_REMOVED, EventKind.QUEUE_ADDED, EventKind.START):
                removed = event if event.kind is EventKind.QUEUE_REMOVED else None
            elif removed is not None and event.kind is EventKind.COMMIT_SENT:
                if was_under_way(event, removed):
                    continue
                yield history.finding(
                    FindingKind.COMMIT_WITHOUT_QUEUE,
                    not history.members.is_mixed(event) and history.clocks.before(removed, event) is True,
                    f"{history.members.name(event)} committed {event.offset}, though it had given the queue up",
                    [(removed, "queue given up"), (event, "commit")],
                    "which client of the log gave the queue up",
                    after=event.offset,
                )
                removed = None


def client_ids_twice(histories: Sequence[History]) -> Iterator[Finding]:
    """One client id is that of two processes at a time (no claim; RocketMQ takes it for granted that there is none).

    Inferred from lines with the id: one of the second process between two of the first, which did not start again
    between them.
    """
    commits: dict[str, list[Event]] = {}
    for history in histories:
        for event in history.commits:
            if event.client is not None:
                commits.setdefault(event.client, []).append(event)
    for client, events in sorted(commits.items()):
        if len({event.process_name for event in events}) > 1:
            yield from _twice(client, events, histories[0])


def _twice(client: str, events: Sequence[Event], history: History) -> Iterator[Finding]:
    before = history.clocks.before
    lives = _lives(sorted(events, key=history.rank), history)
    possible: tuple[Event, Event, Event] | None = None
    for one, two in permutations(lives, 2):
        first, last = one[0], one[-1]
        if (
            first.process_name == two[0].process_name
            or not first.time_from < two[-1].time_to
            or last.time_to <= two[0].time_from
        ):
            continue
        for between in two:
            if before(first, between) is True and before(between, last) is True:
                yield _one_id(history, client, (first, between, last), certain=True)
                return
            if first.time_from < between.time_from < last.time_from:
                possible = possible or (first, between, last)
    if possible is not None:
        yield _one_id(history, client, possible, certain=False)


def _lives(events: Sequence[Event], history: History) -> list[list[Event]]:
    """The commits of each process from one start of the consumer to the next."""
    starts: dict[str, list[int]] = {}
    for each in history.of_group(EventKind.CONSUMER_STARTED, EventKind.CONSUMER_STOPPED):
        starts.setdefault(each.process_name, []).append(history.rank(each))
    found: dict[tuple[str, int], list[Event]] = {}
    for event in events:
        life = bisect_left(starts.get(event.process_name, ()), history.rank(event))
        found.setdefault((event.process_name, life), []).append(event)
    return list(found.values())


def _one_id(history: History, client: str, events: tuple[Event, Event, Event], certain: bool) -> Finding:
    first, between, last = events
    return history.finding(
        FindingKind.CLIENT_ID_TWICE,
        certain,
        f"{client} is the id of two processes at a time: {first.process_name} and {between.process_name}",
        [(first, "first process"), (between, "second process"), (last, "first process again")],
        whole_group=True,
    )

"""Clients that commit for a queue that they gave up, and clients of one id in two processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.finding import Finding, FindingKind
from offsetproof.audit.history import History

_RACE = 1_000_000
"""The timer's persistAll may be under way while a rebalance removes the queue: no finding within this time."""


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
                if event.time_from - removed.time_to <= _RACE:
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
    between them. Two logs that are copies of one look the same.
    """
    commits: dict[str, list[Event]] = {}
    for history in histories:
        for event in history.commits:
            if event.client is not None:
                commits.setdefault(event.client, []).append(event)
    for client, events in sorted(commits.items()):
        if len({event.process for event in events}) > 1:
            yield from _twice(client, events, histories[0])


def _twice(client: str, events: Sequence[Event], history: History) -> Iterator[Finding]:
    events = sorted(events, key=history.rank)
    runs = [list(run) for _, run in groupby(events, key=lambda each: each.process)]
    before = history.clocks.before
    possible: tuple[Event, Event, Event] | None = None
    for number, run in enumerate(runs[1:-1], 1):
        for first, last in _around(runs, number):
            for between in run:
                if _began_again(history, first, last):
                    continue
                if before(first, between) is True and before(between, last) is True:
                    yield _one_id(history, client, (first, between, last), certain=True)
                    return
                if before(first, between) is not False and before(between, last) is not False:
                    possible = possible or (first, between, last)
    if possible is not None:
        yield _one_id(history, client, possible, certain=False)


def _around(runs: Sequence[Sequence[Event]], number: int) -> Iterator[tuple[Event, Event]]:
    """Events of another process before and after a run: the nearest ones, and those that are farther off."""
    process = runs[number][0].process
    others = [run for run in runs[:number] if run[0].process != process][-1:]
    for run in others:
        after = next((each for each in runs[number + 1 :] if each[0].process == run[0].process), None)
        if after is not None:
            yield run[-1], after[0]
            yield run[0], after[-1]


def _began_again(history: History, first: Event, last: Event) -> bool:
    return any(
        each.kind in (EventKind.CONSUMER_STARTED, EventKind.CONSUMER_STOPPED)
        and each.process == first.process
        and first.time_from <= each.time_from <= last.time_from
        for each in history.around
    )


def _one_id(history: History, client: str, events: tuple[Event, Event, Event], certain: bool) -> Finding:
    first, between, last = events
    return history.finding(
        FindingKind.CLIENT_ID_TWICE,
        certain,
        f"{client} is the id of two processes at a time: {first.process} and {between.process}",
        [(first, "first process"), (between, "second process"), (last, "first process again")],
        whole_group=True,
    )

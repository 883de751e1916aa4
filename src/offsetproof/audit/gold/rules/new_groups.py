"""Where a group starts that has no offset of a queue yet: at 0, or at the end (I13)."""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.finding import Finding, FindingKind
from offsetproof.audit.gold.history import History

_CATCHES_UP = 3
"""Consumption that is so many times faster in the first tick than later on is that of messages that lay there."""

_FIRST = 10_000_000

_HAND_OVER = 30_000_000
"""Longer after a stop somebody without a log may have had the queue."""


def new_groups(history: History) -> Iterator[Finding]:
    """Claim I13: a group that is new starts where its ConsumeFromWhere says, which is the end unless it is set.

    Inferred from the start of a queue of which the broker said before that the group has no offset, and where it ends.
    Without that word, a start at 0 that is the first sign of the group is possibly such a start if consumption is
    several times faster in the first seconds than later on: it catches up. A client that stopped in order, had
    committed nothing, and starts further on had no offset either. It does not say what ConsumeFromWhere was.
    """
    yield from _further_on(history)
    start = next(iter(history.of(EventKind.START)), None)
    if start is None or start.offset is None or _known_before(history, start):
        return
    absent = [
        each
        for each in history.of(EventKind.OFFSET_ABSENT)
        if history.clocks.before(each, start) is True and (each.other_offset or 0) > 0
    ]
    end = absent[-1] if absent else None
    name = history.members.name(start)
    if end is not None and start.offset == 0:
        says = f"{name} starts at 0, though the group had no offset and the queue ended at {end.other_offset}"
        yield history.finding(
            FindingKind.NEW_GROUP_FROM_ZERO,
            True,
            says,
            [(end, "no offset"), (start, "start")],
            start=0,
            end=end.other_offset,
        )
    elif end is not None and start.offset >= (end.other_offset or 0):
        says = f"{name} starts at {start.offset}, the end: the messages before it are not given to the group"
        yield history.finding(
            FindingKind.NEW_GROUP_FROM_END,
            True,
            says,
            [(end, "no offset"), (start, "start")],
            start=start.offset,
            end=end.other_offset,
        )
    elif end is None and start.offset == 0:
        yield from _catching_up(history, start, name)


def _further_on(history: History) -> Iterator[Finding]:
    """Starts of a client above its start before, without an offset of it between: no commit line, no offset file."""
    for events in history.by_owner.values():
        first: Event | None = None
        stopped: Event | None = None
        for event in events:
            if event.kind is EventKind.COMMIT_SENT:
                first = stopped = None
            elif event.kind is EventKind.CONSUMER_STOPPED:
                stopped = event
            elif event.kind is EventKind.START:
                if first is not None and stopped is not None and _has_no_offset(history, first, event):
                    yield _behind(history, first, stopped, event)
                first, stopped = event, None


def _has_no_offset(history: History, first: Event, start: Event) -> bool:
    kinds = (EventKind.LOCAL_LOADED, EventKind.COMMIT_BELOW_STORE, EventKind.RESET_MARKED, EventKind.OFFSET_LOCAL)
    known = [*history.commits, *history.of(*kinds), *history.of_group(EventKind.RESET_STARTED, EventKind.COMMANDED)]
    before = history.clocks.before
    return (start.offset or 0) > (first.offset or 0) and all(
        before(each, first) is True or before(start, each) is True for each in known
    )


def _behind(history: History, first: Event, stopped: Event, start: Event) -> Finding:
    soon = start.time_from - stopped.time_to <= _HAND_OVER
    name = history.members.name(start)
    return history.finding(
        FindingKind.NEW_GROUP_FROM_END,
        soon and not history.members.without_log and not history.members.is_mixed(start),
        f"{name} had started at {first.offset} and committed nothing, and starts at {start.offset}: "
        "it is not given what is between",
        [(first, "start before"), (stopped, "stop"), (start, "start")],
        "the logs of all the group's clients: one without a log may have had the queue between",
        start=start.offset,
        end=start.offset,
    )


def _known_before(history: History, start: Event) -> bool:
    """Had the group an offset of the queue before, as far as any line tells?"""
    return any(
        history.clocks.before(start, each) is not True
        for each in history.of(EventKind.COMMIT_SENT, EventKind.COMMIT_BELOW_STORE, EventKind.RESET_MARKED)
    ) or any(
        history.clocks.before(start, each) is not True for each in history.of(EventKind.OFFSET_STORED)
    )  # fmt: skip


def _catching_up(history: History, start: Event, name: str) -> Iterator[Finding]:
    own = [each for each in history.by_owner[history.members.owner(start)] if each.kind is EventKind.COMMIT_SENT]
    if not own or own[0].time_from - start.time_from > _FIRST:
        return
    first, last = own[0], own[-1]
    if last.time_from - first.time_from < _FIRST:
        return
    quick = (first.offset or 0) / max(1, first.time_from - start.time_from)
    later = ((last.offset or 0) - (first.offset or 0)) / max(1, last.time_from - first.time_from)
    if later > 0 and quick > _CATCHES_UP * later:
        yield history.finding(
            FindingKind.NEW_GROUP_FROM_ZERO,
            False,
            f"{name} starts at 0, where no line shows an offset of the group, and catches up to {first.offset}",
            [(start, "start"), (first, "first commit")],
            "the queue's end when the group started",
            start=0,
            after=first.offset,
        )

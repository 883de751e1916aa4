"""An offset that stands while others move, and a queue that is started at the same offset again and again."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.finding import Finding, FindingKind
from offsetproof.audit.gold.history import History, between
from offsetproof.audit.gold.rules.owners import spells_of
from offsetproof.audit.gold.rules.resets import reset_behind, resets_of

STANDS = 60_000_000
"""An offset that is committed unchanged for so long stands: twelve ticks of the timer."""

NOBODY = 25_000_000
"""Clients allocate every 20 s: a queue that nobody has for longer is nobody's."""

STARTS = 3
"""So many starts at one offset are one too many."""

_ENDS = (EventKind.OFFSET_STORED, EventKind.OFFSET_ABSENT)


@dataclass(frozen=True)
class _Stand:
    first: Event
    last: Event


def pinned_offsets(histories: Sequence[History]) -> Iterator[Finding]:
    """An offset stands while its queue has more (no claim: a listener that never ends is a legitimate cause).

    Inferred from commit lines of one client with one offset for a minute. Certain if the broker tells, a minute before
    the last of them, that the queue ends beyond it. Possible if each commit of the minute before was higher than the
    one before it, and most other queues of the client, two at least, move meanwhile: a queue that gets no more messages
    looks the same.
    """
    for history in histories:
        for stand in _stands(history):
            end = _end_beyond(history, stand)
            if end is None and not _others_move(histories, history, stand):
                continue
            seconds = (stand.last.time_from - stand.first.time_from) // 1_000_000
            yield history.finding(
                FindingKind.OFFSET_PINNED,
                end is not None,
                f"the offset stood at {stand.first.offset} for {seconds} s"
                + (f", though the queue ended at {end.other_offset}" if end else ", while other queues went on"),
                [
                    (stand.first, "first commit of the offset"),
                    *([(end, "end of the queue")] if end else []),
                    (stand.last, "last commit of the offset"),
                ],
                "the queue's end, as mqadmin consumerProgress tells it",
                offset=stand.first.offset,
                end=end.other_offset if end else None,
            )


def queues_without_owner(histories: Sequence[History]) -> Iterator[Finding]:
    """An offset stands as no client has the queue, though there are clients (no claim).

    Inferred from each client's last allocation: for longer than it takes until all allocate anew, none of those that
    run has the queue. A client that was killed counts as running, so that its queues are not said to be nobody's.
    """
    last = max((history.last for history in histories), key=histories[0].rank)
    for history in histories:
        spells = spells_of(history)
        for spell in spells:
            if spell.given_up is None or spell.given_up.kind is not EventKind.QUEUE_REMOVED:
                continue
            number = bisect_right(spells, spell.end.time_from, key=lambda each: each.first.time_from)
            since, until = spell.end, spells[number].first if number < len(spells) else last
            if until.time_from - since.time_to - history.clocks.apart < NOBODY:
                continue
            if between(history.commits, since.time_to, until.time_from):
                continue
            allocations = _allocations_without(history, since, until)
            if allocations:
                seconds = (until.time_from - since.time_to) // 1_000_000
                yield history.finding(
                    FindingKind.OFFSET_PINNED,
                    history.clocks.before(since, until) is True and not history.members.without_log,
                    f"for {seconds} s no client had the queue, which stood at {spell.last.offset}",
                    [(spell.last, "last commit"), (since, "queue given up"), *allocations],
                    "the logs of all the group's clients",
                    offset=spell.last.offset,
                )


def _allocations_without(history: History, since: Event, until: Event) -> list[tuple[Event, str]]:
    """The allocations by which nobody has the queue, one of each process; none if one has it, or none is known."""
    last: dict[str, Event] = {}
    wanted = f"{history.broker}:{history.queue}"
    for event in history.of_group(EventKind.ALLOCATED, EventKind.CONSUMER_STOPPED):
        has_it = event.kind is EventKind.ALLOCATED and wanted in (event.detail or "").split(",")
        if event.time_from > since.time_to + NOBODY:
            if has_it and event.time_from < until.time_from:
                return []
            continue
        if event.kind is EventKind.CONSUMER_STOPPED:
            last.pop(event.process_name, None)
        else:
            last[event.process_name] = event
    if any(wanted in (event.detail or "").split(",") for event in last.values()):
        return []
    return [(event, "allocation without the queue") for event in last.values()]


def _stands(history: History) -> Iterator[_Stand]:
    for events in history.by_owner.values():
        first: Event | None = None
        last: Event | None = None
        for event in events:
            stays = first is not None and event.offset == first.offset and event.kind is EventKind.COMMIT_SENT
            if stays:
                last = event
                continue
            if first is not None and last is not None and last.time_from - first.time_to >= STANDS:
                yield _Stand(first, last)
            first = event if event.kind is EventKind.COMMIT_SENT else None
            last = None
        if first is not None and last is not None and last.time_from - first.time_to >= STANDS:
            yield _Stand(first, last)


def _end_beyond(history: History, stand: _Stand) -> Event | None:
    """A line that says, a minute before the stand ends, that the queue goes on beyond the offset."""
    for event in history.of(*_ENDS):
        beyond = event.other_offset is not None and event.other_offset > (stand.first.offset or 0)
        if beyond and history.clocks.before(event, stand.last) is True:
            since = max(event.time_to, stand.first.time_to) + history.clocks.apart
            if stand.last.time_from - since >= STANDS:
                return event
    return None


def _others_move(histories: Sequence[History], history: History, stand: _Stand) -> bool:
    owner = history.members.owner(stand.first)
    if not _moved_before(history, stand):
        return False
    moved = stood = 0
    for other in histories:
        if other is history or other.topic != history.topic:
            continue
        moves = _moves(other.by_owner.get(owner, ()), stand.first, stand.last)
        moved += moves is True
        stood += moves is False
    return moved >= 2 and moved > stood


def _moves(events: Sequence[Event], first: Event, last: Event) -> bool | None:
    """Do commits move an offset between two events, from the last commit before them to the next one behind?"""
    commits = [each for each in events if each.kind is EventKind.COMMIT_SENT]
    begin = bisect_right(commits, first.time_from, key=lambda each: each.time_from)
    end = bisect_left(commits, last.time_to, key=lambda each: each.time_from)
    around = commits[max(0, begin - 1) : end + 1]
    if len(around) < 2:
        return None
    return (around[-1].offset or 0) > (around[0].offset or 0)


def _moved_before(history: History, stand: _Stand) -> bool:
    """Did every commit of the minute before move the offset?"""
    moved_since = stand.first
    for each in reversed(history.by_owner[history.members.owner(stand.first)]):
        if each.kind is EventKind.COMMIT_SENT and history.clocks.before(each, moved_since) is True:
            if (each.offset or 0) >= (moved_since.offset or 0):
                break
            moved_since = each
    return stand.first.time_from - moved_since.time_from >= STANDS


def starts_again(histories: Sequence[History]) -> Iterator[Finding]:
    """A queue is started at one offset three times, and nothing is committed beyond it (no claim).

    Inferred from starts, and from pulls that are refused and moved to the offset they asked for or the same one again.
    Certain if the pulls say so, or the broker tells that the queue ends beyond it. Possible if other queues move
    meanwhile: a queue that gets no messages looks the same.
    """
    for history in histories:
        yield from _stuck(histories, history, EventKind.PULL_FIXED)
        yield from _stuck(histories, history, EventKind.START)


def _stuck(histories: Sequence[History], history: History, kind: EventKind) -> Iterator[Finding]:
    starts: list[Event] = []
    resets = resets_of(history)
    for event in [*history.of(kind, EventKind.COMMIT_SENT), None]:
        if event is not None and event.kind is kind and starts and event.offset == starts[0].offset:
            starts.append(event)
        elif event is None or event.kind is kind or (starts and (event.offset or 0) > (starts[0].offset or 0)):
            is_reset = any(reset_behind(history, resets, each)[0] is not None for each in starts)
            if len(starts) >= STARTS and not is_reset:
                yield from _started_again(histories, history, starts)
            starts = [] if event is None or event.kind is not kind else [event]


def _started_again(histories: Sequence[History], history: History, starts: Sequence[Event]) -> Iterator[Finding]:
    first, last = starts[0], starts[-1]
    end = next(
        (
            each
            for each in history.of(*_ENDS)
            if (each.other_offset or 0) > (first.offset or 0) and history.clocks.before(each, starts[1]) is True
        ),
        None,
    )
    refused = first.kind is EventKind.PULL_FIXED
    moved = any(_moves(other.commits, first, last) for other in histories if other is not history)
    if end is None and not refused and not moved:
        return
    yield history.finding(
        FindingKind.SAME_START_AGAIN,
        end is not None or refused,
        f"the queue was started at {first.offset} {len(starts)} times, and nothing was committed beyond",
        [(first, "first start"), *([(end, "end of the queue")] if end else []), (last, "last start")],
        "the queue's end, as mqadmin consumerProgress tells it",
        offset=first.offset,
        starts=len(starts),
    )

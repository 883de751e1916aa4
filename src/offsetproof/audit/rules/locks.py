"""An orderly consumer lost the lock of a queue while it consumed it (I9)."""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.finding import Finding, FindingKind
from offsetproof.audit.history import History


def locks_lost(history: History) -> Iterator[Finding]:
    """Claim I9: a client that consumes a queue in order has its lock.

    Inferred from the client's own line that the lock is lost, or from the broker's that another client has got it,
    after which the first one's commits still rise. It does not say that two listeners ran at once.
    """
    lost = history.of(EventKind.LOCK_LOST_WHILE_CONSUMING)
    for event in lost[:1]:
        yield history.finding(
            FindingKind.LOCK_LOST,
            True,
            f"{history.members.name(event)} lost the lock of the queue while it consumed it ({len(lost)} lines)",
            [(event, "lock lost"), *((each, "lock lost again") for each in lost[1:][-1:])],
        )
    if not lost:
        yield from _taken(history)


def _taken(history: History) -> Iterator[Finding]:
    holder: Event | None = None
    for event in history.of(EventKind.LOCKED, EventKind.UNLOCKED):
        if event.client is None:
            continue
        if event.kind is EventKind.UNLOCKED:
            holder = None if holder is None or holder.client == event.client else holder
            continue
        if holder is not None and holder.client != event.client:
            yield from _went_on(history, holder, event)
        holder = event


def _went_on(history: History, holder: Event, taken: Event) -> Iterator[Finding]:
    after = [
        each for each in history.commits if each.client == holder.client and history.clocks.before(taken, each) is True
    ]
    rising = [each for each in after if (each.offset or 0) > (after[0].offset or 0)]
    added = any(
        each.kind is EventKind.QUEUE_ADDED and each.process == after[0].process and each.time_to > taken.time_from
        for each in history.events
        if after
    )
    if rising and not added:
        yield history.finding(
            FindingKind.LOCK_LOST,
            True,
            f"{taken.client} got the lock, and {holder.client} went on to {rising[0].offset}",
            [(holder, "lock"), (taken, "lock of another"), (after[0], "commit"), (rising[0], "higher commit")],
            after=rising[0].offset,
        )

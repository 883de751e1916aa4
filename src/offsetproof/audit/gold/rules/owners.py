"""Two owners at once: two clients of a group had one queue in their tables at one time (I8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.finding import Finding, FindingKind
from offsetproof.audit.gold.history import History

RETRY = "%RETRY%"

_SIGNS = (EventKind.COMMIT_SENT, EventKind.QUEUE_ADDED, EventKind.START)
"""Lines of a client that has the queue: persistAll commits queues in its table only."""


@dataclass(frozen=True)
class Spell:
    """The time for which a client had a queue: from its first sign to its last; `given_up` if a line says the end."""

    owner: str
    first: Event
    last: Event
    given_up: Event | None

    @property
    def end(self) -> Event:
        """The last line that shows the client with the queue."""
        return self.given_up if self.given_up and self.given_up.kind is EventKind.QUEUE_REMOVED else self.last


def spells_of(history: History) -> list[Spell]:
    """The spells of all clients, by time."""
    found: list[Spell] | None = history.memo.get("spells")
    if found is None:
        found = [spell for owner, events in history.by_owner.items() for spell in _spells(owner, events)]
        found.sort(key=lambda each: (each.first.time_from, each.owner))
        history.memo["spells"] = found
    return found


UNDER_WAY = 1_000_000
"""The timer's persistAll may be under way while a rebalance removes a queue: commits within this time are of before."""


def was_under_way(event: Event, removed: Event | None) -> bool:
    """Is it a commit of a queue that had just been removed?"""
    is_commit = event.kind is EventKind.COMMIT_SENT
    return is_commit and removed is not None and event.time_from - removed.time_to <= UNDER_WAY


def _is_late(event: Event, removed: Event | None) -> bool:
    """Is it a commit of a queue that was removed before?

    The repair of a pull that was moved persists whether the client still has the queue or not.
    """
    is_repair = event.kind is EventKind.COMMIT_SENT and event.detail == "persist" and removed is not None
    return is_repair or was_under_way(event, removed)


def _spells(owner: str, events: Sequence[Event]) -> Iterator[Spell]:
    first: Event | None = None
    last: Event | None = None
    removed: Event | None = None
    for event in events:
        removed = event if event.kind is EventKind.QUEUE_REMOVED else removed
        if event.kind in (EventKind.QUEUE_REMOVED, EventKind.CONSUMER_STOPPED, EventKind.CONSUMER_STARTED):
            if first is not None and last is not None:
                yield Spell(owner, first, last, None if event.kind is EventKind.CONSUMER_STARTED else event)
            first = last = None
        elif event.kind in _SIGNS and (first is not None or not _is_late(event, removed)):
            if event.kind is EventKind.QUEUE_ADDED and first is not None and last is not None:
                yield Spell(owner, first, last, None)
                first = None
            first, last = first or event, event
    if first is not None and last is not None:
        yield Spell(owner, first, last, None)


def two_owners(history: History) -> Iterator[Finding]:
    """Claim I8: at most one client has a queue at a time.

    Inferred from each client's lines from `add a new mq` to its removal, or to its last sign of life: a shutdown in
    order ends it at the last commit, as no line says when the queue was given up. Certain if each began before the
    other ended. Every hand-over may overlap a little: within the clocks' skew it is possible at most, and is said only
    where the stamps as they stand show it. It does not say that a message was handled twice. Of %RETRY% topics it is
    not said: they are handed over with the others.
    """
    if (history.topic or "").startswith(RETRY):
        return
    for one, two in _overlapping(spells_of(history)):
        before = history.clocks.before
        certain = before(one.first, two.end) is True and before(two.first, one.end) is True
        if before(one.end, two.first) is True or before(two.end, one.first) is True:
            continue
        mixed = history.members.is_mixed(one.first) or history.members.is_mixed(two.first)
        names = [history.members.name(each.first) for each in (one, two)]
        if names[0] == names[1]:
            names = [f"{name} in {each.owner}" for name, each in zip(names, (one, two), strict=True)]
        yield history.finding(
            FindingKind.TWO_OWNERS,
            certain and not mixed,
            f"{names[1]} had the queue while {names[0]} still had it",
            [
                (one.first, "first owner's first sign"),
                (two.first, "second owner's first sign"),
                (one.end, "first owner's last sign"),
                (two.end, "second owner's last sign"),
            ],
            "which client of the log wrote the lines" if mixed else "",
        )


def _overlapping(spells: Sequence[Spell]) -> Iterator[tuple[Spell, Spell]]:
    """The pairs of two owners' spells that overlap by their stamps as they stand."""
    running: list[Spell] = []
    for spell in spells:
        running = [each for each in running if each.end.time_to > spell.first.time_from]
        for each in running:
            if each.owner != spell.owner and each.first.time_from < spell.end.time_to:
                yield each, spell
        running.append(spell)

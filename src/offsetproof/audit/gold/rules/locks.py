"""An orderly consumer lost the lock of a queue that it had (I9)."""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.finding import Finding, FindingKind
from offsetproof.audit.gold.history import History
from offsetproof.audit.gold.rules.owners import RETRY, Spell, spells_of
from offsetproof.verdict.phrases import quantity


def locks_lost(history: History) -> Iterator[Finding]:
    """Claim I9: a client that consumes a queue in order has its lock.

    Inferred from the client's own line that the lock is lost, or from a line that another client has got it, while the
    first one, which had locked the queue and had not unlocked it, still had it. It does not say that two listeners ran
    at once; of %RETRY% topics it is not said.
    """
    if (history.topic or "").startswith(RETRY):
        return
    lost = history.of(EventKind.LOCK_LOST_WHILE_CONSUMING)
    for event in lost[:1]:
        yield history.finding(
            FindingKind.LOCK_LOST,
            True,
            f"{history.members.name(event)} lost the lock of the queue while it consumed it "
            f"({quantity(len(lost), 'line')})",
            [(event, "lock lost"), *((each, "lock lost again") for each in lost[1:][-1:])],
        )
    if not lost:
        locks = history.of(EventKind.LOCKED, EventKind.UNLOCKED)
        for spell in spells_of(history) if locks else ():
            yield from _holds_of_others(history, spell, locks)


def _holds_of_others(history: History, spell: Spell, locks: list[Event]) -> Iterator[Finding]:
    """Was the lock another client's before the spell ended?"""
    name, before = history.members.name, history.clocks.before
    holder = name(spell.first)
    mine = [each for each in locks if name(each) == holder]
    if not any(each.kind is EventKind.LOCKED and before(spell.end, each) is not True for each in mine):
        return
    for taken in locks:
        if taken.kind is not EventKind.LOCKED or name(taken) == holder or before(taken, spell.end) is not True:
            continue
        unlocked = any(
            each.kind is EventKind.UNLOCKED and before(taken, each) is not True and each.time_to > spell.first.time_from
            for each in mine
        )
        if before(spell.first, taken) is True and not unlocked:
            is_known = taken.client is None or history.members.has_one_id(spell.first)
            yield history.finding(
                FindingKind.LOCK_LOST,
                is_known and not history.members.is_mixed(spell.first),
                f"{name(taken)} got the lock of the queue while {holder} still had the queue",
                [
                    (spell.first, "first owner's first sign"),
                    (taken, "lock of another"),
                    (spell.end, "first owner's last sign"),
                ],
                "which client of the log wrote the lines" if is_known else "which client id the log is of",
            )
            return

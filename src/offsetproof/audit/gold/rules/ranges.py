"""Ranges skipped (I4) and repeated: where a client starts, against what had been committed before."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.clocks import Lasts
from offsetproof.audit.gold.finding import Finding, FindingKind
from offsetproof.audit.gold.history import History
from offsetproof.audit.gold.rules.owners import Spell, spells_of
from offsetproof.audit.gold.rules.resets import reset_behind, resets_of
from offsetproof.verdict.phrases import quantity

_HAND_OVER = 30_000_000
"""Longer after a queue was given up somebody without a log may have had it: a rebalance comes every 20 s."""


def range_findings(history: History) -> Iterator[Finding]:
    """Claim I4 (a message is not skipped), and its mirror, messages that are handled again.

    Inferred from the offset that a client starts with (`add a new pull request`) and the commits before. A start above
    them is a skipped range only where the last owner gave the queue up in order, as what it commits then has a line;
    after a kill, the last commits may have been carried by pulls, which have none. A start below a commit that was
    before it repeats a range. Both hold if the logs are those of all the group's clients; if one is known to be
    missing they are possible only. No start is known of a concurrent consumer of 5.x.
    """
    resets, spells = resets_of(history), spells_of(history)
    known = sorted([*history.commits, *history.of(EventKind.COMMIT_BELOW_STORE)], key=history.rank)
    for start in history.of(EventKind.START):
        asked = _query_of(history, start)
        at = bisect_left(known, history.rank(asked), key=history.rank)
        lasts = history.clocks.lasts_before(asked, known, at)
        if start.offset is None or not lasts.events or reset_behind(history, resets, start)[0] is not None:
            continue
        offsets = [each.offset or 0 for each in lasts.events]
        if min(offsets) == max(offsets) == start.offset:
            continue
        comparable = history.clocks.are_comparable(asked, known)
        yield from _repeats(history, start, asked, lasts, comparable)
        yield from _skips(history, start, lasts, spells, comparable)
    yield from _moves(history)


def _query_of(history: History, start: Event) -> Event:
    """The line nearest to the moment when the client asked for the offset: the queue is added right after."""
    own = history.by_owner.get(history.members.owner(start), ())
    at = bisect_left(own, history.rank(start), key=history.rank)
    before = own[at - 1] if at else start
    return before if before.kind is EventKind.QUEUE_ADDED and history.clocks.before(before, start) else start


def _repeats(history: History, start: Event, asked: Event, lasts: Lasts, comparable: bool) -> Iterator[Finding]:
    higher = [each for each in lasts.events if (each.offset or 0) > (start.offset or 0)]
    if not higher or all(each.time_from > asked.time_from for each in higher):
        return
    last = max(higher, key=history.rank)
    yield history.finding(
        FindingKind.RANGE_REPEATED,
        len(higher) == len(lasts.events) and lasts.some_before and comparable,
        f"{history.members.name(start)} starts at {start.offset}, though {last.offset} had been committed",
        [(last, "commit before"), (start, "start")],
        committed=last.offset,
        start=start.offset,
    )


def _skips(
    history: History, start: Event, lasts: Lasts, spells: Sequence[Spell], comparable: bool
) -> Iterator[Finding]:
    last = max(lasts.events, key=lambda each: (each.offset or 0, history.rank(each)))
    if (last.offset or 0) >= (start.offset or 0):
        return
    before = history.clocks.before
    spell = next((each for each in spells if each.last is last), None)
    if spell is None or spell.given_up is None or spell.given_up.kind is not EventKind.QUEUE_REMOVED:
        return
    if before(spell.given_up, start) is False or start.time_from < spell.given_up.time_from:
        return
    soon = start.time_from - spell.given_up.time_to <= _HAND_OVER
    others = any(
        each.owner != spell.owner and each.first.time_from <= start.time_from <= each.end.time_to
        for each in spells
        if each.first is not start and each.owner != history.members.owner(start)
    )
    complete = not history.members.without_log and soon and not others
    certain = before(spell.given_up, start) is True and comparable and complete
    yield history.finding(
        FindingKind.RANGE_SKIPPED,
        certain,
        f"{history.members.name(start)} starts at {start.offset}, though only {last.offset} had been committed",
        [(last, "commit before"), (spell.given_up, "queue given up"), (start, "start")],
        "" if complete else "the logs of all the group's clients: one without a log may have had the queue between",
        committed=last.offset,
        start=start.offset,
    )


def _moves(history: History) -> Iterator[Finding]:
    """Pulls that were told to go on further ahead, without a reset: what is between is skipped."""
    resets = resets_of(history)
    for events in history.by_owner.values():
        moves: dict[tuple[int, int], list[tuple[Event, Event]]] = {}
        for asked, fixed in pairwise(
            each for each in events if each.kind in (EventKind.PULL_ILLEGAL, EventKind.PULL_FIXED)
        ):
            if (asked.kind, fixed.kind) != (EventKind.PULL_ILLEGAL, EventKind.PULL_FIXED):
                continue
            if asked.offset is None or fixed.offset is None or fixed.offset <= asked.offset:
                continue
            if reset_behind(history, resets, fixed)[0] is None:
                moves.setdefault((asked.offset, fixed.offset), []).append((asked, fixed))
        for same in moves.values():
            yield _finding_of_moves(history, same)


def _finding_of_moves(history: History, moves: Sequence[tuple[Event, Event]]) -> Finding:
    """One finding for all moves of a client between the same two offsets."""
    asked, fixed = moves[0]
    often = f" ({quantity(len(moves), 'time')})" if len(moves) > 1 else ""
    return history.finding(
        FindingKind.RANGE_SKIPPED,
        not history.members.is_mixed(asked),
        f"a pull at {asked.offset} was sent on to {fixed.offset}{often}: what is between is skipped",
        [(asked, "pull refused"), (fixed, "pull moved")],
        "which client of the log wrote the lines",
        committed=asked.offset,
        start=fixed.offset,
    )

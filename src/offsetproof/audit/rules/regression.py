"""Commit regression: a queue's committed offset went back, and no reset had asked for it (I3)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.finding import Finding, FindingKind
from offsetproof.audit.history import History
from offsetproof.audit.rules.resets import Reset, reset_behind, resets_of

_SAME = 6_000_000
"""A client's line and the broker's [NOTIFYME] of one offset within this time are of one commit."""


def commit_regressions(history: History) -> Iterator[Finding]:
    """Claim I3: the committed offset never goes back, but by a reset.

    Inferred from [NOTIFYME], the broker's own word for it, or from the clients' commit lines: the last one before
    another, of whichever client, has the higher offset. The first lower offset after a reset is the reset's own.
    A commit line tells the client's offset a moment after it was sent; commits that pulls carry have no line. An
    administrator who resets a group that is offline leaves no line but [NOTIFYME].
    """
    resets = resets_of(history)
    explained: dict[int, int] = {}
    told = history.of(EventKind.COMMIT_BELOW_STORE)
    for line in sorted([*history.commits, *told], key=history.rank):
        if line.kind is EventKind.COMMIT_BELOW_STORE:
            yield from _told(history, line, resets, explained)
        else:
            yield from _seen(history, line, resets, explained, told)


def _told(history: History, line: Event, resets: list[Reset], explained: dict[int, int]) -> Iterator[Finding]:
    reset, surely = reset_behind(history, resets, line)
    if reset is not None and surely and _is_own(reset, resets, line, explained):
        return
    again = reset is not None and explained.get(resets.index(reset)) is not None
    yield history.finding(
        FindingKind.COMMIT_REGRESSION,
        reset is None or (surely and again),
        f"the committed offset went back from {line.other_offset} to {line.offset}",
        [*_of_reset(reset), (line, "commit below the store")],
        "whether a reset caused it: the target of the reset, or the order of the two lines",
        before=line.other_offset,
        after=line.offset,
    )


def _is_own(reset: Reset, resets: list[Reset], line: Event, explained: dict[int, int]) -> bool:
    """Is it the lower offset that the reset itself brings? The first one is, and the same one said again."""
    assert line.offset is not None
    first = explained.setdefault(resets.index(reset), line.offset)
    return line.offset == (first if reset.target is None else reset.target)


def _of_reset(reset: Reset | None) -> list[tuple[Event, str]]:
    return [] if reset is None else [(reset.begun, "reset")]


def _seen(
    history: History, line: Event, resets: list[Reset], explained: dict[int, int], told: list[Event]
) -> Iterator[Finding]:
    if line.offset is None:
        return
    lasts = history.clocks.lasts_before(
        line, history.commits, bisect_left(history.commits, history.rank(line), key=history.rank)
    )
    higher = [each for each in lasts.events if each.offset is not None and each.offset > line.offset]
    if not higher or any(_is_one(line, each, history) for each in told):
        return
    reset, surely = reset_behind(history, resets, line)
    if reset is not None and surely and _is_own(reset, resets, line, explained):
        return
    certain = (
        reset is None
        and len(higher) == len(lasts.events)
        and lasts.some_before
        and history.clocks.are_comparable(line, history.commits)
    )
    last = max(higher, key=lambda each: each.time_from)
    yield history.finding(
        FindingKind.COMMIT_REGRESSION,
        certain,
        f"{history.members.name(last)} committed {last.offset}, then {history.members.name(line)} {line.offset}",
        [(last, "commit before"), *_of_reset(reset), (line, "commit")],
        "whether a reset caused it, or the order of the two commits: the broker's [NOTIFYME]",
        before=last.offset,
        after=line.offset,
    )


def _is_one(line: Event, told: Event, history: History) -> bool:
    near = abs(line.time_from - told.time_from) <= _SAME + history.clocks.apart
    return near and told.offset == line.offset

"""Commit regression: a queue's committed offset went back, and no reset had asked for it (I3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.finding import Finding, FindingKind
from offsetproof.audit.gold.history import History, between
from offsetproof.audit.gold.rules.resets import Reset, reset_behind, resets_of

_SAME = 6_000_000
"""A client's line and the broker's [NOTIFYME] of one offset within this time are of one commit."""

_REPAIRED = 12_000_000
"""A client commits within this time where a pull was sent on to: 4.9 waits ten seconds."""

_EPISODE = 60_000_000
"""Regressions of a queue that follow each other within this time are one finding."""


@dataclass(frozen=True)
class LowerCommit:
    """A commit below the one before: `high` is that one's line if there is one, `reset` what it is to be blamed on.

    `own` is the lower offset that a reset itself brings, which is no finding.
    """

    low: Event
    before: int
    high: Event | None
    reset: Reset | None
    own: bool
    certain: bool


def commit_regressions(history: History) -> Iterator[Finding]:
    """Claim I3: the committed offset never goes back, but by a reset.

    Inferred from [NOTIFYME], the broker's own word for it, or from the clients' commit lines: the last one before
    another, of whichever client, has the higher offset; without any such line, from what a running broker told again
    and again. The first lower offset after a reset is the reset's own.
    A commit line tells the client's offset a moment after it was sent; commits that pulls carry have no line. An
    administrator who resets a group that is offline leaves no line but [NOTIFYME]. Regressions within a minute of each
    other are one finding, of which `times` counts them.
    """
    episode: list[LowerCommit] = []
    for each in lower_commits(history):
        if each.own:
            continue
        if episode and not _goes_on(episode[-1], each):
            yield _finding(history, episode)
            episode = []
        episode.append(each)
    if episode:
        yield _finding(history, episode)


def _goes_on(last: LowerCommit, each: LowerCommit) -> bool:
    return each.certain == last.certain and each.low.time_from - last.low.time_to <= _EPISODE


def _finding(history: History, episode: list[LowerCommit]) -> Finding:
    first = episode[0]
    if first.high is None:
        says = f"the committed offset went back from {first.before} to {first.low.offset}"
        parts = [(first.low, "commit below the store")]
    else:
        name = history.members.name
        if first.low.kind is EventKind.OFFSET_STORED:
            says = f"the broker had {first.before}, then {first.low.offset}"
        else:
            says = f"{name(first.high)} committed {first.before}, then {name(first.low)} {first.low.offset}"
        parts = [(first.high, "commit before"), (first.low, "commit")]
    if first.reset is not None:
        parts.insert(len(parts) - 1, (first.reset.begun, "reset"))
    moved = None if first.reset else _pull_moved(history, first.low)
    if moved is not None:
        says += ", where a pull was sent on to"
        parts.insert(0, (moved, "pull refused"))
    if len(episode) > 1:
        says += f"; the offset fell {len(episode)} times"
        parts.append((episode[-1].low, "last lower commit"))
    return history.finding(
        FindingKind.COMMIT_REGRESSION,
        first.certain,
        says,
        parts,
        "whether a reset caused it, or the order of the two commits: the broker's [NOTIFYME]",
        before=first.before,
        after=first.low.offset,
        times=len(episode) if len(episode) > 1 else None,
    )


def _pull_moved(history: History, low: Event) -> Event | None:
    """The line of a pull whose asker was told to go on at the lower offset, and so committed that."""
    begin = low.time_from - _REPAIRED - history.clocks.apart
    moves = between(history.of(EventKind.PULL_ILLEGAL), begin, low.time_to + history.clocks.apart)
    return next((each for each in reversed(moves) if each.other_offset == low.offset), None)


def lower_commits(history: History) -> list[LowerCommit]:
    """The commits below the one before them, by time, with those that resets bring."""
    found: list[LowerCommit] | None = history.memo.get("lower commits")
    if found is None:
        found = history.memo["lower commits"] = list(_lower_commits(history))
    return found


def _lower_commits(history: History) -> Iterator[LowerCommit]:
    resets = resets_of(history)
    explained: dict[int, int] = {}
    notices, number = history.of(EventKind.COMMIT_BELOW_STORE), 0
    for line in sorted([*history.commits, *notices], key=history.rank):
        if line.kind is EventKind.COMMIT_BELOW_STORE:
            yield _said_by_broker(history, line, resets, explained)
        else:
            found = _lower_line(history, line, number, resets, explained, notices)
            number += 1
            if found is not None:
                yield found
    if not notices and not history.commits:
        yield from _lower_rows(history, resets, explained)


def _lower_rows(history: History, resets: list[Reset], explained: dict[int, int]) -> Iterator[LowerCommit]:
    """Offsets of a running broker that are lower than it told before; it tells the queue's end beside them.

    They tell of no reset, and here no line does either: it may have been one.
    """
    rows: dict[str, Event] = {}
    for row in history.of(EventKind.OFFSET_STORED):
        if row.other_offset is None or row.offset is None:
            continue
        last = rows.get(row.file)
        rows[row.file] = row
        if last is not None and (last.offset or 0) > row.offset:
            reset, surely = reset_behind(history, resets, row)
            own = reset is not None and surely and _is_own(reset, resets, row, explained)
            yield LowerCommit(row, last.offset or 0, last, reset, own, certain=False)


def _said_by_broker(history: History, line: Event, resets: list[Reset], explained: dict[int, int]) -> LowerCommit:
    reset, surely = reset_behind(history, resets, line)
    own = reset is not None and surely and _is_own(reset, resets, line, explained)
    again = reset is not None and explained.get(resets.index(reset)) is not None
    return LowerCommit(line, line.other_offset or 0, None, reset, own, reset is None or (surely and again))


def _is_own(reset: Reset, resets: list[Reset], line: Event, explained: dict[int, int]) -> bool:
    """Is it the lower offset that the reset itself brings? The first one is, and the same one said again."""
    assert line.offset is not None
    first = explained.setdefault(resets.index(reset), line.offset)
    return line.offset == (first if reset.target is None else reset.target)


def _lower_line(
    history: History, line: Event, number: int, resets: list[Reset], explained: dict[int, int], notices: list[Event]
) -> LowerCommit | None:
    if line.offset is None:
        return None
    lasts = history.clocks.lasts_before(line, history.commits, number)
    higher = [each for each in lasts.events if each.offset is not None and each.offset > line.offset]
    near = _SAME + history.clocks.apart
    if not higher or any(
        each.offset == line.offset for each in between(notices, line.time_from - near, line.time_from + near)
    ):
        return None
    reset, surely = reset_behind(history, resets, line)
    certain = (
        reset is None
        and len(higher) == len(lasts.events)
        and lasts.some_before
        and history.clocks.are_comparable(line, history.commits)
    )
    own = reset is not None and surely and _is_own(reset, resets, line, explained)
    last = max(higher, key=history.rank)
    return LowerCommit(line, last.offset or 0, last, reset, own, certain)

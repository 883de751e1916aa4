"""What an audit of a recording's logs has to find, worked out from what was noted, and never from a log.

A label's `shown` says whether a log line is written where it happens, so that an audit can know of it: what is carried
by pulls alone, or lasts for no longer than a look at a table takes, is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations, pairwise

from offsetproof.audit.gold.finding import FindingKind
from studies.audited.broker_labels import commits_without_queue, markers_taken, pulls_beyond_end
from studies.audited.file_labels import files_fallen_back, queues_lost
from studies.audited.label import LOOK, Changes, Label, spells_of, value_at
from studies.audited.recording import Life, Recorded, Reset, Row
from studies.audited.start_labels import ranges_gone, same_starts, starts

_STANDS, _MINUTE = 15_000_000, 60_000_000
_MOVES = 10
_RETRY = "%RETRY%"


def labels_of(recorded: Recorded, *, starts_are_logged: bool = True) -> list[Label]:
    """All that an audit has to find, by time. Clients of 5.x do not log where they start."""
    stored = {row: changes for row, changes in recorded.values("stored").items() if not row[1].startswith(_RETRY)}
    found = [
        *_regressions(recorded, stored),
        *_pinned(recorded, stored),
        *_resets(recorded, stored),
        *_refused(recorded),
        *(
            replace(label, shown=starts_are_logged)
            for label in (*starts(recorded, stored), *same_starts(recorded, stored))
        ),
        *ranges_gone(recorded),
        *_owners(recorded),
        *_ids(recorded),
        *_locks(recorded),
        *markers_taken(recorded),
        *commits_without_queue(recorded),
        *pulls_beyond_end(recorded),
        *queues_lost(recorded),
        *files_fallen_back(recorded),
    ]
    return sorted(found, key=lambda label: label.at)


def _landings(recorded: Recorded, row: Row, changes: Changes) -> dict[int, Reset]:
    """The places among a row's changes at which it comes to a reset's target."""
    group, topic, queue = row
    found = {}
    for reset in recorded.resets:
        if (reset.group, reset.topic) == (group, topic) and queue in reset.targets:
            until = min((r.at for r in recorded.resets if r.at > reset.at and r.group == group), default=1 << 62)
            for place, (at, value) in enumerate(changes):
                if reset.at <= at < until and value == reset.targets[queue]:
                    found[place] = reset
    return found


def _regressions(recorded: Recorded, stored: Mapping[Row, Changes]) -> Iterator[Label]:
    for row, changes in stored.items():
        landings = _landings(recorded, row, changes)
        found = [
            (at, before, after)
            for place, ((_, before), (at, after)) in enumerate(pairwise(changes), 1)
            if before is not None
            and after is not None
            and after < before
            and place not in landings
            and not recorded.is_loaded(row, at)
        ]
        if found:
            at, before, after = found[0]
            says = f"the offset goes from {before} back to {after}, and no reset wanted that; {len(found)} times in all"
            values = {"before": before, "after": after, "times": len(found)}
            yield Label(FindingKind.COMMIT_REGRESSION, *row, at, says, values=values)


def _pinned(recorded: Recorded, stored: Mapping[Row, Changes]) -> Iterator[Label]:
    """Where messages wait and the offset stands, while that of another queue of the topic goes on.

    It stands for a minute, or sooner while nobody has the queue.
    """
    spells = spells_of(recorded)
    for row, changes in stored.items():
        last = max((at for (topic, _), times in recorded.sent.items() if topic == row[1] for at in times), default=0)
        ends = [*changes[1:], (last, None)]
        for (at, value), (until, _) in zip(changes, ends, strict=True):
            others = [other for other in stored if other[:2] == row[:2] and other != row]
            moves = max((sum(at < when < until for when, _ in stored[other]) for other in others), default=0)
            waits = value is not None and value < recorded.max_offset(row[1], row[2], at + _STANDS)
            had = any(begins < until and at < ends for begins, ends, _ in spells.get(row, []))
            if until - at > (_MINUTE if had else _STANDS) and waits and moves >= _MOVES:
                says = f"the offset stands at {value} for {(until - at) / 1e6:.0f} s, and another goes on {moves} times"
                yield Label(FindingKind.OFFSET_PINNED, *row, at, says, values={"offset": value})
                break


def _resets(recorded: Recorded, stored: Mapping[Row, Changes]) -> Iterator[Label]:
    """Where a reset did not land, or landed and was left in a way that consuming from the target does not explain."""
    for reset in recorded.resets:
        for queue, target in reset.targets.items():
            row = reset.group, reset.topic, queue
            changes = stored.get(row, [])
            places = [place for place, of in _landings(recorded, row, changes).items() if of is reset]
            if value_at(changes, reset.at) == target:
                continue
            if not places:
                says = f"the offset never comes to the target, {target}"
                yield Label(FindingKind.RESET_WITHOUT_EFFECT, *row, reset.at, says, values={"target": target})
            else:
                yield from _overridden(recorded, row, changes, places, target)


def _overridden(recorded: Recorded, row: Row, changes: Changes, places: list[int], target: int) -> Iterator[Label]:
    """What comes after a landing is the owner's progress from before it, and not what it has finished since."""
    first = places[0]
    before = changes[first - 1][1] if first else None
    if first + 1 >= len(changes) or before is None:
        return
    at, away = changes[first + 1]
    back = next((changes[place][0] for place in places if place > first + 1), None)
    if away is None or not (back or _is_from_before(recorded, row, changes[first][0], at, away, target)):
        return
    shown = back is not None or any(
        request[2:5] == [*row] and request[5] == away and request[0] > changes[first][0]
        for request in recorded.requests("commit")
    )
    for_ms = None if back is None else round((back - at) / 1000, 1)
    says = f"reset to {target}, the offset goes to {away} {'for good' if back is None else f'for {for_ms} ms'}"
    values = {"before": before, "target": target, "after": away, "away_ms": for_ms}
    yield Label(FindingKind.RESET_OVERRIDDEN, *row, at, says, shown, values)


def _is_from_before(recorded: Recorded, row: Row, landed: int, at: int, away: int, target: int) -> bool:
    """Did no listener finish all messages from the target up to there, between the landing and the commit?"""
    finished = {
        delivery.offset
        for life in recorded.lives
        for delivery in life.deliveries
        if life.subscription.group == row[0]
        and delivery.queue == row[2]
        and delivery.ended is not None
        and delivery.began * 1e6 > landed
        and delivery.ended * 1e6 < at + LOOK
    }
    return away < target or not finished.issuperset(range(target, away))


def _refused(recorded: Recorded) -> Iterator[Label]:
    """Commits that reach the broker while the row has a marker (5.x)."""
    marked = recorded.values("marked")
    commits = list(recorded.requests("commit"))
    for row, changes in marked.items():
        refused = [
            commit
            for commit in commits
            if commit[2:5] == [*row] and value_at(changes, commit[0] - LOOK) == value_at(changes, commit[0] + LOOK)
            and value_at(changes, commit[0]) is not None
        ]  # fmt: skip
        if refused:
            says = f"{len(refused)} commits reach the broker before the marker is taken"
            values = {"commits": len(refused), "offset": refused[0][5]}
            yield Label(FindingKind.COMMIT_REFUSED_AFTER_RESET, *row, refused[0][0], says, values=values)


def _owners(recorded: Recorded) -> Iterator[Label]:
    for row, spells in spells_of(recorded).items():
        longest: tuple[int, int, Life, Life] | None = None
        for (a_from, a_to, a), (b_from, b_to, b) in combinations(spells, 2):
            begins, length = max(a_from, b_from), min(a_to, b_to) - max(a_from, b_from)
            shares = a.process != b.process and not a.subscription.broadcasting
            if shares and length > 0 and (longest is None or length > longest[0]):
                longest = length, begins, a, b
        if longest is not None:
            length, at, a, b = longest
            says = f"{a.name} and {b.name} have it for {length / 1000:.1f} ms"
            values = {"overlap_ms": round(length / 1000, 1)}
            yield Label(FindingKind.TWO_OWNERS, *row, at, says, length > LOOK, values)


def _ids(recorded: Recorded) -> Iterator[Label]:
    for a, b in combinations(recorded.lives, 2):
        begins, ends = max(a.began, b.began), min(a.ended, b.ended)
        if a.client == b.client and begins < ends:
            says = f"{a.name} and {b.name} both are {a.client}"
            yield Label(FindingKind.CLIENT_ID_TWICE, a.subscription.group, None, None, begins, says)


def _locks(recorded: Recorded) -> Iterator[Label]:
    """Orderly listeners of two processes at work on one queue at one time."""
    seen = set()
    for a, b in combinations([life for life in recorded.lives if life.subscription.orderly], 2):
        for ours in a.deliveries:
            for theirs in b.deliveries:
                row = a.subscription.group, a.subscription.topic, ours.queue
                begins = max(ours.began, theirs.began)
                ends = min(one.ended or life.ended / 1e6 for one, life in ((ours, a), (theirs, b)))
                if ours.queue == theirs.queue and begins < ends and row not in seen:
                    seen.add(row)
                    says = f"the listeners of {a.name} and {b.name} are at work on it together"
                    yield Label(FindingKind.LOCK_LOST, *row, round(begins * 1e6), says)

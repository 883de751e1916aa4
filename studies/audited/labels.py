"""What an audit of a recording's logs has to find, worked out from what was noted, and never from a log.

A label's `shown` says whether a log line is written where it happens, so that an audit can know of it: what is carried
by pulls alone, or lasts for no longer than a look at a table takes, is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations, pairwise
from typing import Any

from offsetproof.audit.gold.finding import FindingKind
from studies.audited.recording import Life, Recorded, Reset, Row

_LOOK = 5_000
"""Microseconds within which a look at a table and what it shows may differ."""
_LATE = 1_000_000
"""Microseconds after which a commit of the owner before does not come any more."""
_STANDS = 15_000_000
_MOVES = 10
_RETRY = "%RETRY%"

Changes = list[tuple[int, int | None]]


@dataclass(frozen=True)
class Label:
    """A finding that is expected; `values` are offsets by name and lengths in milliseconds (`..._ms`)."""

    kind: FindingKind
    group: str
    topic: str | None
    queue: int | None
    at: int
    says: str
    shown: bool = True
    values: Mapping[str, float | int | None] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As it is in labels.json."""
        return {**asdict(self), "kind": str(self.kind)}


def labels_of(recorded: Recorded, *, starts_are_logged: bool = True) -> list[Label]:
    """All that an audit has to find, by time. Clients of 5.x do not log where they start."""
    stored = {row: changes for row, changes in recorded.values("stored").items() if not row[1].startswith(_RETRY)}
    found = [
        *_regressions(recorded, stored),
        *_pinned(recorded, stored),
        *_resets(recorded, stored),
        *_refused(recorded),
        *(replace(label, shown=starts_are_logged) for label in _starts(recorded, stored)),
        *_owners(recorded),
        *_ids(recorded),
        *_locks(recorded),
        *_files(recorded),
    ]
    return sorted(found, key=lambda label: label.at)


def _value_at(changes: Changes, at: int) -> int | None:
    return next((value for when, value in reversed(changes) if when <= at), None)


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
            if before is not None and after is not None and after < before and place not in landings
        ]
        if found:
            at, before, after = found[0]
            says = f"the offset goes from {before} back to {after}, and no reset wanted that; {len(found)} times in all"
            values = {"before": before, "after": after, "times": len(found)}
            yield Label(FindingKind.COMMIT_REGRESSION, *row, at, says, values=values)


def _pinned(recorded: Recorded, stored: Mapping[Row, Changes]) -> Iterator[Label]:
    """Where messages wait and the offset stands, while that of another queue of the topic goes on."""
    for row, changes in stored.items():
        last = max((at for (topic, _), times in recorded.sent.items() if topic == row[1] for at in times), default=0)
        ends = [*changes[1:], (last, None)]
        for (at, value), (until, _) in zip(changes, ends, strict=True):
            others = [other for other in stored if other[:2] == row[:2] and other != row]
            moves = max((sum(at < when < until for when, _ in stored[other]) for other in others), default=0)
            waits = value is not None and value < recorded.max_offset(row[1], row[2], at + _STANDS)
            if until - at > _STANDS and waits and moves >= _MOVES:
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
            if _value_at(changes, reset.at) == target:
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
        and delivery.ended * 1e6 < at + _LOOK
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
            if commit[2:5] == [*row] and _value_at(changes, commit[0] - _LOOK) == _value_at(changes, commit[0] + _LOOK)
            and _value_at(changes, commit[0]) is not None
        ]  # fmt: skip
        if refused:
            says = f"{len(refused)} commits reach the broker before the marker is taken"
            values = {"commits": len(refused), "offset": refused[0][5]}
            yield Label(FindingKind.COMMIT_REFUSED_AFTER_RESET, *row, refused[0][0], says, values=values)


def _spells(recorded: Recorded) -> dict[Row, list[tuple[int, int, Life]]]:
    """Who had each queue when."""
    found: dict[Row, list[tuple[int, int, Life]]] = {}
    for life in recorded.lives:
        for queue, spells in life.owned.items():
            row = life.subscription.group, life.subscription.topic, queue
            found.setdefault(row, []).extend((begins, ends, life) for begins, ends in spells)
    return {row: sorted(spells, key=lambda spell: spell[:2]) for row, spells in found.items()}


def _addresses(recorded: Recorded) -> dict[str, Life]:
    """Whose connection an address is; not known of processes that share a client id."""
    found = {}
    for at, address, client in recorded.requests("client"):
        lives = [life for life in recorded.lives if life.client == client and life.began <= at <= life.ended]
        if len(lives) == 1:
            found[address] = lives[0]
    return found


def _starts(recorded: Recorded, stored: Mapping[Row, Changes]) -> Iterator[Label]:
    """Where a process starts on a queue: at what is committed, above or below it, or, with nothing committed, where.

    What is committed for a broadcasting client is in its own file.
    """
    addresses = _addresses(recorded)
    for row, spells in _spells(recorded).items():
        for place, (begins, ends, life) in enumerate(spells):
            start = _first_pull(recorded, addresses, row, life, begins - _LOOK, ends)
            if start is None:
                continue
            others = {other.process for _, _, other in spells[:place]} - {life.process}
            if life.subscription.broadcasting:
                before = known = _in_file(recorded, life, row, begins)
            else:
                before = _value_at(stored.get(row, []), begins)
                known = max(before or 0, _late_commit(recorded, addresses, row, life, begins)) if others else before
            yield from _start(recorded, row, begins, life, start, before, known)


def _first_pull(
    recorded: Recorded, addresses: Mapping[str, Life], row: Row, life: Life, begins: int, ends: int
) -> int | None:
    pulls = (
        pull[5]
        for pull in recorded.requests("pull")
        if begins <= pull[0] < ends and pull[2:5] == [*row] and addresses.get(pull[1]) is life
    )
    return next(pulls, None)


def _late_commit(recorded: Recorded, addresses: Mapping[str, Life], row: Row, life: Life, at: int) -> int:
    """The highest commit of others that comes after a process has started on a queue."""
    commits = (
        commit[5]
        for commit in recorded.requests("commit")
        if at < commit[0] < at + _LATE and commit[2:5] == [*row] and addresses.get(commit[1]) is not life
    )
    return max(commits, default=0)


def _in_file(recorded: Recorded, life: Life, row: Row, at: int) -> int | None:
    """What a broadcasting client's file has for a queue, as far as a copy of it was kept."""
    texts = [text for when, name, text in recorded.snapshots if name == life.name and when <= at]
    return _rows_of_file(texts[-1]).get((row[1], row[2])) if texts else None


def _start(
    recorded: Recorded, row: Row, at: int, life: Life, start: int, before: int | None, known: int | None
) -> Iterator[Label]:
    """`before` is what is committed when it starts; `known` the highest that is then, or later by those before it.

    `known` is None where nobody has had the queue before, and nothing is committed.
    """
    end = recorded.max_offset(row[1], row[2], at)
    values = {"start": start, "end": end, "committed": known}
    if before is None or known is None:
        if known is None and start == 0 < end and not life.subscription.broadcasting:
            says = f"{end} messages are older than the group"
            yield Label(FindingKind.NEW_GROUP_FROM_ZERO, *row, at, says, values=values)
        elif start == end > 0:
            says = f"it starts behind {end} messages"
            yield Label(FindingKind.NEW_GROUP_FROM_END, *row, at, says, values=values)
    elif start > known or start < before:
        kind = FindingKind.RANGE_SKIPPED if start > known else FindingKind.RANGE_REPEATED
        yield Label(kind, *row, at, f"it starts at {start}, {known} is committed", values=values)
    elif start < known:
        says = f"it starts at {start}; {known} is committed by the one before, too late"
        yield Label(FindingKind.RANGE_REPEATED, *row, at, says, values=values)


def _owners(recorded: Recorded) -> Iterator[Label]:
    for row, spells in _spells(recorded).items():
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
            yield Label(FindingKind.TWO_OWNERS, *row, at, says, length > _LOOK, values)


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


def _files(recorded: Recorded) -> Iterator[Label]:
    """A broadcasting client's file of offsets from which a queue is gone."""
    last: dict[str, dict[tuple[str, int], int]] = {}
    for at, name, text in recorded.snapshots:
        rows = _rows_of_file(text)
        group = next(life.subscription.group for life in recorded.lives if life.name == name)
        for topic, queue in last.get(name, {}).keys() - rows.keys():
            yield Label(FindingKind.FILE_LOST_QUEUE, group, topic, queue, at, "the file has had a row of the queue")
        last[name] = rows


def _rows_of_file(text: str) -> dict[tuple[str, int], int]:
    """The offsets by topic and queue; a row's key is a JSON object with its names in no order.

    >>> _rows_of_file('{"offsetTable":{{"brokerName":"b","queueId":1,"topic":"t"}:7}}')
    {('t', 1): 7}
    """
    rows = {}
    for key, offset in re.findall(r"\{([^{}]*)\}\s*:\s*(\d+)", text):
        topic, queue = re.search(r'"topic":"([^"]*)"', key), re.search(r'"queueId":(\d+)', key)
        if topic and queue:
            rows[topic[1], int(queue[1])] = int(offset)
    return rows

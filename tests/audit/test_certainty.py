"""Certain is in every order that the stamps allow, possible in one at least: against all orders of few events.

The rules are asked about events whose stamps leave the order open; what they say is compared with definitions for a
known order, which are written here once more, applied to each order in turn.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from audit.queue_logs import client
from audit.steps import find

from offsetproof.audit.event import Event
from offsetproof.audit.event import EventKind as Kind
from offsetproof.audit.gold.clocks import Clocks, events_in_order
from offsetproof.audit.gold.finding import Certainty, Finding, FindingKind
from offsetproof.audit.gold.finding_rules import histories_of
from offsetproof.audit.gold.rules.regression import lower_commits

SKEW = timedelta(seconds=1)
Name = tuple[object, ...]
"""A finding by its kind and the places of the lines that tell it from others."""


def orders(events: Sequence[Event], clocks: Clocks) -> Iterator[list[Event]]:
    """All orders in which no event is before one that is surely before it."""
    if not events:
        yield []
    for each in events:
        rest = [other for other in events if other is not each]
        if not any(clocks.before(other, each) for other in rest):
            for order in orders(rest, clocks):
                yield [each, *order]


def made(seed: int, kinds: Sequence[Kind], count: int, zones: bool = True) -> list[Event]:
    """Some events of up to three clients' logs, within ten seconds."""
    chance = random.Random(seed)
    known = [True, True, True] if zones else [chance.random() < 0.7 for _ in range(3)]
    times = sorted(chance.sample(range(100), count))
    events = []
    for time in times:
        number = chance.randrange(1 + seed % 3) + 1
        kind = chance.choice(kinds)
        offset = chance.randrange(4) * 10 if kind in (Kind.COMMIT_SENT, Kind.START) else None
        events.append(client(number, time / 10, kind, offset, zone_known=known[number - 1]))
    return events


def commits_below(order: Sequence[Event]) -> set[Name]:
    """Commits that are lower than the one before."""
    commits = [each for each in order if each.kind is Kind.COMMIT_SENT]
    return {
        (FindingKind.COMMIT_REGRESSION, place(low))
        for high, low in pairwise(commits)
        if (high.offset or 0) > (low.offset or 0)
    }


def low_starts(order: Sequence[Event]) -> set[Name]:
    """Starts below the last commit."""
    found: set[Name] = set()
    for number, start in enumerate(order):
        commits = [each for each in order[:number] if each.kind is Kind.COMMIT_SENT]
        if start.kind is Kind.START and commits and (commits[-1].offset or 0) > (start.offset or 0):
            found.add((FindingKind.RANGE_REPEATED, place(start)))
    return found


def overlaps(order: Sequence[Event]) -> set[Name]:
    """Pairs of first lines of two clients of which each had the queue before the other's last line."""
    position = {place(each): number for number, each in enumerate(order)}
    spells: list[tuple[str, Event, Event]] = []
    for file in {each.file for each in order}:
        first = last = removed = None
        for each in [each for each in order if each.file == file]:
            if each.kind is Kind.QUEUE_REMOVED:
                spells += [(file, first, each)] if first and last else []
                first, last, removed = None, None, each
            elif first or each.kind is Kind.QUEUE_ADDED or not (removed and each.time_from <= removed.time_to + 10**6):
                if each.kind is Kind.QUEUE_ADDED and first and last:
                    spells.append((file, first, last))
                    first = None
                first, last = first or each, each
        if first and last:
            spells.append((file, first, last))
    return {
        (FindingKind.TWO_OWNERS, *sorted((place(one[1]), place(two[1]))))
        for one in spells
        for two in spells
        if one[0] < two[0]
        and position[place(one[1])] < position[place(two[2])]
        and position[place(two[1])] < position[place(one[2])]
    }


def place(event: Event) -> tuple[str, int]:
    return event.file, event.byte_offset


def name(finding: Finding) -> tuple[object, ...]:
    lines = [(each.file, each.byte_offset) for each in finding.evidence]
    if finding.kind is FindingKind.TWO_OWNERS:
        return finding.kind, *sorted(lines[:2])
    return finding.kind, lines[-1]


def said(kind: FindingKind, events: Sequence[Event]) -> tuple[set[Name], set[Name]]:
    """What the rules say is certain, and what they say is possible."""
    if kind is FindingKind.COMMIT_REGRESSION:
        lower = [each for history in histories_of(events_in_order(events), SKEW) for each in lower_commits(history)]
        names = [((kind, place(each.low)), each.certain) for each in lower]
    else:
        found = [each for each in find(events, SKEW) if each.kind is kind]
        names = [(name(each), each.certainty is Certainty.CERTAIN) for each in found]
    return {each for each, certain in names if certain}, {each for each, certain in names if not certain}


CASES: list[tuple[FindingKind, Callable[[Sequence[Event]], set[Name]], tuple[Kind, ...]]] = [
    (FindingKind.COMMIT_REGRESSION, commits_below, (Kind.COMMIT_SENT,)),
    (FindingKind.RANGE_REPEATED, low_starts, (Kind.COMMIT_SENT, Kind.START)),
    (FindingKind.TWO_OWNERS, overlaps, (Kind.COMMIT_SENT, Kind.QUEUE_ADDED, Kind.QUEUE_REMOVED)),
]


@pytest.mark.parametrize(("kind", "in_order", "kinds"), CASES, ids=[str(kind) for kind, *_ in CASES])
@pytest.mark.parametrize("zones", [True, False], ids=["zones known", "some zones unknown"])
def test_certain_is_every_order_and_possible_is_some(
    kind: FindingKind, in_order: Callable[[Sequence[Event]], set[Name]], kinds: tuple[Kind, ...], zones: bool
) -> None:
    certain_ones = 0
    for seed in range(400):
        events = made(seed, kinds, 6, zones)
        each_order = [in_order(order) for order in orders(events, Clocks(SKEW))]
        always, sometimes = set.intersection(*each_order), set.union(*each_order)
        certain, possible = said(kind, events)
        assert certain == always if zones else certain <= always, f"seed {seed}"
        assert certain | possible <= sometimes, f"seed {seed}"
        certain_ones += len(certain)
    assert certain_ones > 20


def test_pieces_of_one_log_are_on_one_clock() -> None:
    clocks = Clocks(SKEW)
    old = replace(client(1, 1, Kind.COMMIT_SENT, 1), file="app1/rocketmq_client.log.1", zone_known=False)
    new = replace(client(1, 1.1, Kind.COMMIT_SENT, 1), zone_known=False)
    assert clocks.before(old, new) is True
    assert clocks.before(replace(old, process="app9/rocketmq_client.log"), new) is None


def test_a_stamp_that_goes_back_does_not_contradict_the_place_of_its_line() -> None:
    first, second = client(1, 9, Kind.COMMIT_SENT, 10), client(1, 10, Kind.COMMIT_SENT, 20)
    second = replace(second, time_from=first.time_from - 3_000_000, time_to=first.time_from - 2_999_000)
    other = client(2, 7.5, Kind.COMMIT_SENT, 5)
    found = list(find([second, other, first], timedelta(seconds=0)))
    assert [(each.kind, each.certainty) for each in found] == []


def test_clients_of_two_machines_in_one_file_are_ordered_by_their_clocks_alone() -> None:
    commits = [client(number, at, Kind.COMMIT_SENT, 7) for number, at in ((1, 10.0), (2, 11.0), (2, 20.0))]
    ids = ("10.0.0.1@1", "10.0.0.2@2", "10.0.0.2@2")
    one, near, far = (
        replace(each, client=id, file="all.log", host="all", process="all.log", byte_offset=at)
        for at, (each, id) in enumerate(zip(commits, ids, strict=True))
    )
    clocks = Clocks(timedelta(seconds=1))
    assert (clocks.before(one, near), clocks.before(one, far), clocks.before(near, far)) == (None, True, True)
    assert clocks.before(one, replace(near, client="10.0.0.1@2")) is True, "two clients of one machine"

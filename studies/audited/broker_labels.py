"""What reaches a broker from where it should not: markers, commits, and pulls beyond the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from offsetproof.audit.gold.finding import FindingKind
from studies.audited.label import LOOK, Label, addresses_of, spells_of
from studies.audited.recording import Life, Recorded, Row

_REPAIRED = 12_000_000
"""Microseconds within which a client whose pull was moved commits that: 4.9 waits ten seconds."""
_LATE = 1_000_000
"""Microseconds for which a commit may be under way after the queue was given up."""

Spells = Mapping[Row, list[tuple[int, int, Life]]]


def _owners_at(spells: Spells, row: Row, at: int) -> list[Life]:
    return [life for begins, ends, life in spells.get(row, []) if begins - LOOK <= at <= ends + LOOK]


def markers_taken(recorded: Recorded) -> Iterator[Label]:
    """A marker goes, and who commits its offset next did not have the queue when it went, and another had it."""
    spells, addresses = spells_of(recorded), addresses_of(recorded)
    for row, changes in recorded.values("marked").items():
        for (_, target), (at, after) in pairwise(changes):
            if target is None or after is not None:
                continue
            takers = (
                addresses.get(commit[1])
                for commit in recorded.requests("commit")
                if at - LOOK <= commit[0] <= at + _REPAIRED and commit[2:6] == [*row, target]
            )
            taker, owners = next(takers, None), _owners_at(spells, row, at)
            if taker is not None and owners and taker not in owners:
                says = f"{taker.name} takes the marker of {target}, and {owners[0].name} has the queue"
                yield Label(FindingKind.MARKER_TAKEN_BY_OTHER, *row, at, says, values={"target": target})


def commits_without_queue(recorded: Recorded) -> Iterator[Label]:
    """A commit of a process from whose table the queue was gone more than a second before, and is not there again."""
    addresses = addresses_of(recorded)
    seen = set()
    for at, address, group, topic, queue, offset in recorded.requests("commit"):
        row, life = (group, topic, queue), addresses.get(address)
        if life is None or topic != life.subscription.topic:
            continue
        own = [ends for begins, ends in life.in_table.get(queue, []) if begins - LOOK <= at]
        if own and max(own) < at - _LATE and (row, life.name) not in seen:
            seen.add((row, life.name))
            says = f"{life.name} commits {offset}, {(at - max(own)) / 1e6:.1f} s after it gave the queue up"
            yield Label(FindingKind.COMMIT_WITHOUT_QUEUE, *row, at, says, values={"offset": offset})


def pulls_beyond_end(recorded: Recorded) -> Iterator[Label]:
    """A pull for more than the queue has."""
    seen = set()
    for at, _, group, topic, queue, offset, *_ in recorded.requests("pull"):
        row, end = (group, topic, queue), recorded.end_noted(topic, queue, at)
        if end is not None and offset > end and row not in seen:
            seen.add(row)
            says = f"a pull asks for {offset}, and the queue ends at {end}"
            yield Label(FindingKind.PULL_BEYOND_END, *row, at, says, values={"asked": offset, "end": end})

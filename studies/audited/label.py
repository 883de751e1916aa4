"""A label, and what several kinds of them are worked out from: who had a queue, and whose connection an address is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from offsetproof.audit.gold.finding import FindingKind
from studies.audited.recording import Life, Recorded, Row

LOOK = 20_000
"""Microseconds within which a look at a table and what it shows may differ: on a busy machine threads wait as long."""

Changes = list[tuple[int, int | None]]


@dataclass(frozen=True)
class Label:
    """A finding that is expected; `values` are offsets by name and lengths in milliseconds (`..._ms`)."""

    kind: FindingKind
    group: str | None
    topic: str | None
    queue: int | None
    at: int
    says: str
    shown: bool = True
    values: Mapping[str, float | int | None] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As it is in labels.json."""
        return {**asdict(self), "kind": str(self.kind)}


def value_at(changes: Changes, at: int) -> int | None:
    """What a row has at a time."""
    return next((value for when, value in reversed(changes) if when <= at), None)


def spells_of(recorded: Recorded) -> dict[Row, list[tuple[int, int, Life]]]:
    """Who had each queue when."""
    found: dict[Row, list[tuple[int, int, Life]]] = {}
    for life in recorded.lives:
        for queue, spells in life.owned.items():
            row = life.subscription.group, life.subscription.topic, queue
            found.setdefault(row, []).extend((begins, ends, life) for begins, ends in spells)
    return {row: sorted(spells, key=lambda spell: spell[:2]) for row, spells in found.items()}


def addresses_of(recorded: Recorded) -> dict[str, Life]:
    """Whose connection an address is; not known of processes that share a client id."""
    found = {}
    for at, address, client in recorded.requests("client"):
        lives = [life for life in recorded.lives if life.client == client and life.began <= at <= life.ended]
        if len(lives) == 1:
            found[address] = lives[0]
    return found


def first_pull(
    recorded: Recorded, addresses: Mapping[str, Life], row: Row, life: Life, begins: int, ends: int
) -> int | None:
    """Where a process asks first while it has a queue."""
    pulls = (
        pull[5]
        for pull in recorded.requests("pull")
        if begins <= pull[0] < ends and pull[2:5] == [*row] and addresses.get(pull[1]) is life
    )
    return next(pulls, None)

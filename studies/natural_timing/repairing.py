"""An illegal offset of an orderly consumer, which is repaired while another one joins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from offsetproof.real.whole.cluster import Start
from offsetproof.real.whole.listening import Delivery, ListenerBehaviour, Script
from studies.natural_timing.starting import oldest_are_gone
from studies.natural_timing.trying import Attempt, Scenario, Try
from studies.natural_timing.waiting import Waiting

_WORKING = Script(ListenerBehaviour(seconds=2))
_AROUND_REPAIR = (12.0, 14.0)
"""When another consumer joins: the first pull is sent 3 s after the start, the repair comes 10 s later."""


def _repair(own: Try) -> Waiting[Attempt]:
    first = own.consumer("first", orderly=True, start=Start.FIRST)
    first.start(_WORKING)
    own.send(*(f"m{i}" for i in range(20)))
    joins = own.random.uniform(*_AROUND_REPAIR)
    yield joins
    second = own.consumer("second", orderly=True, start=Start.FIRST)
    second.start(_WORKING)
    yield 40.0
    given = [consumer.finished_deliveries() for consumer in (first, second)]
    at_once = _at_once(*given)
    seen = f"joined after {joins:.1f} s; {len(given[0])} and {len(given[1])} messages finished, {at_once} at one time"
    return Attempt(at_once > 0, seen)


def _at_once(some: Sequence[Delivery], others: Sequence[Delivery]) -> int:
    """How many pairs of deliveries ran at one time."""
    return sum(
        1
        for a, b in product(some, others)
        if a.ended is not None and b.ended is not None and a.began < b.ended and b.began < a.ended
    )


REPAIR_JOINED = Scenario(
    "repair-joined",
    "The oldest messages of a queue are deleted. An orderly consumer of a new group starts, with "
    "CONSUME_FROM_FIRST_OFFSET, so that its first offset is illegal. Another one joins 12 to 14 s later, as it is "
    "repaired.",
    "Both work on messages of the queue at the same time.",
    _repair,
    ("I9-repair-unlocks-new-queue", "I9-repair-at-once-unlocks-new-queue"),
    at_once=10,
    prepare=oldest_are_gone,
)

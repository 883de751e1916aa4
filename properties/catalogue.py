"""The catalogue: every claim about the RocketMQ model, in the order of reports."""

from __future__ import annotations

import re
from math import inf
from types import ModuleType

from offsetproof.lang import Claim, Property, Subject
from offsetproof.model.damage import DAMAGE
from offsetproof.model.rocketmq import RocketMQ
from offsetproof.model.timing import timing
from offsetproof.properties import (
    at_least_once,
    broker_offsets,
    commits,
    consuming,
    ownership,
    repeats,
    resets,
    witnesses,
)


def _stated_in(module: ModuleType) -> list[Property]:
    """The cases of a file's claims, in its order."""
    return [prop for value in vars(module).values() if isinstance(value, Claim) for prop in value.cases]


def _number(prop: Property) -> float:
    """The number in a case's id, 5 of `I5-forward`, for the order of reports; ids without one come last."""
    number = re.match(r"I(\d+)", prop.id)
    return int(number[1]) if number else inf


PROPERTIES = (
    *sorted(
        (
            p
            for module in (at_least_once, broker_offsets, commits, ownership, resets, consuming)
            for p in _stated_in(module)
        ),
        key=_number,
    ),
    *_stated_in(witnesses),
    *_stated_in(repeats),
)
"""Claims first, by number; then witnesses."""

ROCKETMQ = Subject("rocketmq", RocketMQ, PROPERTIES, DAMAGE, timing)
"""What `offsetproof check` decides when no subject is named."""

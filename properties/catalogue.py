"""The catalogue: every claim about the RocketMQ model, in the order of reports."""

from __future__ import annotations

import re
from types import ModuleType

from offsetproof.lang import Property, Subject
from offsetproof.model.damage import DAMAGE
from offsetproof.model.rocketmq import RocketMQ
from offsetproof.model.timing import TIMING
from offsetproof.properties import at_least_once, broker_offsets, commits, ownership, repeats, resets, rest, witnesses


def _stated_in(module: ModuleType) -> list[Property]:
    """The claims of a file, in its order."""
    claims = [value for value in vars(module).values() if isinstance(value, Property)]
    return [claim for claim in claims if claim.function.__module__ == module.__name__]


def _by_number(prop: Property) -> int:
    """The claim's number: 5 of `I5-forward`. Variants stay in the order of their file."""
    return int(re.sub(r"\D.*", "", prop.id[1:]))


PROPERTIES = (
    *sorted(
        (p for module in (at_least_once, broker_offsets, commits, ownership, resets, rest) for p in _stated_in(module)),
        key=_by_number,
    ),
    *_stated_in(witnesses),
    *_stated_in(repeats),
)
"""Claims first, by number; then witnesses."""

ROCKETMQ = Subject("rocketmq", RocketMQ, PROPERTIES, DAMAGE, TIMING)
"""What `offsetproof check` decides when no subject is named."""

"""When a search goes over to stubborn sets; apart from these, as they bring Z3, and few searches want them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReducingPlan:
    """When stubborn sets are used: from `after` states of the whole search on, and no longer where, as deep as that
    search came, they leave more than `share` of its states. It has to have come to depth `levels` to say so."""

    after: int = 100_000
    share: float = 0.9
    levels: int = 3

"""The sorts of the model of replicas, and how far a broker's start has come."""

from __future__ import annotations

from enum import Enum, IntEnum, auto

from offsetproof.lang import Index

REPLICAS = Index("replica", 2)
MASTER, SLAVE = range(2)
"""The brokers of the pair: brokerId 0 and 1."""


class Stored(IntEnum):
    """Who has the group's rows at first: nobody, the master alone, or both brokers."""

    NOWHERE = 0
    AT_MASTER = 1
    AT_BOTH = 2


class Phase(Enum):
    """How far a broker has come.

    ISOLATED and READY are a master that has loaded its file and is not registered yet: before and after it has looked
    at its slave's table.
    """

    DOWN = auto()
    ISOLATED = auto()
    READY = auto()
    UP = auto()

"""The sorts of the model of several queues, and how far its threads can have come."""

from __future__ import annotations

from enum import Enum, auto

from offsetproof.lang import Index, Scope

QUEUES = Index("queue", "queues")
BROKERS = Index("broker", "brokers")
MEMBERS = Index("member", lambda scope: scope.consumers + scope.others)
"""Who may be a member of the group: the clients of the model, and some of which it has no more than that."""
COMMANDS = Index("command", lambda scope: scope.resets * scope.brokers)
"""The reset commands that one client may get: each run of the tool has one of each broker."""


def last_reset(scope: Scope) -> int:
    """The highest number that a reset may have: the runs of the tool, and then what is written for one queue."""
    return scope.resets + (1 if scope.writes else 0)


def shares_id(scope: Scope, c: int) -> bool:
    """Does another process start with consumer c's client id, or does it with another's? Consumers 0 and 1 do."""
    return c < 2 if scope.one_id > 0 and scope.consumers > 1 else False


def broker_of(scope: Scope, q: int) -> int:
    """The broker that a queue is on: queues are sorted by their brokers' names, and the first brokers have more."""
    return q * scope.brokers // scope.queues


def queues_of(scope: Scope, b: int) -> list[int]:
    """The queues of a broker: those that its reset command names."""
    return [q for q in range(scope.queues) if broker_of(scope, q) == b]


class Poll(Enum):
    """A queue's long poll: held for the ProcessQueue in the table, or for one that was dropped since (LEFT)."""

    NONE = auto()
    HELD = auto()
    LEFT = auto()


class PersistStep(Enum):
    """How far a round of persistAll has come: TAKEN has the set of queues that it goes by."""

    IDLE = auto()
    TAKEN = auto()


class TopicRebalanceStep(Enum):
    """How far a run of rebalanceByTopic has come with the queue that it is at: the step that it has done last.

    UNALLOCATED has found a queue to drop, MISSING one to add.
    """

    IDLE = auto()
    UNALLOCATED = auto()
    DROPPED = auto()
    PERSISTED = auto()
    MISSING = auto()
    ANSWERED = auto()
    STORED = auto()


class TableResetStep(Enum):
    """How far MQClientInstance.resetOffset has come with the table: the step that it has done last.

    SUSPENDED stands before the first loop over the table, DROPPING is in it. AWAKE is in the second one, UPDATED and
    PERSISTED at one of its queues. RESUMED has yet to rebalance, REBALANCING has found something to do for it.
    """

    IDLE = auto()
    SUSPENDED = auto()
    DROPPING = auto()
    SLEEPING = auto()
    AWAKE = auto()
    UPDATED = auto()
    PERSISTED = auto()
    RESUMED = auto()
    REBALANCING = auto()

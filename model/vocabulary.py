"""The finite sorts that the model ranges over, and the places and program counters that its threads can be in."""

from __future__ import annotations

from enum import Enum, auto

from offsetproof.lang import Index

CONSUMERS = Index("consumer", "consumers")
LIVES = Index("life", "lives")
OFFSETS = Index("offset", "messages")
TARGETS = Index("target", lambda scope: scope.messages + 1)
PLACES = Index("place", "commits_in_flight")


class Token(Enum):
    """Where a life's one PullRequest is."""

    NONE = auto()
    RUN_QUEUE = auto()
    SENT = auto()
    HELD = auto()
    CORRECTING = auto()


class TaskStep(Enum):
    """How far a ConsumeRequest of one message has come: the step that it has done last."""

    NONE = auto()
    SUBMITTED = auto()
    LISTENING = auto()
    CONSUMED = auto()
    REMOVED = auto()
    CHECKED = auto()


class RebalanceStep(Enum):
    """How far a consumer's rebalance of the queue has come: the step that it has done last."""

    IDLE = auto()
    DROPPED = auto()
    PERSISTED = auto()
    OFFSET_REMOVED = auto()
    DIRTY_REMOVED = auto()
    QUERIED = auto()
    STORED = auto()


class ResetStep(Enum):
    """How far MQClientInstance.resetOffset has come: the step that it has done last."""

    IDLE = auto()
    SUSPENDED = auto()
    DROPPED = auto()
    SLEEPING = auto()
    AWAKE = auto()
    UPDATED = auto()
    PERSISTED = auto()
    OFFSET_REMOVED = auto()
    QUEUE_REMOVED = auto()


class Overdue(Enum):
    """What may not be done although a reset has slept for 10 s."""

    PULL = auto()
    TASK = auto()
    CALLBACK = auto()
    REBALANCE = auto()


class Origin(Enum):
    """Who sent a one-way commit: ordinary progress (persistAll, hand-over), or a reset's own write."""

    PROGRESS = auto()
    RESET = auto()


class Direction(Enum):
    """Where the administrator's reset goes, seen from the broker's offset at that moment (history for claims)."""

    NONE = auto()
    BACKWARD = auto()
    FORWARD = auto()


class Aftermath(Enum):
    """What a reset has done to a life (history for claims)."""

    UNTOUCHED = auto()
    DROPPED = auto()
    OVERWRITTEN = auto()

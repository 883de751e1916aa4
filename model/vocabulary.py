"""The finite sorts that the model ranges over, and the places and program counters that its threads can be in."""

from __future__ import annotations

from enum import Enum, IntEnum, auto

from offsetproof.lang import Index

CONSUMERS = Index("consumer", "consumers")
PROCESS_QUEUES = Index("pq_id", "process_queues")
OFFSETS = Index("offset", "messages")
TARGETS = Index("target", lambda scope: scope.messages + 1)
WANTED = Index("wanted", lambda scope: scope.messages + 1 if scope.equal_times else 0)
PLACES = Index("place", "commits_in_flight")
SIZES = Index("size", "batch")
ENDS = Index("end", lambda scope: scope.messages if scope.tails else 0)
RUNS = Index("run", "rebalances")
REGISTRIES = Index("registry", "registries")


class ConsumeFrom(IntEnum):
    """ConsumeFromWhere: where a group starts on a queue for which nothing is stored."""

    LAST_OFFSET = 0
    FIRST_OFFSET = 1
    TIMESTAMP = 2


class Strategy(IntEnum):
    """How queues are allocated to the members of a group."""

    AVERAGELY = 0
    BY_CIRCLE = 1


class Rebalancer(IntEnum):
    """Whose run of rebalance it is, by the run's number: RebalanceService's, or that of the thread that resumes."""

    SERVICE = 0
    RESUME = 1


class PullRequestAt(Enum):
    """Where a ProcessQueue's one PullRequest is.

    CHECKED has passed a test of `dropped` in the callback, where the release has one. CLIENT_GONE is a pull whose
    client is gone while it was on its way: what it carries still arrives.
    """

    NONE = auto()
    RUN_QUEUE = auto()
    SENT = auto()
    HELD = auto()
    CORRECTING = auto()
    CHECKED = auto()
    CLIENT_GONE = auto()


class TaskStep(Enum):
    """How far a ConsumeRequest has come: the step that it has done last.

    FETCHED holds the cell's AtomicLong; DETACHED holds one that is no longer in the offset table. WAITING has been
    consumed before and is to be submitted again. THROWN has no thread any more, because an exception ended it, or one
    that never returns from the listener: its messages stay cached.
    """

    NONE = auto()
    SUBMITTED = auto()
    LISTENING = auto()
    CONSUMED = auto()
    REMOVED = auto()
    CHECKED = auto()
    FETCHED = auto()
    DETACHED = auto()
    WAITING = auto()
    THROWN = auto()


class RebalanceStep(Enum):
    """How far a run of rebalance over the queue has come: the step that it has done last.

    BEGUN has passed the test for pause and has not looked at the table yet, where the scope has that as a step.
    """

    IDLE = auto()
    BEGUN = auto()
    DROPPED = auto()
    PERSISTED = auto()
    OFFSET_REMOVED = auto()
    DIRTY_REMOVED = auto()
    QUERIED = auto()
    STORED = auto()
    NOT_FOUND = auto()
    START_KNOWN = auto()
    TRUNCATED = auto()


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


class InfoStep(Enum):
    """How far a running info has come with the queue: it has found no cell; the broker has given it an offset."""

    IDLE = auto()
    ASKED = auto()
    ANSWERED = auto()


class RepairStep(Enum):
    """How far the repair of an illegal offset has come: the step that it has done last."""

    IDLE = auto()
    WAITING = auto()
    UPDATED = auto()
    PERSISTED = auto()
    UNLISTED = auto()
    DROPPED = auto()
    PERSISTED_AGAIN = auto()


class StopStep(Enum):
    """How far a graceful shutdown has come: the step that it has done last."""

    RUNNING = auto()
    SERVICE_STOPPED = auto()
    PERSISTED = auto()
    STOPPED = auto()


class ResetLoop(Enum):
    """How far the administrator's tool has come in its loop over brokers: the other broker is asked second.

    OFFLINE: a broker knows no consumer of the group, so the tool writes the offset itself.
    """

    IDLE = auto()
    FIRST_ANSWERED = auto()
    BOTH_ANSWERED = auto()
    ABORTED = auto()
    OFFLINE = auto()


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


class ResetEffect(Enum):
    """What a reset has done to a ProcessQueue (history for claims)."""

    UNTOUCHED = auto()
    DROPPED = auto()
    OVERWRITTEN = auto()


class LockStep(Enum):
    """How far a request for the queue's lock has come; TAKEN is a granted one that the client has heard of."""

    IDLE = auto()
    GRANTED = auto()
    REFUSED = auto()
    TAKEN = auto()

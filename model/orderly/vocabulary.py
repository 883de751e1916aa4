"""The places and program counters of orderly consumption."""

from __future__ import annotations

from enum import Enum, auto


class RequestStep(Enum):
    """How far a ProcessQueue's one ConsumeRequest has come: the step that it has done last.

    NONE is not a request (`consuming` is false). LOCKING waits for another try to lock the queue. RUNNING to CHECKED:
    its thread holds the client's lock of the queue (MessageQueueLock), LISTENING also the ProcessQueue's consume lock.
    """

    NONE = auto()
    SUBMITTED = auto()
    LOCKING = auto()
    RUNNING = auto()
    TAKEN = auto()
    LISTENING = auto()
    ANSWERED = auto()
    COMMITTED = auto()
    CHECKED = auto()


class Answer(Enum):
    """What an orderly listener returns (ConsumeOrderlyStatus); null and an exception count as SUSPEND."""

    SUCCESS = auto()
    COMMIT = auto()
    ROLLBACK = auto()
    SUSPEND = auto()

"""The sorts of the model of offset files, and how far its threads can have come."""

from __future__ import annotations

from enum import Enum, IntEnum, auto

from offsetproof.lang import Index

QUEUES = Index("queue", "queues")
PROCESSES = Index("process", "processes")
THREADS = Index("thread", 3)
TIMER, STOPPER, REBALANCE = range(3)
"""Who writes the file in a process: the timer, the thread that shuts down, the one that rebalances."""


class Owner(IntEnum):
    """Whose file it is: the broker's (ConsumerOffsetManager) or a broadcast consumer's (LocalFileOffsetStore)."""

    BROKER = 0
    CLIENT = 1


class Beginning(IntEnum):
    """ConsumeFromWhere: where a queue starts for which nothing is stored."""

    LAST_OFFSET = 0
    FIRST_OFFSET = 1


class Contents(Enum):
    """What a file holds: nothing yet, nothing at all, the beginning of a table, or a whole table."""

    MISSING = auto()
    EMPTY = auto()
    TORN = auto()
    WHOLE = auto()


class Phase(Enum):
    """Where a process is.

    REFUSED is a broker whose start has failed and that shuts down; STOPPED has persisted and has yet to exit.
    """

    DOWN = auto()
    UP = auto()
    STOPPING = auto()
    STOPPED = auto()
    REFUSED = auto()


class WriteStep(Enum):
    """How far a call of string2File has come: the step that it has done last.

    ENCODED has the text and has not begun; what ends in _PART has written some of the text, what ends in _DONE all.
    """

    IDLE = auto()
    ENCODED = auto()
    TMP_OPENED = auto()
    TMP_PART = auto()
    TMP_DONE = auto()
    MAIN_READ = auto()
    BACKUP_OPENED = auto()
    BACKUP_PART = auto()
    BACKUP_DONE = auto()
    MAIN_DELETED = auto()
    MAIN_OPENED = auto()
    MAIN_PART = auto()


class Handle(Enum):
    """Which name the open file of a writer has: it follows a rename, and outlives a deletion without any (GONE)."""

    NONE = auto()
    TMP = auto()
    MAIN = auto()
    BACKUP = auto()
    GONE = auto()


class Reading(Enum):
    """What reading the files gives: the main file's table, the backup's, an empty one, or an exception."""

    MAIN = auto()
    BACKUP = auto()
    NOTHING = auto()
    FAILED = auto()


class Fate(Enum):
    """What a power failure leaves of a file whose contents were still in memory."""

    KEPT = auto()
    EMPTIED = auto()
    CUT_SHORT = auto()

"""What varies in broadcasting beside what varies in the concurrent model and in that of offset files."""

from __future__ import annotations

from offsetproof.lang import Behaviour, Fault

LOCKED_WHEN_ADDED = Behaviour(
    "locked-when-added",
    role="client",
    about="a ProcessQueue is marked as locked when a rebalance makes it",
    source="apache/rocketmq eeecef3506, released in 4.9.5",
)
NO_BROADCAST_LOCKS = Behaviour(
    "no-broadcast-locks",
    role="client",
    about="a rebalance of a broadcasting consumer locks no queue, whatever its listener",
    source="apache/rocketmq 2956f6d46b, released in 5.3.2",
)
START_PERSISTED = Behaviour(
    "start-persisted",
    role="client",
    about="a start that the file does not know is written to it before the queue is added",
    source="a remedy for the time before a queue's first offset is in the file",
)

FILE_LOSS = Fault(
    "file_loss",
    "a client that is down loses its offset file: a new container, another address or home directory",
    source="LocalFileOffsetStore: the path has the client's id, which has its address, and the user's home",
)

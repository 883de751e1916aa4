"""What varies where offsets are in a file of the client's own, beside what varies for every push consumer."""

from __future__ import annotations

from offsetproof.lang import Behaviour, Fault

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

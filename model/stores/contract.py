"""An OffsetStore by itself: a table of cells in memory, and what is stored outside of the process.

What each call does is what the models of the consumer say it does: `Consumer` for a store that commits to a broker
(RemoteBrokerOffsetStore), `BroadcastConsumer` for one that writes a client's own file (LocalFileOffsetStore of 4.9.4,
whose persist and removeOffset are empty). Here are several queues, and all three ways of reading.

Left out: updateConsumeOffsetToBroker, which a push consumer does not call from outside of its store.
"""

from __future__ import annotations

from enum import Enum, auto

from offsetproof.lang import Array, Component, Index, Model, Scope, action, array, at, integer, larger, optional

QUEUES = Index("queue", "queues")
OFFSETS = Index("offset", "offsets")
SUBSETS = Index("subset", "subsets")
"""Sets of queues: the q-th binary digit says whether queue q is in it."""

REMOTE, LOCAL = "RemoteBrokerOffsetStore", "LocalFileOffsetStore"
STORE = "offset-store"
BROADCAST_STORE = "broadcast-offset-store"


class ReadType(Enum):
    """ReadOffsetType."""

    MEMORY_FIRST_THEN_STORE = auto()
    READ_FROM_MEMORY = auto()
    READ_FROM_STORE = auto()


class StoredQueue(Component):
    """A queue's offset in the table, and what is stored of it."""

    cell: int | None = optional(integer(0, lambda scope: scope.offsets - 1))
    stored: int | None = optional(integer(0, lambda scope: scope.offsets - 1))

    def read_stored(self) -> int | None:
        """What is stored; the table then says so, too (updateOffset with increaseOnly false)."""
        if self.stored is not None:
            self.cell = self.stored
        return self.stored


class OffsetStore(Model):
    """A store and the calls of one consumer; `answer` is what the last of them returned, None for -1 or nothing."""

    scopes = (
        Scope(
            STORE,
            {"queues": 3, "offsets": 4, "subsets": 8, "broadcasting": 0},
            about="what is persisted goes to a broker, or to whatever all clients of the group share",
        ),
        Scope(
            BROADCAST_STORE,
            {"queues": 3, "offsets": 4, "subsets": 8, "broadcasting": 1},
            about="what is persisted stays with the client: all listed queues at once",
        ),
    )
    queue: Array[StoredQueue] = array(QUEUES, StoredQueue)
    answer: int | None = optional(integer(0, lambda scope: scope.offsets - 1))

    @action(q=QUEUES, x=OFFSETS, stands_for=[at(REMOTE, "updateOffset")])
    def consumer_raises_offset(self, q: int, x: int) -> None:
        """updateOffset with increaseOnly: a cell that holds more stays."""
        held = self.queue[q].cell
        self.queue[q].cell = x if held is None else larger(held, x)
        self.answer = None

    @action(q=QUEUES, x=OFFSETS, stands_for=[at(REMOTE, "updateOffset")])
    def consumer_sets_offset(self, q: int, x: int) -> None:
        """updateOffset without increaseOnly, as a reset does."""
        self.queue[q].cell = x
        self.answer = None

    @action(q=QUEUES, kind=ReadType, stands_for=[at(REMOTE, "readOffset")])
    def consumer_reads_offset(self, q: int, kind: ReadType) -> None:
        """readOffset in one of the three ways; from the store it also sets the cell."""
        queue = self.queue[q]
        if kind == ReadType.READ_FROM_MEMORY:
            self.answer = queue.cell
        elif kind == ReadType.READ_FROM_STORE or queue.cell is None:
            self.answer = queue.read_stored()
        else:
            self.answer = queue.cell

    @action(listed=SUBSETS, stands_for=[at(REMOTE, "persistAll")])
    def consumer_persists_all(self, listed: int) -> None:
        """persistAll of the queues that the consumer has now; of none it does nothing.

        A shared store is told each listed queue that has a cell, and cells of others are removed. A client's own file
        has the listed queues alone afterwards, and the cells stay.
        """
        self.answer = None
        if listed > 0:
            for q, queue in enumerate(self.queue):
                if listed // 2**q % 2 == 0:
                    if self.scope.broadcasting > 0:
                        queue.stored = None
                    else:
                        queue.cell = None
                elif self.scope.broadcasting > 0 or queue.cell is not None:
                    queue.stored = queue.cell

    @action(q=QUEUES, stands_for=[at(REMOTE, "persist")])
    def consumer_persists_queue(self, q: int) -> None:
        """persist of one queue; a client's own file is left to persistAll."""
        self.answer = None
        if self.scope.broadcasting == 0 and self.queue[q].cell is not None:
            self.queue[q].stored = self.queue[q].cell

    @action(q=QUEUES, stands_for=[at(REMOTE, "removeOffset")])
    def consumer_removes_offset(self, q: int) -> None:
        """removeOffset: the cell is gone, what is stored stays; the local store leaves it."""
        self.answer = None
        if self.scope.broadcasting == 0:
            self.queue[q].cell = None

    @action(q=QUEUES, x=OFFSETS, stands_for=[at(REMOTE, "updateConsumeOffsetToBroker")])
    def other_client_commits(self, q: int, x: int) -> None:
        """Another client of the group sets an offset in its own store and persists it; this one's table stays."""
        self.answer = None
        if self.scope.broadcasting == 0:
            self.queue[q].stored = x

    @action(stands_for=[at(REMOTE, "load"), at(LOCAL, "load")])
    def process_restarts(self) -> None:
        """A new store is made and loaded: of a shared one nothing is in memory yet, of a file all."""
        self.answer = None
        for queue in self.queue:
            queue.cell = queue.stored if self.scope.broadcasting > 0 else None

    @action(x=OFFSETS, stands_for=[at(REMOTE, "updateOffset")])
    def threads_raise_offsets(self, x: int) -> None:
        """Several threads raise every queue at once to x and to less, with increaseOnly, while others read: the
        highest is left."""
        self.answer = None
        for queue in self.queue:
            held = queue.cell
            queue.cell = x if held is None else larger(held, x)

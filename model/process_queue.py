"""The consumer's cache of pulled messages during one ownership period (a life), with its pull token and its tasks.

Stands for ProcessQueue, the PullRequest that refers to it, and the ConsumeRequests on it (client, 4.9.4). Left out:
message bodies, the tree map's lock (each method is one atomic step, because the lock is held for its whole body),
flow control, and batches (consumeMessageBatchMaxSize is 1, the default).
"""

from __future__ import annotations

from offsetproof.lang import (
    Array,
    Component,
    OffsetSet,
    array,
    every,
    flag,
    integer,
    offset,
    offset_set,
    one_of,
    optional,
)
from offsetproof.model.vocabulary import OFFSETS, Aftermath, TaskStep, Token


class ConsumeTask(Component):
    """One ConsumeRequest: where its thread is, and the offset that removeMessage gave it.

    Stands for ConsumeMessageConcurrentlyService.ConsumeRequest. Left out: hooks, consume start time, failed results
    (the listener succeeds) and so send-back.
    """

    at: TaskStep = one_of(TaskStep)
    result: int | None = optional(offset())

    def end(self) -> None:
        """The task is over; nothing of it is left."""
        self.at = TaskStep.NONE
        self.result = None


class ProcessQueue(Component):
    """One life of the queue in one client.

    `piggyback` is the commit frozen into the pull that is on its way. Left out: `locked` and `consuming` (orderly
    consumption), `lastPullTimestamp` (a pull never expires), msgCount apart from the map (it is the map's size).
    """

    dropped: bool = flag()
    msg_tree_map: OffsetSet = offset_set()
    queue_offset_max: int = integer(0, lambda scope: max(0, scope.messages - 1))
    token: Token = one_of(Token)
    next_offset: int = offset()
    piggyback: int | None = optional(offset())
    task: Array[ConsumeTask] = array(OFFSETS, ConsumeTask)
    ghost_unfinished: OffsetSet = offset_set()
    ghost_aftermath: Aftermath = one_of(Aftermath)
    ghost_after_landing: bool = flag()

    def put(self, m: int) -> None:
        """Caches a pulled message (ProcessQueue.putMessage:133); never looks at `dropped`."""
        self.msg_tree_map = self.msg_tree_map.add(m)
        self.queue_offset_max = m
        self.ghost_unfinished = self.ghost_unfinished.add(m)

    def remove(self, m: int) -> int | None:
        """Removes a finished message; the offset to commit, or None (-1) if nothing was cached.

        ProcessQueue.removeMessage:191: the lowest offset left, else the highest ever put + 1.
        """
        if not self.msg_tree_map:
            return None
        self.msg_tree_map = self.msg_tree_map.remove(m)
        return self.msg_tree_map.lowest(default=self.queue_offset_max + 1)

    def clear(self) -> None:
        """Empties the cache (ProcessQueue.clear:351); `dropped`, tasks and an outstanding pull stay as they are."""
        self.msg_tree_map = OffsetSet()
        self.queue_offset_max = 0

    def discard_token(self) -> None:
        """The PullRequest is gone: nobody pulls for this life any more."""
        self.token = Token.NONE
        self.next_offset = 0
        self.piggyback = None

    def has_no_task(self) -> bool:
        """Is no ConsumeRequest of this life left?"""
        return every(task.at == TaskStep.NONE for task in self.task)

    def is_quiet(self) -> bool:
        """Is there neither a token nor a task, so that nothing can happen in this life any more?"""
        return every([self.token == Token.NONE, self.has_no_task()])

    def finished(self) -> bool:
        return every([self.dropped, self.is_quiet()])

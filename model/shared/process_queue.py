"""A ProcessQueue: the consumer's cache of a queue while it has it, with its PullRequest and its tasks.

Stands for ProcessQueue, the PullRequest that refers to it, and the ConsumeRequests on it (client, 4.9.4). Left out:
message bodies, the tree map's lock (each method is one atomic step, because the lock is held for its whole body).
"""

from __future__ import annotations

from offsetproof.lang import (
    Array,
    Component,
    OffsetSet,
    among,
    array,
    choose,
    every,
    flag,
    integer,
    offset,
    offset_set,
    one_of,
    optional,
    some,
)
from offsetproof.model.vocabulary import OFFSETS, PullRequestAt, RepairStep, ResetEffect, TaskStep


class ConsumeTask(Component):
    """One ConsumeRequest: where its thread is, its messages, and the offset that removeMessage gave it.

    Stands for ConsumeMessageConcurrentlyService.ConsumeRequest. Its messages are `size` consecutive ones, from the
    offset that is the task's place in the array; the first `acked` of them are within ackIndex, and `handled` of the
    others have been sent back, or not: those are `kept` and tried again. Left out: hooks, consume start time.
    """

    at: TaskStep = one_of(TaskStep)
    size: int = integer(1, "batch")
    acked: int = integer(0, "batch")
    handled: int = integer(0, "batch")
    kept: OffsetSet = offset_set()
    result: int | None = optional(offset())

    def end(self) -> None:
        """The task is over; nothing of it is left."""
        self.reset()


class ProcessQueue(Component):
    """One ProcessQueue of a client: what it knows of the queue from taking it to giving it up.

    `piggyback` is the commit frozen into the pull that is on its way. `repair` is the step of the repair that an
    illegal offset of this ProcessQueue began, and `repair_removed` the ProcessQueue that it has taken
    out of the table; `swept` is the message that the expiry sweep has sent back and not yet removed. `repair_is_older`:
    the repair was scheduled before a reset fell asleep. History: `ghost_former` are the offsets of its messages at
    which another message is stored by now. Left out: `locked` and `consuming` (in `orderly/` only), `lastPullTimestamp`
    (a pull has expired when the PullRequest is lost), msgCount apart from the map (it is the map's size).
    """

    dropped: bool = flag()
    msg_tree_map: OffsetSet = offset_set()
    queue_offset_max: int = integer(0, lambda scope: max(0, scope.messages - 1))
    pull_request: PullRequestAt = one_of(PullRequestAt)
    next_offset: int = offset()
    piggyback: int | None = optional(offset())
    repair: RepairStep = one_of(RepairStep)
    repair_is_older: bool = flag()
    repair_removed: int | None = optional(integer(0, lambda scope: scope.process_queues - 1))
    swept: int | None = optional(offset())
    task: Array[ConsumeTask] = array(OFFSETS, ConsumeTask)
    ghost_unfinished: OffsetSet = offset_set()
    ghost_former: OffsetSet = offset_set()
    ghost_aftermath: ResetEffect = one_of(ResetEffect)
    ghost_after_landing: bool = flag()

    def put(self, m: int) -> None:
        """Caches a pulled message (ProcessQueue.putMessage); never looks at `dropped`."""
        self.msg_tree_map = self.msg_tree_map.add(m)
        self.queue_offset_max = m
        self.ghost_unfinished = self.ghost_unfinished.add(m)

    def submit(self, m: int, size: int) -> None:
        """Hands `size` messages that were just put, from offset m, to the consume threads (submitConsumeRequest)."""
        self.task[m].at = TaskStep.SUBMITTED
        self.task[m].size = size

    def counted_messages(self) -> OffsetSet:
        """The messages that msgCount counts."""
        return self.msg_tree_map

    def remove(self, messages: OffsetSet) -> int | None:
        """Removes finished messages; the offset to commit, or None (-1) if nothing was cached.

        ProcessQueue.removeMessage: the lowest offset left, else the highest ever put + 1.
        """
        if not self.msg_tree_map:
            return None
        self.msg_tree_map = self.msg_tree_map - messages
        return self.msg_tree_map.lowest(default=self.queue_offset_max + 1)

    def clear(self) -> None:
        """Empties the cache (ProcessQueue.clear); `dropped`, tasks and an outstanding pull stay as they are."""
        self.msg_tree_map = OffsetSet()
        self.queue_offset_max = 0

    def discard_pull_request(self) -> None:
        """The PullRequest is gone: nobody pulls for this ProcessQueue any more."""
        self.pull_request = PullRequestAt.NONE
        self.next_offset = 0
        self.piggyback = None

    def die(self) -> None:
        """The process is gone: no thread of it goes on, and what was cached is lost; a pull may still be on its way."""
        self.dropped = True
        self.clear()
        self.leave_pull()
        self.repair = RepairStep.IDLE
        self.repair_is_older = False
        self.repair_removed = None
        self.swept = None
        self.ghost_unfinished = OffsetSet()
        self.ghost_former = OffsetSet()
        for task in self.task:
            task.end()

    def leave_pull(self) -> None:
        """The process is gone; a pull that it has sent is still on its way."""
        on_its_way = some([self.pull_request == PullRequestAt.SENT, self.pull_request == PullRequestAt.CLIENT_GONE])
        self.pull_request = choose(on_its_way, PullRequestAt.CLIENT_GONE, PullRequestAt.NONE)
        self.next_offset = 0

    def break_pull(self) -> None:
        """The broker is gone: a pull gets no answer, and is tried again where its client is there."""
        waits = among(self.pull_request, PullRequestAt.SENT, PullRequestAt.HELD)
        tried_again = choose(waits, PullRequestAt.RUN_QUEUE, self.pull_request)
        self.pull_request = choose(self.pull_request == PullRequestAt.CLIENT_GONE, PullRequestAt.NONE, tried_again)
        self.piggyback = None

    def break_unanswered_pull(self) -> None:
        """The broker is gone; a pull that it has answered gets the answer."""
        answered, pull_request = self.is_answered(), self.pull_request
        ProcessQueue.break_pull(self)
        self.pull_request = choose(answered, pull_request, self.pull_request)

    def is_answered(self) -> bool:
        """Has its pull been answered? What with is decided in the step of the callback."""
        return self.pull_request == PullRequestAt.HELD

    def is_answered_with_target(self) -> bool:
        """Is the answer the target of a reset? There is none where clients are told of resets by a command."""
        return False

    def has_no_task(self) -> bool:
        """Is no ConsumeRequest of this ProcessQueue left? One that an exception has ended is none."""
        return every(among(task.at, TaskStep.NONE, TaskStep.THROWN) for task in self.task)

    def keeps_first_started(self) -> bool:
        """Is the first cached message one whose listener began, and never came to an end?"""
        return some(
            every([task.at == TaskStep.THROWN, self.msg_tree_map.lowest(default=-1) == m + n, n < task.size])
            for m, task in enumerate(self.task)
            for n in range(self.scope.batch)
        )

    def is_called_back(self) -> bool:
        """Is a pull callback at work between its steps?"""
        return among(self.pull_request, PullRequestAt.CHECKED, PullRequestAt.CORRECTING)

    def is_quiet(self) -> bool:
        """Is there neither a PullRequest nor a task, so that nothing can happen in this ProcessQueue any more?"""
        return every(
            [
                self.pull_request == PullRequestAt.NONE,
                self.repair == RepairStep.IDLE,
                self.swept is None,
                self.has_no_task(),
            ]
        )

    def finished(self) -> bool:
        return every([self.dropped, self.is_quiet()])

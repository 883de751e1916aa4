"""One broadcasting client: what any client with an offset file has, and what it hears of locks."""

from __future__ import annotations

from offsetproof.lang import Array, OffsetSet, array, one_of, some
from offsetproof.model.local.store import LocalConsumer
from offsetproof.model.orderly.consumer import ConsumerInOrder
from offsetproof.model.orderly.process_queue import ProcessQueueInOrder
from offsetproof.model.shared.consumer import Consumer, RebalanceRun
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.vocabulary import PROCESS_QUEUES, RUNS, LockStep


class BroadcastQueue(ProcessQueueInOrder):
    """A ProcessQueue of the queue: an orderly listener's has one request, a concurrent one's has tasks.

    An orderly listener's is pulled only if it is marked as locked.
    """

    def put(self, m: int) -> None:
        """Caches a pulled message."""
        if self.scope.orderly > 0:
            super().put(m)
        else:
            ProcessQueue.put(self, m)

    def submit(self, m: int, size: int) -> None:
        """Submits the ProcessQueue's request, or hands the messages to the consume threads."""
        if self.scope.orderly > 0:
            super().submit(m, size)
        else:
            ProcessQueue.submit(self, m, size)

    def counted_messages(self) -> OffsetSet:
        """The messages that msgCount counts."""
        return super().counted_messages() if self.scope.orderly > 0 else ProcessQueue.counted_messages(self)

    def has_no_task(self) -> bool:
        """Is there no request, and no task?"""
        return super().has_no_task() if self.scope.orderly > 0 else ProcessQueue.has_no_task(self)


class BroadcastRun(RebalanceRun):
    """A run of rebalance: for an orderly listener it locks a queue before it adds it."""

    lock: LockStep = one_of(LockStep)


class BroadcastConsumer(LocalConsumer, ConsumerInOrder):
    """One client, which has the queue for itself."""

    rebalance: Array[BroadcastRun] = array(RUNS, BroadcastRun)
    process_queue: Array[BroadcastQueue] = array(PROCESS_QUEUES, BroadcastQueue)

    def is_rebalancing(self) -> bool:
        """Is a rebalance run, or its request for a lock, under way?"""
        return some([super().is_rebalancing(), *(run.lock != LockStep.IDLE for run in self.rebalance)])

    def has_task_past_check(self) -> bool:
        """Does a request, or a task, stand before updateOffset although its queue is dropped by now?"""
        if self.scope.orderly > 0:
            return super().has_task_past_check()
        return Consumer.has_task_past_check(self)

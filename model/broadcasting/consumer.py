"""One broadcasting client: what any client with an offset file has, and what it hears of locks."""

from __future__ import annotations

from offsetproof.lang import Array, array, flag, one_of, some
from offsetproof.model.local.store import LocalConsumer
from offsetproof.model.shared.consumer import RebalanceRun
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.vocabulary import PROCESS_QUEUES, RUNS, LockStep


class BroadcastQueue(ProcessQueue):
    """A ProcessQueue of the queue; an orderly listener's is pulled only if it is marked as locked.

    `previously_locked` is the PullRequest's: its start has been asked for again under the lock.
    """

    locked: bool = flag()
    previously_locked: bool = flag()


class BroadcastRun(RebalanceRun):
    """A run of rebalance: for an orderly listener it locks a queue before it adds it."""

    lock: LockStep = one_of(LockStep)


class BroadcastConsumer(LocalConsumer):
    """One client, which has the queue for itself."""

    rebalance: Array[BroadcastRun] = array(RUNS, BroadcastRun)
    process_queue: Array[BroadcastQueue] = array(PROCESS_QUEUES, BroadcastQueue)

    def is_rebalancing(self) -> bool:
        """Is a rebalance run, or its request for a lock, under way?"""
        return some([super().is_rebalancing(), *(run.lock != LockStep.IDLE for run in self.rebalance)])

"""What a client has beside the concurrent one's: requests for locks, unlocks that are due, and a pull's new start.

Stands for RebalanceImpl.lock, lockAll and unlock with the thread that ConsumeMessageOrderlyService has for them, and
for the start that DefaultMQPushConsumerImpl.pullMessage asks for at the first pull under the lock.
"""

from __future__ import annotations

from offsetproof.lang import (
    Array,
    Component,
    array,
    choose,
    every,
    flag,
    holds,
    integer,
    negation,
    one_of,
    optional,
    part,
    some,
)
from offsetproof.model.orderly.process_queue import OrderlyProcessQueue, ProcessQueueInOrder
from offsetproof.model.orderly.vocabulary import RequestStep
from offsetproof.model.releases import DROPPED_NOT_RENEWED
from offsetproof.model.shared.consumer import Consumer, RebalanceRun, ResetRun
from offsetproof.model.vocabulary import PROCESS_QUEUES, RUNS, LockStep, RebalanceStep, StopStep


class LockRequest(Component):
    """What the service's one scheduled thread has asked the broker for: lockAll, or one ProcessQueue's lock."""

    at: LockStep = one_of(LockStep)
    pq_id: int | None = optional(integer(0, lambda scope: scope.process_queues - 1))


class OrderlyRebalanceRun(RebalanceRun):
    """A run of rebalance: it locks a queue before it adds it, and unlocks one that it has given up.

    `pq_id` is also the ProcessQueue that it has dropped, and `unlocked` says that it has got that one's consume lock.
    """

    lock: LockStep = one_of(LockStep)
    unlocked: bool = flag()


class OrderlyResetRun(ResetRun):
    """A run of resetOffset: `unlocked` says that it has tried to unlock the queue."""

    unlocked: bool = flag()


class ConsumerInOrder(Consumer):
    """One client of the group, which consumes in order, in CLUSTERING or BROADCASTING mode."""

    process_queue: Array[ProcessQueueInOrder] = array(PROCESS_QUEUES, ProcessQueueInOrder)

    def is_stopping(self) -> bool:
        """Is the consume service shut down?"""
        return self.stop != StopStep.RUNNING

    def submits_later(self, pq: ProcessQueueInOrder) -> None:
        """The request ends here, and is to be submitted again; one whose service is shut down is over instead.

        The scheduled thread takes nothing new then, and what it throws ends the request without a word.
        """
        if self.is_stopping():
            pq.lose_request()
        else:
            pq.request.resubmit()

    def has_task_past_check(self) -> bool:
        """Does a request stand before updateOffset although its queue is dropped by now?"""
        return some(every([pq.dropped, pq.request.at == RequestStep.CHECKED]) for pq in self.process_queue)


class OrderlyConsumer(ConsumerInOrder):
    """One client of the group, which consumes in order under the broker's locks.

    `pull_start` is the query of the one pull thread, and `pull_start.pq_id` the ProcessQueue that it pulls for.
    `unlocks` are one-way requests to unlock that are on their way, `late_unlocks` those that a later request may
    overtake, and `delayed_unlocks` timers that will send one. `left_lock` says that what the broker has under this
    client's name belongs to an earlier process of it (a client's id has the process's), `left_unlock` that this
    process's request to unlock is still on its way. A shutdown has `stop_begun` when no lock is asked for any more, and
    `stop_unlocked` when it has unlocked the queue.
    """

    rebalance: Array[OrderlyRebalanceRun] = array(RUNS, OrderlyRebalanceRun)
    reset_run: OrderlyResetRun = part(OrderlyResetRun)
    process_queue: Array[OrderlyProcessQueue] = array(PROCESS_QUEUES, OrderlyProcessQueue)
    locking: LockRequest = part(LockRequest)
    pull_start: RebalanceRun = part(RebalanceRun)
    unlocks: int = integer(0, "unlocks_in_flight")
    late_unlocks: int = integer(0, "unlocks_in_flight")
    delayed_unlocks: int = integer(0, "unlocks_in_flight")
    left_lock: bool = flag()
    left_unlock: bool = flag()
    stop_begun: bool = flag()
    stop_unlocked: bool = flag()

    def forget(self) -> None:
        """The process is gone; the broker keeps its lock until an unlock that was sent arrives, or the lease expires.

        An unlock of a process whose lock was gone before takes nothing away, and is forgotten.
        """
        super().forget()
        sent = some([self.unlocks > 0, self.late_unlocks > 0])
        self.left_unlock = choose(self.left_lock, self.left_unlock, sent)
        self.locking.reset()
        self.pull_start.reset()
        self.unlocks = 0
        self.late_unlocks = 0
        self.delayed_unlocks = 0
        self.left_lock = True
        self.stop_begun = False
        self.stop_unlocked = False
        self.forget_giving_up()

    def forget_giving_up(self) -> None:
        """The threads are gone that were giving the queue up; where that is one step with the lock, nothing is left."""

    def renews_locks(self) -> bool:
        """Does its scheduled thread ask for locks?"""
        return every([self.alive, self.stop == StopStep.RUNNING, negation(self.stop_begun)])

    def has_to_lock(self, pq_id: int) -> bool:
        """Does lockAll ask for this ProcessQueue's lock (buildProcessQueueTableByBrokerName)?"""
        listed = self.has_listed(pq_id)
        if self.setting.behaves(DROPPED_NOT_RENEWED):
            return every([listed, negation(self.process_queue[pq_id].dropped)])
        return listed

    def has_nothing_to_lock(self) -> bool:
        """Does lockAll find no ProcessQueue to ask for?"""
        nothing = holds(self, Consumer.process_queue_table, None)
        if self.setting.behaves(DROPPED_NOT_RENEWED):
            return negation(some(self.has_to_lock(pq_id) for pq_id, _ in enumerate(self.process_queue)))
        return nothing

    def is_stopping(self) -> bool:
        """Is the consume service being shut down? Its listeners may be waited for."""
        return self.stop_begun

    def listens(self) -> bool:
        """Does a listener run here?"""
        return some(pq.request.at == RequestStep.LISTENING for pq in self.process_queue)

    def is_in_batch(self) -> bool:
        """Has a request looked at its lock, and its listener not returned since?"""
        begun = (RequestStep.TAKEN, RequestStep.LISTENING)
        return some(pq.request.at == step for pq in self.process_queue for step in begun)

    def believes_in_lock(self) -> bool:
        """Does any ProcessQueue take the queue for locked?"""
        return some(pq.believes_in_lock() for pq in self.process_queue)

    def has_pull_on_its_way(self) -> bool:
        """Is a pull with a commit on its way, or does the pull thread still ask where to start?"""
        return some([super().has_pull_on_its_way(), self.pull_start.at != RebalanceStep.IDLE])

    def is_rebalancing(self) -> bool:
        """Is a rebalance run, or a request for a lock, under way?"""
        return some([self.runs_rebalance(), self.locking.at != LockStep.IDLE])

    def runs_rebalance(self) -> bool:
        """Is a rebalance run under way, or does one ask for a lock?"""
        return some([super().is_rebalancing(), *(run.lock != LockStep.IDLE for run in self.rebalance)])

    def has_rebalanced_after_resume(self) -> bool:
        """Is the rebalance over that resume makes in its own thread? One that is asking for a lock is not."""
        return every([super().has_rebalanced_after_resume(), self.rebalance[1].lock == LockStep.IDLE])

    def is_calm(self) -> bool:
        """Is nothing of this client pending, no query of a pull and no unlock either?"""
        due = [self.unlocks > 0, self.late_unlocks > 0, self.delayed_unlocks > 0, self.left_unlock]
        return every([super().is_calm(), negation(some([*due, self.pull_start.at != RebalanceStep.IDLE]))])

"""All parts of a broadcasting group: its clients, each of which has the queue for itself, and history for claims."""

from __future__ import annotations

from offsetproof.lang import (
    Array,
    OffsetSet,
    array,
    bound,
    every,
    holds,
    implies,
    integer,
    negation,
    offset_set,
    optional,
    part,
    some,
)
from offsetproof.model.broadcasting.consumer import BroadcastConsumer, BroadcastQueue
from offsetproof.model.local.store import LocalGroup
from offsetproof.model.orderly.group import GroupInOrder
from offsetproof.model.releases import NO_BROADCAST_LOCKS
from offsetproof.model.shared.consumer import Consumer
from offsetproof.model.shared.lock_table import LockingBroker
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.vocabulary import CONSUMERS, PullRequestAt


class BroadcastGroup(LocalGroup, GroupInOrder):
    """One consumer group on one queue in BROADCASTING mode. Its clients meet in one place only: the broker's locks.

    So history is kept for one client, and claims that look at it say nothing where there are several
    (`has_one_client`). `broker.committed` is the row of a group that consumed in CLUSTERING mode before, if the scope
    has one. History: `ghost_dropped` are the messages that failed and were logged and forgotten, by policy;
    `ghost_repaired` is the offset that a repair has set.
    """

    broker: LockingBroker = part(LockingBroker)
    consumer: Array[BroadcastConsumer] = array(CONSUMERS, BroadcastConsumer)
    ghost_dropped: OffsetSet = offset_set()
    ghost_repaired: int | None = optional(integer(0, "messages"))

    def initially(self) -> None:
        """At first every client sees the queue in the route, and nothing is in a file."""
        for consumer in self.consumer:
            consumer.believes_allocated = True
        if self.scope.clustered_before > 0:
            self.broker.committed = 0

    def rest(self) -> bool:
        """Nothing is pending or on its way, tables are as routes are, and the timers have fired once more.

        A ProcessQueue that nobody will ever pull, because it is not marked as locked, is at rest as well.
        """
        idle = []
        for consumer in self.consumer:
            idle += [consumer.is_calm(), negation(consumer.paused), consumer.matches_its_view()]
            for pq_id, pq in enumerate(consumer.process_queue):
                resting = some([pq.pull_request == PullRequestAt.NONE, self.is_waiting(pq), self.is_stuck(pq)])
                idle += [pq.has_no_task(), holds(pq, ProcessQueue.swept, None), resting]
                settled = [negation(pq.dropped), consumer.has_stored(), pq.pull_request != PullRequestAt.NONE]
                empty = every([self.is_waiting(pq), pq.counted_messages().count() == 0])
                settled.append(implies(empty, consumer.number_of(Consumer.cell) == pq.next_offset + 1))
                idle.append(implies(consumer.has_listed(pq_id), every(settled)))
        return every(idle)

    def has_one_client(self) -> bool:
        """Is history that of one client?"""
        return self.scope.consumers == 1

    def is_waiting(self, pq: BroadcastQueue) -> bool:
        """Does the broker hold a poll for the next message?"""
        return every([pq.pull_request == PullRequestAt.HELD, pq.next_offset == self.broker.max_offset])

    def is_stuck(self, pq: BroadcastQueue) -> bool:
        """Is there a pull that is put off again and again, for want of the mark?"""
        return every([pq.pull_request == PullRequestAt.RUN_QUEUE, negation(self.may_pull(pq)), negation(pq.dropped)])

    def may_pull(self, pq: BroadcastQueue) -> bool:
        """Is the ProcessQueue marked as locked, or does nobody ask for that?"""
        return some([self.scope.orderly == 0, pq.locked])

    def asks_for_locks(self) -> bool:
        """Does a rebalance lock a queue before it adds it?"""
        return every([self.scope.orderly > 0, negation(self.setting.behaves(NO_BROADCAST_LOCKS))])

    def copy_to_retry(self, m: int, pq: ProcessQueue) -> None:  # noqa: ARG002 - the ProcessQueue matters in CLUSTERING mode
        """A copy of the message is stored in %RETRY%, which no broadcasting client reads."""
        self.retry = self.retry.add(m)

    def require_room(self, c: int) -> None:
        """One more ProcessQueue must be within the scope."""
        bound(self.consumer[c].process_queues_made < self.scope.process_queues)

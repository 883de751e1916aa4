"""The group of orderly consumers: its parts, who has the lock, and the history that claims need."""

from __future__ import annotations

from offsetproof.lang import Array, OffsetSet, array, choose, every, holds, implies, negation, offset_set, part, some
from offsetproof.model.orderly.consumer import ConsumerInOrder, OrderlyConsumer
from offsetproof.model.shared.group import Group
from offsetproof.model.shared.lock_table import LockingBroker
from offsetproof.model.vocabulary import CONSUMERS, LockStep


class GroupInOrder(Group):
    """One consumer group on one queue whose listener is orderly, in CLUSTERING or BROADCASTING mode."""

    consumer: Array[ConsumerInOrder] = array(CONSUMERS, ConsumerInOrder)

    def note_all_done(self, messages: OffsetSet, after_landing: bool) -> None:
        """History: a listener finished these messages; its ProcessQueue started after the reset had landed, or not."""
        self.ghost_done = self.ghost_done | messages
        again = every([self.ghost_landed, after_landing])
        self.ghost_redone = self.ghost_redone | choose(again, messages, OffsetSet())


class OrderlyGroup(GroupInOrder):
    """One consumer group on one queue, in CLUSTERING mode with an orderly listener.

    History: `ghost_rolled_back` are the messages that a listener rolled back, none has acknowledged before, and that
    were not given to one again; `ghost_succeeded` those that a listener answered with SUCCESS or COMMIT, and did not
    roll back since, whether that commits them or not;
    `ghost_in_time` those that it answered so, `ghost_committed_in_time` those that commit() took,
    `ghost_recorded_in_time` those whose offset was written to the cell, each while their ProcessQueue was not dropped;
    and what ends in `_again` those of each kind that were delivered again afterwards.
    """

    broker: LockingBroker = part(LockingBroker)
    consumer: Array[OrderlyConsumer] = array(CONSUMERS, OrderlyConsumer)
    ghost_rolled_back: OffsetSet = offset_set()
    ghost_succeeded: OffsetSet = offset_set()
    ghost_in_time: OffsetSet = offset_set()
    ghost_committed_in_time: OffsetSet = offset_set()
    ghost_recorded_in_time: OffsetSet = offset_set()
    ghost_in_time_again: OffsetSet = offset_set()
    ghost_committed_in_time_again: OffsetSet = offset_set()
    ghost_recorded_in_time_again: OffsetSet = offset_set()

    def rest(self) -> bool:
        """At rest as the concurrent one is, and who pulls has the lock, and knows it."""
        locked = [
            implies(consumer.has_listed(pq_id), every([pq.believes_in_lock(), pq.previously_locked, self.has_lock(c)]))
            for c, consumer in enumerate(self.consumer)
            for pq_id, pq in enumerate(consumer.process_queue)
        ]
        return every([super().rest(), *locked])

    def has_settled(self) -> bool:
        """Nothing of the group's members is pending, the one owner runs, and no timer of locks has anything to change.

        Less than rest: it says nothing of who pulls, or of what is committed.
        """
        calm, owners = [], []
        for c, consumer in enumerate(self.consumer):
            calm += [consumer.is_calm(), negation(consumer.paused), consumer.matches_its_view()]
            calm += [implies(consumer.believes_allocated, consumer.alive)]
            owners.append(choose(consumer.believes_allocated, 1, 0))
            for pq_id, _ in enumerate(consumer.process_queue):
                calm.append(implies(consumer.has_to_lock(pq_id), negation(self.renewal_matters(c, pq_id))))
            may_expire = some([consumer.left_lock, consumer.has_nothing_to_lock()])
            calm.append(negation(every([holds(self.broker, LockingBroker.lock_owner, c), may_expire])))
        return every([*calm, sum(owners) == 1])

    def renewal_matters(self, c: int, pq_id: int) -> bool:
        """Does the broker's answer to lockAll change who has the lock, or what this listed ProcessQueue believes?"""
        pq = self.consumer[c].process_queue[pq_id]
        is_free, is_mine = holds(self.broker, LockingBroker.lock_owner, None), self.has_lock(c)
        return some([is_free, every([is_mine, negation(pq.believes_in_lock())]), every([negation(is_mine), pq.locked])])

    def has_lock(self, c: int) -> bool:
        """Has the broker given the lock to this client, in its present process?"""
        return every([holds(self.broker, LockingBroker.lock_owner, c), negation(self.consumer[c].left_lock)])

    def lock(self, c: int) -> LockStep:
        """The broker's answer to a client that asks for the lock, or asks again (tryLock, tryLockBatch)."""
        is_free = holds(self.broker, LockingBroker.lock_owner, None)
        if some([is_free, self.has_lock(c)]):
            self.broker.lock_owner = c
            self.consumer[c].left_lock = False
            return LockStep.GRANTED
        return LockStep.REFUSED

    def unlock(self, c: int) -> None:
        """The broker takes the lock back, if it is this client's (unlockBatch)."""
        if self.has_lock(c):
            self.broker.lock_owner = None

    def receive_lock_reply(self, c: int, *, granted: bool) -> None:
        """The broker's answer is about whatever ProcessQueue is in the table when it arrives."""
        consumer = self.consumer[c]
        pq_id = consumer.process_queue_table
        if pq_id is not None:
            consumer.process_queue[pq_id].receive_lock_reply(granted=granted)

    def note_given(self, messages: OffsetSet) -> None:
        """History: a listener starts with these messages."""
        super().note_given(messages)
        self.ghost_rolled_back = self.ghost_rolled_back - messages
        self.ghost_in_time_again = self.ghost_in_time_again | (self.ghost_in_time & messages)
        committed_again = self.ghost_committed_in_time & messages
        self.ghost_committed_in_time_again = self.ghost_committed_in_time_again | committed_again
        self.ghost_recorded_in_time_again = self.ghost_recorded_in_time_again | (self.ghost_recorded_in_time & messages)

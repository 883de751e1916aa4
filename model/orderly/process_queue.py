"""What a ProcessQueue has beside its tree map when it is consumed in order: a second map, a lock, and one request.

Stands for ProcessQueue, and for ConsumeMessageOrderlyService.ConsumeRequest on it; BROADCASTING mode has the same, but
for the broker's lock. Left out: interrupts, after which takeMessages and commit do nothing.
"""

from __future__ import annotations

from offsetproof.lang import (
    Component,
    OffsetSet,
    every,
    flag,
    integer,
    negation,
    offset,
    offset_set,
    one_of,
    optional,
    part,
    some,
)
from offsetproof.model.orderly.vocabulary import Answer, RequestStep
from offsetproof.model.shared.process_queue import ProcessQueue

HOLDING = (
    RequestStep.RUNNING,
    RequestStep.TAKEN,
    RequestStep.LISTENING,
    RequestStep.ANSWERED,
    RequestStep.COMMITTED,
    RequestStep.CHECKED,
)
"""The steps at which a request's thread holds the client's lock of the queue."""


class ConsumeRequest(Component):
    """The one ConsumeRequest of a ProcessQueue: where its thread is, its batch, and what came of it.

    `result` is the offset that commit() gave. That there is one at most is the meaning of `consuming`.
    """

    at: RequestStep = one_of(RequestStep)
    taken: OffsetSet = offset_set()
    answer: Answer = one_of(Answer)
    result: int | None = optional(offset())

    def start_next_batch(self) -> None:
        """The batch is over, and the loop begins again."""
        self.reset()
        self.at = RequestStep.RUNNING

    def resubmit(self) -> None:
        """The loop ends here, and the request is submitted again, now or later."""
        self.reset()
        self.at = RequestStep.SUBMITTED

    def has_queue_lock(self) -> bool:
        """Does its thread hold the client's lock of the queue?"""
        return some(self.at == step for step in HOLDING)


class ProcessQueueInOrder(ProcessQueue):
    """One ProcessQueue of the queue in one client, consumed in order, in CLUSTERING or BROADCASTING mode.

    `lock_expired` says that the last lock was heard of more than 30 s ago; it means nothing where `locked` is false, or
    in BROADCASTING mode. `previously_locked` is the PullRequest's: its start has been asked for again under the lock.
    `msg_count` are the messages that msgCount counts: those of both maps, but for what comes back after clear.
    `tried` are those whose listener has failed once, where a scope limits that (none does in BROADCASTING mode).
    `consuming_stays` says that an exception has ended the request, so that `consuming` is true and no other one
    follows.
    """

    consuming_msg_orderly_tree_map: OffsetSet = offset_set()
    msg_count: OffsetSet = offset_set()
    tried: OffsetSet = offset_set()
    locked: bool = flag()
    lock_expired: bool = flag()
    previously_locked: bool = flag()
    request: ConsumeRequest = part(ConsumeRequest)
    consuming_stays: bool = flag()

    def put(self, m: int) -> None:
        """Caches a pulled message, and counts it."""
        for stored in range(self.scope.messages):
            if m == stored:
                super().put(stored)
                self.msg_count = self.msg_count.add(stored)

    def submit(self, m: int, size: int) -> None:  # noqa: ARG002 - a request takes what is there when it runs
        """Submits the ProcessQueue's request, unless there is one (putMessage found `consuming` true).

        Left out: a request that has ended on a dropped queue leaves `consuming` true as well; the one that comes here
        ends at once.
        """
        if self.request.at == RequestStep.NONE and not self.consuming_stays:
            self.request.at = RequestStep.SUBMITTED

    def lose_request(self) -> None:
        """The request is gone, as where an executor that is shut down rejects it; nobody sets `consuming` to false."""
        self.request.reset()
        self.consuming_stays = True

    def counted_messages(self) -> OffsetSet:
        """The messages that msgCount counts."""
        return self.msg_count

    def take(self, most: int) -> OffsetSet:
        """Moves the lowest messages, up to that many, to the map of those that are being consumed (takeMessages)."""
        rest = self.msg_tree_map
        for _ in range(most):
            rest = rest - OffsetSet.below(rest.lowest(default=self.scope.messages) + 1)
        taken = self.msg_tree_map - rest
        self.msg_tree_map = rest
        self.consuming_msg_orderly_tree_map = self.consuming_msg_orderly_tree_map | taken
        return taken

    def commit(self) -> int | None:
        """Forgets all messages that are being consumed; the offset after the highest, or None where there are none.

        ProcessQueue.commit throws then, as the map is a TreeMap.
        """
        consuming = self.consuming_msg_orderly_tree_map
        if not consuming:
            return None
        self.consuming_msg_orderly_tree_map = OffsetSet()
        self.msg_count = self.msg_count - consuming
        return consuming.highest() + 1

    def rollback(self) -> None:
        """Puts back all messages that are being consumed (ProcessQueue.rollback)."""
        self.msg_tree_map = self.msg_tree_map | self.consuming_msg_orderly_tree_map
        self.consuming_msg_orderly_tree_map = OffsetSet()

    def make_message_to_consume_again(self, messages: OffsetSet) -> None:
        """Puts a batch back, also where it is not being consumed any more (ProcessQueue.makeMessageToConsumeAgain)."""
        self.consuming_msg_orderly_tree_map = self.consuming_msg_orderly_tree_map - messages
        self.msg_tree_map = self.msg_tree_map | messages

    def clear(self) -> None:
        """Empties both maps (ProcessQueue.clear)."""
        super().clear()
        self.consuming_msg_orderly_tree_map = OffsetSet()
        self.msg_count = OffsetSet()

    def die(self) -> None:
        """The process is gone."""
        super().die()
        self.tried = OffsetSet()
        self.locked = False
        self.lock_expired = False
        self.previously_locked = False
        self.request.reset()
        self.consuming_stays = False

    def has_no_task(self) -> bool:
        """Is there no request?"""
        return self.request.at == RequestStep.NONE


class OrderlyProcessQueue(ProcessQueueInOrder):
    """One ProcessQueue whose client has to have the broker's lock of the queue.

    `unlocking` is the ProcessQueue that a repair begun in this one is to unlock.
    """

    unlocking: int | None = optional(integer(0, lambda scope: scope.process_queues - 1))

    def receive_lock_reply(self, *, granted: bool) -> None:
        """The broker's answer sets the flag, and the time of the lock if it is granted."""
        self.locked = granted
        self.lock_expired = False

    def believes_in_lock(self) -> bool:
        """Is it locked, as far as it knows, and has that not expired?"""
        return every([self.locked, negation(self.lock_expired)])

    def die(self) -> None:
        """The process is gone."""
        super().die()
        self.unlocking = None

    def has_no_task(self) -> bool:
        """Is there no request, and no lock that a repair has yet to give back?"""
        return every([super().has_no_task(), self.unlocking is None])

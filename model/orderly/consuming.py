"""Consuming in order: one request per ProcessQueue takes batch after batch while it believes in the lock.

Stands for ConsumeMessageOrderlyService.ConsumeRequest.run, which asks for no lock of the broker in BROADCASTING mode.
The client's lock of the queue (MessageQueueLock) is held from the first look at the broker's lock to the end of the
loop, the ProcessQueue's consume lock only while the listener runs.
Left out: hooks; the look at `dropped` before the queue's lock is waited for (it is made again behind it).
"""

from __future__ import annotations

from typing import Any, cast

from offsetproof.lang import OffsetSet, among, at, every, holds, negation, require, same, some
from offsetproof.lang.record import NotInRig, Pause, at_once
from offsetproof.lang.rigging import RigMoment, ThreadStep
from offsetproof.lang.step import in_rig
from offsetproof.model.orderly.consumer import ConsumerInOrder, LockRequest
from offsetproof.model.orderly.group import GroupInOrder, OrderlyGroup
from offsetproof.model.orderly.process_queue import OrderlyProcessQueue, ProcessQueueInOrder
from offsetproof.model.orderly.threads import CONSUME_REQUEST
from offsetproof.model.orderly.timers import CONTINUOUSLY, SUBMIT_AGAIN
from offsetproof.model.orderly.variants import ANSWERS, WITHOUT_AUTO_COMMIT
from offsetproof.model.orderly.vocabulary import Answer, RequestStep
from offsetproof.model.threads import of_client
from offsetproof.model.vocabulary import LockStep, StopStep

REQUEST = "ConsumeMessageOrderlyService.ConsumeRequest"
_RUNS, LOOPS = at(REQUEST, "run", "isDropped"), at(REQUEST, "run", "isDropped", 2)
_WAITS_FOR_CONSUME_LOCK = at(REQUEST, "run", "Lock.lock")
_SUSPENDED = Pause(
    "a queue is suspended", (("request_suspends", "request_rolls_back"),), SUBMIT_AGAIN, any_longer=True,
    source="ConsumeMessageOrderlyService.submitConsumeRequestLater",
)  # fmt: skip
_RUNS_LONG = Pause(
    "a request runs long", (("broker_answers_request", "poll_finds_messages"),), CONTINUOUSLY, any_longer=True,
    source="ConsumeMessageOrderlyService: MAX_TIME_CONSUME_CONTINUOUSLY",
)  # fmt: skip
_ANSWER = {"SUSPEND": "SUSPEND_CURRENT_QUEUE_A_MOMENT"}
"""ConsumeOrderlyStatus, where the model has another word."""


def _result(moment: RigMoment) -> dict[str, Any]:
    """What the listener returns, and whether it has called setAutoCommit(false)."""
    answer = str(moment.args["answer"])
    by_itself = moment.listener not in [listener.name for listener in WITHOUT_AUTO_COMMIT]
    return of_client(moment, listener=_ANSWER.get(answer, answer), auto_commit=by_itself)


_LISTENER_RETURNS = ThreadStep("consume", CONSUME_REQUEST.rig.threads, None, ("listener",), _result)
"""The listener returns, and the consume lock is free again."""


class ConsumingInOrder(GroupInOrder):
    """What a consume thread does up to the listener's return, in either mode."""

    @CONSUME_REQUEST.step(
        at(REQUEST, "run", "takeMessages"),
        at("ProcessQueue", "takeMessages"),
        waits=_SUSPENDED,
        rig=in_rig(_RUNS, also=[LOOPS], within=[LOOPS]),
    )
    def request_takes_messages(self, c: int, pq_id: int) -> None:
        """Takes the next batch, unless dropped.

        On a dropped queue the request ends, without messages as well.
        """
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        require(among(pq.request.at, RequestStep.SUBMITTED, RequestStep.RUNNING))
        if pq.request.at == RequestStep.SUBMITTED:
            others = [other.request.has_queue_lock() for i, other in enumerate(consumer.process_queue) if i != pq_id]
            require(negation(some(others)), consumer.stop == StopStep.RUNNING)
        if pq.dropped:
            pq.request.reset()
        elif self.may_take(consumer, pq):
            taken = pq.take(self.scope.batch)
            if taken:
                pq.request.taken = taken
                pq.request.at = RequestStep.TAKEN
            else:
                pq.request.reset()

    def may_take(self, consumer: ConsumerInOrder, pq: ProcessQueueInOrder) -> bool:  # noqa: ARG002 - a lock needs both
        """May the request take messages? In BROADCASTING mode it may; where it may not, it gives its place up here."""
        return True

    @CONSUME_REQUEST.step(
        at(REQUEST, "run", "submitConsumeRequestLater"),
        waits=_RUNS_LONG,
        rig=NotInRig("a request gives its place up after a minute without a pause"),
    )
    def request_yields(self, c: int, pq_id: int) -> None:
        """Gives its place up for 10 ms, after 60 s without a pause."""
        pq = self.consumer[c].process_queue[pq_id]
        require(pq.request.at == RequestStep.RUNNING)
        self.consumer[c].submits_later(pq)

    @CONSUME_REQUEST.step(
        at(REQUEST, "run", "consumeMessage"),
        at(REQUEST, "run", "isDropped", 3),
        waits=at_once("request_takes_messages"),
        rig=in_rig(_WAITS_FOR_CONSUME_LOCK),
    )
    def request_starts_listener(self, c: int, pq_id: int) -> None:
        """Starts the listener under the consume lock, unless dropped.

        On a dropped queue the request ends, and its batch stays where it is for ever.
        """
        pq = self.consumer[c].process_queue[pq_id]
        require(pq.request.at == RequestStep.TAKEN)
        if pq.dropped:
            pq.request.reset()
        else:
            pq.request.at = RequestStep.LISTENING
            self.note_given(pq.request.taken)

    @CONSUME_REQUEST.step(
        at(REQUEST, "run", "consumeMessage"),
        at(REQUEST, "run", "Lock.unlock"),
        any_time="the listener may take any time",
        rig=_LISTENER_RETURNS,
        logs="consumeMessage Orderly return not OK, Group: {} Msgs: {} MQ: {}",
        answer=Answer,
    )
    def listener_returns(self, c: int, pq_id: int, answer: Answer) -> None:
        """Returns its answer, and the consume lock is free again.

        Null and an exception count as SUSPEND_CURRENT_QUEUE_A_MOMENT.
        """
        pq = self.consumer[c].process_queue[pq_id]
        require(answer in self.answers(), pq.request.at == RequestStep.LISTENING)
        self.note_answer(c, pq_id, answer)
        pq.request.answer = answer
        pq.request.at = RequestStep.ANSWERED

    def answers(self) -> tuple[Answer, ...]:
        """What the listener may return."""
        return (Answer.SUCCESS,)

    def note_answer(self, c: int, pq_id: int, answer: Answer) -> None:
        """History: what the listener means."""
        pq = self.consumer[c].process_queue[pq_id]
        if answer == Answer.SUCCESS:
            self.note_all_done(pq.request.taken, pq.ghost_after_landing)
            pq.ghost_unfinished = pq.ghost_unfinished - pq.request.taken


class OrderlyConsuming(ConsumingInOrder, OrderlyGroup):
    """What a request does about the broker's lock, and what is remembered of an answer."""

    @same(ConsumingInOrder.request_takes_messages)
    def request_takes_messages(self, c: int, pq_id: int) -> None:
        """Takes the next batch, if the queue is locked and not dropped.

        On a dropped queue the request ends, without messages as well. Where the lock is missing or has expired, the
        request gives its place up and has the queue locked first; it ends where the service is shut down.
        """
        super().request_takes_messages(c, pq_id)

    def may_take(self, consumer: ConsumerInOrder, pq: ProcessQueueInOrder) -> bool:
        """May the request take messages? Without the lock it gives its place up here."""
        if cast(OrderlyProcessQueue, pq).believes_in_lock():
            return True
        if consumer.is_stopping():
            pq.lose_request()
        else:
            pq.request.at = RequestStep.LOCKING
        return False

    @CONSUME_REQUEST.step(
        at("ConsumeMessageOrderlyService", "submitConsumeRequest", "submit"),
        any_time="what the scheduled thread has taken, 10 ms to 30 s before",
        rig=NotInRig("the rig's scheduled submissions are steps of other threads"),
    )
    def request_is_rejected(self, c: int, pq_id: int) -> None:
        """Ends a request that waits while its service is shut down.

        What the scheduled thread has taken before runs in its time: it finds the service stopped, so that it neither
        asks for the lock nor submits the request.
        """
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        require(consumer.stop_begun, consumer.stop == StopStep.RUNNING)
        require(among(pq.request.at, RequestStep.SUBMITTED, RequestStep.LOCKING))
        asks = every([consumer.locking.at != LockStep.IDLE, holds(consumer.locking, LockRequest.pq_id, pq_id)])
        require(negation(asks))
        pq.lose_request()

    def answers(self) -> tuple[Answer, ...]:
        """What the listener may return."""
        return ANSWERS[self.setting.listener]

    def commits_itself(self) -> bool:
        """Does the listener leave autoCommit as it is?"""
        return self.setting.listener not in WITHOUT_AUTO_COMMIT

    def note_answer(self, c: int, pq_id: int, answer: Answer) -> None:
        """History: what the listener means. Without autoCommit it speaks of all that is not committed yet.

        SUCCESS without autoCommit succeeds, and is not yet done: the listener has still to commit it.
        """
        pq = self.consumer[c].process_queue[pq_id]
        meant = pq.request.taken if self.commits_itself() else pq.consuming_msg_orderly_tree_map
        if answer == Answer.ROLLBACK:
            self.ghost_rolled_back = self.ghost_rolled_back | (meant - self.ghost_done)
            self.ghost_succeeded = self.ghost_succeeded - meant
        elif answer == Answer.COMMIT or (answer == Answer.SUCCESS and self.commits_itself()):
            self.note_all_done(meant, pq.ghost_after_landing)
            pq.ghost_unfinished = pq.ghost_unfinished - meant
            self._note_success(meant, pq)
        elif answer == Answer.SUCCESS:
            self._note_success(pq.request.taken, pq)

    def _note_success(self, messages: OffsetSet, pq: OrderlyProcessQueue) -> None:
        self.ghost_succeeded = self.ghost_succeeded | messages
        if not pq.dropped:
            self.ghost_in_time = self.ghost_in_time | messages

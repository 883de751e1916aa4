"""Results: what becomes of a batch after the listener's return, by its answer and by autoCommit.

Stands for ConsumeMessageOrderlyService.processConsumeResult and checkReconsumeTimes. A batch whose messages have all
failed too often is sent to the dead-letter queue and counts as consumed; in this model that is after one failure, in
scopes that limit it (`reconsumes`), and never in others, as by default. Left out: a batch of which some messages
are to go there is put back, and its copies are sent once more at each retry (here each is counted once); a copy that
cannot be sent (its batch is put back, too).
"""

from __future__ import annotations

from offsetproof.lang import OffsetSet, among, at, choose, negation, require, same, some
from offsetproof.lang.record import at_once
from offsetproof.lang.step import in_rig
from offsetproof.model.orderly.consumer import ConsumerInOrder
from offsetproof.model.orderly.consuming import ConsumingInOrder, OrderlyConsuming
from offsetproof.model.orderly.process_queue import OrderlyProcessQueue, ProcessQueueInOrder
from offsetproof.model.orderly.threads import CONSUME_REQUEST
from offsetproof.model.orderly.variants import REQUEST_RAISES_CELL, ROLLBACK_HONOURED
from offsetproof.model.orderly.vocabulary import Answer, RequestStep
from offsetproof.model.variants import UPDATE_CHECKS_DROPPED

_SERVICE = "ConsumeMessageOrderlyService"
_PROCESS = "processConsumeResult"

_COMMITS_BY_ITSELF, COMMITS_AS_TOLD = (at(_SERVICE, _PROCESS, "ProcessQueue.commit", nth) for nth in (1, 3))
_COUNTS_FAILURES, COUNTS_FAILURES_AS_TOLD = (at(_SERVICE, _PROCESS, "checkReconsumeTimes", nth) for nth in (1, 2))
_CHECKS_DROPPED = at(_SERVICE, _PROCESS, "isDropped")
_RETURNED = at_once("listener_returns")
_RESULTS = ("request_commits", "request_goes_on_uncommitted", "request_rolls_back", "request_suspends")


class ResultsInOrder(ConsumingInOrder):
    """What a consume thread does after the listener's return, in either mode."""

    @CONSUME_REQUEST.step(
        at(_SERVICE, _PROCESS, "ProcessQueue.commit"),
        at("ProcessQueue", "commit"),
        waits=_RETURNED,
        rig=in_rig(_COMMITS_BY_ITSELF, also=[COMMITS_AS_TOLD]),
    )
    def request_commits(self, c: int, pq_id: int) -> None:
        """Forgets what was being consumed, and learns the offset after it.

        With autoCommit SUCCESS, COMMIT and ROLLBACK come to this, without it only COMMIT. After a reset's clear there
        is nothing to forget: the request throws, and ends without a word.
        """
        pq = self.consumer[c].process_queue[pq_id]
        require(self.has_answered(pq), self.is_commit(pq.request.answer))
        self.commit_consumed(pq)

    @CONSUME_REQUEST.step(
        at(_SERVICE, _PROCESS, "makeMessageToConsumeAgain"),
        at("ProcessQueue", "makeMessageToConsumeAgain"),
        waits=_RETURNED,
        rig=in_rig(_COUNTS_FAILURES, also=[COUNTS_FAILURES_AS_TOLD], within=[_CHECKS_DROPPED]),
    )
    def request_suspends(self, c: int, pq_id: int) -> None:
        """Puts the batch back, to be consumed again a second later."""
        pq = self.consumer[c].process_queue[pq_id]
        require(self.has_answered(pq), pq.request.answer == Answer.SUSPEND)
        pq.make_message_to_consume_again(pq.request.taken)
        self.consumer[c].submits_later(pq)

    @CONSUME_REQUEST.step(at(_SERVICE, _PROCESS, "isDropped"), waits=at_once(*_RESULTS))
    def request_checks_dropped(self, c: int, pq_id: int) -> None:
        """Goes on to record its offset, unless dropped."""
        pq = self.consumer[c].process_queue[pq_id]
        require(pq.request.at == RequestStep.COMMITTED)
        if pq.dropped:
            pq.request.start_next_batch()
        else:
            pq.request.at = RequestStep.CHECKED

    @CONSUME_REQUEST.step(at(_SERVICE, _PROCESS, "updateOffset"), at("RemoteBrokerOffsetStore", "updateOffset"))
    def request_updates_cell(self, c: int, pq_id: int) -> None:
        """Sets the cell, whatever has become of the queue since.

        It does not ask whether the cell is higher.
        """
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        result = pq.request.result
        require(pq.request.at == RequestStep.CHECKED, result is not None)
        kept_out = self.setting.behaves(UPDATE_CHECKS_DROPPED) and pq.dropped
        if result is not None and not kept_out:
            self.write_result(consumer, pq, result)
        pq.request.start_next_batch()

    def write_result(self, consumer: ConsumerInOrder, pq: ProcessQueueInOrder, result: int) -> None:  # noqa: ARG002 - a remedy asks for whom
        """The cell becomes the offset that commit gave, whichever ProcessQueue that was."""
        consumer.write_cell(result)

    def has_answered(self, pq: ProcessQueueInOrder) -> bool:
        """Has the listener returned, so that its answer is looked at now?"""
        return pq.request.at == RequestStep.ANSWERED

    def is_commit(self, answer: Answer) -> bool:
        """Does this answer acknowledge what is being consumed?"""
        return answer == Answer.SUCCESS

    def commit_consumed(self, pq: ProcessQueueInOrder) -> None:
        """What is being consumed is forgotten, and the request learns the offset after it, or ends."""
        result = pq.commit()
        if result is None:
            pq.request.reset()
        else:
            pq.request.result = result
            pq.request.at = RequestStep.COMMITTED


class Results(ResultsInOrder, OrderlyConsuming):
    """What answers come to that are not SUCCESS with autoCommit or a failure, and what is remembered."""

    @CONSUME_REQUEST.step(
        at(_SERVICE, _PROCESS, "incConsumeOKTPS", 2), waits=_RETURNED, rig=in_rig(within=[_CHECKS_DROPPED])
    )
    def request_goes_on_uncommitted(self, c: int, pq_id: int) -> None:
        """Leaves the batch among those that are being consumed.

        That is SUCCESS without autoCommit.
        """
        pq = self.consumer[c].process_queue[pq_id]
        require(self.has_answered(pq), pq.request.answer == Answer.SUCCESS, not self.commits_itself())
        pq.request.start_next_batch()

    @CONSUME_REQUEST.step(
        at(_SERVICE, _PROCESS, "rollback"),
        at("ProcessQueue", "rollback"),
        waits=_RETURNED,
        rig=in_rig(within=[_CHECKS_DROPPED]),
    )
    def request_rolls_back(self, c: int, pq_id: int) -> None:
        """Puts back all that is not committed, to be consumed again a second later.

        That is ROLLBACK without autoCommit.
        """
        pq = self.consumer[c].process_queue[pq_id]
        require(self.has_answered(pq), pq.request.answer == Answer.ROLLBACK, self._honours_rollback())
        pq.rollback()
        self.consumer[c].submits_later(pq)

    @same(ResultsInOrder.request_suspends)
    def request_suspends(self, c: int, pq_id: int) -> None:
        """Puts the batch back, to be consumed again a second later.

        Where the scope limits that, what fails a second time goes to the dead-letter queue: if that is the whole
        batch, it is not put back.
        """
        pq = self.consumer[c].process_queue[pq_id]
        require(self.has_answered(pq), pq.request.answer == Answer.SUSPEND)
        if self.scope.reconsumes > 0:
            exhausted = pq.request.taken & pq.tried
            is_over = exhausted == pq.request.taken
            pq.tried = pq.tried | pq.request.taken
            self.ghost_done = self.ghost_done | exhausted
            pq.ghost_unfinished = pq.ghost_unfinished - exhausted
            if is_over:
                self._go_on_after_dead_letters(pq)
                return
        super().request_suspends(c, pq_id)

    def _go_on_after_dead_letters(self, pq: OrderlyProcessQueue) -> None:
        if self.commits_itself():
            self.commit_consumed(pq)
        else:
            pq.request.start_next_batch()

    def is_commit(self, answer: Answer) -> bool:
        """Does this answer acknowledge what is being consumed?"""
        if not self.commits_itself():
            return answer == Answer.COMMIT
        if self._honours_rollback():
            return among(answer, Answer.SUCCESS, Answer.COMMIT)
        return among(answer, Answer.SUCCESS, Answer.COMMIT, Answer.ROLLBACK)

    def _honours_rollback(self) -> bool:
        """Does ROLLBACK put messages back?"""
        return some([negation(self.commits_itself()), self.setting.behaves(ROLLBACK_HONOURED)])

    def commit_consumed(self, pq: ProcessQueueInOrder) -> None:
        """What is being consumed is forgotten; of what is not dropped it is remembered."""
        messages = pq.consuming_msg_orderly_tree_map
        if not pq.dropped:
            self.ghost_committed_in_time = self.ghost_committed_in_time | messages
        super().commit_consumed(pq)

    def write_result(self, consumer: ConsumerInOrder, pq: ProcessQueueInOrder, result: int) -> None:
        """The cell becomes the offset that commit gave, or is raised to it."""
        if self.setting.behaves(REQUEST_RAISES_CELL):
            consumer.raise_cell(result, pq)
        else:
            super().write_result(consumer, pq, result)
        recorded = choose(pq.dropped, OffsetSet(), OffsetSet.below(result))
        self.ghost_recorded_in_time = self.ghost_recorded_in_time | (recorded & self.ghost_committed_in_time)

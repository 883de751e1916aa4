"""Pulling: the PullRequest's way from the run queue to the broker, and back through the pull callback.

Stands for DefaultMQPushConsumerImpl.pullMessage and its PullCallback, and PullMessageProcessor at the broker. The
`unmatched` messages of the scope, from `unmatched_from` on, have a tag that nobody subscribed to; `flow` is the
threshold of flow control. Left out: responses that hold more than one task, or messages from before and after another
tag (they are a series of smaller ones), and a pull thread that stalls between reading the cell and sending.
The PullRequest's way between broker and callback is one step: the broker's decision for NO_NEW_MSG and the callback are
taken together, so a message that is stored between the two is found by this poll and not by the next.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.lang import at, choose, every, negation, require, some
from offsetproof.lang.record import Pause, at_once
from offsetproof.lang.step import in_rig
from offsetproof.model.shared.consumer import Consumer
from offsetproof.model.shared.group import Group
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.threads import BY_DECISION, CALLBACK, PRODUCER, PULL
from offsetproof.model.timers import DISPATCH_DELAY, HOLD_CHECK, ON_ITS_WAY, POLL_HOLD, PULL_RETRY
from offsetproof.model.variants import UPDATE_CHECKS_DROPPED
from offsetproof.model.vocabulary import SIZES, PullRequestAt, RepairStep

_PULL = "DefaultMQPushConsumerImpl"
_CALLBACK = "DefaultMQPushConsumerImpl.PullCallback"


_PROCESSOR = "PullMessageProcessor: at once, or when the hold of one that was legal is over; and the answer's way"
DISPATCHED = Pause(
    "the first pull", ("rebalance_adds_queue",), DISPATCH_DELAY, any_longer=True,
    source="RebalancePushImpl.dispatchPullRequest: executePullRequestLater",
    held_at_begin=(("rebalance_adds_queue", "pq_id", "consumer[{c}].process_queues_made"),),
)  # fmt: skip
"""Of the ProcessQueue that the run made; one that finds another in the table makes none."""
PULL_SENT = ("consumer_pulls", "broker_receives_pull")
NEXT_TRY = Pause(
    "the pull's next try", ("pull_fails",), PULL_RETRY, any_longer=True,
    source="DefaultMQPushConsumerImpl.PullCallback.onException: executePullRequestLater",
)  # fmt: skip
_NEXT_TRY_AFTER_ERROR = replace(NEXT_TRY, after=("poll_meets_no_topic",))
RESTARTS = ("broker_restarts", "broker_restarts_behind_answers")
_NEXT_TRY_AFTER_RESTART = replace(NEXT_TRY, after=(RESTARTS,))
_PUT_BACK = (
    *("rebalance_adds_queue", "poll_finds_messages", "poll_matches_nothing", "poll_ends_without_news"),
    *("poll_corrects_offset", "pull_fails", "poll_meets_no_topic", *RESTARTS),
)
_HAS_ASKED = ("pull_is_sent_with_new_start", "pull_goes_on_without_start", "pull_waits_for_start")
TAKEN = Pause(
    "the pull thread is late",
    (_PUT_BACK, ("reset_resumes", "user_resumes"), ("client_hears_of_renewal", "client_hears_of_lock"), _HAS_ASKED),
    most=PULL_RETRY,
    source="PullMessageService.run: at once, or put off by pullMessage",
    held_at_begin=DISPATCHED.held_at_begin,
    idle=(
        *("broker_receives_pull", "broker_answers_pull", "broker_answers_poll", "poll_checks_dropped"),
        *("poll_ends_without_news", "poll_corrects_offset"),
    ),
    idle_least=POLL_HOLD,
)
"""A PullRequest in the run queue is taken at once, and one that pullMessage puts off within a second.

An orderly consumer's one pull thread may be waiting for a start. Left out: that flow control puts a pull off again and
again, until a listener is done.
"""
_SENT = Pause("a pull is on its way", ("consumer_pulls",), most=ON_ITS_WAY, source="a request")
_HELD = Pause(
    "the broker holds a poll too long", (PULL_SENT,), POLL_HOLD, POLL_HOLD + HOLD_CHECK + ON_ITS_WAY,
    "PullRequestHoldService: brokerSuspendMaxTimeMillis, looked at every 5 s; and the answer's way",
)  # fmt: skip
_ANSWERED = Pause(
    "the broker holds a poll too long", (PULL_SENT,), None, POLL_HOLD + HOLD_CHECK + ON_ITS_WAY, _PROCESSOR
)
NOTIFIED = Pause(
    "a stored message goes unnoticed", (PULL_SENT, "producer_sends"), most=ON_ITS_WAY,
    source="PullRequestHoldService.notifyMessageArriving, and the answer's way",
)  # fmt: skip
CHECKED = at_once("poll_checks_dropped")


class Pulling(Group):
    """What PullMessageService, the broker's pull processor and the pull callback do."""

    @PRODUCER.step(at("DefaultMessageStore", "putMessage", "asyncPutMessage"), any_time=BY_DECISION)
    def producer_sends(self) -> None:
        """Stores a message.

        The scope says how many there are in all.
        """
        require(self.broker.max_offset < self.scope.messages, negation(self.broker.gone))
        if self.scope.deletions > 0 or self.scope.tails > 0:
            self.note_stored(self.broker.max_offset)
        self.broker.max_offset = self.broker.max_offset + 1

    @PULL.step(
        at(_PULL, "pullMessage", "isDropped"),
        at(_PULL, "pullMessage", "readOffset"),
        waits=(DISPATCHED, NEXT_TRY, _NEXT_TRY_AFTER_ERROR, _NEXT_TRY_AFTER_RESTART, TAKEN),
    )
    def consumer_pulls(self, c: int, pq_id: int) -> None:
        """Pulls with the cell, unless dropped.

        On a dropped queue the PullRequest is discarded; else a pull is sent with the cell's value frozen in it. A
        paused consumer tries again a second later, one whose cache holds more than the threshold (`flow`) 50 ms
        later, one that has unsubscribed three seconds later. A pull without a commit is at the broker at once: its
        arrival changes nothing. A cell of 0 is never piggy-backed.
        """
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        require(pq.pull_request == PullRequestAt.RUN_QUEUE)
        if pq.dropped:
            pq.discard_pull_request()
            return
        require(not consumer.paused, consumer.subscribed)
        require(self.scope.flow == 0 or pq.counted_messages().count() <= self.scope.flow)
        self.send_pull(consumer, pq)

    def send_pull(self, consumer: Consumer, pq: ProcessQueue) -> None:
        """The pull is sent, with what the cell holds."""
        held = consumer.cell
        if held is not None and held > 0:
            pq.piggyback = held
            pq.pull_request = PullRequestAt.SENT
        else:
            pq.pull_request = PullRequestAt.HELD

    def gets_answer(self, c: int, pq: ProcessQueue) -> bool:
        """Is the pull callback about to act on an answer? It runs on a thread of the client's public executor."""
        return every([pq.is_answered(), self.consumer[c].has_free_thread(), self.may_come(pq)])

    def may_come(self, pq: ProcessQueue) -> bool:  # noqa: ARG002 - some answers come all the same
        """May an answer come? Not that of a queue that is gone with its topic."""
        return negation(self.broker.gone)

    def is_called_back(self, c: int, pq: ProcessQueue) -> bool:
        """Is the pull callback about to act on an answer that says what is stored?"""
        return every([self.gets_answer(c, pq), negation(pq.is_answered_with_target())])

    @CALLBACK.step(
        at(_CALLBACK, "onSuccess", "putMessage"),
        at("ProcessQueue", "putMessage"),
        waits=(NOTIFIED, CHECKED),
        rig=in_rig(size=lambda moment: moment.arg("n") + 1),
        n=SIZES,
    )
    def poll_finds_messages(self, c: int, pq_id: int, n: int) -> None:
        """Caches n + 1 messages, even if dropped.

        FOUND: the next messages are submitted as one task, on a dropped queue too. The PullRequest goes back to the
        run queue. A response may bring fewer messages than are stored.
        """
        pq = self.consumer[c].process_queue[pq_id]
        m = pq.next_offset
        first, after = self.scope.unmatched_from, self.scope.unmatched_from + self.scope.unmatched
        if self.scope.unmatched > 0 and first <= m < after:
            m = after
        if self.scope.unmatched > 0 and first > 0:
            require(some([m >= after, m + n < first]))
        require(self.is_called_back(c, pq), self.broker.min_offset <= pq.next_offset, m + n < self.broker.max_offset)
        for more in range(n + 1):
            pq.put(m + more)
        pq.submit(m, n + 1)
        pq.next_offset = m + n + 1
        pq.pull_request = PullRequestAt.RUN_QUEUE

    @CALLBACK.step(
        at(_CALLBACK, "onSuccess", "correctTagsOffset"),
        at(_PULL, "correctTagsOffset", "getMsgCount"),
        waits=(_HELD, CHECKED),
    )
    def poll_ends_without_news(self, c: int, pq_id: int) -> None:
        """Finds nothing new, and reads the queue's message count.

        NO_NEW_MSG: 0 means that it will correct the cell.
        """
        pq = self.consumer[c].process_queue[pq_id]
        require(self.is_called_back(c, pq), pq.next_offset == self.broker.max_offset)
        self.count_messages(pq)

    def count_messages(self, pq: ProcessQueue) -> None:
        """The callback reads the message count."""
        if pq.counted_messages():
            pq.pull_request = PullRequestAt.RUN_QUEUE
        else:
            pq.pull_request = PullRequestAt.CORRECTING

    @CALLBACK.step(
        at(_PULL, "correctTagsOffset", "updateOffset"),
        at("RemoteBrokerOffsetStore", "updateOffset"),
        waits=at_once("poll_ends_without_news", "poll_matches_nothing"),
    )
    def poll_corrects_offset(self, c: int, pq_id: int) -> None:
        """Raises the cell to the next offset, whatever has happened.

        The offset is the pull's; the queue may have been dropped meanwhile.
        """
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        require(pq.pull_request == PullRequestAt.CORRECTING)
        if not (self.setting.behaves(UPDATE_CHECKS_DROPPED) and pq.dropped):
            consumer.raise_cell(pq.next_offset, pq)
        pq.pull_request = PullRequestAt.RUN_QUEUE

    @CALLBACK.step(
        at(_CALLBACK, "onSuccess", "setDropped"),
        waits=(_ANSWERED, CHECKED),
        logs="the pull request offset illegal, {} {}",
    )
    def poll_is_illegal(self, c: int, pq_id: int) -> None:
        """Drops the queue, as the offset is illegal; schedules a repair.

        OFFSET_ILLEGAL: the offset is outside of what is stored. One that is too small becomes the min offset, one
        beyond the end (OFFSET_OVERFLOW_BADLY) the max offset, which is 0 where the queue is empty
        (NO_MESSAGE_IN_QUEUE). One at the end is not illegal (OFFSET_OVERFLOW_ONE): that poll is held.
        """
        pq = self.consumer[c].process_queue[pq_id]
        lowest, highest = self.broker.min_offset, self.broker.max_offset
        require(self.is_called_back(c, pq))
        require(some([pq.next_offset < lowest, pq.next_offset > highest]))
        pq.next_offset = choose(pq.next_offset < lowest, lowest, highest)
        pq.pull_request = PullRequestAt.NONE
        pq.dropped = True
        pq.repair = RepairStep.WAITING

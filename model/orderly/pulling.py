"""Pulling in order: no pull without the lock, and the first one under it asks again where to start.

Stands for the orderly branch of DefaultMQPushConsumerImpl.pullMessage. The one pull thread waits for the answer, and
then sends the pull without another look at `dropped`, at the pause or at the lock. Left out: a stall between the write
of the answer and the sending.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from offsetproof.lang import action, among, at, bound, every, require, some
from offsetproof.lang.record import Pause
from offsetproof.lang.rigging import RigMoment, ThreadStep
from offsetproof.lang.step import in_rig
from offsetproof.model.clustering.filtering import Filtering
from offsetproof.model.clustering.throwing import Throwing
from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.model.orderly.threads import ASKING_PULL, ORDERLY_PULL, PULL_QUERIES
from offsetproof.model.remote.querying import Querying
from offsetproof.model.shared.pulling import DISPATCHED, NEXT_TRY, TAKEN
from offsetproof.model.threads import QUERY, of_client
from offsetproof.model.timers import ON_ITS_WAY, QUERY_TIMEOUT
from offsetproof.model.variants import BROKER_ERROR, OVERTAKE, PULL_REQUEST_LOSS, QUERIES_IN_ORDER
from offsetproof.model.vocabulary import CONSUMERS, PROCESS_QUEUES, PullRequestAt, RebalanceStep, RepairStep

_PULL = "DefaultMQPushConsumerImpl"
_QUERY = [
    at(_PULL, "pullMessage", "computePullFromWhereWithException"),
    at("ConsumerManageProcessor", "queryConsumerOffset", "queryOffset"),
]

_STORES_ANSWER = at("RemoteBrokerOffsetStore", "readOffset", "updateOffset")
SETS_START = at(_PULL, "pullMessage", "setPreviouslyLocked")
_ANSWERS = ("broker_answers_pull", "broker_answers_pull_before_commits", "broker_answers_pull_with_error")
_ASKED = Pause("a query for an offset is on its way", ("pull_asks_for_start",), most=ON_ITS_WAY, source="a request")
_ANSWERED = Pause(
    "an offset is on its way back", ((*_ANSWERS, "pull_finds_start"),), most=2 * ON_ITS_WAY,
    source="an answer, and a request for the max offset",
)  # fmt: skip
UNANSWERED = Pause(
    "a query is not answered", ("pull_asks_for_start",), QUERY_TIMEOUT, QUERY_TIMEOUT + 2 * ON_ITS_WAY,
    "RemoteBrokerOffsetStore.fetchConsumeOffsetFromBroker: 5 s; the pull from -1, and its answer",
)  # fmt: skip


def _without_start(moment: RigMoment) -> dict[str, Any]:
    """The query is not answered, but the pull is: its offset is illegal."""
    pq_id = moment.before[f"consumer[{moment.arg('c')}].pull_start.pq_id"]
    return of_client(moment, answer_query=True, times_out=True, is_answered=True, pq_id=pq_id, size=1)


_WITHOUT_START = ThreadStep("pull", ORDERLY_PULL.rig.threads, None, (QUERY,), _without_start, within=(SETS_START,))
"""One step of two threads."""


class LockedPulling(Filtering, Throwing, Querying, OrderlyGroup):
    """What the pull thread does under a lock."""

    @ORDERLY_PULL.step(
        at(_PULL, "pullMessage", "isDropped"),
        at(_PULL, "pullMessage", "isLocked"),
        waits=(DISPATCHED, NEXT_TRY, TAKEN),
        rig=replace(ORDERLY_PULL.rig, whole=True),
        logs="pull message later because not locked in broker, {}",
    )
    def consumer_pulls(self, c: int, pq_id: int) -> None:
        """Pulls with the cell, unless dropped or not locked.

        On a dropped queue the PullRequest is discarded. Where the queue is not locked, the consumer paused or the cache
        full, the pull is tried again later. That a lock has expired is not looked at.
        """
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        require(consumer.pull_start.at == RebalanceStep.IDLE)
        require(some([pq.dropped, every([pq.locked, pq.previously_locked])]))
        super().consumer_pulls(c, pq_id)

    @action(
        c=CONSUMERS, pq_id=PROCESS_QUEUES, actor="consumer[c]", thread="pull", fault=PULL_REQUEST_LOSS,
        stands_for=[at("PullMessageService", "run", "error")],
    )  # fmt: skip
    def pull_request_is_lost(self, c: int, pq_id: int) -> None:
        """Throws, and the exception is swallowed: nobody pulls any more.

        It is the one pull thread that throws, so not while it asks for a start.
        """
        require(self.consumer[c].pull_start.at == RebalanceStep.IDLE)
        super().pull_request_is_lost(c, pq_id)

    @ORDERLY_PULL.step(at(_PULL, "pullMessage", "isPreviouslyLocked"), waits=(DISPATCHED, TAKEN))
    def pull_asks_for_start(self, c: int, pq_id: int) -> None:
        """Finds the queue locked for the first time, and asks again where to start."""
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        require(
            consumer.pull_start.at == RebalanceStep.IDLE, pq.pull_request == PullRequestAt.RUN_QUEUE, not pq.dropped
        )
        require(not consumer.paused, pq.locked, not pq.previously_locked)
        consumer.pull_start.at = RebalanceStep.DIRTY_REMOVED
        consumer.pull_start.pq_id = pq_id

    @PULL_QUERIES.step(*_QUERY, waits=_ASKED)
    def broker_answers_pull(self, c: int) -> None:
        """Answers the pull's offset query after this client's older commits."""
        require(self.consumer[c].commits.count == 0)
        self.answer_query(self.consumer[c].pull_start)

    @PULL_QUERIES.step(*_QUERY, waits=_ASKED, fault=OVERTAKE)
    def broker_answers_pull_before_commits(self, c: int) -> None:
        """Answers the pull's offset query before this client's older commits."""
        require(self.consumer[c].commits.count > 0, not self.setting.assumes(QUERIES_IN_ORDER))
        self.answer_query(self.consumer[c].pull_start)

    @PULL_QUERIES.step(
        *_QUERY,
        waits=_ASKED,
        rig=in_rig(QUERY, answer_query=True, with_error=True).of(ORDERLY_PULL.rig),
        fault=BROKER_ERROR,
    )
    def broker_answers_pull_with_error(self, c: int) -> None:
        """Answers the pull's query with an error, read as `no offset stored`."""
        self.fail_query(self.consumer[c].pull_start)

    @ASKING_PULL.step(
        at(_PULL, "pullMessage", "setNextOffset"),
        at("DefaultMQPushConsumerImpl.PullCallback", "onSuccess", "setDropped"),
        waits=UNANSWERED,
        rig=_WITHOUT_START,
        fault=BROKER_ERROR,
        logs="the pull request offset illegal, {} {}",
    )
    def pull_goes_on_without_start(self, c: int) -> None:
        """Gets no answer at all, and pulls from -1: the queue is dropped.

        The broker answers that such an offset is illegal, with the lowest stored one; a repair follows.
        """
        run = self.consumer[c].pull_start
        pq_id = run.pq_id
        require(run.at == RebalanceStep.DIRTY_REMOVED, pq_id is not None)
        bound(self.consumer[c].subscribed)
        if pq_id is not None:
            pq = self.consumer[c].process_queue[pq_id]
            pq.previously_locked = True
            pq.pull_request = PullRequestAt.NONE
            pq.next_offset = self.broker.min_offset
            pq.dropped = True
            pq.repair = RepairStep.WAITING
        run.reset()

    @ASKING_PULL.step(at("RebalancePushImpl", "computePullFromWhereWithException", "maxOffset"), waits=_ANSWERED)
    def pull_finds_start(self, c: int) -> None:
        """Finds no stored offset: the rule says where to start.

        LAST_OFFSET asks for the max offset now.
        """
        self.find_start(self.consumer[c].pull_start)

    @ASKING_PULL.step(
        at(_PULL, "pullMessage", "setPreviouslyLocked"),
        at(_PULL, "pullMessage", "readOffset"),
        waits=_ANSWERED,
        rig=in_rig(_STORES_ANSWER, also=[SETS_START], within=[SETS_START]),
        counts_as="consumer_pulls",
        logs="the first time to pull message, so fix offset from broker. pullRequest: {} NewOffset: {} brokerBusy: {}",
    )
    def pull_is_sent_with_new_start(self, c: int) -> None:
        """Pulls from the answer, which becomes the cell as well.

        What was only computed, because nothing is stored, does not become the cell. One that has unsubscribed sends
        nothing, and tries again three seconds later.
        """
        consumer = self.consumer[c]
        run = consumer.pull_start
        pq_id = run.pq_id
        require(among(run.at, RebalanceStep.QUERIED, RebalanceStep.START_KNOWN), pq_id is not None)
        if run.at == RebalanceStep.QUERIED:
            consumer.set_cell(run.start)
        if pq_id is not None:
            pq = consumer.process_queue[pq_id]
            pq.previously_locked = True
            pq.next_offset = run.start
            pq.ghost_after_landing = run.ghost_after_landing
            if consumer.subscribed:
                self.send_pull(consumer, pq)
            else:
                pq.pull_request = PullRequestAt.RUN_QUEUE
        run.reset()

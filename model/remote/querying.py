"""Querying: a rebalance run asks the broker for the stored offset before it adds a queue.

Stands for RebalancePushImpl.computePullFromWhereWithException with RemoteBrokerOffsetStore.readOffset, and
ConsumerManageProcessor.queryConsumerOffset. Where nothing is stored the broker answers 0 as long as the queue is empty
or its offset 0 is in memory; after that, or after retention, it says that it knows nothing.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.lang import at, require
from offsetproof.lang.record import Pause
from offsetproof.lang.step import in_rig
from offsetproof.model.releases import ONLY_CODE_22
from offsetproof.model.shared.consumer import Consumer, RebalanceRun
from offsetproof.model.shared.starting import FINDS_START, Starting
from offsetproof.model.threads import QUERIES, QUERY_ANSWER, REBALANCE, values_at_answer
from offsetproof.model.timers import ON_ITS_WAY
from offsetproof.model.variants import (
    BROKER_ERROR,
    OFFSET_ZERO_COLD,
    OVERTAKE,
    QUERIES_IN_ORDER,
    START_STORED,
)
from offsetproof.model.vocabulary import Origin, RebalanceStep

_ASKED = Pause(
    "a query for an offset is on its way", ("rebalance_removes_dirty_offset",), most=ON_ITS_WAY, source="a request"
)
_ANSWERED = Pause(
    "an offset is on its way back",
    (("broker_answers_query", "broker_answers_query_before_commits", "broker_answers_query_with_error"),),
    most=2 * ON_ITS_WAY,
    source="an answer, and a request for the max offset",
)
_WITH_ERROR = replace(QUERY_ANSWER, values=lambda moment: values_at_answer(moment, with_error=True))
_QUERY = [
    at("RebalancePushImpl", "computePullFromWhereWithException", "readOffset"),
    at("ConsumerManageProcessor", "queryConsumerOffset", "queryOffset"),
]


class Querying(Starting):
    """What a rebalance run asks the broker, and what it makes of the answers."""

    @QUERIES.step(*_QUERY, waits=_ASKED)
    def broker_answers_query(self, c: int, r: int) -> None:
        """Answers the offset query after this client's older commits."""
        require(self.consumer[c].commits.count == 0)
        self.answer_query(self.consumer[c].rebalance[r])

    @QUERIES.step(*_QUERY, waits=_ASKED, fault=OVERTAKE)
    def broker_answers_query_before_commits(self, c: int, r: int) -> None:
        """Answers the offset query before this client's older commits."""
        require(self.consumer[c].commits.count > 0, not self.setting.assumes(QUERIES_IN_ORDER))
        self.answer_query(self.consumer[c].rebalance[r])

    def answer_query(self, run: RebalanceRun) -> None:
        """The stored offset; without one 0 where offset 0 is in memory or the queue is empty; else QUERY_NOT_FOUND."""
        require(run.at == RebalanceStep.DIRTY_REMOVED)
        committed = self.broker.committed
        run.ghost_after_landing = self.starts_after_landing()
        self.ghost_group_deleted = False
        if committed is not None:
            run.start = committed
            run.at = RebalanceStep.QUERIED
            return
        if not self.broker.answers_zero():
            run.at = RebalanceStep.NOT_FOUND
        else:
            require(self.broker.max_offset == 0 or not self.setting.assumes(OFFSET_ZERO_COLD))
            self.note_first_start(self.meant_start(self.broker.max_offset))
            run.start = 0
            run.at = RebalanceStep.QUERIED

    @QUERIES.step(*_QUERY, waits=_ASKED, rig=_WITH_ERROR, fault=BROKER_ERROR)
    def broker_answers_query_with_error(self, c: int, r: int) -> None:
        """Answers with an error, which is read as `no offset stored`."""
        self.fail_query(self.consumer[c].rebalance[r])

    def fail_query(self, run: RebalanceRun) -> None:
        """The query is answered with an error."""
        require(run.at == RebalanceStep.DIRTY_REMOVED)
        if self.setting.behaves(ONLY_CODE_22):
            run.reset()
        else:
            run.ghost_after_landing = self.starts_after_landing()
            run.at = RebalanceStep.NOT_FOUND

    @REBALANCE.step(
        at("RebalancePushImpl", "computePullFromWhereWithException", "maxOffset"),
        waits=_ANSWERED,
        rig=in_rig(*FINDS_START),
    )
    def rebalance_finds_start(self, c: int, r: int) -> None:
        """Finds no stored offset: the rule says where to start.

        LAST_OFFSET asks for the max offset now.
        """
        consumer = self.consumer[c]
        run = consumer.rebalance[r]
        self.find_start(run)
        if self.setting.behaves(START_STORED):
            self.store_start(consumer, run)
            consumer.send_commit(Origin.PROGRESS)

    @REBALANCE.step(
        at("RebalancePushImpl", "computePullFromWhereWithException", "maxOffset"),
        waits=_ANSWERED,
        rig=in_rig(*FINDS_START, fails=True),
        fault=BROKER_ERROR,
        logs="doRebalance, {}, compute offset failed, {}",
    )
    def rebalance_fails_to_find_start(self, c: int, r: int) -> None:
        """Gets no answer, and leaves the queue for the next run.

        The request for the max offset or the search by time fails.
        """
        run = self.consumer[c].rebalance[r]
        require(run.at == RebalanceStep.NOT_FOUND)
        run.reset()

    @REBALANCE.step(at("RemoteBrokerOffsetStore", "readOffset", "updateOffset"), waits=_ANSWERED)
    def rebalance_stores_start(self, c: int, r: int) -> None:
        """Writes the answer into the cell, whatever stands there."""
        consumer = self.consumer[c]
        run = consumer.rebalance[r]
        require(run.at == RebalanceStep.QUERIED)
        self.store_start(consumer, run)
        if self.setting.behaves(START_STORED) and run.start == 0:
            consumer.send_commit(Origin.PROGRESS)
        run.at = RebalanceStep.STORED

    def store_start(self, consumer: Consumer, run: RebalanceRun) -> None:
        """Writes a run's start into the cell."""
        consumer.set_cell(run.start)

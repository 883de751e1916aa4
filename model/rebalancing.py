"""Rebalancing: a consumer gives the queue up or takes it, each in several steps, by its own view of the group.

Stands for RebalanceImpl.updateProcessQueueTableInRebalance:329 and RebalancePushImpl. Left out: how a view comes about
(any consumer may at any time come to believe anything, within the scope's budget), a run between its test for pause
and its first step, two runs at once, pull-expired
queues, locks (orderly consumption), failed queries, and the ConsumeFromWhere rules: a group without offset starts at
0, as the broker of 4.9.4 answers while offset 0 is stored and in memory.
"""

from __future__ import annotations

from collections.abc import Callable

from offsetproof.lang import Anchor, action, at, bound, require
from offsetproof.lang.action import Method
from offsetproof.model.group import Group
from offsetproof.model.variants import OVERTAKE, QUERIES_IN_ORDER
from offsetproof.model.vocabulary import CONSUMERS, Aftermath, Origin, RebalanceStep, Token

_TABLE = "updateProcessQueueTableInRebalance"
_QUERY = [
    at("RebalancePushImpl", "computePullFromWhereWithException", 153),
    at("ConsumerManageProcessor", "queryConsumerOffset", 119),
]


def _rebalance(*stands_for: Anchor, logs: str | None = None) -> Callable[[Method], Method]:
    """An action of the rebalance thread."""
    return action(c=CONSUMERS, actor="consumer[c]", thread="rebalance", stands_for=stands_for, logs=logs)


class Rebalancing(Group):
    """What the rebalance thread does with the one queue."""

    @action(
        c=CONSUMERS,
        actor="group",
        thread="membership",
        stands_for=[at("RebalanceImpl", "rebalanceByTopic", 282, "allocate")],
    )
    def view_changes(self, c: int) -> None:
        """A consumer comes to believe that the queue is its own, or no longer its own; the others need not agree."""
        require(self.view_changes_left > 0)
        self.view_changes_left = self.view_changes_left - 1
        self.consumer[c].believes_allocated = not self.consumer[c].believes_allocated

    @_rebalance(at("RebalanceImpl", _TABLE, 341, "setDropped"))
    def rebalance_drops_queue(self, c: int) -> None:
        """The run begins (unless paused), finds the queue no longer allocated, and marks its life dropped."""
        consumer = self.consumer[c]
        life = consumer.process_queue_table
        require(consumer.rebalance.at == RebalanceStep.IDLE, not consumer.paused, not consumer.believes_allocated)
        require(life is not None)
        if life is not None:
            consumer.process_queue[life].dropped = True
        consumer.rebalance.at = RebalanceStep.DROPPED

    @_rebalance(
        at("RebalancePushImpl", "removeUnnecessaryMessageQueue", 86, "persist"),
        logs="[persist] Group: {} ClientId: {} updateConsumeOffsetToBroker {} {}",
    )
    def rebalance_persists(self, c: int) -> None:
        """The cell, if there is one, is sent one-way."""
        consumer = self.consumer[c]
        require(consumer.rebalance.at == RebalanceStep.DROPPED)
        consumer.send_commit(Origin.PROGRESS)
        consumer.rebalance.at = RebalanceStep.PERSISTED

    @_rebalance(
        at("RebalancePushImpl", "removeUnnecessaryMessageQueue", 87, "removeOffset"),
        logs="remove unnecessary messageQueue offset. group={}, mq={}, offsetTableSize={}",
    )
    def rebalance_removes_offset(self, c: int) -> None:
        """The cell is removed."""
        consumer = self.consumer[c]
        require(consumer.rebalance.at == RebalanceStep.PERSISTED)
        consumer.cell = None
        consumer.rebalance.at = RebalanceStep.OFFSET_REMOVED

    @_rebalance(at("RebalanceImpl", _TABLE, 343, "it.remove"), logs="doRebalance, {}, remove unnecessary mq, {}")
    def rebalance_removes_queue(self, c: int) -> None:
        """Whatever life is in the table leaves it: the removal is by queue."""
        consumer = self.consumer[c]
        require(consumer.rebalance.at == RebalanceStep.OFFSET_REMOVED)
        consumer.process_queue_table = None
        consumer.rebalance.at = RebalanceStep.IDLE

    @_rebalance(at("RebalanceImpl", _TABLE, 375, "removeDirtyOffset"))
    def rebalance_removes_dirty_offset(self, c: int) -> None:
        """The run begins (unless paused), finds an allocated queue not in the table, and removes a left-over cell."""
        consumer = self.consumer[c]
        require(consumer.rebalance.at == RebalanceStep.IDLE, not consumer.paused, consumer.believes_allocated)
        require(consumer.process_queue_table is None)
        bound(consumer.lives_created < self.scope.lives)
        consumer.cell = None
        consumer.rebalance.at = RebalanceStep.DIRTY_REMOVED

    @action(c=CONSUMERS, actor="broker", thread="consumer manage", stands_for=_QUERY)
    def broker_answers_query(self, c: int) -> None:
        """The broker executes the run's offset query, after all commits that this client sent before."""
        require(self.consumer[c].commits.count == 0)
        self._answer(c)

    @action(c=CONSUMERS, actor="broker", thread="consumer manage", fault=OVERTAKE, stands_for=_QUERY)
    def broker_answers_query_before_commits(self, c: int) -> None:
        """The broker executes the run's offset query before commits that this client sent earlier."""
        require(self.consumer[c].commits.count > 0, not self.setting.assumes(QUERIES_IN_ORDER))
        self._answer(c)

    def _answer(self, c: int) -> None:
        run = self.consumer[c].rebalance
        require(run.at == RebalanceStep.DIRTY_REMOVED)
        committed = self.broker.committed
        run.start = 0 if committed is None else committed
        run.ghost_after_landing = self.ghost_landed
        run.at = RebalanceStep.QUERIED

    @_rebalance(at("RemoteBrokerOffsetStore", "readOffset", 93, "updateOffset"))
    def rebalance_stores_start(self, c: int) -> None:
        """The answer is written into the cell, whatever stands there."""
        consumer = self.consumer[c]
        require(consumer.rebalance.at == RebalanceStep.QUERIED)
        consumer.cell = consumer.rebalance.start
        for pq in consumer.process_queue:
            if pq.ghost_aftermath == Aftermath.DROPPED:
                pq.ghost_aftermath = Aftermath.OVERWRITTEN
        consumer.rebalance.at = RebalanceStep.STORED

    @_rebalance(
        at("RebalanceImpl", _TABLE, 387, "putIfAbsent"),
        at("RebalancePushImpl", "dispatchPullRequest", 230),
    )
    def rebalance_adds_queue(self, c: int) -> None:
        """A new ProcessQueue enters the table, unless one is there, and its token goes to the run queue."""
        consumer = self.consumer[c]
        run = consumer.rebalance
        require(run.at == RebalanceStep.STORED)
        if consumer.process_queue_table is None:
            life = consumer.lives_created
            pq = consumer.process_queue[life]
            pq.reset()
            pq.next_offset = run.start
            pq.token = Token.RUN_QUEUE
            pq.ghost_after_landing = run.ghost_after_landing
            consumer.process_queue_table = life
            consumer.lives_created = life + 1
        run.reset()

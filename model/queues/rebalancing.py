"""Rebalancing: a client asks a broker for the members, computes its queues, and gives queues up or takes them.

Stands for RebalanceImpl.rebalanceByTopic and updateProcessQueueTableInRebalance. A run allocates once, goes over the
table to drop what is not allocated, and then over what is allocated to add what is not in the table, each in the order
of the queues. It tests a queue where it has done with the one before; a run that has nothing to do is not a step. Where
the scope has two, the thread that resumes has one of its own. Left out, and in the model of one queue: queries that
fail or are overtaken, and queues that were not pulled for two minutes.
"""

from __future__ import annotations

from collections.abc import Callable

from offsetproof.lang import Anchor, OffsetSet, action, at, negation, require
from offsetproof.lang.action import Method
from offsetproof.model.queues.client import Client, RebalanceRun
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.vocabulary import BROKERS, CONSUMERS, RUNS, RebalanceStep, ResetStep
from offsetproof.model.vocabulary import Rebalancer

_TABLE, _TRUNCATE = "updateProcessQueueTableInRebalance", "truncateMessageQueueNotMyTopic"


def _run_action(*stands_for: Anchor, logs: str | None = None) -> Callable[[Method], Method]:
    """A run's next action at the queue that it is at."""
    return action(c=CONSUMERS, r=RUNS, actor="client[c]", thread="rebalance", stands_for=stands_for, logs=logs)


class Rebalancing(QueueGroup):
    """What the rebalance threads do."""

    @action(
        c=CONSUMERS, r=RUNS, b=BROKERS, actor="client[c]", thread="rebalance",
        stands_for=[at("RebalanceImpl", "rebalanceByTopic", "findConsumerIdList")],
        logs="[BUG] ConsumerGroup: {} The consumerId: {} not in cidAll: {}",
    )  # fmt: skip
    def client_reads_members(self, c: int, r: int, b: int) -> None:
        """Asks a broker for the members, allocates by strategy, and finds the first queue to drop or to add.

        It may be any one of the topic's brokers. One that knows no member gives an error, and the client keeps what it
        has. A paused client's run does nothing; resume's own run is only there after it.
        """
        client = self.client[c]
        run = client.rebalance[r]
        require(run.at == RebalanceStep.IDLE, negation(client.paused), self.registry[b].members.count() > 0)
        require(client.running, client.subscribed)
        require(negation(self.is_rebalanced(c, self.registry[b])))
        if r == Rebalancer.RESUME:
            require(client.reset_run.at == ResetStep.RESUMED)
            client.reset_run.at = ResetStep.REBALANCING
        run.allocated = self.registry[b].allocated_to(c)
        run.ahead = client.first_listed(0)
        self._find_unallocated(c, run)

    def _find_unallocated(self, c: int, run: RebalanceRun) -> None:
        """The loop over the table comes to the next queue to drop; if there is none, the run finds one to add."""
        client = self.client[c]
        found, ahead = client.come_to(run.ahead, OffsetSet.below(self.scope.queues) - run.allocated)
        if found < self.scope.queues:
            run.queue, run.ahead, run.at = found, ahead, RebalanceStep.UNALLOCATED
        else:
            self._find_missing(client, run, 0)

    def _find_missing(self, client: Client, run: RebalanceRun, since: int) -> None:
        """The loop over the allocation comes to the next queue to add; if there is none, the run is over."""
        missing = run.allocated - client.process_queue_table - OffsetSet.below(since)
        found = missing.lowest(default=self.scope.queues)
        if found < self.scope.queues:
            run.queue, run.at = found, RebalanceStep.MISSING
        else:
            run.reset()

    @_run_action(at("RebalanceImpl", _TABLE, "setDropped"))
    def rebalance_drops_queue(self, c: int, r: int) -> None:
        """Drops the ProcessQueue of a queue that is not allocated."""
        client = self.client[c]
        run = client.rebalance[r]
        require(run.at == RebalanceStep.UNALLOCATED)
        if client.process_queue_table.has(run.queue):
            client.drop(run.queue)
        run.at = RebalanceStep.DROPPED

    @_run_action(at("RebalancePushImpl", "removeUnnecessaryMessageQueue", "persist"))
    def rebalance_persists(self, c: int, r: int) -> None:
        """Sends the queue's cell one-way, if there is one."""
        client = self.client[c]
        run = client.rebalance[r]
        require(run.at == RebalanceStep.DROPPED)
        client.share[run.queue].send_commit()
        run.at = RebalanceStep.PERSISTED

    @_run_action(
        at("RebalancePushImpl", "removeUnnecessaryMessageQueue", "removeOffset"),
        at("RebalanceImpl", _TABLE, "Iterator.remove"),
        logs="doRebalance, {}, remove unnecessary mq, {}",
    )
    def rebalance_removes_queue(self, c: int, r: int) -> None:
        """Removes the cell, takes the queue out of the table, and goes on to the next."""
        run = self.client[c].rebalance[r]
        require(run.at == RebalanceStep.PERSISTED)
        self.client[c].remove_queue(run.queue)
        self._find_unallocated(c, run)

    @_run_action(
        at("RebalanceImpl", _TABLE, "removeDirtyOffset"),
        at("RebalancePushImpl", "computePullFromWhereWithException", "readOffset"),
    )
    def rebalance_asks_for_offset(self, c: int, r: int) -> None:
        """Removes a left-over cell of a queue that it found missing, and gets its offset.

        Another run may have added the queue since. The broker answers after this client's older commits of the queue.
        """
        run = self.client[c].rebalance[r]
        require(run.at == RebalanceStep.MISSING)
        share, queue = self.client[c].share[run.queue], self.queue[run.queue]
        require(share.commits.count == 0)
        share.cell = None
        run.start = queue.committed
        run.ghost_after_landing = queue.has_landed()
        run.at = RebalanceStep.ANSWERED

    @_run_action(at("RemoteBrokerOffsetStore", "readOffset", "updateOffset"))
    def rebalance_stores_start(self, c: int, r: int) -> None:
        """Writes the answer into the cell, whatever stands there."""
        client = self.client[c]
        run = client.rebalance[r]
        require(run.at == RebalanceStep.ANSWERED)
        client.share[run.queue].cell = run.start
        run.at = RebalanceStep.STORED

    @_run_action(at("RebalanceImpl", _TABLE, "putIfAbsent"))
    def rebalance_adds_queue(self, c: int, r: int) -> None:
        """Puts the queue into the table, unless it is there already, and goes on to the next."""
        client = self.client[c]
        run = client.rebalance[r]
        require(run.at == RebalanceStep.STORED)
        q = run.queue
        if not client.process_queue_table.has(q):
            client.process_queue_table = client.process_queue_table.add(q)
            client.share[q].position = run.start
            client.share[q].ghost_after_landing = run.ghost_after_landing
            client.share[q].ghost_wrote = False
        self._find_missing(client, run, q + 1)

    @_run_action(
        at("RebalanceImpl", _TRUNCATE, "remove"),
        at("RebalanceImpl", _TRUNCATE, "setDropped"),
        logs="doRebalance, {}, truncateMessageQueueNotMyTopic remove unnecessary mq, {}",
    )
    def rebalance_truncates_table(self, c: int, r: int) -> None:
        """Takes the next queue of a topic that was given up out of the table, and drops it.

        Neither its cell nor the broker is told.
        """
        client = self.client[c]
        require(r == Rebalancer.SERVICE, client.rebalance[r].at == RebalanceStep.IDLE, negation(client.paused))
        require(negation(client.subscribed), client.process_queue_table.count() > 0)
        client.truncate_queue(client.process_queue_table.lowest(default=self.scope.queues - 1))

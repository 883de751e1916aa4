"""Rebalancing: a client asks a broker for the members, computes its queues, and gives queues up or takes them.

Stands for RebalanceImpl.rebalanceByTopic and updateProcessQueueTableInRebalance. A run does one queue after the other,
in any order. Where the scope has two, the thread that resumes has one of its own. Left out, and in the model of one
queue: queries that fail or are overtaken, queues that were not pulled for two minutes, topics that are given up.
"""

from __future__ import annotations

from collections.abc import Callable

from offsetproof.lang import Anchor, action, at, choose, every, negation, require
from offsetproof.lang.action import Method
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.vocabulary import BROKERS, CONSUMERS, MEMBERS, QUEUES, RUNS, RebalanceStep, ResetStep
from offsetproof.model.vocabulary import Rebalancer

_TABLE = "updateProcessQueueTableInRebalance"


def _begins(*stands_for: Anchor) -> Callable[[Method], Method]:
    """A run's first action at a queue."""
    return action(c=CONSUMERS, r=RUNS, q=QUEUES, actor="client[c]", thread="rebalance", stands_for=stands_for)


def _goes_on(*stands_for: Anchor, logs: str | None = None) -> Callable[[Method], Method]:
    """A run's next action at the queue that it is at."""
    return action(c=CONSUMERS, r=RUNS, actor="client[c]", thread="rebalance", stands_for=stands_for, logs=logs)


class Rebalancing(QueueGroup):
    """What brokers hear of the group, and what the rebalance threads do."""

    @action(
        m=MEMBERS, b=BROKERS, actor="broker", thread="membership",
        stands_for=[
            at("ConsumerManager", "registerConsumer", "updateChannel"),
            at("ConsumerManager", "doChannelCloseEvent", "doChannelCloseEvent"),
        ],
    )  # fmt: skip
    def membership_changes(self, m: int, b: int) -> None:
        """Hears that a member has come or gone.

        The broker may be wrong for a while; another one may know better.
        """
        require(self.view_changes_left > 0)
        self.view_changes_left = self.view_changes_left - 1
        known = self.registry[b].members
        self.registry[b].members = choose(known.has(m), known.remove(m), known.add(m))

    @action(
        c=CONSUMERS, b=BROKERS, actor="client[c]", thread="rebalance",
        stands_for=[at("RebalanceImpl", "rebalanceByTopic", "findConsumerIdList")],
        logs="[BUG] ConsumerGroup: {} The consumerId: {} not in cidAll: {}",
    )  # fmt: skip
    def client_reads_members(self, c: int, b: int) -> None:
        """Asks a broker for the members, and allocates by strategy.

        It may be any one of the topic's brokers. One that knows no member gives an error, and the client keeps what it
        has.
        """
        client = self.client[c]
        mine = self.registry[b].allocated_to(c)
        require(self.registry[b].members.count() > 0, client.allocated != mine)
        client.allocated = mine

    @_begins(at("RebalanceImpl", _TABLE, "setDropped"))
    def rebalance_drops_queue(self, c: int, r: int, q: int) -> None:
        """Finds a queue no longer allocated, and drops its ProcessQueue."""
        client = self.client[c]
        require(self._may_begin(c, r), not client.allocated.has(q), client.process_queue_table.has(q))
        client.drop(q)
        self._begin(c, r, q, RebalanceStep.DROPPED)

    @_goes_on(at("RebalancePushImpl", "removeUnnecessaryMessageQueue", "persist"))
    def rebalance_persists(self, c: int, r: int) -> None:
        """Sends the queue's cell one-way, if there is one."""
        client = self.client[c]
        run = client.rebalance[r]
        require(run.at == RebalanceStep.DROPPED)
        client.share[run.queue].send_commit()
        run.at = RebalanceStep.PERSISTED

    @_goes_on(
        at("RebalancePushImpl", "removeUnnecessaryMessageQueue", "removeOffset"),
        at("RebalanceImpl", _TABLE, "Iterator.remove"),
        logs="doRebalance, {}, remove unnecessary mq, {}",
    )
    def rebalance_removes_queue(self, c: int, r: int) -> None:
        """Removes the cell, and takes the queue out of the table."""
        run = self.client[c].rebalance[r]
        require(run.at == RebalanceStep.PERSISTED)
        self.client[c].remove_queue(run.queue)
        run.reset()

    @_begins(
        at("RebalanceImpl", _TABLE, "removeDirtyOffset"),
        at("RebalancePushImpl", "computePullFromWhereWithException", "readOffset"),
    )
    def rebalance_asks_for_offset(self, c: int, r: int, q: int) -> None:
        """Removes a left-over cell of an unlisted queue, and gets its offset.

        The broker answers after this client's older commits of the queue.
        """
        client = self.client[c]
        share = client.share[q]
        require(self._may_begin(c, r), client.allocated.has(q), not client.process_queue_table.has(q))
        require(share.commits.count == 0)
        share.cell = None
        run = client.rebalance[r]
        run.start = self.queue[q].committed
        run.ghost_after_landing = self.queue[q].has_landed()
        self._begin(c, r, q, RebalanceStep.ANSWERED)

    @_goes_on(at("RemoteBrokerOffsetStore", "readOffset", "updateOffset"))
    def rebalance_stores_start(self, c: int, r: int) -> None:
        """Writes the answer into the cell, whatever stands there."""
        client = self.client[c]
        run = client.rebalance[r]
        require(run.at == RebalanceStep.ANSWERED)
        client.share[run.queue].cell = run.start
        run.at = RebalanceStep.STORED

    @_goes_on(at("RebalanceImpl", _TABLE, "putIfAbsent"))
    def rebalance_adds_queue(self, c: int, r: int) -> None:
        """Puts the queue into the table, unless it is there already."""
        client = self.client[c]
        run = client.rebalance[r]
        require(run.at == RebalanceStep.STORED)
        q = run.queue
        if not client.process_queue_table.has(q):
            client.process_queue_table = client.process_queue_table.add(q)
            client.share[q].position = run.start
            client.share[q].ghost_after_landing = run.ghost_after_landing
            client.share[q].ghost_wrote = False
        run.reset()

    def _may_begin(self, c: int, r: int) -> bool:
        """May this run turn to a queue? A paused client's does not; resume's own run is only there after it."""
        client = self.client[c]
        ready = [client.rebalance[r].at == RebalanceStep.IDLE, negation(client.paused)]
        if r == Rebalancer.RESUME:
            ready.append(client.reset_run.at == ResetStep.RESUMED)
        return every(ready)

    def _begin(self, c: int, r: int, q: int, step: RebalanceStep) -> None:
        self.client[c].rebalance[r].queue = q
        self.client[c].rebalance[r].at = step

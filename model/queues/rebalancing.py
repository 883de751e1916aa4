"""Rebalancing: a client asks a broker for the members, computes its queues, and gives queues up or takes them.

Stands for RebalanceImpl.rebalanceByTopic and updateProcessQueueTableInRebalance. A run allocates once, goes over the
table to drop what is not allocated, and then over what is allocated to add what is not in the table, each in the order
of the queues. It tests a queue where it has done with the one before; a run that has nothing to do is not a step. Where
the scope has two, the thread that resumes has one of its own. Left out, and in the model of one queue: queries that
fail or are overtaken, and queues that were not pulled for two minutes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from offsetproof.lang import OffsetSet, at, negation, require
from offsetproof.lang.record import Pause, at_once
from offsetproof.lang.rigging import RigMoment
from offsetproof.lang.step import in_rig
from offsetproof.model.places import PERSISTS
from offsetproof.model.queues.client import Client, TopicRebalance
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.threads import REBALANCE, client_at, of_client, run_at
from offsetproof.model.queues.vocabulary import BROKERS, TableResetStep, TopicRebalanceStep
from offsetproof.model.shared.rebalancing import APART, RESUMED
from offsetproof.model.threads import QUERY
from offsetproof.model.timers import ON_ITS_WAY, REBALANCE_EVERY
from offsetproof.model.vocabulary import Rebalancer

_TABLE, _TRUNCATE = "updateProcessQueueTableInRebalance", "truncateMessageQueueNotMyTopic"
READS_MEMBERS = at("RebalanceImpl", "rebalanceByTopic", "findConsumerIdList")
ASKS = (
    at("RebalanceImpl", _TABLE, "removeDirtyOffset"),
    at("RebalancePushImpl", "computePullFromWhereWithException", "readOffset"),
)
_DROPS_TRUNCATED = at("RebalanceImpl", _TRUNCATE, "setDropped")

_HEARD = ("membership_changes", "member_is_heard", "client_is_unregistered")
_LAST_STEPS = ("rebalance_removes_queue", "rebalance_adds_queue")
_ROUND = Pause(
    "a rebalance is late",
    (_HEARD, ("reset_resumes", "client_starts", "repair_removes_offset"), _LAST_STEPS),
    most=REBALANCE_EVERY,
    source="RebalanceService: waitInterval, or earlier when it is woken", same=("c", "b"),
)  # fmt: skip
_ROUND_WITHOUT_TOPIC = replace(_ROUND, after=(("application_unsubscribes", *_LAST_STEPS),), same=("c",))
_APART = replace(APART, after=(("client_reads_members", *_LAST_STEPS),))
_NEXT_QUEUE = at_once("client_reads_members", *_LAST_STEPS)
_ANSWER = Pause("an offset is on its way back", ("rebalance_asks_for_offset",), most=2 * ON_ITS_WAY, source="an answer")


def _persists(moment: RigMoment) -> dict[str, Any]:
    """Which queue's cell is sent."""
    queue = moment.before[f"{run_at(moment)}.queue"]
    return of_client(moment, queue=queue, forgets_commit=leaves_commit_out(moment, queue))


def leaves_commit_out(moment: RigMoment, queue: int) -> bool:
    """Is the commit of a cell that is sent left out? That is so in a scope without messages."""
    share = f"{client_at(moment)}.share[{queue}]"
    is_kept = moment.before[f"{share}.commits.count"] == moment.after[f"{share}.commits.count"]
    return is_kept if moment.before[f"{share}.cell"] is not None else False


def at_query(moment: RigMoment, **values: Any) -> dict[str, Any]:
    """The query of the queue's offset is answered at once, or has timed out."""
    return of_client(moment, answer_query=True, queue=moment.before[f"{run_at(moment)}.queue"], **values)


def _adds(moment: RigMoment) -> dict[str, Any]:
    """Which queue is added, and from where it is consumed."""
    run = run_at(moment)
    return of_client(moment, queue=moment.before[f"{run}.queue"], start=moment.before[f"{run}.start"])


class RebalancingByTopic(QueueGroup):
    """What the rebalance threads do."""

    @REBALANCE.step(
        READS_MEMBERS,
        waits=(_ROUND, _APART, RESUMED),
        rig=in_rig(call="rebalance", asks=lambda moment: moment.arg("b")),
        logs="[BUG] ConsumerGroup: {} The consumerId: {} not in cidAll: {}",
        b=BROKERS,
    )
    def client_reads_members(self, c: int, r: int, b: int) -> None:
        """Asks a broker for the members, allocates by strategy, and finds the first queue to drop or to add.

        It may be any one of the topic's brokers. One that knows no member gives an error, and the client keeps what it
        has. A paused client's run does nothing; resume's own run is only there after it.
        """
        client = self.client[c]
        run = client.rebalance[r]
        require(run.at == TopicRebalanceStep.IDLE, negation(client.paused), self.registry[b].members.count() > 0)
        require(client.running, client.subscribed)
        require(negation(self.is_rebalanced(c, self.registry[b])))
        if r == Rebalancer.RESUME:
            require(client.reset_run.at == TableResetStep.RESUMED)
            client.reset_run.at = TableResetStep.REBALANCING
        run.allocated = self.registry[b].allocated_to(c)
        run.ahead = client.first_listed(0)
        self.find_unallocated(c, run)

    def find_unallocated(self, c: int, run: TopicRebalance) -> None:
        """The loop over the table comes to the next queue to drop; if there is none, the run finds one to add."""
        client = self.client[c]
        found, ahead = client.come_to(run.ahead, OffsetSet.below(self.scope.queues) - run.allocated)
        if found < self.scope.queues:
            run.queue, run.ahead, run.at = found, ahead, TopicRebalanceStep.UNALLOCATED
        else:
            self.find_missing(client, run, 0)

    def find_missing(self, client: Client, run: TopicRebalance, since: int) -> None:
        """The loop over the allocation comes to the next queue to add; if there is none, the run is over."""
        missing = run.allocated - client.process_queue_table - OffsetSet.below(since)
        found = missing.lowest(default=self.scope.queues)
        if found < self.scope.queues:
            run.queue, run.at = found, TopicRebalanceStep.MISSING
        else:
            run.reset()

    @REBALANCE.step(at("RebalanceImpl", _TABLE, "setDropped"), waits=_NEXT_QUEUE)
    def rebalance_drops_queue(self, c: int, r: int) -> None:
        """Drops the ProcessQueue of a queue that is not allocated."""
        client = self.client[c]
        run = client.rebalance[r]
        require(run.at == TopicRebalanceStep.UNALLOCATED)
        if client.process_queue_table.has(run.queue):
            client.drop(run.queue)
        run.at = TopicRebalanceStep.DROPPED

    @REBALANCE.step(
        PERSISTS,
        rig=replace(REBALANCE.rig, values=_persists),
    )
    def rebalance_persists(self, c: int, r: int) -> None:
        """Sends the queue's cell one-way, if there is one."""
        client = self.client[c]
        run = client.rebalance[r]
        require(run.at == TopicRebalanceStep.DROPPED)
        client.share[run.queue].send_commit()
        run.at = TopicRebalanceStep.PERSISTED

    @REBALANCE.step(
        at("RebalancePushImpl", "removeUnnecessaryMessageQueue", "removeOffset"),
        at("RebalanceImpl", _TABLE, "Iterator.remove").or_at(_TABLE, "ConcurrentMap.remove"),
        logs="doRebalance, {}, remove unnecessary mq, {}",
    )
    def rebalance_removes_queue(self, c: int, r: int) -> None:
        """Removes the cell, takes the queue out of the table, and goes on to the next."""
        run = self.client[c].rebalance[r]
        require(run.at == TopicRebalanceStep.PERSISTED)
        self.client[c].remove_queue(run.queue)
        self.find_unallocated(c, run)

    @REBALANCE.step(
        *ASKS,
        waits=_NEXT_QUEUE,
        rig=replace(REBALANCE.rig, values=at_query, within=(QUERY,)),
    )
    def rebalance_asks_for_offset(self, c: int, r: int) -> None:
        """Removes a left-over cell of a queue that it found missing, and gets its offset.

        Another run may have added the queue since. The broker answers after this client's older commits of the queue.
        """
        run = self.client[c].rebalance[r]
        require(run.at == TopicRebalanceStep.MISSING)
        share, queue = self.client[c].share[run.queue], self.queue[run.queue]
        require(share.commits.count == 0)
        share.remove_cell()
        run.start = queue.offset_for_query()
        run.ghost_after_landing = queue.starts_after_landing()
        run.at = TopicRebalanceStep.ANSWERED

    @REBALANCE.step(at("RemoteBrokerOffsetStore", "readOffset", "updateOffset"), waits=_ANSWER)
    def rebalance_stores_start(self, c: int, r: int) -> None:
        """Writes the answer into the cell, whatever stands there."""
        client = self.client[c]
        run = client.rebalance[r]
        require(run.at == TopicRebalanceStep.ANSWERED)
        client.share[run.queue].set_cell(run.start)
        run.at = TopicRebalanceStep.STORED

    @REBALANCE.step(
        at("RebalanceImpl", _TABLE, "putIfAbsent"),
        rig=replace(REBALANCE.rig, values=_adds),
        logs="doRebalance, {}, add a new mq, {}",
    )
    def rebalance_adds_queue(self, c: int, r: int) -> None:
        """Puts the queue into the table, unless it is there already, and goes on to the next."""
        client = self.client[c]
        run = client.rebalance[r]
        require(run.at == TopicRebalanceStep.STORED)
        q = run.queue
        if not client.process_queue_table.has(q):
            client.process_queue_table = client.process_queue_table.add(q)
            client.share[q].position = run.start
            client.share[q].ghost_after_landing = run.ghost_after_landing
            client.share[q].ghost_wrote = False
        self.find_missing(client, run, q + 1)

    @REBALANCE.step(
        at("RebalanceImpl", _TRUNCATE, "remove"),
        _DROPS_TRUNCATED,
        waits=_ROUND_WITHOUT_TOPIC,
        rig=replace(REBALANCE.rig, call="rebalance", within=(READS_MEMBERS, _DROPS_TRUNCATED)),
        logs="doRebalance, {}, truncateMessageQueueNotMyTopic remove unnecessary mq, {}",
    )
    def rebalance_truncates_table(self, c: int, r: int) -> None:
        """Takes the next queue of a topic that was given up out of the table, and drops it.

        Neither its cell nor the broker is told.
        """
        client = self.client[c]
        require(r == Rebalancer.SERVICE, client.rebalance[r].at == TopicRebalanceStep.IDLE, negation(client.paused))
        require(negation(client.subscribed), client.process_queue_table.count() > 0)
        client.truncate_queue(client.process_queue_table.lowest(default=self.scope.queues - 1))

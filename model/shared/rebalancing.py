"""Rebalancing: a consumer gives the queue up or takes it, each in several steps, by its own view of the group.

Stands for RebalanceImpl.updateProcessQueueTableInRebalance, truncateMessageQueueNotMyTopic and RebalancePushImpl.
Where a ProcessQueue starts is in starting.py. Where the scope has no registry a view is anything: any consumer may at
any time come to believe that the queue is its own or not, within the scope's budget, and that covers every strategy.
With registries the strategy is computed (membership.py). Where the scope is `fine`, the test for pause is a step of its
own. Left out: locks, which an orderly consumer's rebalance has (`orderly/handing_over.py`).
"""

from __future__ import annotations

from offsetproof.lang import among, at, bound, every, negation, require
from offsetproof.lang.record import Pause, at_once
from offsetproof.lang.step import in_rig
from offsetproof.model.places import PERSISTS
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import (
    MEMBERSHIP,
    REBALANCE,
)
from offsetproof.model.timers import ON_ITS_WAY, REBALANCE_AGAIN, REBALANCE_EVERY, REBALANCES_APART
from offsetproof.model.variants import REBALANCE_SYNCHRONIZED
from offsetproof.model.vocabulary import Origin, PullRequestAt, Rebalancer, RebalanceStep

_TABLE = "updateProcessQueueTableInRebalance"
ALLOCATES = at("RebalanceImpl", "rebalanceByTopic", "allocate")
_DROPS_EXPIRED = at("RebalanceImpl", _TABLE, "setDropped", 2)
REMOVES_LOST = at("RebalanceImpl", _TABLE, "Iterator.remove").or_at(_TABLE, "ConcurrentMap.remove")
REMOVES_EXPIRED = at("RebalanceImpl", _TABLE, "Iterator.remove", 2).or_at(_TABLE, "ConcurrentMap.remove")

_DROPS = ("rebalance_drops_queue", "rebalance_drops_expired_queue")
_SUSPENDS = ("reset_suspends", "user_suspends")
RESUMES = ("reset_resumes", "user_resumes")
_FAILS = ("rebalance_fails_to_find_start", "broker_answers_query_with_error", "offset_query_times_out")
_REPAIRS = ("repair_removes_queue", "repair_removes_offset", "repair_unlocks_queue", "repair_cannot_unlock_queue")
LATE = Pause(
    "a rebalance is late",
    (
        ("view_changes", "consumer_reads_members", "application_unsubscribes"),
        _SUSPENDS,
        RESUMES,
        ("rebalance_removes_queue", "rebalance_adds_queue"),
        _REPAIRS,
        _FAILS,
        "consumer_starts",
    ),
    most=REBALANCE_EVERY,
    source="RebalanceService: waitInterval, or earlier when it is woken",
    same=("c",),
    soon_after=("user_resumes", *_REPAIRS, *_FAILS),
    soon=REBALANCE_AGAIN + 2 * ON_ITS_WAY,
)
"""A release may soon repeat a run that found the consumer paused, or that failed; it then asks for the members.

In the same releases a repair wakes the service, which runs as soon as its last run is a second ago. The service may
have begun its wait before a pause: then that is over 20 s after the pause began, at the latest. After a reset it may
find no members: with one thread for callbacks nobody hears of them. A lock that was refused is asked for soon as well,
but stories leave out that it is refused again.
"""
APART = Pause(
    "the rebalance service",
    (("rebalance_drops_queue", "rebalance_adds_queue", "rebalance_changes_nothing", *_FAILS),),
    REBALANCES_APART, any_longer=True, source="RebalanceService: minInterval, also where it is woken",
    same=("c",), only=(("r", Rebalancer.SERVICE),),
)  # fmt: skip
"""Between two runs of the service, and not before its first; one run drops and replaces an expired ProcessQueue."""
RESUMED = Pause(
    "the thread of resume stalls", (RESUMES,), most=2 * ON_ITS_WAY,
    source="DefaultMQPushConsumerImpl.resume calls doRebalance, which asks for the members",
    same=("c",), only=(("r", Rebalancer.RESUME),),
)  # fmt: skip
MEMBERS = Pause(
    "a rebalance waits for the members", ("rebalance_passes_pause",), most=2 * ON_ITS_WAY,
    source="RebalanceImpl.rebalanceByTopic: findConsumerIdList",
)  # fmt: skip


class Rebalancing(Group):
    """What the rebalance thread does with the one queue."""

    @MEMBERSHIP.step(
        at("RebalanceImpl", "rebalanceByTopic", "allocate"),
        any_time="members come and go, and word of it may arrive at any time",
    )
    def view_changes(self, c: int) -> None:
        """Makes a consumer believe that it has, or has lost, the queue.

        The others need not agree.
        """
        require(self.view_changes_left > 0, self.scope.registries == 0)
        self.view_changes_left = self.view_changes_left - 1
        self.consumer[c].believes_allocated = negation(self.consumer[c].believes_allocated)

    @REBALANCE.step(at("RebalanceImpl", _TABLE, "setDropped"), waits=(LATE, APART, RESUMED, MEMBERS))
    def rebalance_drops_queue(self, c: int, r: int) -> None:
        """Finds the queue no longer allocated, and drops its ProcessQueue.

        The run begins, unless paused; the ProcessQueue is marked dropped.
        """
        consumer = self.consumer[c]
        pq_id = consumer.process_queue_table
        require(self.may_begin(c, r), not consumer.believes_allocated, pq_id is not None)
        if pq_id is not None:
            consumer.process_queue[pq_id].dropped = True
        self.begin(c, r, RebalanceStep.DROPPED)

    def may_begin(self, c: int, r: int) -> bool:
        """May this run take its first step? Run 1 is resume's own; a paused or dead consumer does not rebalance."""
        consumer = self.consumer[c]
        at_rest = consumer.rebalance[r].at == RebalanceStep.IDLE
        ready = [at_rest, not consumer.paused, consumer.subscribed]  # splits: as a formula it has another digest
        ready += [consumer.alive]
        if self.setting.behaves(REBALANCE_SYNCHRONIZED):
            ready += [run.at == RebalanceStep.IDLE for run in consumer.rebalance]
        return every([*ready, consumer.resumed] if r == Rebalancer.RESUME else ready)

    def begin(self, c: int, r: int, step: RebalanceStep) -> None:
        """The run's first step is done."""
        if r == Rebalancer.RESUME:
            self.consumer[c].resumed = False
        self.consumer[c].rebalance[r].at = step

    @REBALANCE.step(
        PERSISTS,
        waits=at_once(*_DROPS),
        logs="[persist] Group: {} ClientId: {} updateConsumeOffsetToBroker {} {}",
    )
    def rebalance_persists(self, c: int, r: int) -> None:
        """Sends the cell one-way, if there is one."""
        consumer = self.consumer[c]
        require(consumer.rebalance[r].at == RebalanceStep.DROPPED)
        consumer.send_commit(Origin.PROGRESS)
        consumer.rebalance[r].at = RebalanceStep.PERSISTED

    @REBALANCE.step(
        at("RebalancePushImpl", "removeUnnecessaryMessageQueue", "removeOffset"),
        logs="remove unnecessary messageQueue offset. group={}, mq={}, offsetTableSize={}",
    )
    def rebalance_removes_offset(self, c: int, r: int) -> None:
        """Removes the cell."""
        consumer = self.consumer[c]
        require(consumer.rebalance[r].at == RebalanceStep.PERSISTED)
        consumer.remove_cell()
        consumer.rebalance[r].at = RebalanceStep.OFFSET_REMOVED

    @REBALANCE.step(
        REMOVES_LOST,
        rig=in_rig(REMOVES_LOST, REMOVES_EXPIRED),
        logs="doRebalance, {}, remove unnecessary mq, {}",
    )
    def rebalance_removes_queue(self, c: int, r: int) -> None:
        """Takes whatever the table has for the queue out of it."""
        consumer = self.consumer[c]
        require(consumer.rebalance[r].at == RebalanceStep.OFFSET_REMOVED)
        consumer.process_queue_table = None
        consumer.rebalance[r].at = RebalanceStep.IDLE

    def mark_added(self, c: int, pq_id: int) -> None:
        """Marks a ProcessQueue as locked where releases do so when they make it, and there are locks."""

    @REBALANCE.step(at("RebalanceImpl", _TABLE, "removeDirtyOffset"), waits=(LATE, APART, RESUMED, MEMBERS))
    def rebalance_removes_dirty_offset(self, c: int, r: int) -> None:
        """Finds an allocated queue unlisted; removes a left-over cell.

        The run begins, unless paused; unlisted is what is not in the table.
        """
        consumer = self.consumer[c]
        require(self.may_begin(c, r), consumer.believes_allocated, consumer.process_queue_table is None)
        bound(consumer.process_queues_made < self.scope.process_queues)
        consumer.remove_cell()
        self.begin(c, r, RebalanceStep.DIRTY_REMOVED)

    @REBALANCE.step(
        at("RebalanceImpl", _TABLE, "putIfAbsent"),
        at("RebalancePushImpl", "dispatchPullRequest", "executePullRequestImmediately"),
        waits=at_once("rebalance_stores_start", "rebalance_finds_start"),
        logs="doRebalance, {}, add a new mq, {}",
    )
    def rebalance_adds_queue(self, c: int, r: int) -> None:
        """Puts a new ProcessQueue into the table.

        If one is there already, that one stays. The PullRequest of a new one goes to the run queue.
        """
        consumer = self.consumer[c]
        run = consumer.rebalance[r]
        require(among(run.at, RebalanceStep.STORED, RebalanceStep.START_KNOWN))
        bound(consumer.process_queues_made < self.scope.process_queues)
        if consumer.process_queue_table is None:
            pq_id = consumer.process_queues_made
            pq = consumer.process_queue[pq_id]
            pq.reset()
            pq.next_offset = run.start
            pq.pull_request = PullRequestAt.RUN_QUEUE
            pq.ghost_after_landing = run.ghost_after_landing
            self.mark_added(c, pq_id)
            consumer.process_queue_table = pq_id
            consumer.process_queues_made = pq_id + 1
        run.reset()

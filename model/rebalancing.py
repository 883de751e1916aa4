"""Rebalancing: a consumer gives the queue up or takes it, each in several steps, by its own view of the group.

Stands for RebalanceImpl.updateProcessQueueTableInRebalance, truncateMessageQueueNotMyTopic and RebalancePushImpl.
Where a life starts is in starting.py. Where the scope has no registry a view is anything: any consumer may at any time
come to believe that the queue is its own or not, within the scope's budget, and that covers every strategy. With
registries the strategy is computed (membership.py). Where the scope is `fine`, the test for pause is a step of its own.
Left out: locks, which an orderly consumer's rebalance has (`orderly/handing_over.py`).
"""

from __future__ import annotations

from offsetproof.lang import among, at, bound, choose, every, holds, negation, require
from offsetproof.lang.record import Pause, at_once
from offsetproof.lang.step import in_rig
from offsetproof.model.consumer import Consumer
from offsetproof.model.starting import Starting
from offsetproof.model.threads import (
    ALLOCATION,
    APPLICATION,
    BY_APPLICATION,
    MEMBERSHIP,
    REBALANCE,
    REGISTRY,
)
from offsetproof.model.timers import ON_ITS_WAY, PULL_IDLE, REBALANCE_EVERY
from offsetproof.model.variants import REBALANCE_SYNCHRONIZED
from offsetproof.model.vocabulary import FixStep, Origin, Rebalancer, RebalanceStep, Token

_TABLE = "updateProcessQueueTableInRebalance"
ALLOCATES = at("RebalanceImpl", "rebalanceByTopic", "allocate")
_DROPS_EXPIRED = at("RebalanceImpl", _TABLE, "setDropped", 2)
REMOVES_LOST = at("RebalanceImpl", _TABLE, "Iterator.remove")
REMOVES_EXPIRED = at("RebalanceImpl", _TABLE, "Iterator.remove", 2)

_DROPS = ("rebalance_drops_queue", "rebalance_drops_expired_queue")
_RESUMES = ("reset_resumes", "user_resumes")
_PULLS = ("consumer_pulls", "pull_request_is_lost", "rebalance_adds_queue")
_LISTED = (("life", "consumer[{c}].process_queue_table"),)
LATE = Pause(
    "a rebalance is late",
    (
        ("view_changes", "consumer_reads_members", "application_unsubscribes"),
        _RESUMES,
        ("rebalance_removes_queue", "rebalance_adds_queue", "repair_removes_queue"),
        ("rebalance_fails_to_find_start", "broker_answers_query_with_error", "offset_query_times_out"),
        "consumer_starts",
    ),
    most=REBALANCE_EVERY,
    source="RebalanceService: waitInterval, or earlier when it is woken",
    same=("c",),
)
RESUMED = Pause(
    "the thread of resume stalls", (_RESUMES,), most=2 * ON_ITS_WAY,
    source="DefaultMQPushConsumerImpl.resume calls doRebalance, which asks for the members",
    same=("c",), only=(("r", Rebalancer.RESUME),),
)  # fmt: skip
_MEMBERS = Pause(
    "a rebalance waits for the members", ("rebalance_passes_pause",), most=2 * ON_ITS_WAY,
    source="RebalanceImpl.rebalanceByTopic: findConsumerIdList",
)  # fmt: skip
_EXPIRED = Pause(
    "an expired pull", (_PULLS,), PULL_IDLE, source="ProcessQueue.isPullExpired: PULL_MAX_IDLE_TIME", any_longer=True,
    same=("c", "life"), held=_LISTED,
)  # fmt: skip
_UNNOTICED = Pause(
    "an expired pull goes unnoticed", ((*_PULLS, "poll_is_illegal"), _RESUMES), most=PULL_IDLE + REBALANCE_EVERY,
    source="ProcessQueue.isPullExpired: PULL_MAX_IDLE_TIME; RebalanceService", same=("c", "life"), held=_LISTED,
)  # fmt: skip
_NEWS = Pause(
    "news of the group", ("membership_changes", (*_RESUMES, "consumer_starts")), most=REBALANCE_EVERY,
    source="RebalanceService: waitInterval, or earlier when it is woken", same=("b",),
)  # fmt: skip


class Rebalancing(Starting):
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

    @REGISTRY.step(
        at("ConsumerManager", "registerConsumer", "updateChannel"),
        at("ConsumerManager", "doChannelCloseEvent", "doChannelCloseEvent"),
        any_time="at once where a connection is closed, else when a heartbeat is due or missed: any time",
    )
    def membership_changes(self, c: int, b: int) -> None:
        """Hears that a member has come or gone.

        The broker tells the others, and may be wrong for a while.
        """
        require(self.view_changes_left > 0)
        self.view_changes_left = self.view_changes_left - 1
        known = self.registry[b].members
        self.registry[b].members = choose(known.has(c), known.remove(c), known.add(c))

    @ALLOCATION.step(
        at("RebalanceImpl", "rebalanceByTopic", "findConsumerIdList"),
        waits=_NEWS,
        logs="[BUG] ConsumerGroup: {} The consumerId: {} not in cidAll: {}",
    )
    def consumer_reads_members(self, c: int, b: int) -> None:
        """Asks a broker for the members, and allocates by strategy.

        It may be any one of the topic's brokers.
        """
        consumer = self.consumer[c]
        mine = self.registry[b].allocates(c)
        require(self.scope.registries > 0, consumer.alive, consumer.believes_allocated != mine)
        require(self.registry[b].members.count() > 0)
        consumer.believes_allocated = mine

    @REBALANCE.step(at("RebalanceImpl", _TABLE, "setDropped"), waits=(LATE, RESUMED, _MEMBERS))
    def rebalance_drops_queue(self, c: int, r: int) -> None:
        """Finds the queue no longer allocated, and drops its life.

        The run begins, unless paused; the life is marked dropped.
        """
        consumer = self.consumer[c]
        life = consumer.process_queue_table
        require(self.may_begin(c, r), not consumer.believes_allocated, life is not None)
        if life is not None:
            consumer.process_queue[life].dropped = True
        self.begin(c, r, RebalanceStep.DROPPED)

    @REBALANCE.step(
        at("RebalanceImpl", _TABLE, "isPullExpired"),
        waits=(RESUMED, _MEMBERS, _EXPIRED, _UNNOTICED),
        rig=in_rig(_DROPS_EXPIRED, expired=True),
        logs="[BUG]doRebalance, {}, remove unnecessary mq, {}, because pull is pause, so try to fixed it",
    )
    def rebalance_drops_expired_queue(self, c: int, r: int) -> None:
        """Finds a queue unpulled for two minutes, and drops its life.

        The life is marked dropped. One that met an illegal offset is repaired before the two minutes are over.
        """
        consumer = self.consumer[c]
        life = consumer.process_queue_table
        require(self.may_begin(c, r), consumer.believes_allocated, life is not None)
        if life is not None:
            pq = consumer.process_queue[life]
            require(pq.token == Token.NONE, pq.fix == FixStep.IDLE)
            pq.dropped = True
        self.begin(c, r, RebalanceStep.DROPPED)

    @REBALANCE.step(at("DefaultMQPushConsumerImpl", "doRebalance", "pause"), waits=RESUMED)
    def rebalance_passes_pause(self, c: int, r: int) -> None:
        """Finds the consumer not paused, and goes on even if that changes."""
        require(self.scope.fine > 0, self._may_pass_pause(c, r))
        self.consumer[c].rebalance[r].at = RebalanceStep.BEGUN

    @REBALANCE.step(at("RebalanceImpl", _TABLE), waits=_MEMBERS, rig=in_rig(ALLOCATES))
    def rebalance_changes_nothing(self, c: int, r: int) -> None:
        """Finds the table as the consumer's view wants it.

        The view is that of the group's members.
        """
        consumer = self.consumer[c]
        require(consumer.rebalance[r].at == RebalanceStep.BEGUN)
        require(consumer.believes_allocated == negation(holds(consumer, Consumer.process_queue_table, None)))
        consumer.rebalance[r].at = RebalanceStep.IDLE

    def may_begin(self, c: int, r: int) -> bool:
        """May this run take its first step over the table?"""
        if self.scope.fine > 0:
            return every([self.consumer[c].rebalance[r].at == RebalanceStep.BEGUN, self.consumer[c].subscribed])
        return self._may_pass_pause(c, r)

    def _may_pass_pause(self, c: int, r: int) -> bool:
        """May this run begin? Run 1 is resume's own; a paused or dead consumer does not rebalance."""
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
        at("RebalancePushImpl", "removeUnnecessaryMessageQueue", "persist"),
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
        at("RebalanceImpl", _TABLE, "Iterator.remove"),
        rig=in_rig(REMOVES_LOST, REMOVES_EXPIRED),
        logs="doRebalance, {}, remove unnecessary mq, {}",
    )
    def rebalance_removes_queue(self, c: int, r: int) -> None:
        """Takes whatever life is in the table out of it, by queue."""
        consumer = self.consumer[c]
        require(consumer.rebalance[r].at == RebalanceStep.OFFSET_REMOVED)
        consumer.process_queue_table = None
        consumer.rebalance[r].at = RebalanceStep.IDLE

    @REBALANCE.step(at("RebalanceImpl", _TABLE, "removeDirtyOffset"), waits=(LATE, RESUMED, _MEMBERS))
    def rebalance_removes_dirty_offset(self, c: int, r: int) -> None:
        """Finds an allocated queue unlisted; removes a left-over cell.

        The run begins, unless paused; unlisted is what is not in the table.
        """
        consumer = self.consumer[c]
        require(self.may_begin(c, r), consumer.believes_allocated, consumer.process_queue_table is None)
        bound(consumer.lives_created < self.scope.lives)
        consumer.remove_cell()
        self.begin(c, r, RebalanceStep.DIRTY_REMOVED)

    @REBALANCE.step(
        at("RebalanceImpl", _TABLE, "putIfAbsent"),
        at("RebalancePushImpl", "dispatchPullRequest", "executePullRequestImmediately"),
        waits=at_once("rebalance_stores_start", "rebalance_finds_start"),
    )
    def rebalance_adds_queue(self, c: int, r: int) -> None:
        """Puts a new ProcessQueue into the table.

        If one is there already, that one stays. The token of a new one goes to the run queue.
        """
        consumer = self.consumer[c]
        run = consumer.rebalance[r]
        require(among(run.at, RebalanceStep.STORED, RebalanceStep.START_KNOWN))
        bound(consumer.lives_created < self.scope.lives)
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

    @REBALANCE.step(
        at("RebalanceImpl", "truncateMessageQueueNotMyTopic", "remove"),
        waits=(LATE, RESUMED, _MEMBERS),
        logs="doRebalance, {}, truncateMessageQueueNotMyTopic remove unnecessary mq, {}",
    )
    def rebalance_truncates_table(self, c: int, r: int) -> None:
        """Takes a life out of the table: the topic is unsubscribed.

        Cell and broker are not told.
        """
        consumer = self.consumer[c]
        life = consumer.process_queue_table
        require(consumer.rebalance[r].at == RebalanceStep.IDLE, not consumer.paused, not consumer.subscribed)
        require(life is not None, r == Rebalancer.SERVICE, consumer.alive)
        consumer.rebalance[r].life = life
        consumer.process_queue_table = None
        consumer.rebalance[r].at = RebalanceStep.TRUNCATED

    @REBALANCE.step(at("RebalanceImpl", "truncateMessageQueueNotMyTopic", "setDropped"))
    def rebalance_drops_truncated_queue(self, c: int, r: int) -> None:
        """Marks the life dropped that has left the table."""
        run = self.consumer[c].rebalance[r]
        require(run.at == RebalanceStep.TRUNCATED)
        life = run.life
        if life is not None:
            self.consumer[c].process_queue[life].dropped = True
        run.reset()

    @APPLICATION.step(
        at("DefaultMQPushConsumerImpl", "unsubscribe", "remove"),
        any_time=BY_APPLICATION,
        rig=in_rig(call="unsubscribe"),
    )
    def application_unsubscribes(self, c: int) -> None:
        """Gives the topic up."""
        require(self.unsubscribes_left > 0, self.consumer[c].subscribed)
        self.unsubscribes_left = self.unsubscribes_left - 1
        self.consumer[c].subscribed = False

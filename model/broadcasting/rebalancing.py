"""Rebalancing: each client takes all queues of the route; with an orderly listener it locks them first.

Stands for RebalanceImpl.rebalanceByTopic and updateProcessQueueTableInRebalance, and for the broker's locks, which
nobody renews in this mode. Of the client's other queue only the moment is here at which it enters the table; it stays
in the route.
"""

from __future__ import annotations

from typing import ClassVar

from offsetproof.lang import action, among, at, every, holds, require, some
from offsetproof.lang.action import Retold
from offsetproof.lang.record import Pause
from offsetproof.lang.step import in_rig
from offsetproof.model.broadcasting.group import BroadcastGroup
from offsetproof.model.broadcasting.threads import LEASES, OTHER_REBALANCE
from offsetproof.model.places import PERSISTS
from offsetproof.model.releases import LOCKED_WHEN_ADDED
from offsetproof.model.shared.lock_table import LockingBroker
from offsetproof.model.shared.rebalancing import Rebalancing
from offsetproof.model.shared.repairing import Repairing
from offsetproof.model.threads import LOCK, LOCK_ANSWERED, LOCKS_OF_RUNS, REBALANCE
from offsetproof.model.timers import LEASE
from offsetproof.model.vocabulary import CONSUMERS, PROCESS_QUEUES, RUNS, LockStep, RebalanceStep, RepairStep

_TABLE = "updateProcessQueueTableInRebalance"
_GIVES_UP = "removeUnnecessaryMessageQueue"
_PERSISTS = (PERSISTS, at("LocalFileOffsetStore", "persist"))
_FORGETS = (at("RebalancePushImpl", _GIVES_UP, "removeOffset"),)
_LEASE = Pause("a lease", ("broker_answers_lock",), LEASE, any_longer=True, source="RebalanceLockManager.isExpired")
_BY_TOPIC = (at("RebalanceImpl", "rebalanceByTopic", _TABLE),)


class BroadcastRebalancing(Rebalancing, BroadcastGroup):
    """What the rebalance thread does, and the broker for it.

    A queue leaves the route where another broker of the topic still has it, or where reading the topic was forbidden
    for a while. Without any broker of the topic there is no answer, and a client keeps what it had.
    """

    retold: ClassVar[tuple[Retold, ...]] = (
        Retold(
            Rebalancing.view_changes,
            "Tells a client that the queue has left the route, or is back.",
            _BY_TOPIC,
            actor="name server",
            thread="route",
        ),
        Retold(Rebalancing.rebalance_persists, "Calls persist, which is empty.", _PERSISTS, silent=True),
        Retold(Rebalancing.rebalance_removes_offset, "Keeps the cell: removeOffset is empty.", _FORGETS, silent=True),
    )

    @OTHER_REBALANCE.step(*_BY_TOPIC, any_time="a rebalance, at most 20 s after the other broker is known")
    def rebalance_adds_other_queue(self, c: int) -> None:
        """Puts the client's other queue into the table."""
        consumer = self.consumer[c]
        require(self.scope.other_queue > 0, consumer.alive, not consumer.other_listed, not consumer.paused)
        require(every(run.at == RebalanceStep.IDLE for run in consumer.rebalance))
        consumer.other_listed = True

    @LOCKS_OF_RUNS.step(
        at("RebalanceImpl", _TABLE, "lock"),
        at("RebalanceLockManager", "tryLockBatch", "lockInterruptibly"),
        any_time="a rebalance, at most 20 s after the route is known or the lock was refused",
    )
    def broker_answers_lock(self, c: int, r: int) -> None:
        """Answers a rebalance that asks for the lock of a queue that it is to add.

        It is given to whoever asks first, and to the same client id again.
        """
        consumer = self.consumer[c]
        require(self.asks_for_locks(), self.may_begin(c, r))
        require(consumer.believes_allocated, consumer.process_queue_table is None)
        self.begin(c, r, RebalanceStep.IDLE)
        if some(holds(self.broker, LockingBroker.lock_owner, owner) for owner in (None, c)):
            self.broker.lock_owner = c
            consumer.rebalance[r].lock = LockStep.GRANTED
        else:
            consumer.rebalance[r].lock = LockStep.REFUSED

    @REBALANCE.step(
        at("RebalanceImpl", "lock", "setLocked"),
        waits=LOCK_ANSWERED,
        rig=in_rig(LOCK),
        logs="doRebalance, {}, add a new mq failed, {}, because lock failed",
    )
    def rebalance_hears_of_lock(self, c: int, r: int) -> None:
        """Goes on if the queue is locked, else leaves it for the next run.

        The mark is set on the ProcessQueue in the table. The new one is not there yet, but another run may have added
        one meanwhile.
        """
        consumer = self.consumer[c]
        run, pq_id = consumer.rebalance[r], consumer.process_queue_table
        require(among(run.lock, LockStep.GRANTED, LockStep.REFUSED))
        if run.lock == LockStep.GRANTED:
            if pq_id is not None:
                consumer.process_queue[pq_id].locked = True
            run.lock = LockStep.TAKEN
        else:
            run.reset()

    @action(
        c=CONSUMERS, r=RUNS, actor="consumer[c]", thread="rebalance",
        stands_for=[at("RebalanceImpl", _TABLE, "removeDirtyOffset")],
    )  # fmt: skip
    def rebalance_removes_dirty_offset(self, c: int, r: int) -> None:
        """Finds the queue unlisted, and begins to add it.

        removeDirtyOffset calls the store's removeOffset.
        """
        run = self.consumer[c].rebalance[r]
        if self.asks_for_locks():
            require(run.lock == LockStep.TAKEN)
            self.require_room(c)
            self.consumer[c].remove_cell()
            run.lock = LockStep.IDLE
            run.at = RebalanceStep.DIRTY_REMOVED
        else:
            super().rebalance_removes_dirty_offset(c, r)

    def may_begin(self, c: int, r: int) -> bool:
        """May this run take its first step? One that is asking for a lock has begun."""
        return every([super().may_begin(c, r), self.consumer[c].rebalance[r].lock == LockStep.IDLE])

    @action(
        c=CONSUMERS, r=RUNS, actor="consumer[c]", thread="rebalance",
        stands_for=[
            at("RebalanceImpl", _TABLE, "putIfAbsent"),
            at("RebalancePushImpl", "dispatchPullRequest", "executePullRequestImmediately"),
        ],
        logs="doRebalance, {}, add a new mq, {}",
    )  # fmt: skip
    def rebalance_adds_queue(self, c: int, r: int) -> None:
        """Puts a new ProcessQueue into the table.

        If one is there already, that one stays. The PullRequest of a new one goes to the run queue.
        """
        super().rebalance_adds_queue(c, r)
        self.consumer[c].ghost_loaded = None

    def mark_added(self, c: int, pq_id: int) -> None:
        """Marks it where releases do so, whatever its listener."""
        if self.setting.behaves(LOCKED_WHEN_ADDED):
            self.consumer[c].process_queue[pq_id].locked = True

    @LEASES.step(at("RebalanceLockManager.LockEntry", "isExpired"), waits=_LEASE)
    def lease_expires(self) -> None:
        """Takes a lock for expired that was not asked for again for 60 s."""
        require(self.broker.lock_owner is not None)
        self.broker.lock_owner = None


class BroadcastRepair(Repairing, BroadcastGroup):
    """What the repair of an illegal offset does."""

    retold: ClassVar[tuple[Retold, ...]] = (
        Retold(
            Repairing.repair_persists,
            "Calls persist, which is empty.",
            (at("DefaultMQPushConsumerImpl.PullCallback.Runnable", "run", "persist"), _PERSISTS[1]),
        ),
        Retold(
            Repairing.repair_persists_again,
            "Calls persist once more, which is empty.",
            _PERSISTS,
        ),
        Retold(Repairing.repair_removes_offset, "Keeps the cell: removeOffset is empty; the repair is over.", _FORGETS),
    )

    @action(
        c=CONSUMERS, pq_id=PROCESS_QUEUES, actor="consumer[c]", thread="repair",
        stands_for=[at("DefaultMQPushConsumerImpl.PullCallback.Runnable", "run", "updateOffset")],
    )  # fmt: skip
    def repair_updates_cell(self, c: int, pq_id: int) -> None:
        """Sets the cell to the corrected offset, whatever stands there."""
        require(self.consumer[c].process_queue[pq_id].repair == RepairStep.WAITING)
        self.ghost_repaired = self.consumer[c].process_queue[pq_id].next_offset
        super().repair_updates_cell(c, pq_id)

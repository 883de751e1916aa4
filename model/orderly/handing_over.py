"""Handing over: a queue is locked before it is added, and unlocked after it is given up.

Stands for the rest of RebalanceImpl.updateProcessQueueTableInRebalance, RebalancePushImpl.removeUnnecessaryMessageQueue
and unlockDelay, whoever calls it: a rebalance, a reset (which ignores whether it worked), the repair of an illegal
offset (which does, too). The consume lock is waited for a second: a listener that runs longer keeps the queue locked.
Left out: which ProcessQueue a reset unlocks is looked up when it does so, not when it updates the cell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from offsetproof.lang import among, at, bound, every, negation, require, same, some
from offsetproof.lang.action import Retold
from offsetproof.lang.record import Pause, at_once
from offsetproof.lang.step import in_rig
from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.model.orderly.process_queue import OrderlyProcessQueue
from offsetproof.model.orderly.threads import GIVEN_UP, UNLOCK_TIMER
from offsetproof.model.orderly.timers import UNLOCK_DELAY
from offsetproof.model.orderly.variants import RESET_WAITS_FOR_LISTENER
from offsetproof.model.orderly.vocabulary import RequestStep
from offsetproof.model.releases import LOCKED_WHEN_ADDED, UNLOCKED_AT_ONCE
from offsetproof.model.shared.rebalancing import APART, LATE, REMOVES_EXPIRED, REMOVES_LOST, RESUMED, Rebalancing
from offsetproof.model.shared.repairing import Repairing
from offsetproof.model.shared.resetting import Resetting
from offsetproof.model.threads import LOCK, LOCK_ANSWERED, LOCKS_OF_RUNS, REBALANCE, REPAIR, RESET
from offsetproof.model.timers import TRY_LOCK
from offsetproof.model.variants import REBALANCE_SYNCHRONIZED
from offsetproof.model.vocabulary import LockStep, RebalanceStep, ResetStep

_TABLE = "updateProcessQueueTableInRebalance"
_PUSH = "RebalancePushImpl"
_REMOVE = "removeUnnecessaryMessageQueue"
_PERSISTS = at(_PUSH, _REMOVE, "persist")
_HANGED = "[WRONG]mq is consuming, so can not unlock it, {}. maybe hanged for a while, {}"

_APART = replace(APART, after=((*APART.after[0], "rebalance_hears_of_lock"),))

_TRIES_TO_UNLOCK = at(_PUSH, _REMOVE, "tryLock")
_TRIES = Pause(
    "a listener keeps the consume lock", ("rebalance_removes_offset",), most=TRY_LOCK,
    source="RebalancePushImpl.removeUnnecessaryMessageQueue: tryLock",
)  # fmt: skip
_TRIES_IN_VAIN = replace(_TRIES, least=TRY_LOCK)
_REPAIR_TRIES = replace(_TRIES, after=("repair_persists_again",))
_RESET_TRIES = replace(_TRIES, after=("reset_removes_offset",))
_DELAY = Pause(
    "a delayed unlock", (GIVEN_UP,), UNLOCK_DELAY, source="RebalancePushImpl.unlockDelay: UNLOCK_DELAY_TIME_MILLS"
)


class Unlocking(OrderlyGroup):
    """What whoever gives a queue up does about its lock."""

    def give_back(self, c: int, pq: OrderlyProcessQueue) -> None:
        """The queue's lock is given back: at once, or in 20 s where messages of it are cached (unlockDelay)."""
        consumer = self.consumer[c]
        if pq.msg_tree_map and not self.setting.behaves(UNLOCKED_AT_ONCE):
            bound(consumer.delayed_unlocks < self.scope.unlocks_in_flight)
            consumer.delayed_unlocks = consumer.delayed_unlocks + 1
        else:
            self.send_unlock(c)

    def send_unlock(self, c: int) -> None:
        """A one-way request to unlock is on its way."""
        bound(self.consumer[c].unlocks + self.consumer[c].late_unlocks < self.scope.unlocks_in_flight)
        self.consumer[c].unlocks = self.consumer[c].unlocks + 1

    @UNLOCK_TIMER.step(
        at(f"{_PUSH}.Runnable", "run", "unlock"), waits=_DELAY, logs="[{}]unlockDelay, execute at once {}"
    )
    def delayed_unlock_is_sent(self, c: int) -> None:
        """Unlocks the queue by its name, 20 s after it was given up.

        It does so whatever has become of the queue since.
        """
        require(self.consumer[c].delayed_unlocks > 0)
        self.consumer[c].delayed_unlocks = self.consumer[c].delayed_unlocks - 1
        self.send_unlock(c)


class LockedRebalancing(Rebalancing, Unlocking):
    """What a rebalance run does with the queue's lock."""

    retold: ClassVar[tuple[Retold, ...]] = (Retold(Rebalancing.rebalance_persists, places=(_PERSISTS,)),)

    @LOCKS_OF_RUNS.step(
        at("RebalanceImpl", _TABLE, "lock"),
        at("RebalanceLockManager", "tryLockBatch", "lockInterruptibly"),
        waits=(LATE, _APART, RESUMED),
    )
    def broker_answers_lock(self, c: int, r: int) -> None:
        """Answers a rebalance that asks for the lock of a queue that it is to add.

        The run begins, unless paused.
        """
        consumer = self.consumer[c]
        require(self.may_begin(c, r), consumer.believes_allocated, consumer.process_queue_table is None)
        require(consumer.unlocks == 0)
        self.begin(c, r, RebalanceStep.IDLE)
        consumer.rebalance[r].lock = self.lock(c)

    @REBALANCE.step(
        at("RebalanceImpl", "lock", "setLocked"),
        waits=LOCK_ANSWERED,
        rig=in_rig(LOCK),
        counts_as="rebalance_removes_queue",
        logs="doRebalance, {}, add a new mq failed, {}, because lock failed",
    )
    def rebalance_hears_of_lock(self, c: int, r: int) -> None:
        """Goes on if the queue is locked, else leaves it for the next run.

        The new ProcessQueue is not there yet, and gets no mark from this answer.
        """
        run = self.consumer[c].rebalance[r]
        require(among(run.lock, LockStep.GRANTED, LockStep.REFUSED))
        if run.lock == LockStep.GRANTED:
            self.receive_lock_reply(c, granted=True)
            run.lock = LockStep.TAKEN
        else:
            run.reset()

    @REBALANCE.step(at("RebalanceImpl", _TABLE, "removeDirtyOffset"), waits=at_once("rebalance_hears_of_lock"))
    def rebalance_removes_dirty_offset(self, c: int, r: int) -> None:
        """Removes a left-over cell of the queue that is locked now."""
        run = self.consumer[c].rebalance[r]
        require(run.lock == LockStep.TAKEN)
        bound(self.consumer[c].process_queues_made < self.scope.process_queues)
        self.consumer[c].remove_cell()
        run.lock = LockStep.IDLE
        run.at = RebalanceStep.DIRTY_REMOVED

    def mark_added(self, c: int, pq_id: int) -> None:
        """Marks it where releases do so; its lock is as old as it is itself."""
        if self.setting.behaves(LOCKED_WHEN_ADDED):
            self.consumer[c].process_queue[pq_id].locked = True

    def may_begin(self, c: int, r: int) -> bool:
        """May this run take its first step? One that is asking for a lock has begun."""
        synchronized = self.setting.behaves(REBALANCE_SYNCHRONIZED)
        begun = [
            run.lock != LockStep.IDLE for i, run in enumerate(self.consumer[c].rebalance) if synchronized or i == r
        ]
        return every([super().may_begin(c, r), negation(some(begun))])

    def begin(self, c: int, r: int, step: RebalanceStep) -> None:
        """The run's first step is done; a ProcessQueue that it has dropped is the one that it will unlock."""
        super().begin(c, r, step)
        if step == RebalanceStep.DROPPED:
            self.consumer[c].rebalance[r].pq_id = self.consumer[c].process_queue_table

    @REBALANCE.step(
        at(_PUSH, _REMOVE, "tryLock"), waits=_TRIES, rig=in_rig(_TRIES_TO_UNLOCK), logs="[{}]unlockDelay, begin {} "
    )
    def rebalance_unlocks_queue(self, c: int, r: int) -> None:
        """Gets the dropped ProcessQueue's consume lock, and unlocks the queue.

        With cached messages it does so 20 s later.
        """
        pq = self._given_up(c, r)
        require(pq.request.at != RequestStep.LISTENING)
        self.give_back(c, pq)
        self.consumer[c].rebalance[r].unlocked = True

    @REBALANCE.step(
        at(_PUSH, _REMOVE, "incTryUnlockTimes"), waits=_TRIES_IN_VAIN, rig=in_rig(_TRIES_TO_UNLOCK), logs=_HANGED
    )
    def rebalance_cannot_unlock_queue(self, c: int, r: int) -> None:
        """Waits a second for the listener, and leaves the dropped ProcessQueue in the table.

        The cell is removed all the same.
        """
        require(self._given_up(c, r).request.at == RequestStep.LISTENING)
        self.consumer[c].rebalance[r].reset()

    def _given_up(self, c: int, r: int) -> OrderlyProcessQueue:
        """The ProcessQueue that this run has dropped, whose cell it has removed."""
        run = self.consumer[c].rebalance[r]
        pq_id = run.pq_id
        require(run.at == RebalanceStep.OFFSET_REMOVED, not run.unlocked, pq_id is not None)
        return self.consumer[c].process_queue[0 if pq_id is None else pq_id]

    @REBALANCE.step(
        REMOVES_LOST,
        waits=at_once("rebalance_unlocks_queue"),
        rig=in_rig(REMOVES_LOST, REMOVES_EXPIRED),
        logs="doRebalance, {}, remove unnecessary mq, {}",
    )
    def rebalance_removes_queue(self, c: int, r: int) -> None:
        """Takes whatever the table has for the queue out of it."""
        require(self.consumer[c].rebalance[r].unlocked)
        super().rebalance_removes_queue(c, r)
        self.consumer[c].rebalance[r].reset()


class LockedResetting(Resetting, Unlocking):
    """What a reset does with the queue's lock."""

    retold: ClassVar[tuple[Retold, ...]] = (Retold(Resetting.reset_persists, places=(_PERSISTS,)),)

    @RESET.step(at(_PUSH, _REMOVE, "tryLock"), waits=_RESET_TRIES, logs=_HANGED)
    def reset_unlocks_queue(self, c: int) -> None:
        """Unlocks the queue, unless its listener runs; goes on in any case."""
        consumer = self.consumer[c]
        require(consumer.reset_run.at == ResetStep.OFFSET_REMOVED, not consumer.reset_run.unlocked)
        pq_id = consumer.process_queue_table
        if pq_id is not None and consumer.process_queue[pq_id].request.at != RequestStep.LISTENING:
            self.give_back(c, consumer.process_queue[pq_id])
        consumer.reset_run.unlocked = True

    @RESET.step(at("MQClientInstance", "resetOffset", "Iterator.remove"), waits=at_once("reset_unlocks_queue"))
    def reset_removes_queue(self, c: int) -> None:
        """Takes whatever the table has out of it, dropped or not."""
        require(self.consumer[c].reset_run.unlocked)
        super().reset_removes_queue(c)

    @same(Resetting.reset_updates_cell)
    def reset_updates_cell(self, c: int) -> None:
        """Sets the cell to the target, if the queue is listed now.

        This is the second loop, over the table as it is now; without a queue nothing is written.
        """
        if self.setting.behaves(RESET_WAITS_FOR_LISTENER):
            require(not self.consumer[c].listens())
        super().reset_updates_cell(c)


class LockedRepairing(Repairing, Unlocking):
    """What the repair of an illegal offset does with the queue's lock."""

    retold: ClassVar[tuple[Retold, ...]] = (Retold(Repairing.repair_persists_again, places=(_PERSISTS,)),)

    @same(Repairing.repair_drops_queue)
    def repair_drops_queue(self, c: int, pq_id: int) -> None:
        """Drops the ProcessQueue that was in the table."""
        pq = self.consumer[c].process_queue[pq_id]
        listed = pq.repair_removed
        super().repair_drops_queue(c, pq_id)
        pq.unlocking = listed

    @REPAIR.step(at(_PUSH, _REMOVE, "removeOffset"), at(_PUSH, _REMOVE, "tryLock"), waits=_REPAIR_TRIES, logs=_HANGED)
    def repair_removes_offset(self, c: int, pq_id: int) -> None:
        """Removes the cell and unlocks the queue, unless its listener runs; the repair is over."""
        self.give_up_in_repair(c, pq_id)

    def give_up_in_repair(self, c: int, pq_id: int) -> None:
        """What removeUnnecessaryMessageQueue does after it has persisted."""
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        listed = pq.unlocking
        super().repair_removes_offset(c, pq_id)
        if listed is not None and consumer.process_queue[listed].request.at != RequestStep.LISTENING:
            self.give_back(c, consumer.process_queue[listed])
        pq.unlocking = None

    def finish_unlocked_repair(self, c: int, pq_id: int) -> None:
        """The queue is unlocked, and the repair over."""
        self.finish_repair(c, pq_id)

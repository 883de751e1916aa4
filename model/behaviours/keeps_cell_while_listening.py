"""Since 5.2.0 whoever gives an orderly consumer's queue up removes its cell only under the queue's consume lock.

Stands for RebalancePushImpl.removeUnnecessaryMessageQueue with tryRemoveOrderMessageQueue, whoever calls it: a
rebalance, a reset, the repair of an illegal offset. The queue is persisted; with the consume lock, for which half a
second is waited, it is persisted once more, the cell is removed, the ProcessQueue is marked as not locked, and the
unlock is sent at once. Without it the cell stays, and the broker's lock. Left out: the moment between the consume lock
and the second persist, and between the mark and the request to unlock.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto
from typing import cast

from offsetproof.lang import (
    Array,
    Component,
    array,
    at,
    every,
    flag,
    integer,
    one_of,
    optional,
    part,
    require,
    same,
    some,
)
from offsetproof.lang.record import Pause, at_once
from offsetproof.lang.step import in_rig
from offsetproof.model.orderly.consumer import OrderlyConsumer
from offsetproof.model.orderly.consuming import OrderlyConsuming
from offsetproof.model.orderly.handing_over import (
    LockedRebalancing,
    LockedRepairing,
    LockedResetting,
    Unlocking,
)
from offsetproof.model.orderly.vocabulary import RequestStep
from offsetproof.model.releases import FORCES_UNLOCK
from offsetproof.model.threads import REBALANCE, REPAIR, RESET
from offsetproof.model.timers import TRY_LOCK
from offsetproof.model.vocabulary import PROCESS_QUEUES, RUNS, Origin, RebalanceStep, RepairStep, ResetStep

_PUSH, _TRY_REMOVE = "RebalancePushImpl", "tryRemoveOrderMessageQueue"
TRIES = at(_PUSH, _TRY_REMOVE, "isDropped")
PERSISTS_AGAIN = at(_PUSH, _TRY_REMOVE, "persist")
_HANGS = at(_PUSH, _TRY_REMOVE, "incTryUnlockTimes")
_REMOVES = at(_PUSH, _TRY_REMOVE, "removeOffset")
_UNLOCKS = at(_PUSH, _TRY_REMOVE, "setLocked")
_REMOVED = "remove unnecessary messageQueue offset. group={}, mq={}, offsetTableSize={}"
_UNLOCKED = "unlock messageQueue. group:{}, clientId:{}, mq:{}"

_TRIES = Pause(
    "a listener keeps the consume lock", ("rebalance_persists",), most=TRY_LOCK,
    source="RebalancePushImpl.tryRemoveOrderMessageQueue: tryLock",
)  # fmt: skip
_TRIES_IN_VAIN = replace(_TRIES, least=TRY_LOCK)
_RESET_TRIES = replace(_TRIES, after=("reset_persists",))
_RESET_TRIES_IN_VAIN = replace(_RESET_TRIES, least=TRY_LOCK)
_REPAIR_TRIES = replace(_TRIES, after=("repair_persists_again",))
_REPAIR_TRIES_IN_VAIN = replace(_REPAIR_TRIES, least=TRY_LOCK)


class GiveUpStep(Enum):
    """How far tryRemoveOrderMessageQueue has come: the step that it has done last."""

    IDLE = auto()
    PERSISTED_AGAIN = auto()
    OFFSET_REMOVED = auto()


class GivingUp(Component):
    """A run of tryRemoveOrderMessageQueue on a ProcessQueue, and whether it holds that one's consume lock."""

    at: GiveUpStep = one_of(GiveUpStep)
    pq_id: int | None = optional(integer(0, lambda scope: scope.process_queues - 1))
    holds_lock: bool = flag()


class KeepingConsumer(OrderlyConsumer):
    """A client with what its threads are about that give the queue up."""

    rebalance_gives_up: Array[GivingUp] = array(RUNS, GivingUp)
    reset_gives_up: GivingUp = part(GivingUp)
    repair_gives_up: Array[GivingUp] = array(PROCESS_QUEUES, GivingUp)

    def forget_giving_up(self) -> None:
        """The threads are gone that were giving the queue up."""
        for run in self._giving_up():
            run.reset()

    def _giving_up(self) -> tuple[GivingUp, ...]:
        return (*self.rebalance_gives_up, self.reset_gives_up, *self.repair_gives_up)

    def is_given_up(self, pq_id: int) -> bool:
        """Does a thread hold a ProcessQueue's consume lock that gives it up?"""
        return some(every([run.holds_lock, run.pq_id == pq_id]) for run in self._giving_up())

    def is_consume_locked(self, pq_id: int) -> bool:
        """Does anybody hold a ProcessQueue's consume lock?"""
        return some([self.process_queue[pq_id].request.at == RequestStep.LISTENING, self.is_given_up(pq_id)])


class GivesUp(Unlocking):
    """The steps of tryRemoveOrderMessageQueue, whoever takes them."""

    def keeping(self, c: int) -> KeepingConsumer:
        """The client."""
        return cast(KeepingConsumer, self.consumer[c])

    def persist_again(self, c: int, run: GivingUp, pq_id: int | None, origin: Origin = Origin.PROGRESS) -> None:
        """Sends the cell once more, if there is one, with the consume lock."""
        require(run.at == GiveUpStep.IDLE, pq_id is not None)
        if pq_id is not None:
            require(not self.keeping(c).is_consume_locked(pq_id))
            run.pq_id = pq_id
        run.holds_lock = True
        self.keeping(c).send_commit(origin)
        run.at = GiveUpStep.PERSISTED_AGAIN

    def require_hanged(self, c: int, run: GivingUp, pq_id: int | None) -> None:
        """The consume lock is not to be had."""
        require(run.at == GiveUpStep.IDLE, pq_id is not None)
        if pq_id is not None:
            require(self.keeping(c).is_consume_locked(pq_id))
            if self.setting.behaves(FORCES_UNLOCK):
                pq = self.consumer[c].process_queue[pq_id]
                require(not (pq.dropped and pq.lock_expired))

    def remove_given_up_offset(self, c: int, run: GivingUp) -> None:
        """Removes the cell."""
        require(run.at == GiveUpStep.PERSISTED_AGAIN)
        self.consumer[c].remove_cell()
        run.at = GiveUpStep.OFFSET_REMOVED

    def unlock_given_up(self, c: int, run: GivingUp) -> None:
        """Marks the ProcessQueue as not locked, and sends the unlock; the consume lock is free."""
        require(run.at == GiveUpStep.OFFSET_REMOVED)
        pq_id = run.pq_id
        if pq_id is not None:
            self.consumer[c].process_queue[pq_id].locked = False
        self.send_unlock(c)
        run.reset()


class KeepingRebalance(LockedRebalancing, GivesUp):
    """What a run of rebalance does with the queue that it has dropped and persisted."""

    @REBALANCE.step(PERSISTS_AGAIN, waits=_TRIES, rig=in_rig(TRIES))
    def rebalance_persists_again(self, c: int, r: int) -> None:
        """Gets the consume lock, and sends the cell once more."""
        run = self.consumer[c].rebalance[r]
        require(run.at == RebalanceStep.PERSISTED)
        self.persist_again(c, self.keeping(c).rebalance_gives_up[r], run.pq_id)

    @REBALANCE.step(_REMOVES, waits=at_once("rebalance_persists_again"), logs=_REMOVED)
    def rebalance_removes_offset(self, c: int, r: int) -> None:
        """Removes the cell."""
        self.remove_given_up_offset(c, self.keeping(c).rebalance_gives_up[r])

    @REBALANCE.step(_UNLOCKS, waits=at_once("rebalance_removes_offset"), logs=_UNLOCKED)
    def rebalance_unlocks_queue(self, c: int, r: int) -> None:
        """Marks the ProcessQueue as not locked, and unlocks the queue."""
        run = self.consumer[c].rebalance[r]
        self.unlock_given_up(c, self.keeping(c).rebalance_gives_up[r])
        run.at = RebalanceStep.OFFSET_REMOVED
        run.unlocked = True

    @REBALANCE.step(_HANGS, waits=_TRIES_IN_VAIN, rig=in_rig(TRIES))
    def rebalance_cannot_unlock_queue(self, c: int, r: int) -> None:
        """Waits for the listener in vain, and leaves the dropped ProcessQueue in the table, with its cell."""
        run = self.consumer[c].rebalance[r]
        require(run.at == RebalanceStep.PERSISTED)
        self.require_hanged(c, self.keeping(c).rebalance_gives_up[r], run.pq_id)
        run.reset()


class KeepingReset(LockedResetting, GivesUp):
    """What a reset does with the queue whose cell it has set; `reset_run.pq_id` is that one from then on."""

    @same(LockedResetting.reset_updates_cell)
    def reset_updates_cell(self, c: int) -> None:
        """Sets the cell to the target, if the queue is listed now.

        This is the second loop, over the table as it is now; without a queue nothing is written.
        """
        super().reset_updates_cell(c)
        consumer = self.consumer[c]
        if consumer.reset_run.at == ResetStep.UPDATED:
            consumer.reset_run.pq_id = consumer.process_queue_table

    @RESET.step(PERSISTS_AGAIN, waits=_RESET_TRIES, rig=in_rig(TRIES))
    def reset_persists_again(self, c: int) -> None:
        """Gets the consume lock, and sends the cell once more."""
        run = self.consumer[c].reset_run
        require(run.at == ResetStep.PERSISTED)
        self.persist_again(c, self.keeping(c).reset_gives_up, run.pq_id, Origin.RESET)

    @RESET.step(_REMOVES, waits=at_once("reset_persists_again"), logs=_REMOVED)
    def reset_removes_offset(self, c: int) -> None:
        """Removes the cell."""
        self.remove_given_up_offset(c, self.keeping(c).reset_gives_up)

    @RESET.step(_UNLOCKS, waits=at_once("reset_removes_offset"), logs=_UNLOCKED)
    def reset_unlocks_queue(self, c: int) -> None:
        """Marks the ProcessQueue as not locked, and unlocks the queue."""
        self.unlock_given_up(c, self.keeping(c).reset_gives_up)
        self.finish_giving_up(c)

    @RESET.step(_HANGS, waits=_RESET_TRIES_IN_VAIN, rig=in_rig(TRIES))
    def reset_cannot_unlock_queue(self, c: int) -> None:
        """Waits for the listener in vain, and goes on: the cell stays, and the broker's lock."""
        run = self.consumer[c].reset_run
        require(run.at == ResetStep.PERSISTED)
        self.require_hanged(c, self.keeping(c).reset_gives_up, run.pq_id)
        self.finish_giving_up(c)

    def finish_giving_up(self, c: int) -> None:
        """The reset goes on with the table."""
        run = self.consumer[c].reset_run
        run.pq_id = None
        run.unlocked = True
        run.at = ResetStep.OFFSET_REMOVED


class KeepingRepair(LockedRepairing, GivesUp):
    """What the repair of an illegal offset does with the queue that it has taken out of the table and persisted."""

    @REPAIR.step(PERSISTS_AGAIN, waits=_REPAIR_TRIES, rig=in_rig(TRIES))
    def repair_persists_once_more(self, c: int, pq_id: int) -> None:
        """Gets the consume lock, and sends the cell once more."""
        pq = self.consumer[c].process_queue[pq_id]
        require(pq.repair == RepairStep.PERSISTED_AGAIN)
        self.persist_again(c, self.keeping(c).repair_gives_up[pq_id], pq.unlocking)

    @REPAIR.step(_REMOVES, waits=at_once("repair_persists_once_more"), logs=_REMOVED)
    def repair_removes_offset(self, c: int, pq_id: int) -> None:
        """Removes the cell."""
        self.remove_given_up_offset(c, self.keeping(c).repair_gives_up[pq_id])

    @REPAIR.step(_UNLOCKS, waits=at_once("repair_removes_offset"), logs=_UNLOCKED)
    def repair_unlocks_queue(self, c: int, pq_id: int) -> None:
        """Marks the ProcessQueue as not locked, and unlocks the queue; the repair is over."""
        self.unlock_given_up(c, self.keeping(c).repair_gives_up[pq_id])
        self.consumer[c].process_queue[pq_id].unlocking = None
        self.finish_unlocked_repair(c, pq_id)

    @REPAIR.step(_HANGS, waits=_REPAIR_TRIES_IN_VAIN, rig=in_rig(TRIES))
    def repair_cannot_unlock_queue(self, c: int, pq_id: int) -> None:
        """Waits for the listener in vain: the repair is over, the cell stays, and the broker's lock."""
        pq = self.consumer[c].process_queue[pq_id]
        require(pq.repair == RepairStep.PERSISTED_AGAIN)
        self.require_hanged(c, self.keeping(c).repair_gives_up[pq_id], pq.unlocking)
        pq.unlocking = None
        self.finish_repair(c, pq_id)


class KeepingOutListeners(OrderlyConsuming):
    """What a consume thread waits for."""

    @same(OrderlyConsuming.request_starts_listener)
    def request_starts_listener(self, c: int, pq_id: int) -> None:
        """Starts the listener under the consume lock, unless dropped.

        On a dropped queue the request ends, and its batch stays where it is for ever.
        """
        require(not cast(KeepingConsumer, self.consumer[c]).is_given_up(pq_id))
        super().request_starts_listener(c, pq_id)

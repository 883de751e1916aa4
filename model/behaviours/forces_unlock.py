"""Since 5.2.0 a dropped queue is unlocked while its listener runs, where its lock was heard of over 20 s ago.

Stands for `forceUnlock` in RebalancePushImpl.tryRemoveOrderMessageQueue, which then neither takes the consume lock nor
waits for it. The model has no clock: it knows that a lock is older than the 30 s for which it is believed in, and that
it is old enough then.
"""

from __future__ import annotations

from typing import Any

from offsetproof.lang import Change, choose, require
from offsetproof.lang.record import Pause, at_once
from offsetproof.lang.rigging import RigMoment
from offsetproof.lang.step import InRig, in_rig
from offsetproof.model.behaviours.keeps_cell_while_listening import (
    PERSISTS_AGAIN,
    TRIES,
    GivesUp,
    GiveUpStep,
    GivingUp,
    KeepingConsumer,
    KeepingOutListeners,
    KeepingRebalance,
    KeepingRepair,
    KeepingReset,
)
from offsetproof.model.orderly.handing_over import Unlocking
from offsetproof.model.orderly.process_queue import OrderlyProcessQueue
from offsetproof.model.orderly.timers import UNLOCK_DELAY
from offsetproof.model.releases import FORCES_UNLOCK, KEEPS_CELL_WHILE_LISTENING
from offsetproof.model.threads import REBALANCE, REPAIR, RESET
from offsetproof.model.vocabulary import Origin, RebalanceStep, RepairStep, ResetStep

_HEARD = ("client_hears_of_renewal", "client_hears_of_lock", "rebalance_hears_of_lock", "rebalance_adds_queue")
_OLD = Pause(
    "a lock grows old", (_HEARD,), UNLOCK_DELAY, any_longer=True,
    source="RebalancePushImpl.tryRemoveOrderMessageQueue: UNLOCK_DELAY_TIME_MILLS", same=("c",),
)  # fmt: skip


def _given_up(of: str) -> InRig:
    """A step that is told which ProcessQueue's lock is old; `of` is the field that has it."""

    def number(moment: RigMoment) -> Any:
        return moment.before[of.format(**moment.args)]

    return in_rig(TRIES, forced=number)


class AgeingProcessQueue(OrderlyProcessQueue):
    """A ProcessQueue whose `lock_expired` says how old its last lock is, also where it is not locked any more."""

    def receive_lock_reply(self, *, granted: bool) -> None:
        """The broker's answer sets the flag, and the time of the lock if it is granted."""
        self.locked = granted
        self.lock_expired = choose(granted, False, self.lock_expired)


class Forcing(GivesUp):
    """What is done without the consume lock."""

    def force_unlock(self, c: int, run: GivingUp, pq_id: int | None, origin: Origin = Origin.PROGRESS) -> None:
        """Sends the cell once more, if there is one, although somebody has the consume lock of a dropped queue."""
        require(self.setting.behaves(FORCES_UNLOCK), run.at == GiveUpStep.IDLE, pq_id is not None)
        if pq_id is not None:
            require(self.consumer[c].process_queue[pq_id].dropped, self.keeping(c).is_consume_locked(pq_id))
            run.pq_id = pq_id
        self.consumer[c].send_commit(origin)
        run.at = GiveUpStep.PERSISTED_AGAIN


class ForcingUnlocks(KeepingRepair, KeepingRebalance, KeepingReset, Forcing):
    """Who gives a queue up that is still listened to."""

    @REBALANCE.step(
        PERSISTS_AGAIN, waits=(at_once("rebalance_persists"), _OLD), rig=_given_up("consumer[{c}].rebalance[{r}].pq_id")
    )
    def rebalance_forces_unlock(self, c: int, r: int) -> None:
        """Finds the lock old, and sends the cell once more while the listener runs."""
        run = self.consumer[c].rebalance[r]
        require(run.at == RebalanceStep.PERSISTED)
        self.force_unlock(c, self.keeping(c).rebalance_gives_up[r], run.pq_id)

    @RESET.step(PERSISTS_AGAIN, waits=(at_once("reset_persists"), _OLD), rig=_given_up("consumer[{c}].reset_run.pq_id"))
    def reset_forces_unlock(self, c: int) -> None:
        """Finds the lock old, and sends the cell once more while the listener runs."""
        run = self.consumer[c].reset_run
        require(run.at == ResetStep.PERSISTED)
        self.force_unlock(c, self.keeping(c).reset_gives_up, run.pq_id, Origin.RESET)

    @REPAIR.step(
        PERSISTS_AGAIN,
        waits=(at_once("repair_persists_again"), _OLD),
        rig=_given_up("consumer[{c}].process_queue[{pq_id}].unlocking"),
    )
    def repair_forces_unlock(self, c: int, pq_id: int) -> None:
        """Finds the lock old, and sends the cell once more while the listener runs."""
        pq = self.consumer[c].process_queue[pq_id]
        require(pq.repair == RepairStep.PERSISTED_AGAIN)
        self.force_unlock(c, self.keeping(c).repair_gives_up[pq_id], pq.unlocking)


KEEPS_CELL = Change(
    KEEPS_CELL_WHILE_LISTENING,
    steps=(GivesUp, KeepingRebalance, KeepingReset, KeepingRepair, KeepingOutListeners, Forcing, ForcingUnlocks),
    parts=(KeepingConsumer,),
    gone=(Unlocking.delayed_unlock_is_sent,),
)
"""What orderly consumption is where the cell is kept; nothing is forced without `forces-unlock`."""

FORCES = Change(FORCES_UNLOCK, parts=(AgeingProcessQueue,))
"""What it is with `forces-unlock` beside that."""

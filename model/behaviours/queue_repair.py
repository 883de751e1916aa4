"""The repair of one of several queues whose pull was answered with a reset's target, by name of the queue.

Stands for the task that PullCallback schedules in DefaultMQPushConsumerImpl, and RebalanceImpl.removeProcessQueue. One
thread of a client runs all repairs, one after the other. Left out: the moments between its second persist and the
removal of the cell, and between taking the queue out of the table and dropping it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from offsetproof.lang import among, at, every, require
from offsetproof.lang.record import Pause
from offsetproof.lang.step import in_rig
from offsetproof.model.behaviours.marked_queues import MarkedClient, MarkedShare
from offsetproof.model.places import PERSISTS
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.rebalancing import leaves_commit_out
from offsetproof.model.queues.threads import REPAIR
from offsetproof.model.shared.repairing import DELAY, DROPS, REMOVES, REMOVES_LOG
from offsetproof.model.vocabulary import RepairStep

_TASK = "DefaultMQPushConsumerImpl.PullCallback.Runnable"
_SENDS = in_rig(forgets_commit=lambda moment: leaves_commit_out(moment, moment.arg("q")))
_AFTER_TARGET: Pause = replace(DELAY, after=("poll_hears_of_reset",))


class QueueRepair(QueueGroup):
    """The steps of the repair."""

    def marked_client(self, c: int) -> MarkedClient:
        """The client, which hears of resets by its pulls."""
        return cast(MarkedClient, self.client[c])

    def _share(self, c: int, q: int, at_step: RepairStep) -> MarkedShare:
        share = self.marked_client(c).shares()[q]
        require(share.repair == at_step)
        return share

    @REPAIR.step(at(_TASK, "run", "updateAndFreezeOffset").or_at("run", "updateOffset"), waits=_AFTER_TARGET)
    def repair_updates_cell(self, c: int, q: int) -> None:
        """Sets the cell to the target, and freezes it."""
        share = self._share(c, q, RepairStep.WAITING)
        waiting = (RepairStep.IDLE, RepairStep.WAITING)
        require(every(among(each.repair, *waiting) for each in self.marked_client(c).shares()))
        share.freeze_cell()
        share.repair_to = 0
        share.repair = RepairStep.UPDATED

    @REPAIR.step(at(_TASK, "run", "persist"), rig=_SENDS)
    def repair_persists(self, c: int, q: int) -> None:
        """Sends the cell one-way."""
        share = self._share(c, q, RepairStep.UPDATED)
        share.send_commit()
        share.repair = RepairStep.PERSISTED

    @REPAIR.step(REMOVES, DROPS, logs=REMOVES_LOG)
    def repair_removes_queue(self, c: int, q: int) -> None:
        """Takes whatever the table has for the queue out of it, and drops that; without one the repair is over."""
        share, client = self._share(c, q, RepairStep.PERSISTED), self.marked_client(c)
        share.repair = RepairStep.IDLE
        if client.process_queue_table.has(q):
            share.repair = RepairStep.DROPPED
            client.truncate_queue(q)

    @REPAIR.step(
        PERSISTS,
        at("RebalancePushImpl", "removeUnnecessaryMessageQueue", "removeOffset"),
        rig=_SENDS,
        logs="fix the pull request offset, {}",
    )
    def repair_removes_offset(self, c: int, q: int) -> None:
        """Sends the cell once more, if there is one, and removes it; the repair is over."""
        share = self._share(c, q, RepairStep.DROPPED)
        share.send_commit()
        share.remove_cell()
        share.repair = RepairStep.IDLE

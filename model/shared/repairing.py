"""Repairing: what the consumer does ten seconds after a pull was answered with OFFSET_ILLEGAL, by name of the queue.

Stands for the task that PullCallback schedules in DefaultMQPushConsumerImpl, and RebalanceImpl.removeProcessQueue.
The ProcessQueue that met the illegal offset is dropped at once; the repair works on the cell and the table as they are
then.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.lang.record import Pause
from offsetproof.model.places import PERSISTS
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import REPAIR
from offsetproof.model.timers import REPAIR_DELAY
from offsetproof.model.vocabulary import Origin, RepairStep

_TASK = "DefaultMQPushConsumerImpl.PullCallback.Runnable"
REMOVES = at("RebalanceImpl", "removeProcessQueue", "remove")
DROPS = at("RebalanceImpl", "removeProcessQueue", "setDropped")
REMOVES_LOG = "Fix Offset, {}, remove unnecessary mq, {} Droped: {}"

DELAY = Pause(
    "a repair",
    ("poll_is_illegal",),
    least=REPAIR_DELAY,
    source="DefaultMQPushConsumerImpl.PullCallback: executeTaskLater(10000)",
)


class Repairing(Group):
    """The steps of the repair."""

    @REPAIR.step(at(_TASK, "run", "updateOffset"), waits=DELAY)
    def repair_updates_cell(self, c: int, pq_id: int) -> None:
        """Sets the cell to the corrected offset, whatever stands there."""
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        require(pq.repair == RepairStep.WAITING)
        consumer.write_cell(pq.next_offset)
        pq.repair_is_older = False
        pq.repair = RepairStep.UPDATED

    @REPAIR.step(at(_TASK, "run", "persist"))
    def repair_persists(self, c: int, pq_id: int) -> None:
        """Sends the cell one-way."""
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        require(pq.repair == RepairStep.UPDATED)
        consumer.send_commit(Origin.PROGRESS)
        pq.repair = RepairStep.PERSISTED

    @REPAIR.step(REMOVES)
    def repair_removes_queue(self, c: int, pq_id: int) -> None:
        """Takes whatever the table has for the queue out of it.

        Without one the repair is over.
        """
        require(self.consumer[c].process_queue[pq_id].repair == RepairStep.PERSISTED)
        if self.finds_queue(c, pq_id):
            self.consumer[c].process_queue_table = None

    def finds_queue(self, c: int, pq_id: int) -> bool:
        """Goes on with the ProcessQueue in the table, and tells whether there is one: else the repair is over."""
        listed = self.consumer[c].process_queue_table
        if listed is None:
            self.finish_repair(c, pq_id)
            return False
        pq = self.consumer[c].process_queue[pq_id]
        pq.next_offset = 0
        pq.repair_removed = listed
        pq.repair = RepairStep.UNLISTED
        return True

    @REPAIR.step(DROPS, logs=REMOVES_LOG)
    def repair_drops_queue(self, c: int, pq_id: int) -> None:
        """Drops the ProcessQueue that was in the table."""
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        require(pq.repair == RepairStep.UNLISTED)
        listed = pq.repair_removed
        if listed is not None:
            consumer.process_queue[listed].dropped = True
        pq.repair_removed = None
        pq.repair = RepairStep.DROPPED

    @REPAIR.step(PERSISTS)
    def repair_persists_again(self, c: int, pq_id: int) -> None:
        """Sends the cell one-way, if there is one."""
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        require(pq.repair == RepairStep.DROPPED)
        consumer.send_commit(Origin.PROGRESS)
        pq.repair = RepairStep.PERSISTED_AGAIN

    @REPAIR.step(
        at("RebalancePushImpl", "removeUnnecessaryMessageQueue", "removeOffset"),
        logs="fix the pull request offset, {}",
    )
    def repair_removes_offset(self, c: int, pq_id: int) -> None:
        """Removes the cell; the repair is over."""
        require(self.consumer[c].process_queue[pq_id].repair == RepairStep.PERSISTED_AGAIN)
        self.consumer[c].remove_cell()
        self.finish_repair(c, pq_id)

    def finish_repair(self, c: int, pq_id: int) -> None:
        """The repair is over."""
        pq = self.consumer[c].process_queue[pq_id]
        pq.discard_pull_request()
        pq.repair = RepairStep.IDLE

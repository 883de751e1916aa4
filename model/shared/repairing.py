"""Repairing: what the consumer does ten seconds after a pull was answered with OFFSET_ILLEGAL, by name of the queue.

Stands for the task that PullCallback schedules in DefaultMQPushConsumerImpl, and RebalanceImpl.removeProcessQueue.
The life that met the illegal offset is dropped at once; the repair works on the cell and the table as they are then.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.lang.record import Pause
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import REPAIR
from offsetproof.model.timers import REPAIR_DELAY
from offsetproof.model.vocabulary import FixStep, Origin

_TASK = "DefaultMQPushConsumerImpl.PullCallback.Runnable"

_DELAY = Pause(
    "a repair",
    ("poll_is_illegal",),
    least=REPAIR_DELAY,
    source="DefaultMQPushConsumerImpl.PullCallback: executeTaskLater(10000)",
)


class Repairing(Group):
    """The steps of the repair."""

    @REPAIR.step(at(_TASK, "run", "updateOffset"), waits=_DELAY)
    def repair_updates_cell(self, c: int, life: int) -> None:
        """Sets the cell to the corrected offset, whatever stands there."""
        consumer = self.consumer[c]
        pq = consumer.process_queue[life]
        require(pq.fix == FixStep.WAITING)
        consumer.cell = pq.next_offset
        pq.fix_is_older = False
        pq.fix = FixStep.UPDATED

    @REPAIR.step(at(_TASK, "run", "persist"))
    def repair_persists(self, c: int, life: int) -> None:
        """Sends the cell one-way."""
        consumer = self.consumer[c]
        pq = consumer.process_queue[life]
        require(pq.fix == FixStep.UPDATED)
        consumer.send_commit(Origin.PROGRESS)
        pq.fix = FixStep.PERSISTED

    @REPAIR.step(at("RebalanceImpl", "removeProcessQueue", "remove"))
    def repair_removes_queue(self, c: int, life: int) -> None:
        """Takes whatever life is in the table out of it.

        Without one the repair is over.
        """
        consumer = self.consumer[c]
        pq = consumer.process_queue[life]
        require(pq.fix == FixStep.PERSISTED)
        listed = consumer.process_queue_table
        if listed is None:
            self.finish_repair(c, life)
        else:
            pq.next_offset = 0
            pq.fixing = listed
            consumer.process_queue_table = None
            pq.fix = FixStep.UNLISTED

    @REPAIR.step(
        at("RebalanceImpl", "removeProcessQueue", "setDropped"),
        logs="Fix Offset, {}, remove unnecessary mq, {} Droped: {}",
    )
    def repair_drops_queue(self, c: int, life: int) -> None:
        """Drops the life that was in the table."""
        consumer = self.consumer[c]
        pq = consumer.process_queue[life]
        require(pq.fix == FixStep.UNLISTED)
        listed = pq.fixing
        if listed is not None:
            consumer.process_queue[listed].dropped = True
        pq.fixing = None
        pq.fix = FixStep.DROPPED

    @REPAIR.step(at("RebalancePushImpl", "removeUnnecessaryMessageQueue", "persist"))
    def repair_persists_again(self, c: int, life: int) -> None:
        """Sends the cell one-way, if there is one."""
        consumer = self.consumer[c]
        pq = consumer.process_queue[life]
        require(pq.fix == FixStep.DROPPED)
        consumer.send_commit(Origin.PROGRESS)
        pq.fix = FixStep.PERSISTED_AGAIN

    @REPAIR.step(at("RebalancePushImpl", "removeUnnecessaryMessageQueue", "removeOffset"))
    def repair_removes_offset(self, c: int, life: int) -> None:
        """Removes the cell; the repair is over."""
        require(self.consumer[c].process_queue[life].fix == FixStep.PERSISTED_AGAIN)
        self.consumer[c].remove_cell()
        self.finish_repair(c, life)

    def finish_repair(self, c: int, life: int) -> None:
        """The repair is over."""
        pq = self.consumer[c].process_queue[life]
        pq.discard_token()
        pq.fix = FixStep.IDLE

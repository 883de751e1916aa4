"""Consuming in finer steps: a task gets hold of the cell, and raises it, where the scope is `fine`.

Stands for RemoteBrokerOffsetStore.updateOffset.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.lang.record import at_once
from offsetproof.lang.step import in_rig
from offsetproof.model.concurrent.consuming import LAST, RAISES_CELL, Consuming
from offsetproof.model.threads import CONSUME
from offsetproof.model.vocabulary import TaskStep


class FineConsuming(Consuming):
    """What a task does with a cell that may be removed before the write."""

    @CONSUME.step(at("RemoteBrokerOffsetStore", "updateOffset", "get"), waits=at_once("task_checks_dropped"))
    def task_fetches_cell(self, c: int, pq_id: int, m: int) -> None:
        """Gets hold of the cell, which may be removed before the write.

        An absent one is made at once.
        """
        require(self.scope.fine > 0)
        consumer = self.consumer[c]
        task = consumer.process_queue[pq_id].task[m]
        require(task.at == TaskStep.CHECKED)
        if consumer.cell is None:
            self.update_cell(c, pq_id, m)
        else:
            task.at = TaskStep.FETCHED

    @CONSUME.step(RAISES_CELL, waits=LAST, rig=in_rig(RAISES_CELL))
    def task_updates_detached_cell(self, c: int, pq_id: int, m: int) -> None:
        """Raises a cell that left the offset table: nobody reads it."""
        require(self.scope.fine > 0)
        pq = self.consumer[c].process_queue[pq_id]
        task = pq.task[m]
        require(task.at == TaskStep.DETACHED)
        self.end(pq, task, m)

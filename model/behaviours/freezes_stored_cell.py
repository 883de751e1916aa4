"""Since 5.2.0 a repair freezes the cell of a broadcast consumer as well: what is written to the file stays its value.

Stands for LocalFileOffsetStore, whose cells are ControllableOffsets, too. Where there is this, the file is merged.
"""

from __future__ import annotations

from typing import cast

from offsetproof.lang import Change, action, at, require
from offsetproof.model.behaviours.freezes_cell import FreezingConsumer
from offsetproof.model.behaviours.merges_into_file import MergingConsumer
from offsetproof.model.broadcasting.rebalancing import BroadcastRepair
from offsetproof.model.releases import FREEZES_CELL
from offsetproof.model.vocabulary import CONSUMERS, PROCESS_QUEUES, RepairStep


class FreezingStoredConsumer(MergingConsumer, FreezingConsumer):
    """A client with a file whose cell may be frozen."""

    def remove_cell(self) -> None:
        """Takes the cell out of the table; the next one is not frozen."""
        MergingConsumer.remove_cell(self)
        self.frozen = False

    def forget(self) -> None:
        """The process is gone, and its cells; the file stays."""
        MergingConsumer.forget(self)
        self.frozen = False


class FreezingStoredRepair(BroadcastRepair):
    """What the repair does first."""

    @action(
        c=CONSUMERS, pq_id=PROCESS_QUEUES, actor="consumer[c]", thread="repair",
        stands_for=[at("DefaultMQPushConsumerImpl.PullCallback.Runnable", "run", "updateAndFreezeOffset")],
    )  # fmt: skip
    def repair_updates_cell(self, c: int, pq_id: int) -> None:
        """Sets the cell to the corrected offset, and freezes it."""
        consumer = cast(FreezingStoredConsumer, self.consumer[c])
        pq = consumer.process_queue[pq_id]
        require(pq.repair == RepairStep.WAITING)
        self.ghost_repaired = pq.next_offset
        consumer.freeze_cell(pq)
        pq.repair_is_older = False
        pq.repair = RepairStep.UPDATED


FREEZES_STORED = Change(FREEZES_CELL, steps=(FreezingStoredRepair,), parts=(FreezingStoredConsumer,))
"""What broadcasting is with it."""

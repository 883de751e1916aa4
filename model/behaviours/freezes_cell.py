"""Since 5.2.0 a repair freezes the cell: it takes no other value until it is removed (ControllableOffset).

Where the repair finds no ProcessQueue in the table, removeProcessQueue does not come to removeOffset, and the cell
stays frozen.
"""

from __future__ import annotations

from typing import cast

from offsetproof.lang import Change, at, every, flag, require
from offsetproof.model.releases import FREEZES_CELL
from offsetproof.model.shared.consumer import Consumer
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.shared.repairing import DELAY, Repairing
from offsetproof.model.threads import REPAIR
from offsetproof.model.vocabulary import RepairStep


class FreezingConsumer(Consumer):
    """A client whose cell may be `frozen`."""

    frozen: bool = flag()

    def raise_cell(self, value: int, pq: ProcessQueue) -> None:
        """Raises the cell, unless it is frozen (ControllableOffset.update)."""
        if not self.frozen:
            super().raise_cell(value, pq)

    def write_cell(self, value: int | None) -> None:
        """Writes the cell, unless it is frozen."""
        if not self.frozen:
            super().write_cell(value)

    def set_cell(self, value: int | None) -> None:
        """Writes the cell for a reset or a new start, unless it is frozen."""
        if not self.frozen:
            super().set_cell(value)

    def freeze_cell(self, pq: ProcessQueue) -> None:
        """Writes the offset of a repair into the cell, which takes no other from then on (updateAndFreezeOffset)."""
        self.cell = pq.next_offset
        self.frozen = True

    def remove_cell(self) -> None:
        """Takes the cell out of the table; the next one is not frozen."""
        super().remove_cell()
        self.frozen = False

    def forget_cell(self) -> None:
        """The process is gone, and its cell."""
        super().forget_cell()
        self.frozen = False

    def has_frozen_queue(self) -> bool:
        """Is there a live ProcessQueue in the table whose cell is frozen?"""
        return every([self.owns_live_queue(), self.frozen])


class FreezingRepair(Repairing):
    """What the repair does first."""

    @REPAIR.step(at("DefaultMQPushConsumerImpl.PullCallback.Runnable", "run", "updateAndFreezeOffset"), waits=DELAY)
    def repair_updates_cell(self, c: int, pq_id: int) -> None:
        """Sets the cell to the corrected offset, and freezes it."""
        consumer = cast(FreezingConsumer, self.consumer[c])
        pq = consumer.process_queue[pq_id]
        require(pq.repair == RepairStep.WAITING)
        consumer.freeze_cell(pq)
        pq.repair_is_older = False
        pq.repair = RepairStep.UPDATED


FREEZES = Change(FREEZES_CELL, steps=(FreezingRepair,), parts=(FreezingConsumer,))
"""What a push consumer is with it."""

"""Since 4.9.8 the local store adds to its file, and a queue that is given up is persisted and then forgotten.

Stands for LocalFileOffsetStore.persistAll, which begins with what the file holds, and for persist and removeOffset,
which are empty in 4.9.4.
"""

from __future__ import annotations

from typing import ClassVar

from offsetproof.lang import Change, same
from offsetproof.lang.action import Retold
from offsetproof.model.broadcasting.rebalancing import BroadcastRebalancing, BroadcastRepair
from offsetproof.model.broadcasting.resetting import ResettingCell
from offsetproof.model.local.store import LocalConsumer
from offsetproof.model.releases import MERGES_INTO_FILE
from offsetproof.model.shared.consumer import Consumer
from offsetproof.model.vocabulary import Origin

_REMOVED = "remove unnecessary messageQueue offset. group={}, mq={}, offsetTableSize={}"


class MergingConsumer(LocalConsumer):
    """A client whose file keeps what is not written anew."""

    def persist_all(self) -> None:
        """Writes the cell of the queue in the table over what the file holds."""
        held = self.cell
        if self.process_queue_table is not None and held is not None:
            self.stored = held

    def send_commit(self, origin: Origin) -> None:  # noqa: ARG002  # a write of the file has no origin
        """Persists the one queue, if it has a cell (LocalFileOffsetStore.persist)."""
        if self.cell is not None:
            self.stored = self.cell

    def remove_cell(self) -> None:
        """Takes the cell out of the offset table."""
        Consumer.remove_cell(self)


class MergingSteps(BroadcastRepair, BroadcastRebalancing, ResettingCell):
    """What giving a queue up does: its persist and its removeOffset are not empty."""

    retold: ClassVar[tuple[Retold, ...]] = (
        Retold(BroadcastRebalancing.rebalance_persists, "Persists the queue."),
        Retold(BroadcastRebalancing.rebalance_removes_offset, "Forgets the cell.", logs=_REMOVED),
        Retold(BroadcastRepair.repair_persists, "Persists the queue."),
        Retold(BroadcastRepair.repair_persists_again, "Persists the queue once more."),
        Retold(BroadcastRepair.repair_removes_offset, "Forgets the cell; the repair is over.", logs=_REMOVED),
        Retold(ResettingCell.reset_removes_offset, "Forgets the cell.", logs=_REMOVED),
    )

    @same(ResettingCell.reset_persists)
    def reset_persists(self, c: int) -> None:
        """Persists the queue."""
        self.note_landing(c)
        super().reset_persists(c)


MERGES = Change(MERGES_INTO_FILE, steps=(MergingSteps,), parts=(MergingConsumer,))
"""What broadcasting is with it."""

"""The local offset store: a file of the client's own, as one value.

Stands for LocalFileOffsetStore beside the client's table of queues and offset table. The value is what a reader of the
file would find for the one queue. How it is written, and what a kill leaves of it, is in `model/files`.
"""

from __future__ import annotations

from offsetproof.lang import Array, array, every, flag, holds, negation, offset, optional, some
from offsetproof.model.shared.consumer import Consumer
from offsetproof.model.shared.group import Group
from offsetproof.model.vocabulary import CONSUMERS, Origin, ResetStep


class LocalConsumer(Consumer):
    """One client. `stored` is the queue's offset in the file, which outlives the process.

    `other_listed` says that the client's other queue is in its table: it is in the set that persistAll is given.
    History: `ghost_loaded` is what the file said when the process started, until the queue is added.
    """

    stored: int | None = optional(offset())
    other_listed: bool = flag()
    ghost_loaded: int | None = optional(offset())

    def persist_all(self) -> None:
        """Writes the whole file again, with the offsets of the queues in the table; without any it stays as it is."""
        held = self.cell
        if self.process_queue_table is not None:
            self.stored = held
        elif self.other_listed:
            self.stored = None

    def send_commit(self, origin: Origin) -> None:
        """Does nothing: LocalFileOffsetStore.persist is empty."""

    def remove_cell(self) -> None:
        """Does nothing: LocalFileOffsetStore.removeOffset is empty."""

    def forget(self) -> None:
        """The process is gone; the file stays."""
        super().forget()
        self.other_listed = False

    def lists_a_queue(self) -> bool:
        """Is there a queue in the table, this or the other one?"""
        return some([self.other_listed, negation(holds(self, Consumer.process_queue_table, None))])

    def is_persisting_reset(self) -> bool:
        """Does a reset stand between its write of the cell and the removal of the queue from the table?"""
        run = self.reset_run
        within = [run.at == step for step in (ResetStep.UPDATED, ResetStep.PERSISTED, ResetStep.OFFSET_REMOVED)]
        return every([some(within), negation(run.ghost_superseded)])

    def has_landed(self) -> bool:
        """History: has a reset that it heard of by a pull landed in its file? None where there are only commands."""
        return False

    def has_stored(self) -> bool:
        """Does the file say what the cell says?"""
        return self.number_of(Consumer.cell) == self.number_of(LocalConsumer.stored)


class LocalGroup(Group):
    """A group each of whose clients has an offset file. History: a reset has landed when the file has its target."""

    consumer: Array[LocalConsumer] = array(CONSUMERS, LocalConsumer)

    def note_landing(self, c: int) -> None:
        """History: the cell is about to be written to the file; a reset lands if it is its target, and its turn."""
        consumer = self.consumer[c]
        same = consumer.number_of(Consumer.cell) == self.ghost_target + 1
        self.ghost_landed = some([self.ghost_landed, every([consumer.is_persisting_reset(), same])])

    def persist_all(self, c: int) -> None:
        """The client's persistAll, whoever calls it."""
        if self.consumer[c].process_queue_table is not None:
            self.note_landing(c)
        self.consumer[c].persist_all()

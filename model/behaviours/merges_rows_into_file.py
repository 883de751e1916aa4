"""Since 4.9.8 a broadcast consumer's file keeps the rows that are not written anew: the steps of its writing.

Stands for LocalFileOffsetStore.persistAll, which begins with what the file holds, and for persist and removeOffset,
which are empty in 4.9.4. What comes of it for a consumer, in one step, is in `merges_into_file`.
"""

from __future__ import annotations

from typing import cast

from offsetproof.lang import Change, at, every, holds, integer, optional, require, same
from offsetproof.lang.record import NotInRig
from offsetproof.model.files.offset_file import Row
from offsetproof.model.files.process import Process, Writer
from offsetproof.model.files.serving import ROUTE_CHANGES, Serving
from offsetproof.model.files.threads import REBALANCE_SERVICE
from offsetproof.model.files.variants import PERSIST_SYNCHRONIZED
from offsetproof.model.files.vocabulary import REBALANCE, Phase, Reading, WriteStep
from offsetproof.model.files.writing import Writing
from offsetproof.model.places import PERSISTS
from offsetproof.model.releases import MERGES_INTO_FILE


class MergingProcess(Process):
    """A process that persists a queue which it gives up (`leaving`), and forgets its offset then."""

    leaving: int | None = optional(integer(0, lambda scope: scope.queues - 1))

    def rebalances_nothing(self) -> bool:
        """Does its rebalance thread neither write nor have a queue to persist?"""
        return every([super().rebalances_nothing(), holds(self, MergingProcess.leaving, None)])


class MergingWrites(Writing, Serving):
    """What is written over what the file holds, and the thread that rebalances as one more that writes."""

    def _merging(self, p: int) -> MergingProcess:
        return cast(MergingProcess, self.process[p])

    def encode_listed(self, process: Process, writer: Writer) -> None:
        """The rows of the queues in the process queue table, over what the file holds."""
        require(self.reading() != Reading.FAILED)
        self.read_into(writer.text)
        super().encode_listed(process, writer)

    @same(Serving.client_adds_queue)
    def client_adds_queue(self, p: int, q: int) -> None:
        """Removes a left-over cell; then begins on a queue where the file says, and puts that into the table."""
        self.process[p].table.row[q].offset = None
        super().client_adds_queue(p, q)

    @REBALANCE_SERVICE.step(
        PERSISTS,
        any_time=ROUTE_CHANGES,
        rig=NotInRig(
            "the thread that rebalances writes the file then, and the rig holds only the timer and main there"
        ),
    )
    def client_loses_queue(self, p: int, q: int) -> None:
        """Gives a queue up that is not in the route any more; its offset is persisted next."""
        super().client_loses_queue(p, q)
        self._merging(p).leaving = q

    @REBALANCE_SERVICE.step(
        at("LocalFileOffsetStore", "persist"),
        any_time="a rebalance, which may wait for the thread that persists",
        rig=NotInRig("LocalFileOffsetStore.persist of the release is empty"),
    )
    def client_encodes_queue(self, p: int, q: int) -> None:
        """Makes a text of a queue that it has given up, over what the file holds.

        Where there is nothing to write, or the file cannot be read, the offset is forgotten at once.
        """
        process = self._merging(p)
        row, writer = process.table.row[q], process.writer[REBALANCE]
        require(holds(process, MergingProcess.leaving, q), process.phase == Phase.UP, writer.is_idle())
        if self.setting.behaves(PERSIST_SYNCHRONIZED):
            require(process.is_calm())
        if holds(row, Row.offset, None) or self.reading() == Reading.FAILED:
            row.offset = None
            process.leaving = None
        else:
            self.read_into(writer.text)
            writer.text.row[q].offset = row.offset
            writer.step = WriteStep.ENCODED

    def end_call(self, p: int, t: int) -> None:
        """A thread's call is over; the one that rebalances forgets the offset then."""
        super().end_call(p, t)
        process = self._merging(p)
        if t == REBALANCE and process.leaving is not None:
            process.table.row[process.leaving].offset = None
            process.leaving = None


MERGES_ROWS = Change(MERGES_INTO_FILE, steps=(MergingWrites,), parts=(MergingProcess,))
"""What the offset files of broadcast consumers are with it."""

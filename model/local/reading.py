"""Starting: where a ProcessQueue begins, by what the file says now, and by ConsumeFromWhere where it says nothing.

Stands for RebalancePushImpl.computePullFromWhereWithException with LocalFileOffsetStore.readOffset. Left out: a file
that cannot be read, which counts as one without the queue.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.lang.record import Pause, at_once
from offsetproof.lang.step import in_rig
from offsetproof.model.local.store import LocalGroup
from offsetproof.model.local.variants import START_PERSISTED
from offsetproof.model.shared.starting import FINDS_START, Starting
from offsetproof.model.threads import REBALANCE
from offsetproof.model.timers import ON_ITS_WAY
from offsetproof.model.vocabulary import RebalanceStep

_STORE = "LocalFileOffsetStore"

_MAX_OFFSET = Pause(
    "the max offset is on its way", ("rebalance_reads_file",), most=2 * ON_ITS_WAY,
    source="a request for the max offset, and its answer",
)  # fmt: skip


class Reading(Starting, LocalGroup):
    """What a rebalance run reads before it adds the queue."""

    @REBALANCE.step(
        at("RebalancePushImpl", "computePullFromWhereWithException", "readOffset"),
        at(_STORE, "readOffset", "readLocalOffset"),
        waits=at_once("rebalance_removes_dirty_offset"),
        rig=in_rig(at(_STORE, "readOffset", "readLocalOffset")),
    )
    def rebalance_reads_file(self, c: int, r: int) -> None:
        """Reads the queue's offset in the file, which may have none."""
        run = self.consumer[c].rebalance[r]
        require(run.at == RebalanceStep.DIRTY_REMOVED)
        stored = self.consumer[c].stored
        run.ghost_after_landing = self.ghost_landed
        if stored is None:
            run.at = RebalanceStep.NOT_FOUND
        else:
            run.start = stored
            run.at = RebalanceStep.QUERIED

    @REBALANCE.step(
        at("RebalancePushImpl", "computePullFromWhereWithException", "maxOffset"),
        waits=_MAX_OFFSET,
        rig=in_rig(*FINDS_START),
    )
    def rebalance_finds_start(self, c: int, r: int) -> None:
        """Finds no stored offset: the rule says where to start.

        LAST_OFFSET asks for the max offset now. A cell that is left over stays as it is.
        """
        consumer = self.consumer[c]
        self.find_start(consumer.rebalance[r])
        if self.setting.behaves(START_PERSISTED):
            consumer.set_cell(consumer.rebalance[r].start)
            consumer.stored = consumer.rebalance[r].start

    @REBALANCE.step(
        at(_STORE, "readOffset", "updateOffset"),
        waits=at_once("rebalance_removes_dirty_offset", "rebalance_reads_file"),
    )
    def rebalance_stores_start(self, c: int, r: int) -> None:
        """Writes the file's offset into the cell, whatever stands there."""
        run = self.consumer[c].rebalance[r]
        require(run.at == RebalanceStep.QUERIED)
        self.consumer[c].set_cell(run.start)
        run.at = RebalanceStep.STORED

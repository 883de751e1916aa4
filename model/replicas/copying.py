"""Copying: the slave asks its master for the whole offset table, and puts it over its own.

Stands for SlaveSynchronize.syncAll, and AdminBrokerProcessor.getAllConsumerOffset at the master. putAll replaces the
rows of a group and topic as a whole, and removes none of which the master knows nothing. The slave copies topics.json
in the same run, before the offsets: here the two are one step.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.lang.record import Pause
from offsetproof.lang.rigging import RigChange
from offsetproof.model.releases import COPIES_VERSION
from offsetproof.model.replicas.pair import Pair
from offsetproof.model.replicas.rows import take_rows
from offsetproof.model.replicas.threads import SYNCHRONIZE, arguments
from offsetproof.model.replicas.variants import COPY_OF_REGISTERED
from offsetproof.model.replicas.vocabulary import MASTER, SLAVE
from offsetproof.model.timers import COPY_EVERY

_ROUND = Pause(
    "the slave's timer", ("master_sends_table",), COPY_EVERY, any_longer=True, source=COPY_EVERY.source
)  # fmt: skip


class Copying(Pair):
    """What the slave's timer does."""

    @SYNCHRONIZE.step(at("AdminBrokerProcessor", "getAllConsumerOffset", "encode"), waits=_ROUND)
    def master_sends_table(self) -> None:
        """Answers the slave with its whole offset table."""
        master = self.broker[MASTER]
        require(master.is_registered(), self.broker[SLAVE].is_running(), not self.copy.on_its_way)
        self.copy.on_its_way = True
        take_rows(self.copy.copied, master.table)
        self.copy.version.take(master.version)

    @SYNCHRONIZE.step(
        at("SlaveSynchronize", "syncConsumerOffset", "putAll"),
        at("SlaveSynchronize", "syncConsumerOffset", "persist"),
        any_time="an answer, which may take up to its timeout",
        rig=RigChange("take_table", arguments),
        logs="Update slave consumer offset from master, {}",
    )
    def slave_takes_table(self) -> None:
        """Puts the master's rows over its own, whatever it has heard since, and persists."""
        slave = self.broker[SLAVE]
        require(self.copy.on_its_way)
        if self.setting.behaves(COPY_OF_REGISTERED):
            require(self.broker[MASTER].is_registered())
        slave.put_all(self.copy.copied)
        if self.setting.behaves(COPIES_VERSION):
            slave.version.take(self.copy.version)
        slave.knows_topic = True
        slave.persist()
        self.copy.reset()

    @SYNCHRONIZE.step(
        at("SlaveSynchronize", "syncConsumerOffset", "error", 1),
        any_time="the master has gone before its answer was out",
        rig=RigChange("lose_table", arguments),
        logs="SyncConsumerOffset Exception, {}",
    )
    def copy_is_lost(self) -> None:
        """Gets no answer, because the master is gone."""
        require(self.copy.on_its_way, not self.broker[MASTER].is_running())
        self.copy.reset()

"""Since 5.0.0 a master whose slave may act as master looks at the slave's table before it is registered again.

Stands for BrokerPreOnlineService with enableSlaveActingMaster and totalReplicas above 1. It takes the slave's rows
where DataVersion.compare gives 0 or less, also where the versions are equal. The version moves once in 500 commits.
"""

from __future__ import annotations

from typing import ClassVar

from offsetproof.lang import Change, at, require, some
from offsetproof.lang.action import Retold
from offsetproof.lang.rigging import RigChange
from offsetproof.model.releases import TAKES_SLAVES_TABLE
from offsetproof.model.replicas.broker import Replica
from offsetproof.model.replicas.running import Running
from offsetproof.model.replicas.threads import PRE_ONLINE, arguments
from offsetproof.model.replicas.variants import MASTER_MERGES
from offsetproof.model.replicas.vocabulary import MASTER, SLAVE, Phase

_PRE_ONLINE = "BrokerPreOnlineService"


class PreOnline(Running):
    """How a master starts whose slave may act as master."""

    retold: ClassVar[tuple[Retold, ...]] = (
        Retold(
            Running.broker_starts,
            "Loads its file, and registers; a master whose slave may act as master is isolated before that.",
        ),
    )

    def master_loads(self, master: Replica) -> None:
        """It runs, and is not registered yet."""
        if self.scope.acting_master == 1:
            master.phase = Phase.ISOLATED
        else:
            super().master_loads(master)

    @PRE_ONLINE.step(
        at(_PRE_ONLINE, "syncMetadataReverse", "compare"),
        at(_PRE_ONLINE, "syncMetadataReverse", "putAll"),
        any_time="BrokerPreOnlineService looks each second, and waits for the slave's connection",
    )
    def master_takes_slaves_table(self) -> None:
        """Takes its slave's rows and version, unless its own version is higher, and persists."""
        master, slave = self.broker[MASTER], self.broker[SLAVE]
        require(master.phase == Phase.ISOLATED, slave.is_running())
        if self.setting.behaves(MASTER_MERGES):
            self.merge(master, slave)
        elif master.version.is_at_most(slave.version):
            master.put_all(slave.table)
            master.version.take(slave.version)
            master.persist()
        master.phase = Phase.READY

    @PRE_ONLINE.step(
        at(_PRE_ONLINE, "prepareForMasterOnline", "startService"),
        any_time="it goes on at once, and waits for nobody where no slave is there",
        rig=RigChange("go_online", arguments),
    )
    def master_goes_online(self) -> None:
        """Registers at the name server."""
        master = self.broker[MASTER]
        alone = master.phase == Phase.ISOLATED and not self.broker[SLAVE].is_running()
        require(some([master.phase == Phase.READY, alone]))
        master.phase = Phase.UP


TAKES_TABLE = Change(TAKES_SLAVES_TABLE, steps=(PreOnline,))
"""What a master's start is with it."""

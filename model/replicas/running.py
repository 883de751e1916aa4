"""Running: a broker flushes its table, is killed, is shut down in order, and starts from its file.

Stands for ConfigManager.persist and load, BrokerController.initialize and shutdown. The roles stay as they are: a slave
never becomes a master by itself. Left out: commits that the executor still has at a shutdown, and how the file is
written, which are in the model `offset-files`; the time until the name server misses a broker.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.lang import at, larger, negation, require
from offsetproof.lang.record import Pause
from offsetproof.lang.rigging import RigChange
from offsetproof.model.replicas.broker import Replica
from offsetproof.model.replicas.pair import Pair
from offsetproof.model.replicas.rows import are_alike, forget_rows, take_rows
from offsetproof.model.replicas.threads import FLUSH, OTHERS, PROCESS, arguments
from offsetproof.model.replicas.variants import COPIED, KILL, MASTER_MERGES, ROUTES_KEPT
from offsetproof.model.replicas.vocabulary import MASTER, SLAVE, Phase
from offsetproof.model.threads import BY_DECISION, BY_FAULT
from offsetproof.model.timers import FLUSH_EVERY, FLUSH_FIRST

_FLUSH = Pause("the flush timer", ("broker_flushes",), FLUSH_EVERY, any_longer=True, source=FLUSH_EVERY.source)
_FIRST = replace(_FLUSH, after=("broker_starts",), least=FLUSH_FIRST, source=FLUSH_FIRST.source)


class Running(Pair):
    """What begins and ends a broker, and what it writes."""

    @FLUSH.step(at("ConfigManager", "persist", "encode"), waits=(_FLUSH, _FIRST))
    def broker_flushes(self, r: int) -> None:
        """Writes its offset table and the version to its file, a slave like a master."""
        replica = self.broker[r]
        require(replica.is_running(), negation(replica.is_flushed()))
        replica.persist()

    @OTHERS.step(at("ConsumerOffsetManager", "commitOffset", "put", 3), any_time="other groups commit as they go on")
    def broker_moves_version(self, r: int) -> None:
        """Executes the 500th commit of some group, and moves the version of its table."""
        require(self.scope.acting_master == 1, self.clock < self.scope.version_steps)
        require(self.broker[r].is_running())
        if self.setting.assumes(ROUTES_KEPT):
            require(r == MASTER)
        self.move_version(self.broker[r])

    @PROCESS.step(
        at("ConfigManager", "load", "decode"), any_time=BY_FAULT, rig=RigChange("kill", arguments), fault=KILL
    )
    def broker_is_killed(self, r: int) -> None:
        """Is killed: its file stays as it is."""
        self._stop(r)

    @PROCESS.step(
        at("BrokerController", "shutdown", "unregisterBrokerAll").or_at("shutdownBasicService", "unregisterBrokerAll"),
        at("ConfigManager", "persist", "encode"),
        any_time=BY_DECISION,
        rig=RigChange("shut_down", arguments),
    )
    def broker_shuts_down(self, r: int) -> None:
        """Is shut down in order: it leaves the name server, and persists its table."""
        require(self.stops_left > 0)
        self.stops_left = self.stops_left - 1
        self.broker[r].persist()
        self._stop(r)

    def _stop(self, r: int) -> None:
        """Its process ends, and so do the connections over which commits come."""
        replica = self.broker[r]
        require(replica.is_running())
        if self.setting.assumes(COPIED) and r == MASTER:
            require(are_alike(replica.table, self.broker[SLAVE].table), not self.copy.on_its_way)
        if r == MASTER:
            take_rows(self.ghost_left, replica.table)
        replica.stop()
        for consumer in self.consumer:
            forget_rows(consumer.commits_to(r))
        if r == SLAVE:
            self.copy.reset()

    @PROCESS.step(
        at("BrokerController", "initialize", "load", 2).or_at("initializeMetadata", "load", 3),
        at("ConfigManager", "load", "decode"),
        any_time="somebody starts it, at any time",
        logs="load {} OK",
    )
    def broker_starts(self, r: int) -> None:
        """Loads its file, and registers; a master does not look at its slave."""
        replica = self.broker[r]
        require(self.starts_left > 0, not replica.is_running())
        self.starts_left = self.starts_left - 1
        replica.load()
        replica.phase = Phase.UP
        if r == MASTER:
            self.master_loads(replica)

    def master_loads(self, master: Replica) -> None:
        """A remedy: it takes from its slave what is higher."""
        slave = self.broker[SLAVE]
        if self.setting.behaves(MASTER_MERGES) and slave.is_running():
            self.merge(master, slave)

    def merge(self, master: Replica, slave: Replica) -> None:
        """Each queue has the higher offset of the two."""
        for row, other in zip(master.table, slave.table, strict=True):
            if other.offset is not None:
                row.offset = other.offset if row.offset is None else larger(row.offset, other.offset)

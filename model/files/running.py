"""Running: a process starts and loads the file, is shut down in order, or is killed.

Stands for BrokerStartup, BrokerController.initialize and shutdown, and DefaultMQPushConsumerImpl.start and shutdown. A
consumer whose load throws stays START_FAILED and changes nothing, so that is not a step. Left out: a load that overlaps
with another process's writing (it is one step).
"""

from __future__ import annotations

from offsetproof.lang import at, every, require
from offsetproof.lang.rigging import RigChange
from offsetproof.lang.step import in_rig
from offsetproof.model.files.process import Process
from offsetproof.model.files.store import Store
from offsetproof.model.files.threads import PROCESS, SHUTDOWN, of_process
from offsetproof.model.files.variants import FAILED_START_WRITES_NOTHING, KILL, OTHER_FILE, OWN_FILE
from offsetproof.model.files.vocabulary import Owner, Phase, Reading
from offsetproof.model.releases import THROWS_BEFORE_PERSIST
from offsetproof.model.threads import BY_APPLICATION, BY_DECISION, BY_FAULT

_AFTER_A_WHILE = "a decision from outside: the process may be down for any time"
_LEAVES = RigChange("leave", of_process)


class Running(Store):
    """What begins and ends a process."""

    def require_start(self, p: int, owner: Owner) -> Process:
        """A process of this owner that is down, and may be started."""
        process = self.process[p]
        require(self.scope.owner == owner, process.is_down())
        if self.setting.assumes(OWN_FILE):
            require(p == 0)
        return process

    @PROCESS.step(
        at("BrokerController", "initialize", "load", 2).or_at("initializeMetadata", "load", 3),
        at("ConfigManager", "load", "decode"),
        any_time=_AFTER_A_WHILE,
        logs="load {} OK",
    )
    def broker_starts(self, p: int) -> None:
        """Loads the offset file, and serves.

        Where the load has failed, or another broker has the store's lock, it shuts down at once, and persists
        its table in doing so.
        """
        process = self.require_start(p, Owner.BROKER)
        alone = every(other.is_down() for other in self.process)
        if alone and self.reading() != Reading.FAILED:
            process.phase = Phase.UP
        else:
            require(not self.setting.behaves(FAILED_START_WRITES_NOTHING))
            if self.setting.behaves(THROWS_BEFORE_PERSIST):
                require(self.reading() != Reading.FAILED)
            process.phase = Phase.REFUSED
        self.read_into(process.table)

    @PROCESS.step(
        at("BrokerController", "initialize", "load").or_at("initializeMetadata", "load"),
        at("BrokerStartup", "createBrokerController", "shutdown"),
        any_time=_AFTER_A_WHILE,
        rig=RigChange("start_without_topics", of_process),
        fault=OTHER_FILE,
    )
    def broker_starts_without_topics(self, p: int) -> None:
        """Cannot load topics.json, so loads nothing else, and shuts down."""
        process = self.require_start(p, Owner.BROKER)
        require(not self.setting.behaves(FAILED_START_WRITES_NOTHING))
        process.phase = Phase.REFUSED

    @PROCESS.step(
        at("DefaultMQPushConsumerImpl", "start", "load"),
        at("LocalFileOffsetStore", "load", "putAll").or_at("load", "put"),
        any_time=_AFTER_A_WHILE,
        logs="load consumer's offset, {} {} {}",
    )
    def client_starts(self, p: int) -> None:
        """Loads the offset file into its table; it has no queue yet."""
        process = self.require_start(p, Owner.CLIENT)
        require(self.reading() != Reading.FAILED)
        self.read_into(process.table)
        process.phase = Phase.UP

    @PROCESS.step(at("BrokerController", "shutdown"), any_time=BY_DECISION, rig=RigChange("begin_shutdown", of_process))
    def broker_begins_shutdown(self, p: int) -> None:
        """Begins to shut down in order: it takes no more requests, and its timer begins no more rounds."""
        self._begin_shutdown(p, Owner.BROKER)

    @SHUTDOWN.step(
        at("DefaultMQPushConsumerImpl", "shutdown", "ConsumeMessageService.shutdown"),
        any_time=BY_APPLICATION,
        rig=in_rig(call="shutdown"),
    )
    def client_begins_shutdown(self, p: int) -> None:
        """Begins to shut down in order; its timer goes on."""
        self._begin_shutdown(p, Owner.CLIENT)

    def _begin_shutdown(self, p: int, owner: Owner) -> None:
        require(self.scope.owner == owner, self.shutdowns_left > 0, self.process[p].phase == Phase.UP)
        self.shutdowns_left = self.shutdowns_left - 1
        self.process[p].phase = Phase.STOPPING

    @SHUTDOWN.step(
        at("LocalFileOffsetStore", "persistAll", "isEmpty"), any_time="the shutdown may have waited for listeners"
    )
    def client_persists_nothing(self, p: int) -> None:
        """Persists nothing as it shuts down, because it has no queue."""
        process = self.process[p]
        require(self.scope.owner == Owner.CLIENT, process.phase == Phase.STOPPING, process.lists_nothing())
        process.phase = Phase.STOPPED

    @PROCESS.step(
        at("BrokerController", "shutdown", "ExecutorService.shutdown", 8).or_at("shutdown", "BrokerOuterAPI.shutdown"),
        any_time="the process ends when its executors have done what waited for them, which may take any time",
        rig=_LEAVES,
    )
    def broker_exits(self, p: int) -> None:
        """Ends, with all that was only in memory; commits that still waited for the executor are done by then."""
        self._exit(p, Owner.BROKER)

    @SHUTDOWN.step(
        at("DefaultMQPushConsumerImpl", "shutdown", "MQClientInstance.shutdown"),
        any_time="the process ends when its other threads do",
        rig=in_rig(exits=True),
    )
    def client_exits(self, p: int) -> None:
        """Ends, with all that was only in memory, once none of its threads writes."""
        self._exit(p, Owner.CLIENT)

    def _exit(self, p: int, owner: Owner) -> None:
        process = self.process[p]
        require(self.scope.owner == owner, process.phase == Phase.STOPPED, process.is_calm())
        process.reset()

    @PROCESS.step(at("MixAll", "string2File"), any_time=BY_FAULT, rig=_LEAVES, fault=KILL)
    def process_is_killed(self, p: int) -> None:
        """Is killed: the files stay as they are."""
        require(not self.process[p].is_down())
        self.process[p].reset()

"""Running: a process starts and loads the file, is shut down in order, or is killed.

Stands for BrokerStartup, BrokerController.initialize and shutdown, and DefaultMQPushConsumerImpl.start and shutdown. A
consumer whose load throws stays START_FAILED and changes nothing, so that is not a step. Left out: a load that overlaps
with another process's writing (it is one step).
"""

from __future__ import annotations

from collections.abc import Callable

from offsetproof.lang import Anchor, Fault, action, at, every, require
from offsetproof.lang.action import Method
from offsetproof.model.files.process import Process
from offsetproof.model.files.store import Store
from offsetproof.model.files.variants import FAILED_START_WRITES_NOTHING, KILL, OTHER_FILE, OWN_FILE
from offsetproof.model.files.vocabulary import PROCESSES, Owner, Phase, Reading


def _main_thread(*stands_for: Anchor, fault: Fault | None = None) -> Callable[[Method], Method]:
    """An action of a process's first thread, or of the process as a whole."""
    return action(p=PROCESSES, actor="process[p]", thread="main", fault=fault, stands_for=stands_for)


class Running(Store):
    """What begins and ends a process."""

    def _require_start(self, p: int, owner: Owner) -> Process:
        process = self.process[p]
        require(self.scope.owner == owner, process.is_down())
        if self.setting.assumes(OWN_FILE):
            require(p == 0)
        return process

    @_main_thread(at("BrokerController", "initialize", "load", 2), at("ConfigManager", "load", "decode"))
    def broker_starts(self, p: int) -> None:
        """Loads the offset file, and serves.

        Where the load has failed, or another broker has the store's lock, it shuts down at once, and persists
        its table in doing so.
        """
        process = self._require_start(p, Owner.BROKER)
        alone = every(other.is_down() for other in self.process)
        if alone and self.reading() != Reading.FAILED:
            process.phase = Phase.UP
        else:
            require(not self.setting.behaves(FAILED_START_WRITES_NOTHING))
            process.phase = Phase.REFUSED
        self.read_into(process.table)

    @_main_thread(
        at("BrokerController", "initialize", "load"),
        at("BrokerStartup", "createBrokerController", "shutdown"),
        fault=OTHER_FILE,
    )
    def broker_starts_without_topics(self, p: int) -> None:
        """Cannot load topics.json, so loads nothing else, and shuts down."""
        process = self._require_start(p, Owner.BROKER)
        require(not self.setting.behaves(FAILED_START_WRITES_NOTHING))
        process.phase = Phase.REFUSED

    @_main_thread(at("DefaultMQPushConsumerImpl", "start", "load"), at("LocalFileOffsetStore", "load", "putAll"))
    def client_starts(self, p: int) -> None:
        """Loads the offset file into its table; it has no queue yet."""
        process = self._require_start(p, Owner.CLIENT)
        require(self.reading() != Reading.FAILED)
        self.read_into(process.table)
        process.phase = Phase.UP

    @_main_thread(at("BrokerController", "shutdown"))
    def broker_begins_shutdown(self, p: int) -> None:
        """Begins to shut down in order: it takes no more requests, and its timer begins no more rounds."""
        self._begin_shutdown(p, Owner.BROKER)

    @_main_thread(at("DefaultMQPushConsumerImpl", "shutdown", "ConsumeMessageService.shutdown"))
    def client_begins_shutdown(self, p: int) -> None:
        """Begins to shut down in order; its timer goes on."""
        self._begin_shutdown(p, Owner.CLIENT)

    def _begin_shutdown(self, p: int, owner: Owner) -> None:
        require(self.scope.owner == owner, self.shutdowns_left > 0, self.process[p].phase == Phase.UP)
        self.shutdowns_left = self.shutdowns_left - 1
        self.process[p].phase = Phase.STOPPING

    @_main_thread(at("LocalFileOffsetStore", "persistAll", "isEmpty"))
    def client_persists_nothing(self, p: int) -> None:
        """Persists nothing as it shuts down, because it has no queue."""
        process = self.process[p]
        require(self.scope.owner == Owner.CLIENT, process.phase == Phase.STOPPING, process.lists_nothing())
        process.phase = Phase.STOPPED

    @_main_thread(at("BrokerController", "shutdown", "ExecutorService.shutdown", 8))
    def broker_exits(self, p: int) -> None:
        """Ends, with all that was only in memory; commits that still waited for the executor are done by then."""
        self._exit(p, Owner.BROKER)

    @_main_thread(at("DefaultMQPushConsumerImpl", "shutdown", "MQClientInstance.shutdown"))
    def client_exits(self, p: int) -> None:
        """Ends, with all that was only in memory, once none of its threads writes."""
        self._exit(p, Owner.CLIENT)

    def _exit(self, p: int, owner: Owner) -> None:
        process = self.process[p]
        require(self.scope.owner == owner, process.phase == Phase.STOPPED, process.is_calm())
        process.reset()

    @_main_thread(at("MixAll", "string2File"), fault=KILL)
    def process_is_killed(self, p: int) -> None:
        """Is killed: the files stay as they are."""
        require(not self.process[p].is_down())
        self.process[p].reset()

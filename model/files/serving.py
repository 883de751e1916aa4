"""Serving: commits raise the broker's rows, a broadcast consumer's progress raises its cells, and queues come and go.

Stands for ConsumerOffsetManager.commitOffset, and for RebalanceImpl and LocalFileOffsetStore where they read and write
a broadcast consumer's table. Consumption is one step here: the claims about its own steps are those of the consumer's
model. All messages of a queue are stored soon after a consumer's first start on it, when the queue was empty: before
anybody consumes one of them, or begins on the queue again. A poll can end at either end of the queue. Left out: one
that ends when its queue was given up.
"""

from __future__ import annotations

from offsetproof.lang import at, choose, larger, require, some
from offsetproof.lang.record import Pause
from offsetproof.model.files.offset_file import Row
from offsetproof.model.files.process import Process
from offsetproof.model.files.store import Store
from offsetproof.model.files.threads import CALLBACK, COMMITS, CONSUME, GROUP, REBALANCE_SERVICE, whole_call
from offsetproof.model.files.variants import (
    SHUTDOWN_WAITS,
    START_WRITTEN,
    STOPS_BEFORE_PERSIST,
)
from offsetproof.model.files.vocabulary import Beginning, Owner, Phase, Reading
from offsetproof.model.places import PERSISTS
from offsetproof.model.threads import BY_DECISION
from offsetproof.model.timers import HOLD_CHECK, ON_ITS_WAY, POLL_HOLD

_COMMIT = at("ConsumerOffsetManager", "commitOffset", "put", 3)
_HELD = Pause(
    "the broker holds a poll too long", (("client_adds_queue", "client_consumes", "client_poll_ends"),),
    POLL_HOLD, POLL_HOLD + HOLD_CHECK + ON_ITS_WAY,
    "PullRequestHoldService: brokerSuspendMaxTimeMillis, looked at every 5 s; and the answer's way",
)  # fmt: skip
"""After each of these steps the consumer pulls again."""

ROUTE_CHANGES = "a broker may leave the route at any time"


class Serving(Store):
    """What changes the table in memory."""

    @COMMITS.step(_COMMIT, any_time="the group's progress, which may take any time")
    def broker_executes_commit(self, p: int, q: int) -> None:
        """Executes the commit of a consumer that has done one more message.

        While it shuts down, such commits may still wait in the executor's queue.
        """
        process = self.process[p]
        require(self.scope.owner == Owner.BROKER, self.group_runs, self.progress[q] < self.scope.messages)
        late = some([process.phase == Phase.STOPPING, process.phase == Phase.STOPPED])
        require(some([process.phase == Phase.UP, late]))
        if self.setting.behaves(STOPS_BEFORE_PERSIST):
            require(not late)
        self.progress[q] = self.progress[q] + 1
        process.table.row[q].offset = self.progress[q]

    @COMMITS.step(_COMMIT, any_time="consumers send their cells every five seconds, at any time of that")
    def broker_executes_commit_again(self, p: int, q: int) -> None:
        """Executes a commit of what it does not know any more: consumers send their cells every five seconds."""
        process = self.process[p]
        row = process.table.row[q]
        require(self.scope.owner == Owner.BROKER, self.group_runs, process.phase == Phase.UP)
        require(self.progress[q] > 0, row.offset != self.progress[q])
        row.offset = self.progress[q]

    @GROUP.step(at("DefaultMQPushConsumerImpl", "shutdown", "persistConsumerOffset"), any_time=BY_DECISION)
    def group_stops(self) -> None:
        """The group's consumers are shut down, and nobody commits for it any more."""
        require(self.scope.group_stops == 1, self.group_runs)
        self.group_runs = False

    @REBALANCE_SERVICE.step(
        at("RebalancePushImpl", "computePullFromWhereWithException", "readOffset"),
        at("LocalFileOffsetStore", "readOffset", "readLocalOffset"),
        any_time="a rebalance, at most 20 s after the route is known",
        logs="doRebalance, {}, add a new mq, {}",
    )
    def client_adds_queue(self, p: int, q: int) -> None:
        """Begins on a queue where the file says, and puts that into the table.

        What the file does not have is read as `nothing stored`, and so is a file that cannot be read.
        """
        process = self.process[p]
        require(self.scope.owner == Owner.CLIENT, process.phase == Phase.UP, not process.listed[q])
        require(process.rebalances_nothing())
        self.stored[q] = some([self.stored[q], self.known[q]])
        found = self._read_row(q)
        if found is not None:
            process.table.row[q].offset = found
            process.position[q] = found
        else:
            self._begin(process, q)
        process.listed[q] = True

    def _read_row(self, q: int) -> int | None:
        """READ_FROM_STORE."""
        reading = self.reading()
        if reading == Reading.MAIN:
            return self.main.table.row[q].offset
        return self.backup.table.row[q].offset if reading == Reading.BACKUP else None

    def _begin(self, process: Process, q: int) -> None:
        """Where a queue starts for which nothing is stored: it was empty when the consumer began on it first."""
        late = self.scope.beginning == Beginning.LAST_OFFSET
        process.position[q] = choose(self.known[q], self.scope.messages, 0) if late else 0
        if self.setting.behaves(START_WRITTEN):
            process.table.row[q].offset = process.position[q]
        else:
            self.known[q] = True

    @CONSUME.step(
        at("LocalFileOffsetStore", "updateOffset", "compareAndIncreaseOnly").or_at(
            "updateOffset", "ControllableOffset.update"
        ),
        any_time="the listener may take any time",
    )
    def client_consumes(self, p: int, q: int) -> None:
        """Consumes the next message, and raises the cell past it."""
        process = self.process[p]
        row = process.table.row[q]
        require(process.phase != Phase.DOWN, process.listed[q], process.position[q] < self.scope.messages)
        if self.setting.behaves(START_WRITTEN):
            require(self.known[q])
        if self.setting.assumes(SHUTDOWN_WAITS):
            require(process.phase == Phase.UP)
        self.note_consumed(q, process.position[q])
        self.stored[q] = True
        process.position[q] = process.position[q] + 1
        self._raise_cell(row, process.position[q])

    def _raise_cell(self, row: Row, offset: int) -> None:
        cell = row.offset
        row.offset = offset if cell is None else larger(cell, offset)

    @CALLBACK.step(
        at("DefaultMQPushConsumerImpl", "correctTagsOffset", "updateOffset"),
        at("LocalFileOffsetStore", "updateOffset", "compareAndIncreaseOnly").or_at(
            "updateOffset", "ControllableOffset.update"
        ),
        waits=_HELD,
    )
    def client_poll_ends(self, p: int, q: int) -> None:
        """Raises the cell to the end of the queue, at which a poll has ended without news.

        The broker holds a poll for 15 to 20 s. So an idle queue has a cell from the first poll's end on. Nothing asks
        whether the consumer is being shut down.
        """
        process = self.process[p]
        require(self.scope.owner == Owner.CLIENT, process.phase != Phase.DOWN, process.listed[q])
        require(process.position[q] == choose(self.stored[q], self.scope.messages, 0))
        if self.setting.behaves(START_WRITTEN):
            require(self.known[q])
        self._raise_cell(process.table.row[q], process.position[q])

    @REBALANCE_SERVICE.step(
        PERSISTS,
        any_time=ROUTE_CHANGES,
        rig=whole_call("rebalance", "lose_queue"),
    )
    def client_loses_queue(self, p: int, q: int) -> None:
        """Gives a queue up that is not in the route any more.

        It asks the store to persist and to forget the offset, which does neither.
        """
        process = self.process[p]
        require(self.route_changes_left > 0, process.phase == Phase.UP, process.listed[q], process.rebalances_nothing())
        self.route_changes_left = self.route_changes_left - 1
        process.listed[q] = False
        process.position[q] = 0

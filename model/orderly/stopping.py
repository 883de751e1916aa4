"""Stopping in order: a graceful shutdown unlocks the queue before it sends the cell.

Stands for ConsumeMessageOrderlyService.shutdown within DefaultMQPushConsumerImpl.shutdown. Left out: the interrupt of
running listeners (a listener may take any time, and return anything that it may return), a scheduled thread that is
shut down while it waits for the broker.
"""

from __future__ import annotations

from offsetproof.lang import Fairness, action, at, require
from offsetproof.lang.record import Pause
from offsetproof.lang.step import in_rig
from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.model.orderly.variants import COMMITS_BEFORE_UNLOCKS, SHUTDOWN_PERSISTS_FIRST
from offsetproof.model.releases import DROPPED_NOT_RENEWED
from offsetproof.model.shared.stopping import BEGINS_SHUTDOWN, Stopping
from offsetproof.model.threads import APPLICATION, BY_APPLICATION
from offsetproof.model.timers import ON_ITS_WAY
from offsetproof.model.vocabulary import CONSUMERS, LockStep, StopStep

_PUSH = "DefaultMQPushConsumerImpl"

_UNLOCKS_ALL = at("ConsumeMessageOrderlyService", "shutdown", "unlockAllMQ")
_UNLOCKS = Pause(
    "a shutdown waits for the broker", (("consumer_begins_shutdown", "shutdown_persists"),), most=2 * ON_ITS_WAY,
    source="RebalanceImpl.unlockAll: a request, and its answer",
)  # fmt: skip


class LockedStopping(Stopping, OrderlyGroup):
    """What a shutdown does with the queue's lock."""

    @APPLICATION.step(
        at("ConsumeMessageOrderlyService", "shutdown", "stopped="), any_time=BY_APPLICATION, rig=in_rig(call="shutdown")
    )
    def shutdown_ends_renewal(self, c: int) -> None:
        """Ceases to ask for locks, before it waits for the listeners."""
        consumer = self.consumer[c]
        require(self.shutdowns_left > 0, consumer.alive, consumer.stop == StopStep.RUNNING, not consumer.stop_begun)
        consumer.stop_begun = True

    @APPLICATION.step(at("ConsumeMessageOrderlyService", "shutdown", "shutdownGracefully"), any_time=BEGINS_SHUTDOWN)
    def consumer_begins_shutdown(self, c: int) -> None:
        """Shuts the consume service down.

        With a wait, no listener runs any more when that is done.
        """
        require(self.consumer[c].stop_begun)
        super().consumer_begins_shutdown(c)

    @APPLICATION.step(
        at("RebalanceImpl", "unlockAll", "unlockBatchMQ"),
        at("RebalanceLockManager", "unlockBatch", "remove"),
        waits=_UNLOCKS,
        rig=in_rig(_UNLOCKS_ALL),
        logs="the message queue unlock OK, Group: {} {}",
    )
    def shutdown_unlocks(self, c: int) -> None:
        """Unlocks the queue, and waits for the answer.

        The ProcessQueue in the table is marked as not locked. It waits for a renewal that is under way: both are
        synchronized on the service.
        """
        consumer = self.consumer[c]
        after = StopStep.PERSISTED if self.setting.behaves(SHUTDOWN_PERSISTS_FIRST) else StopStep.SERVICE_STOPPED
        require(consumer.stop == after, not consumer.stop_unlocked, consumer.locking.at == LockStep.IDLE)
        if self.setting.assumes(COMMITS_BEFORE_UNLOCKS):
            require(consumer.commits.count == 0)
        if consumer.process_queue_table is not None and not self._leaves_lock(c):
            self.unlock(c)
            self.receive_lock_reply(c, granted=False)
        consumer.stop_unlocked = True

    def _leaves_lock(self, c: int) -> bool:
        """Does unlockAll pass the ProcessQueue in the table over? It does where that is dropped, in later releases."""
        pq_id = self.consumer[c].process_queue_table
        if pq_id is None or not self.setting.behaves(DROPPED_NOT_RENEWED):
            return False
        return self.consumer[c].process_queue[pq_id].dropped

    @action(
        c=CONSUMERS, actor="consumer[c]", thread="application", fair=Fairness.NONE,
        stands_for=[at(_PUSH, "shutdown", "persistConsumerOffset")],
    )  # fmt: skip
    def shutdown_persists(self, c: int) -> None:
        """Sends the cell one-way, if the queue is in the table."""
        require(self.consumer[c].stop_unlocked or self.setting.behaves(SHUTDOWN_PERSISTS_FIRST))
        super().shutdown_persists(c)

    @action(
        c=CONSUMERS, actor="consumer[c]", thread="application", fair=Fairness.NONE,
        stands_for=[at(_PUSH, "shutdown", "MQClientInstance.shutdown"), at("RebalanceImpl", "destroy", "setDropped")],
    )  # fmt: skip
    def consumer_is_shut_down(self, c: int) -> None:
        """Leaves the group: all its queues are dropped, the process ends."""
        require(self.consumer[c].stop_unlocked)
        super().consumer_is_shut_down(c)

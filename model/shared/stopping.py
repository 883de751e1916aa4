"""Stopping: a consumer is killed, started again, shut down gracefully, or suspended by its user.

Stands for DefaultMQPushConsumerImpl.shutdown, suspend and resume, and for what the operating system does. Left out:
the time until the group notices (view_changes say what each member believes, at any time), and factory shutdown.
"""

from __future__ import annotations

from offsetproof.lang import at, every, negation, require
from offsetproof.lang.record import Pause
from offsetproof.lang.rigging import RigChange
from offsetproof.lang.step import in_rig
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import APPLICATION, BY_FAULT, of_client
from offsetproof.model.timers import ON_ITS_WAY
from offsetproof.model.variants import GROUP_STAYS_DOWN, KILL, LAST_REQUESTS_ARRIVED, SHUTDOWN_WAITS, STARTS_COMPLETE
from offsetproof.model.vocabulary import Origin, RebalanceStep, StopStep

_PUSH = "DefaultMQPushConsumerImpl"


BEGINS_SHUTDOWN = "a decision of the application; it ends with the wait for listeners, if there is one"
_UNREGISTERS = Pause(
    "a shutdown stalls", ("shutdown_persists", "reset_resumes"), most=2 * ON_ITS_WAY,
    source="MQClientInstance.unregisterConsumer: a request, which waits for a reset that is under way",
)  # fmt: skip


class Stopping(Group):
    """What ends a consumer's work, and begins it again."""

    @APPLICATION.step(
        at("ClientHousekeepingService", "onChannelClose", "ConsumerManager.doChannelCloseEvent"),
        any_time=BY_FAULT,
        rig=RigChange("leave", of_client),
        fault=KILL,
    )
    def consumer_is_killed(self, c: int) -> None:
        """Is killed: all that was in memory is gone.

        All that the program sees of it is a closed channel.
        """
        consumer = self.consumer[c]
        require(consumer.alive)
        if self.setting.assumes(STARTS_COMPLETE):
            require(every(run.at != RebalanceStep.QUERIED for run in consumer.rebalance))
        consumer.forget()

    @APPLICATION.step(
        at(_PUSH, "start"),
        any_time="a decision from outside: the process may be down for any time",
        rig=RigChange("start", of_client),
    )
    def consumer_starts(self, c: int) -> None:
        """Starts again after a kill or a shutdown."""
        consumer = self.consumer[c]
        require(not consumer.alive)
        if self.setting.assumes(GROUP_STAYS_DOWN):
            require(negation(self.is_resetting()))
        if self.setting.assumes(LAST_REQUESTS_ARRIVED):
            require(consumer.is_down_and_heard())
        consumer.alive = True
        consumer.reset_command = None
        consumer.stop = StopStep.RUNNING

    @APPLICATION.step(
        at(_PUSH, "shutdown", "ConsumeMessageService.shutdown"),
        any_time=BEGINS_SHUTDOWN,
        rig=in_rig(call="shutdown"),
    )
    def consumer_begins_shutdown(self, c: int) -> None:
        """Shuts the consume service down.

        With a wait, no listener runs any more when that is done.
        """
        consumer = self.consumer[c]
        require(self.shutdowns_left > 0, consumer.alive, consumer.stop == StopStep.RUNNING)
        if self.setting.assumes(SHUTDOWN_WAITS):
            require(every(pq.has_no_task() for pq in consumer.process_queue))
        self.shutdowns_left = self.shutdowns_left - 1
        consumer.stop = StopStep.SERVICE_STOPPED

    @APPLICATION.step(at(_PUSH, "shutdown", "persistConsumerOffset"))
    def shutdown_persists(self, c: int) -> None:
        """Sends the cell one-way, or removes that of an unlisted queue.

        It is persistAll for the queues in the table, among which the retry topic's nearly always is.
        """
        consumer = self.consumer[c]
        require(consumer.stop == StopStep.SERVICE_STOPPED)
        if consumer.process_queue_table is not None:
            consumer.send_commit(Origin.PROGRESS)
        else:
            consumer.remove_cell()
        consumer.stop = StopStep.PERSISTED

    @APPLICATION.step(
        at(_PUSH, "shutdown", "MQClientInstance.shutdown"),
        at("RebalanceImpl", "destroy", "setDropped"),
        waits=_UNREGISTERS,
        rig=in_rig(leaves=True),
    )
    def consumer_is_shut_down(self, c: int) -> None:
        """Leaves the group: all its queues are dropped, the process ends."""
        require(self.consumer[c].stop == StopStep.PERSISTED)
        self.consumer[c].forget()

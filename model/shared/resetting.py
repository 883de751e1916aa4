"""Resetting: the client's resetOffset, step by step.

Stands for MQClientInstance.resetOffset; what the administrator and the broker do is in administering.py. Resume ends
in a run of rebalance in the thread of the reset, beside that of the rebalance thread (rebalancing.py): so a scope with
a reset has two runs.

The model has no clock. A reset wakes from its sleep of 10 s when nothing is pending that takes less; each way to wake
earlier is a fault, and a step of its own: a pull still on its way, a thread still standing where it stood. Both at once
are left out, as a cut.
"""

from __future__ import annotations

from offsetproof.lang import at, bound, every, negation, require, some
from offsetproof.lang.record import Pause, at_once
from offsetproof.lang.step import in_rig
from offsetproof.model.places import PERSISTS
from offsetproof.model.shared.consumer import Consumer
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import RESET
from offsetproof.model.timers import ON_ITS_WAY, RESET_SLEEP
from offsetproof.model.variants import (
    RESET_DROPS_AGAIN,
    RESET_WRITES_ALWAYS,
)
from offsetproof.model.vocabulary import InfoStep, Origin, Overdue, RepairStep, ResetEffect, ResetStep

_RESET = "MQClientInstance"
SUSPENDS, SLEEPS = at(_RESET, "resetOffset", "suspend"), at(_RESET, "resetOffset", "sleep")

COMMANDED = ("administrator_resets", "administrator_resets_by_time")
_COMMAND = Pause(
    "a reset command is on its way",
    (COMMANDED, "reset_resumes"),
    most=ON_ITS_WAY,
    source="a request; MQClientInstance.resetOffset is synchronized",
)
SLEEP = Pause(
    "the thread of a reset oversleeps",
    (("reset_drops_queue", "reset_clears_queue"),),
    least=RESET_SLEEP,
    source="MQClientInstance.resetOffset: TimeUnit.SECONDS.sleep(10)",
)
_TAKES_COMMAND = in_rig(
    SUSPENDS, call="reset", target=lambda moment: moment.before[f"consumer[{moment.arg('c')}].reset_command"]
)
INTERRUPTED = in_rig(interrupt=True)


class Resetting(Group):
    """What the thread that runs resetOffset does."""

    @RESET.step(
        at("ClientRemotingProcessor", "resetOffset", "resetOffset"),
        SUSPENDS,
        waits=_COMMAND,
        rig=_TAKES_COMMAND,
        logs="suspend this consumer, {}",
    )
    def reset_suspends(self, c: int) -> None:
        """Takes the command and pauses the consumer.

        A run that goes on already makes it wait (synchronized). With one thread for it and for pull callbacks,
        it waits for the callback that is running.
        """
        consumer = self.consumer[c]
        target = consumer.reset_command
        require(consumer.reset_run.at == ResetStep.IDLE, target is not None, consumer.alive)
        if self.scope.rebalances > 1:
            require(consumer.has_rebalanced_after_resume())
            consumer.resumed = False
        if self.scope.callback_threads == 1:
            require(every(negation(pq.is_called_back()) for pq in consumer.process_queue))
        consumer.reset_command = None
        consumer.paused = True
        consumer.reset_run.target = target
        consumer.reset_run.at = ResetStep.SUSPENDED

    @RESET.step(at(_RESET, "resetOffset", "setDropped"))
    def reset_drops_queue(self, c: int) -> None:
        """Marks the ProcessQueue in the table dropped (first loop).

        Without one there is only the sleep.
        """
        consumer = self.consumer[c]
        run = consumer.reset_run
        require(run.at == ResetStep.SUSPENDED)
        pq_id = consumer.process_queue_table
        if pq_id is None:
            self._fall_asleep(consumer)
        else:
            consumer.process_queue[pq_id].dropped = True
            consumer.process_queue[pq_id].ghost_aftermath = ResetEffect.DROPPED
            run.pq_id = pq_id
            run.at = ResetStep.DROPPED

    @RESET.step(at(_RESET, "resetOffset", "clear"))
    def reset_clears_queue(self, c: int) -> None:
        """Clears the same ProcessQueue (first loop), and sleeps."""
        consumer = self.consumer[c]
        run = consumer.reset_run
        require(run.at == ResetStep.DROPPED)
        pq_id = run.pq_id
        if pq_id is not None:
            consumer.process_queue[pq_id].clear()
        run.pq_id = None
        self._fall_asleep(consumer)

    def _fall_asleep(self, consumer: Consumer) -> None:
        """The sleep begins; when it ends, a running info of now is over, and a repair that waits now has begun."""
        consumer.info.is_older = consumer.info.at != InfoStep.IDLE
        if some([self.scope.retention > 0, self.scope.deletions > 0, self.scope.tails > 0]):
            for pq in consumer.process_queue:
                pq.repair_is_older = pq.repair == RepairStep.WAITING
        consumer.reset_run.at = ResetStep.SLEEPING

    @RESET.step(SLEEPS, waits=SLEEP, rig=INTERRUPTED)
    def reset_wakes(self, c: int) -> None:
        """Wakes; no pull, callback or rebalance is between two steps."""
        self.wake(c, None)

    def wake(self, c: int, overdue: Overdue | None) -> None:
        """Ends the sleep with just this overdue; two things overdue at once are beyond the scope."""
        consumer = self.consumer[c]
        require(consumer.reset_run.at == ResetStep.SLEEPING, not consumer.info.is_older)
        require(every(negation(pq.repair_is_older) for pq in consumer.process_queue))
        late = {
            Overdue.PULL: consumer.has_pull_on_its_way(),
            Overdue.TASK: consumer.has_task_past_check(),
            Overdue.CALLBACK: consumer.has_callback_past_count(),
            Overdue.REBALANCE: consumer.is_rebalancing(),
        }
        others = some(value for kind, value in late.items() if kind != overdue)
        if overdue is None:
            require(not others)
        else:
            require(late[overdue])
            bound(not others)
        consumer.reset_run.at = ResetStep.AWAKE

    @RESET.step(at(_RESET, "resetOffset", "updateConsumeOffset"))
    def reset_updates_cell(self, c: int) -> None:
        """Sets the cell to the target, if the queue is listed now.

        This is the second loop, over the table as it is now; without a queue nothing is written.
        """
        consumer = self.consumer[c]
        run = consumer.reset_run
        require(run.at == ResetStep.AWAKE)
        if consumer.process_queue_table is None and not self.setting.behaves(RESET_WRITES_ALWAYS):
            run.at = ResetStep.QUEUE_REMOVED
        else:
            consumer.set_cell(run.target)
            run.at = ResetStep.UPDATED

    @RESET.step(
        PERSISTS,
        logs="[persist] Group: {} ClientId: {} updateConsumeOffsetToBroker {} {}",
    )
    def reset_persists(self, c: int) -> None:
        """Sends the cell, as its own write.

        The commit is one-way, and has whatever the cell now holds.
        """
        consumer = self.consumer[c]
        require(consumer.reset_run.at == ResetStep.UPDATED)
        consumer.send_commit(Origin.RESET)
        consumer.reset_run.at = ResetStep.PERSISTED

    @RESET.step(
        at("RebalancePushImpl", "removeUnnecessaryMessageQueue", "removeOffset"),
        logs="remove unnecessary messageQueue offset. group={}, mq={}, offsetTableSize={}",
    )
    def reset_removes_offset(self, c: int) -> None:
        """Removes the cell."""
        consumer = self.consumer[c]
        require(consumer.reset_run.at == ResetStep.PERSISTED)
        consumer.remove_cell()
        consumer.reset_run.at = ResetStep.OFFSET_REMOVED

    @RESET.step(at(_RESET, "resetOffset", "Iterator.remove"))
    def reset_removes_queue(self, c: int) -> None:
        """Takes whatever the table has out of it, dropped or not."""
        consumer = self.consumer[c]
        require(consumer.reset_run.at == ResetStep.OFFSET_REMOVED)
        pq_id = consumer.process_queue_table
        if self.setting.behaves(RESET_DROPS_AGAIN) and pq_id is not None:
            consumer.process_queue[pq_id].dropped = True
        consumer.process_queue_table = None
        consumer.reset_run.at = ResetStep.QUEUE_REMOVED

    @RESET.step(
        at("DefaultMQPushConsumerImpl", "resume", "pause="),
        waits=at_once("reset_updates_cell", "reset_removes_queue"),  # without a queue nothing is sent or removed
        logs="resume this consumer, {}",
    )
    def reset_resumes(self, c: int) -> None:
        """Unpauses the consumer; the command is done."""
        consumer = self.consumer[c]
        require(consumer.reset_run.at == ResetStep.QUEUE_REMOVED)
        consumer.paused = False
        consumer.resumed = True
        consumer.reset_run.reset()

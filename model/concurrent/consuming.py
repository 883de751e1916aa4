"""Consuming: a task's way through ConsumeRequest.run and processConsumeResult, with its three looks at `dropped`.

Stands for ConsumeMessageConcurrentlyService. What the listener returns is the setting's listener. Left out: a drop
between the listener's return and check B (it has the effect of one just before the return), a pool that is shut down,
and tasks of more than two messages that are tried again with a gap between them.
"""

from __future__ import annotations

from offsetproof.lang import OffsetSet, among, at, require
from offsetproof.lang.record import Pause, at_once
from offsetproof.lang.step import in_rig
from offsetproof.model.shared.group import Group
from offsetproof.model.shared.process_queue import ConsumeTask, ProcessQueue
from offsetproof.model.threads import CONSUME
from offsetproof.model.timers import ON_ITS_WAY, RETRY_HERE
from offsetproof.model.variants import UPDATE_CHECKS_DROPPED
from offsetproof.model.vocabulary import StopStep, TaskStep

_SERVICE = "ConsumeMessageConcurrentlyService"
_REQUEST = "ConsumeMessageConcurrentlyService.ConsumeRequest"


RAISES_CELL = at("RemoteBrokerOffsetStore", "updateOffset", "compareAndIncreaseOnly").or_at(
    "updateOffset", "ControllableOffset.update"
)
UPDATES_CELL = at(_SERVICE, "processConsumeResult", "updateOffset")
SENT_BACK = ("listener_fails", "task_sends_message_back", "task_fails_to_send_back", "task_sends_message_back_twice")
_RETRY = Pause(
    "a local retry", ("task_fails_to_send_back",), RETRY_HERE, any_longer=True,
    source="ConsumeMessageConcurrentlyService.submitConsumeRequestLater",
)  # fmt: skip
_SENT_BACK = Pause("a consume thread stalls", (SENT_BACK,), most=ON_ITS_WAY, source="an answer")
LAST = at_once("task_checks_dropped", "task_fetches_cell")


class Consuming(Group):
    """What the consume threads do with a task all of whose messages succeed, and with the end of every task."""

    @CONSUME.step(
        at(_REQUEST, "run", "isDropped"),
        at(_REQUEST, "run", "consumeMessage"),
        waits=_RETRY,
        any_time="a task in the pool's queue may wait for any time",
    )
    def task_starts(self, c: int, pq_id: int, m: int) -> None:
        """Starts the listener, unless the queue is dropped (check A).

        On a dropped queue the task ends, and its messages stay cached. A pool that has been shut down starts
        none.
        """
        pq = self.consumer[c].process_queue[pq_id]
        task = pq.task[m]
        require(among(task.at, TaskStep.SUBMITTED, TaskStep.WAITING), self.consumer[c].stop == StopStep.RUNNING)
        if pq.dropped:
            task.end()
        else:
            task.at = TaskStep.LISTENING
            self.note_delivered(m, task.size, pq.ghost_former)

    @CONSUME.step(
        at(_REQUEST, "run", "consumeMessage"),
        at(_REQUEST, "run", "isDropped", 2),
        any_time="the listener may take any time",
        rig=in_rig(listener="CONSUME_SUCCESS"),
        logs="processQueue is dropped without process consume result. messageQueue={}, msgs={}",
    )
    def listener_finishes(self, c: int, pq_id: int, m: int) -> None:
        """Succeeds; on a dropped queue it counts for nothing (check B).

        The listener's result is thrown away there.
        """
        pq = self.consumer[c].process_queue[pq_id]
        task = pq.task[m]
        require(task.at == TaskStep.LISTENING)
        for n in range(self.scope.batch):
            if n < task.size and m + n < self.scope.messages:
                self.note_done(m + n, pq)
                pq.ghost_unfinished = pq.ghost_unfinished.remove(m + n)
        if pq.dropped:
            task.end()
        else:
            task.at = TaskStep.CONSUMED
            task.acked = task.size

    @CONSUME.step(
        at(_SERVICE, "processConsumeResult", "removeMessage"),
        at("ProcessQueue", "removeMessage"),
        waits=(at_once("listener_finishes"), _SENT_BACK),
    )
    def task_removes_message(self, c: int, pq_id: int, m: int) -> None:
        """Takes its messages out of the cache; learns what to commit.

        Those that are kept stay; there may be no offset to commit.
        """
        pq = self.consumer[c].process_queue[pq_id]
        task = pq.task[m]
        require(task.at == TaskStep.CONSUMED, task.acked + task.handled == task.size)
        messages = (OffsetSet.below(m + task.size) - OffsetSet.below(m)) - task.kept
        result = pq.remove(messages)
        if result is None:
            self.end(pq, task, m)
        else:
            task.result = result
            task.at = TaskStep.REMOVED

    @CONSUME.step(at(_SERVICE, "processConsumeResult", "isDropped"))
    def task_checks_dropped(self, c: int, pq_id: int, m: int) -> None:
        """Goes on to record its offset, unless dropped (check C).

        On a dropped queue the offset is not recorded.
        """
        pq = self.consumer[c].process_queue[pq_id]
        task = pq.task[m]
        require(task.at == TaskStep.REMOVED)
        if pq.dropped:
            self.end(pq, task, m)
        else:
            task.at = TaskStep.CHECKED

    @CONSUME.step(
        at(_SERVICE, "processConsumeResult", "updateOffset"),
        at("RemoteBrokerOffsetStore", "updateOffset"),
        waits=LAST,
        rig=in_rig(UPDATES_CELL, also=[RAISES_CELL]),
    )
    def task_updates_cell(self, c: int, pq_id: int, m: int) -> None:
        """Raises the cell, whatever has become of the queue since.

        That is since check C; an absent cell comes back.
        """
        task = self.consumer[c].process_queue[pq_id].task[m]
        require(task.at == (TaskStep.FETCHED if self.scope.fine > 0 else TaskStep.CHECKED))
        self.update_cell(c, pq_id, m)

    def update_cell(self, c: int, pq_id: int, m: int) -> None:
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        task = pq.task[m]
        result = task.result
        kept_out = self.setting.behaves(UPDATE_CHECKS_DROPPED) and pq.dropped
        if result is not None and not kept_out:
            consumer.raise_cell(result, pq)
        self.end(pq, task, m)

    def end(self, pq: ProcessQueue, task: ConsumeTask, m: int) -> None:
        """The task is over; what it kept is submitted again (five seconds after its send-back failed)."""
        kept = task.kept
        task.end()
        if kept:
            for n in range(m, min(m + self.scope.batch, self.scope.messages)):
                if kept.lowest() == n:
                    pq.task[n].at = TaskStep.WAITING
                    pq.task[n].size = kept.count()

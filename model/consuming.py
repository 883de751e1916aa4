"""Consuming: a task's way through ConsumeRequest.run and processConsumeResult, with its three looks at `dropped`.

Stands for ConsumeMessageConcurrentlyService. Left out: batches, failed results, send-back, the expiry sweep, and a
drop between the listener's return and check B (it has the effect of one just before the return).
"""

from __future__ import annotations

from collections.abc import Callable

from offsetproof.lang import Anchor, action, at, require
from offsetproof.lang.action import Method
from offsetproof.model.group import Group
from offsetproof.model.vocabulary import CONSUMERS, LIVES, OFFSETS, TaskStep

_SERVICE = "ConsumeMessageConcurrentlyService"
_REQUEST = "ConsumeMessageConcurrentlyService.ConsumeRequest"


def _task(*stands_for: Anchor, logs: str | None = None) -> Callable[[Method], Method]:
    """An action of the thread that runs one task."""
    return action(
        c=CONSUMERS, life=LIVES, m=OFFSETS, actor="consumer[c]", thread="consume", stands_for=stands_for, logs=logs
    )


class Consuming(Group):
    """What the consume threads do. One task is one message."""

    @_task(
        at(_REQUEST, "run", 371, "isDropped"),
        at(_REQUEST, "run", 402, "consumeMessage"),
    )
    def task_starts(self, c: int, life: int, m: int) -> None:
        """Check A: on a dropped queue the task ends (its message stays cached), else the listener starts."""
        pq = self.consumer[c].process_queue[life]
        task = pq.task[m]
        require(task.at == TaskStep.SUBMITTED)
        if pq.dropped:
            task.end()
        else:
            task.at = TaskStep.LISTENING

    @_task(
        at(_REQUEST, "run", 402, "consumeMessage"),
        at(_REQUEST, "run", 447, "isDropped"),
    )
    def listener_finishes(self, c: int, life: int, m: int) -> None:
        """The listener succeeds; check B: on a dropped queue its result is thrown away."""
        pq = self.consumer[c].process_queue[life]
        task = pq.task[m]
        require(task.at == TaskStep.LISTENING)
        self.note_done(m, pq.ghost_after_landing)
        pq.ghost_unfinished = pq.ghost_unfinished.remove(m)
        if pq.dropped:
            task.end()
        else:
            task.at = TaskStep.CONSUMED

    @_task(at(_SERVICE, "processConsumeResult", 298, "removeMessage"), at("ProcessQueue", "removeMessage", 191))
    def task_removes_message(self, c: int, life: int, m: int) -> None:
        """The message leaves the cache, and the task learns the offset to commit (none if the cache was empty)."""
        pq = self.consumer[c].process_queue[life]
        task = pq.task[m]
        require(task.at == TaskStep.CONSUMED)
        result = pq.remove(m)
        if result is None:
            task.end()
        else:
            task.result = result
            task.at = TaskStep.REMOVED

    @_task(at(_SERVICE, "processConsumeResult", 299, "isDropped"))
    def task_checks_dropped(self, c: int, life: int, m: int) -> None:
        """Check C: on a dropped queue the offset is not recorded."""
        pq = self.consumer[c].process_queue[life]
        task = pq.task[m]
        require(task.at == TaskStep.REMOVED)
        if pq.dropped:
            task.end()
        else:
            task.at = TaskStep.CHECKED

    @_task(at(_SERVICE, "processConsumeResult", 300, "updateOffset"), at("RemoteBrokerOffsetStore", "updateOffset", 59))
    def task_updates_cell(self, c: int, life: int, m: int) -> None:
        """The task raises the cell, whatever has happened to the queue since check C; an absent cell comes back."""
        consumer = self.consumer[c]
        task = consumer.process_queue[life].task[m]
        require(task.at == TaskStep.CHECKED)
        result = task.result
        if result is not None:
            consumer.raise_cell(result)
        task.end()

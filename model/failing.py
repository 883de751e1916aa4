"""Failing: a listener that does not finish its batch, what it answers, and the way of failed messages to %RETRY%.

Stands for the second half of processConsumeResult, sendMessageBack and ProcessQueue.cleanExpiredMsg. The retry topic's
queue is here the set of messages that have a copy in it: a copy is delivered like any message, and what happens to
offsets of that queue is what happens to the offsets of this one. Left out: the retry queue's own offsets, delay levels.
"""

from __future__ import annotations

from offsetproof.lang import action, among, at, every, require, some
from offsetproof.model.consuming import task_action
from offsetproof.model.group import Group
from offsetproof.model.process_queue import ProcessQueue
from offsetproof.model.variants import (
    ACK_AT_FAILURE,
    ACK_BEFORE_FAILURE,
    ACK_BELOW_MINUS_ONE,
    ACK_FIRST,
    CORRECT,
    SEND_BACK,
)
from offsetproof.model.vocabulary import CONSUMERS, LIVES, OFFSETS, SIZES, TaskStep

_SERVICE = "ConsumeMessageConcurrentlyService"
_REQUEST = "ConsumeMessageConcurrentlyService.ConsumeRequest"


class Failing(Group):
    """What happens around a message that the listener could not consume."""

    @action(
        c=CONSUMERS, life=LIVES, m=OFFSETS, i=SIZES, actor="consumer[c]", thread="consume",
        stands_for=[
            at(_REQUEST, "run", "consumeMessage"),
            at(_REQUEST, "run", "isDropped", 2),
            at(_SERVICE, "processConsumeResult", "getAckIndex"),
        ],
    )  # fmt: skip
    def listener_fails(self, c: int, life: int, m: int, i: int) -> None:
        """Fails at message i of the batch; later ones are not tried.

        Those before it are consumed. The listener answers as the setting says: it sets ackIndex and returns
        SUCCESS, or returns RECONSUME_LATER, null, or throws, which all come to ackIndex -1. On a dropped queue
        the answer is thrown away (check B). Below -1 the loop over failed messages throws, and the task ends
        with its messages cached, until the expiry sweep sends them back.
        """
        pq = self.consumer[c].process_queue[life]
        task = pq.task[m]
        require(self.setting.listener != CORRECT, task.at == TaskStep.LISTENING, i < task.size)
        size = task.size
        for n in range(i):
            if m + n < self.scope.messages:
                self.note_done(m + n, pq)
                pq.ghost_unfinished = pq.ghost_unfinished.remove(m + n)
        if pq.dropped:
            task.end()
        elif self.setting.listener == ACK_BELOW_MINUS_ONE:
            task.end()
            task.size, task.at = size, TaskStep.THROWN
        else:
            task.at = TaskStep.CONSUMED
            task.acked = self._acked_count(i)

    def _acked_count(self, i: int) -> int:
        """How many messages the listener acknowledges when message i fails."""
        listener = self.setting.listener
        if listener == ACK_AT_FAILURE:
            return i + 1
        if listener == ACK_BEFORE_FAILURE:
            return i
        return 1 if listener == ACK_FIRST else 0

    @task_action(at(_SERVICE, "processConsumeResult", "sendMessageBack"))
    def task_sends_message_back(self, c: int, life: int, m: int) -> None:
        """Copies the next failed message to %RETRY%: it counts as done."""
        self._send_back(c, life, m, copied=True)

    @task_action(at(_SERVICE, "processConsumeResult", "sendMessageBack"), fault=SEND_BACK)
    def task_fails_to_send_back(self, c: int, life: int, m: int) -> None:
        """Cannot send a message back: it stays cached for another try.

        Both ways to %RETRY% fail.
        """
        self._send_back(c, life, m, copied=False)

    def _send_back(self, c: int, life: int, m: int, *, copied: bool) -> None:
        pq = self.consumer[c].process_queue[life]
        task = pq.task[m]
        require(task.at == TaskStep.CONSUMED, task.acked + task.handled < task.size)
        for n in range(self.scope.batch):
            if task.acked + task.handled == n and m + n < self.scope.messages:
                if copied:
                    self.copy_to_retry(m + n, pq)
                    pq.ghost_unfinished = pq.ghost_unfinished.remove(m + n)
                else:
                    task.kept = task.kept.add(m + n)
        task.handled = task.handled + 1

    @task_action(
        at(_SERVICE, "processConsumeResult", "sendMessageBack"),
        at("DefaultMQPushConsumerImpl", "sendMessageBack", "send"),
        fault=SEND_BACK,
    )
    def task_sends_message_back_twice(self, c: int, life: int, m: int) -> None:
        """Sends a message back twice: the request only timed out.

        The broker has executed it, and the fallback makes a second copy.
        """
        self._send_back(c, life, m, copied=True)
        pq = self.consumer[c].process_queue[life]
        task = pq.task[m]
        for n in range(self.scope.batch):
            if task.acked + task.handled == n + 1 and m + n < self.scope.messages:
                self.copy_to_retry(m + n, pq)

    @action(
        c=CONSUMERS, life=LIVES, m=OFFSETS, actor="consumer[c]", thread="expiry sweep",
        stands_for=[at("ProcessQueue", "cleanExpiredMsg", "sendMessageBack")],
        logs="send expire msg back. topic={}, msgId={}, storeHost={}, queueId={}, queueOffset={}",
    )  # fmt: skip
    def sweep_sends_message_back(self, c: int, life: int, m: int) -> None:
        """Sends the lowest cached message back, as it took too long.

        A listener was given it longer ago than consumeTimeout, whatever has become of the task since.
        """
        pq = self.consumer[c].process_queue[life]
        require(self.sweeps_left > 0, pq.swept is None, pq.msg_tree_map.has(m), self._has_start_time(pq, m))
        require(pq.msg_tree_map.lowest(default=0) == m, self.consumer[c].process_queue_table == life)
        self.sweeps_left = self.sweeps_left - 1
        self.copy_to_retry(m, pq)
        pq.ghost_unfinished = pq.ghost_unfinished.remove(m)
        pq.swept = m

    def _has_start_time(self, pq: ProcessQueue, m: int) -> bool:
        """Was the cached message given to a listener (CONSUME_START_TIME)? Waiting for another try changes nothing."""
        given = (TaskStep.LISTENING, TaskStep.CONSUMED, TaskStep.WAITING, TaskStep.THROWN)
        firsts = range(max(0, m - self.scope.batch + 1), m + 1)
        return some(every([among(pq.task[j].at, *given), pq.task[j].size > m - j]) for j in firsts)

    @action(
        c=CONSUMERS, life=LIVES, actor="consumer[c]", thread="expiry sweep",
        stands_for=[at("ProcessQueue", "cleanExpiredMsg", "removeMessage")],
    )  # fmt: skip
    def sweep_removes_message(self, c: int, life: int) -> None:
        """Removes it from the cache if still the lowest; not the cell.

        The cell is not touched.
        """
        pq = self.consumer[c].process_queue[life]
        swept = pq.swept
        require(swept is not None)
        if swept is not None and pq.msg_tree_map.lowest(default=self.scope.messages) == swept:
            pq.msg_tree_map = pq.msg_tree_map.remove(swept)
        pq.swept = None

    @action(
        m=OFFSETS, actor="group", thread="consume",
        stands_for=[at(_REQUEST, "run", "resetRetryAndNamespace")],
    )  # fmt: skip
    def retry_copy_is_consumed(self, m: int) -> None:
        """Consumes a copy from %RETRY%, or it becomes a dead letter.

        Some member of the group consumes it, or the broker moves it to the dead-letter queue.
        """
        require(self.retry.has(m))
        self.retry = self.retry.remove(m)
        self.ghost_retried = self.ghost_retried.add(m)

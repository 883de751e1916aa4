"""Since 5.1.0 a failed message is sent back only if it is still in the cache.

The expiry sweep may have sent it back already, and taken it out of the cache; or a reset has cleared that.
"""

from __future__ import annotations

from offsetproof.lang import Change, at, every, negation, require, some
from offsetproof.lang.record import at_once
from offsetproof.lang.step import in_rig
from offsetproof.model.concurrent.consuming import SENT_BACK
from offsetproof.model.concurrent.sending_back import (
    FAILS_TO_SEND_BACK,
    SENDS_BACK,
    SENDS_BACK_TWICE,
    SendingBack,
)
from offsetproof.model.releases import SKIPS_ABSENT
from offsetproof.model.shared.process_queue import ConsumeTask, ProcessQueue
from offsetproof.model.threads import CONSUME
from offsetproof.model.variants import SEND_BACK
from offsetproof.model.vocabulary import TaskStep

_SERVICE = "ConsumeMessageConcurrentlyService"
_LOOKS = at(_SERVICE, "processConsumeResult", "containsMessage")
_SENDS = at(_SERVICE, "processConsumeResult", "sendMessageBack")


class SkippingAbsent(SendingBack):
    """What the loop over a task's failed messages looks at first."""

    def _finds(self, pq: ProcessQueue, task: ConsumeTask, m: int) -> bool:
        """Is the next failed message of a task in the cache?"""
        those = [n for n in range(self.scope.batch) if m + n < self.scope.messages]
        return some(every([task.acked + task.handled == n, pq.msg_tree_map.has(m + n)]) for n in those)

    @CONSUME.step(_LOOKS, waits=at_once(*SENT_BACK), counts_as="task_sends_message_back")
    def task_skips_absent_message(self, c: int, pq_id: int, m: int) -> None:
        """Finds a failed message no longer cached, and passes over it."""
        pq = self.consumer[c].process_queue[pq_id]
        task = pq.task[m]
        require(task.at == TaskStep.CONSUMED, task.acked + task.handled < task.size)
        require(negation(self._finds(pq, task, m)))
        task.handled = task.handled + 1

    @CONSUME.step(_SENDS, waits=SENDS_BACK, rig=in_rig(_LOOKS, within=[_SENDS]))
    def task_sends_message_back(self, c: int, pq_id: int, m: int) -> None:
        """Copies the next failed message to %RETRY%: it counts as done."""
        self._require_found(c, pq_id, m)
        super().task_sends_message_back(c, pq_id, m)

    @CONSUME.step(_SENDS, waits=FAILS_TO_SEND_BACK, rig=in_rig(_LOOKS, within=[_SENDS], fails=True), fault=SEND_BACK)
    def task_fails_to_send_back(self, c: int, pq_id: int, m: int) -> None:
        """Cannot send a message back: it stays cached for another try."""
        self._require_found(c, pq_id, m)
        super().task_fails_to_send_back(c, pq_id, m)

    @CONSUME.step(
        _SENDS,
        at("DefaultMQPushConsumerImpl", "sendMessageBack", "send").or_at("sendMessageBackAsNormalMessage", "send"),
        waits=SENDS_BACK_TWICE,
        rig=in_rig(_LOOKS, within=[_SENDS], loses_answer=True),
        fault=SEND_BACK,
    )
    def task_sends_message_back_twice(self, c: int, pq_id: int, m: int) -> None:
        """Sends a message back twice: the request only timed out."""
        self._require_found(c, pq_id, m)
        super().task_sends_message_back_twice(c, pq_id, m)

    def _require_found(self, c: int, pq_id: int, m: int) -> None:
        pq = self.consumer[c].process_queue[pq_id]
        require(self._finds(pq, pq.task[m], m))


SKIPS = Change(SKIPS_ABSENT, steps=(SkippingAbsent,))
"""What concurrent consumption is with it."""

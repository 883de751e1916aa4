"""Sending back: the way of failed messages to %RETRY%.

Stands for sendMessageBack in processConsumeResult. The retry topic's queue is here the set of messages that have a copy
in it: a copy is delivered like any message, and what happens to offsets of that queue is what happens to the offsets of
this one. Left out: the retry queue's own offsets, delay levels.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.lang.record import Pause
from offsetproof.lang.step import in_rig
from offsetproof.model.concurrent.consuming import SENT_BACK
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import CONSUME, RETRIES
from offsetproof.model.timers import ON_ITS_WAY, RETRY_DELAY, SEND_BACK_TIMEOUT
from offsetproof.model.variants import SEND_BACK
from offsetproof.model.vocabulary import TaskStep

_SERVICE = "ConsumeMessageConcurrentlyService"
_REQUEST = "ConsumeMessageConcurrentlyService.ConsumeRequest"
_BACK, _SEND_BACK = "a message is on its way back", "DefaultMQPushConsumerImpl.sendMessageBack"
SENDS_BACK = Pause(_BACK, (SENT_BACK,), most=2 * ON_ITS_WAY, source=f"{_SEND_BACK}: a request")
FAILS_TO_SEND_BACK = Pause(
    _BACK, (SENT_BACK,), None, SEND_BACK_TIMEOUT + 2 * ON_ITS_WAY,
    f"{_SEND_BACK}: a request that may time out, and the fallback",
)  # fmt: skip
SENDS_BACK_TWICE = Pause(
    _BACK, (SENT_BACK,), SEND_BACK_TIMEOUT, SEND_BACK_TIMEOUT + 2 * ON_ITS_WAY,
    f"{_SEND_BACK}: a request that times out, and the fallback",
)  # fmt: skip
_DELAYED = Pause(
    "a retry", (("task_sends_message_back", "task_sends_message_back_twice", "sweep_sends_message_back"),), RETRY_DELAY,
    source="SendMessageProcessor.asyncConsumerSendMsgBack: delay level 3", any_longer=True,
)  # fmt: skip


class SendingBack(Group):
    """What a consumer does with messages that its listener could not consume."""

    @CONSUME.step(at(_SERVICE, "processConsumeResult", "sendMessageBack"), waits=SENDS_BACK)
    def task_sends_message_back(self, c: int, pq_id: int, m: int) -> None:
        """Copies the next failed message to %RETRY%: it counts as done."""
        self._send_back(c, pq_id, m, copied=True)

    @CONSUME.step(
        at(_SERVICE, "processConsumeResult", "sendMessageBack"),
        waits=FAILS_TO_SEND_BACK,
        rig=in_rig(fails=True),
        fault=SEND_BACK,
    )
    def task_fails_to_send_back(self, c: int, pq_id: int, m: int) -> None:
        """Cannot send a message back: it stays cached for another try.

        Both ways to %RETRY% fail.
        """
        self._send_back(c, pq_id, m, copied=False)

    def _send_back(self, c: int, pq_id: int, m: int, *, copied: bool) -> None:
        pq = self.consumer[c].process_queue[pq_id]
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

    @CONSUME.step(
        at(_SERVICE, "processConsumeResult", "sendMessageBack"),
        at("DefaultMQPushConsumerImpl", "sendMessageBack", "send").or_at("sendMessageBackAsNormalMessage", "send"),
        waits=SENDS_BACK_TWICE,
        rig=in_rig(loses_answer=True),
        fault=SEND_BACK,
    )
    def task_sends_message_back_twice(self, c: int, pq_id: int, m: int) -> None:
        """Sends a message back twice: the request only timed out.

        The broker has executed it, and the fallback makes a second copy.
        """
        self._send_back(c, pq_id, m, copied=True)
        pq = self.consumer[c].process_queue[pq_id]
        task = pq.task[m]
        for n in range(self.scope.batch):
            if task.acked + task.handled == n + 1 and m + n < self.scope.messages:
                self.copy_to_retry(m + n, pq)

    @RETRIES.step(at(_REQUEST, "run", "resetRetryAndNamespace"), waits=_DELAYED)
    def retry_copy_is_consumed(self, m: int) -> None:
        """Consumes a copy from %RETRY%, or it becomes a dead letter.

        Some member of the group consumes it, or the broker moves it to the dead-letter queue.
        """
        require(self.retry.has(m))
        self.retry = self.retry.remove(m)
        self.ghost_retried = self.ghost_retried.add(m)

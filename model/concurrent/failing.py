"""Failing: a listener that does not finish its batch, what it answers, and the way of failed messages to %RETRY%.

Stands for the second half of processConsumeResult, sendMessageBack and ProcessQueue.cleanExpiredMsg. The retry topic's
queue is here the set of messages that have a copy in it: a copy is delivered like any message, and what happens to
offsets of that queue is what happens to the offsets of this one. Left out: the retry queue's own offsets, delay levels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from offsetproof.lang import among, at, every, require, some
from offsetproof.lang.record import Pause
from offsetproof.lang.rigging import RigMoment
from offsetproof.model.shared.group import Group
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.threads import CONSUME, SWEEP, of_client
from offsetproof.model.timers import CONSUME_TIMEOUT, ON_ITS_WAY
from offsetproof.model.variants import (
    ACK_AT_FAILURE,
    ACK_BEFORE_FAILURE,
    ACK_BELOW_MINUS_ONE,
    ACK_FIRST,
    ACK_NONE,
    CORRECT,
)
from offsetproof.model.vocabulary import OFFSETS, SIZES, TaskStep

_SERVICE = "ConsumeMessageConcurrentlyService"
_REQUEST = "ConsumeMessageConcurrentlyService.ConsumeRequest"


_EXPIRED = Pause(
    "the expiry sweep", ("task_starts",), CONSUME_TIMEOUT, source="ProcessQueue.cleanExpiredMsg: consumeTimeout",
    any_longer=True, same=("c", "pq_id", "m"),
)  # fmt: skip
_SWEPT = Pause("the expiry sweep stalls", ("sweep_sends_message_back",), most=ON_ITS_WAY, source="an answer")

_ACK_INDEX: dict[str, Callable[[int], int]] = {
    ACK_AT_FAILURE.name: lambda i: i,
    ACK_BEFORE_FAILURE.name: lambda i: i - 1,
    ACK_FIRST.name: lambda i: 0,
    ACK_NONE.name: lambda i: -1,
    ACK_BELOW_MINUS_ONE.name: lambda i: -2,
}


def _answer(moment: RigMoment) -> dict[str, Any]:
    """What the listener answers when message i fails."""
    if moment.listener in _ACK_INDEX:
        index = _ACK_INDEX[moment.listener](moment.arg("i"))
        throws = "java.lang.IndexOutOfBoundsException" if index < -1 else None
        return of_client(moment, listener="CONSUME_SUCCESS", ack_index=index, throws=throws)
    return of_client(moment, listener="RECONSUME_LATER")


class Failing(Group):
    """What happens around a message that the listener could not consume."""

    @CONSUME.step(
        at(_REQUEST, "run", "consumeMessage"),
        at(_REQUEST, "run", "isDropped", 2),
        at(_SERVICE, "processConsumeResult", "getAckIndex"),
        any_time="the listener may take any time",
        rig=replace(CONSUME.rig, values=_answer),
        logs="processQueue is dropped without process consume result. messageQueue={}, msgs={}",
        i=SIZES,
    )
    def listener_fails(self, c: int, pq_id: int, m: int, i: int) -> None:
        """Fails at message i of the batch; later ones are not tried.

        Those before it are consumed. The listener answers as the setting says: it sets ackIndex and returns
        SUCCESS, or returns RECONSUME_LATER, null, or throws, which all come to ackIndex -1. On a dropped queue
        the answer is thrown away (check B). Below -1 the loop over failed messages throws, and the task ends
        with its messages cached, until the expiry sweep sends them back.
        """
        pq = self.consumer[c].process_queue[pq_id]
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

    @SWEEP.step(
        at("ProcessQueue", "cleanExpiredMsg", "sendMessageBack"),
        waits=_EXPIRED,
        logs="send expire msg back. topic={}, msgId={}, storeHost={}, queueId={}, queueOffset={}",
        m=OFFSETS,
    )
    def sweep_sends_message_back(self, c: int, pq_id: int, m: int) -> None:
        """Sends the lowest cached message back, as it took too long.

        A listener was given it longer ago than consumeTimeout, whatever has become of the task since.
        """
        pq = self.consumer[c].process_queue[pq_id]
        require(self.sweeps_left > 0, pq.swept is None, pq.msg_tree_map.has(m), self._has_start_time(pq, m))
        require(pq.msg_tree_map.lowest(default=0) == m, self.consumer[c].process_queue_table == pq_id)
        self.sweeps_left = self.sweeps_left - 1
        self.copy_to_retry(m, pq)
        pq.ghost_unfinished = pq.ghost_unfinished.remove(m)
        pq.swept = m

    def _has_start_time(self, pq: ProcessQueue, m: int) -> bool:
        """Was the cached message given to a listener (CONSUME_START_TIME)? Waiting for another try changes nothing."""
        given = (TaskStep.LISTENING, TaskStep.CONSUMED, TaskStep.WAITING, TaskStep.THROWN)
        firsts = range(max(0, m - self.scope.batch + 1), m + 1)
        return some(every([among(pq.task[j].at, *given), pq.task[j].size > m - j]) for j in firsts)

    @SWEEP.step(at("ProcessQueue", "cleanExpiredMsg", "removeMessage"), waits=_SWEPT)
    def sweep_removes_message(self, c: int, pq_id: int) -> None:
        """Removes it from the cache if still the lowest; not the cell.

        The cell is not touched.
        """
        pq = self.consumer[c].process_queue[pq_id]
        swept = pq.swept
        require(swept is not None)
        if swept is not None and pq.msg_tree_map.lowest(default=self.scope.messages) == swept:
            pq.msg_tree_map = pq.msg_tree_map.remove(swept)
        pq.swept = None

"""Consuming: what a concurrent listener could not do is logged and forgotten; an orderly one is given it again.

Stands for the branch for BROADCASTING of ConsumeMessageConcurrentlyService.processConsumeResult, for pullMessage
without an offset to send along, and for ConsumeMessageOrderlyService where it asks for the mode: its requests take
messages without the broker's lock. Left out: an orderly listener that sets autoCommit to false, or returns ROLLBACK or
COMMIT (`model/orderly`).
"""

from __future__ import annotations

from typing import ClassVar

from offsetproof.lang import OffsetSet, action, at, require, some
from offsetproof.lang.action import Retold
from offsetproof.lang.record import at_once
from offsetproof.lang.step import in_rig
from offsetproof.model.broadcasting.consumer import BroadcastQueue
from offsetproof.model.broadcasting.group import BroadcastGroup
from offsetproof.model.concurrent.consuming import Consuming
from offsetproof.model.concurrent.failing import Failing
from offsetproof.model.orderly.results import ResultsInOrder
from offsetproof.model.orderly.vocabulary import Answer
from offsetproof.model.shared.consumer import Consumer
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.shared.pulling import Pulling
from offsetproof.model.shared.starting import Starting
from offsetproof.model.threads import CONSUME
from offsetproof.model.variants import RECONSUME_LATER
from offsetproof.model.vocabulary import CONSUMERS, PROCESS_QUEUES, PullRequestAt, TaskStep

_SERVICE = "ConsumeMessageConcurrentlyService"
_PULL = "DefaultMQPushConsumerImpl"
_DROPS = at(_SERVICE, "processConsumeResult", "warn")
_UPDATES = at("LocalFileOffsetStore", "updateOffset")


class BroadcastPulling(Pulling, Starting, BroadcastGroup):
    """What the pull thread does."""

    retold: ClassVar[tuple[Retold, ...]] = (
        Retold(
            Pulling.poll_corrects_offset,
            places=(at(_PULL, "correctTagsOffset", "updateOffset"), _UPDATES),
        ),
    )

    @action(
        c=CONSUMERS, pq_id=PROCESS_QUEUES, actor="consumer[c]", thread="pull",
        stands_for=[at(_PULL, "pullMessage", "isDropped"), at(_PULL, "pullMessage", "isLocked")],
    )  # fmt: skip
    def consumer_pulls(self, c: int, pq_id: int) -> None:
        """Pulls, unless dropped, and sends no offset along.

        On a dropped queue the PullRequest is discarded. A paused consumer tries again a second later, and so does one
        with an orderly listener whose queue is not marked as locked. The first pull under the lock asks again where to
        start: the file, and then the rule. Left out: the time that the max offset is on its way.
        """
        pq = self.consumer[c].process_queue[pq_id]
        require(some([pq.dropped, self.may_pull(pq)]))
        super().consumer_pulls(c, pq_id)
        if self.scope.orderly > 0 and not pq.dropped and not pq.previously_locked:
            self._start_again(c, pq)

    def _start_again(self, c: int, pq: BroadcastQueue) -> None:
        """What computePullFromWhereWithException answers now becomes the pull's offset."""
        consumer = self.consumer[c]
        start = consumer.stored
        if start is None:
            start = self.rule(self.broker.max_offset)
            self.note_first_start(self.meant_start(self.broker.max_offset))
        else:
            consumer.set_cell(start)
        pq.next_offset = start
        pq.previously_locked = True
        pq.ghost_after_landing = self.ghost_landed

    def send_pull(self, consumer: Consumer, pq: ProcessQueue) -> None:  # noqa: ARG002  # no cell is sent along
        """The pull is at the broker at once: it carries no commit."""
        pq.pull_request = PullRequestAt.HELD


class ConsumingByPolicy(Consuming, Failing, BroadcastGroup):
    """What the consume threads do with a batch that was consumed."""

    retold: ClassVar[tuple[Retold, ...]] = (
        Retold(
            Consuming.task_updates_cell,
            places=(at(_SERVICE, "processConsumeResult", "updateOffset"), _UPDATES),
        ),
    )

    @CONSUME.step(
        _DROPS,
        waits=at_once("listener_fails"),
        rig=in_rig(_DROPS, within=[_DROPS]),
        counts_as="listener_finishes",
        logs="BROADCASTING, the message consume failed, drop it, {}",
    )
    def task_drops_failed_messages(self, c: int, pq_id: int, m: int) -> None:
        """Logs the failed messages of its batch, and forgets them.

        They count as consumed, those that the listener never came to as well.
        """
        pq = self.consumer[c].process_queue[pq_id]
        task = pq.task[m]
        require(task.at == TaskStep.CONSUMED, task.acked < task.size, task.handled == 0)
        failed = (OffsetSet.below(m + task.size) - OffsetSet.below(m + task.acked)) & OffsetSet.below(
            self.scope.messages
        )
        self.ghost_dropped = self.ghost_dropped | failed
        pq.ghost_unfinished = pq.ghost_unfinished - failed
        task.handled = task.size - task.acked


class ConsumingInOneRequest(ResultsInOrder, BroadcastGroup):
    """What the consume thread of an orderly listener does with the ProcessQueue's one request."""

    retold: ClassVar[tuple[Retold, ...]] = (
        Retold(
            ResultsInOrder.request_updates_cell,
            places=(at("ConsumeMessageOrderlyService", "processConsumeResult", "updateOffset"), _UPDATES),
        ),
    )

    def answers(self) -> tuple[Answer, ...]:
        """What the listener may return. Null and an exception count as SUSPEND_CURRENT_QUEUE_A_MOMENT."""
        may_fail = self.setting.listener == RECONSUME_LATER
        return (Answer.SUCCESS, Answer.SUSPEND) if may_fail else (Answer.SUCCESS,)

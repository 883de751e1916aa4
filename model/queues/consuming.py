"""Consuming: progress in a queue, as little of it as the offsets of several queues need.

A message is consumed in two steps: its task has passed the last test of `dropped`, and it writes the cell, whatever
has become of the queue since. All messages may be cached, so that consumption goes on while the consumer is paused. A
pull is only there as the long poll that waits for the next message: where the scope has `polls`, it is held, outlives
a reset's sleep of 10 s at most once (it ends after 15 to 20 s), and ends; else only its end is there, where it
changes the cell. With one thread for pull callbacks and resets, its callback waits until no reset runs. Left out, and
in the model of one queue: batches, failures, the steps of a pull, and the offset that it carries.
"""

from __future__ import annotations

from offsetproof.lang import at, bound, every, require
from offsetproof.lang.record import Pause
from offsetproof.lang.step import in_rig
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.threads import CALLBACK, CONSUME, PULLS, with_pull_request
from offsetproof.model.queues.variants import POLL_CHECKS_DROPPED
from offsetproof.model.queues.vocabulary import Poll, TableResetStep
from offsetproof.model.timers import HOLD_CHECK, POLL_HOLD

_TASK, _CALLBACK = "ConsumeMessageConcurrentlyService", "DefaultMQPushConsumerImpl"
_HELD = Pause(
    "a held poll", ("broker_holds_poll",), POLL_HOLD, POLL_HOLD + HOLD_CHECK,
    "brokerSuspendMaxTimeMillis; PullRequestHoldService",
)  # fmt: skip


class ConsumingShares(QueueGroup):
    """What tasks and pull callbacks do."""

    @CONSUME.step(
        at(_TASK, "processConsumeResult", "isDropped"),
        any_time="the listener may take any time",
        rig=in_rig(call="task"),
    )
    def task_passes_check(self, c: int, q: int) -> None:
        """Has consumed the next message of a queue that is not dropped.

        What removeMessage gave it is still to be written to the cell.
        """
        client = self.client[c]
        share = client.share[q]
        require(client.is_live(q), share.position < self.scope.messages)
        bound(share.writing is None)
        self.queue[q].note_done(share.position, share.ghost_after_landing)
        share.position = share.position + 1
        share.writing = share.position

    @CONSUME.step(at(_TASK, "processConsumeResult", "updateOffset"))
    def task_updates_cell(self, c: int, q: int) -> None:
        """Raises the cell, whatever has become of the queue since."""
        share = self.client[c].share[q]
        value = share.writing
        require(value is not None)
        if value is not None:
            share.raise_cell(value)
        share.writing = None
        share.ghost_wrote = self.client[c].process_queue_table.has(q)

    @PULLS.step(
        at("PullMessageProcessor", "processRequest", "suspendPullRequest").or_at(
            "handle", "suspendPullRequest", of="DefaultPullMessageResultHandler"
        ),
        any_time="a pull, which may wait for flow control or a pause",
    )
    def broker_holds_poll(self, c: int, q: int) -> None:
        """Holds a pull for the message after the last one, for 15 to 20 s.

        A client that is paused sends no new pull.
        """
        client = self.client[c]
        share = client.share[q]
        require(self.scope.polls > 0, client.is_live(q), not client.paused, share.position == self.scope.messages)
        bound(share.poll != Poll.LEFT)
        require(share.poll == Poll.NONE)
        share.poll = Poll.HELD

    @CALLBACK.step(at(_CALLBACK, "correctTagsOffset", "updateOffset"), waits=_HELD)
    def poll_ends(self, c: int, q: int) -> None:
        """Ends without news, and raises the cell to the end of the queue.

        It does so as well for a ProcessQueue that was dropped and cleared since, for its cache is empty.
        """
        share = self.client[c].share[q]
        require(share.poll != Poll.NONE, self._may_call_back(c))
        if not (share.poll == Poll.LEFT and self.setting.behaves(POLL_CHECKS_DROPPED)):
            share.raise_cell(self.scope.messages)
        share.poll = Poll.NONE
        share.slept = False

    @CALLBACK.step(
        at(_CALLBACK, "correctTagsOffset", "updateOffset"),
        any_time="a poll that ends at any time within its hold",
        rig=with_pull_request("timely_poll"),
    )
    def timely_poll_ends(self, c: int, q: int) -> None:
        """Ends without news while its queue is live, and raises the cell to the end of the queue."""
        share = self.client[c].share[q]
        at_end = every([self.client[c].is_live(q), share.position == self.scope.messages])
        require(self.scope.polls == 0, at_end, share.cell != self.scope.messages, self._may_call_back(c))
        share.set_cell(self.scope.messages)

    def _may_call_back(self, c: int) -> bool:
        """Is there a thread for a pull callback?"""
        if self.scope.callback_threads == 0:
            return True
        return self.client[c].reset_run.at == TableResetStep.IDLE

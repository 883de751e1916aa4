"""One consumer client: its process queue table, its cell of the offset table, and its rebalance and reset threads.

Stands for MQClientInstance with one DefaultMQPushConsumerImpl: RebalanceImpl.processQueueTable, the cell of
RemoteBrokerOffsetStore.offsetTable for the one queue, and the program counters of RebalanceService and of the thread
that runs resetOffset. Left out: other topics and queues, the retry topic, start and shutdown.
"""

from __future__ import annotations

from offsetproof.lang import (
    Array,
    Component,
    Fifo,
    array,
    every,
    fifo,
    flag,
    integer,
    larger,
    offset,
    one_of,
    optional,
    part,
    some,
)
from offsetproof.model.process_queue import ProcessQueue
from offsetproof.model.vocabulary import LIVES, Origin, RebalanceStep, ResetStep, TaskStep, Token


class Commit(Component):
    """A one-way UPDATE_CONSUMER_OFFSET on its way to the broker: who sent it, and the value frozen in it."""

    origin: Origin = one_of(Origin)
    offset: int = offset()


class RebalanceRun(Component):
    """A run of updateProcessQueueTableInRebalance. Left out: a second run at the same time (by resume)."""

    at: RebalanceStep = one_of(RebalanceStep)
    start: int = offset()
    ghost_after_landing: bool = flag()


class ResetRun(Component):
    """A run of MQClientInstance.resetOffset, synchronized: one at a time.

    `life` is the ProcessQueue that the first loop holds between setDropped and clear; `target` is the table that came
    with the command.
    """

    at: ResetStep = one_of(ResetStep)
    life: int | None = optional(integer(0, lambda scope: scope.lives - 1))
    target: int | None = optional(offset())


class Consumer(Component):
    """One client of the group, as far as the one queue is concerned.

    `believes_allocated` is what its last look at the group told it; another client may believe the same. `cell` is
    shared by all lives of the queue in this client. `commits` are its one-way commits, oldest first.
    """

    believes_allocated: bool = flag()
    paused: bool = flag()
    process_queue_table: int | None = optional(integer(0, lambda scope: scope.lives - 1))
    lives_created: int = integer(0, "lives")
    cell: int | None = optional(offset())
    commits: Fifo[Commit] = fifo(Commit, "commits_in_flight")
    rebalance: RebalanceRun = part(RebalanceRun)
    reset_command: int | None = optional(offset())
    reset_run: ResetRun = part(ResetRun)
    process_queue: Array[ProcessQueue] = array(LIVES, ProcessQueue)

    def raise_cell(self, value: int) -> None:
        """Writes the cell unless it holds more (RemoteBrokerOffsetStore.updateOffset:59 with increaseOnly)."""
        held = self.cell
        self.cell = value if held is None else larger(held, value)

    def send_commit(self, origin: Origin) -> None:
        """Sends the cell's value one-way, if there is a cell (updateConsumeOffsetToBroker:200)."""
        held = self.cell
        if held is not None:
            self.commits.push(origin=origin, offset=held)

    def owns_live_queue(self) -> bool:
        """Is there a life in the table that is not dropped?"""
        life = self.process_queue_table
        return life is not None and not self.process_queue[life].dropped

    def has_pull_on_its_way(self) -> bool:
        """Is a pull with a commit in it still on its way to the broker?"""
        return some(pq.token == Token.SENT for pq in self.process_queue)

    def has_task_past_check(self) -> bool:
        """Does a task stand between check C and updateOffset although its queue is dropped by now?"""
        return some(every([pq.dropped, task.at == TaskStep.CHECKED]) for pq in self.process_queue for task in pq.task)

    def has_callback_past_count(self) -> bool:
        """Does a pull callback stand between the count and updateOffset although its queue is dropped by now?"""
        return some(every([pq.dropped, pq.token == Token.CORRECTING]) for pq in self.process_queue)

    def is_rebalancing(self) -> bool:
        """Is a rebalance run under way? While the consumer is paused, no run takes its first step."""
        return self.rebalance.at != RebalanceStep.IDLE

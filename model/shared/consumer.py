"""One consumer client: its process queue table, its cell of the offset table, and its rebalance and reset threads.

Stands for MQClientInstance with one DefaultMQPushConsumerImpl: RebalanceImpl.processQueueTable, the cell of
RemoteBrokerOffsetStore.offsetTable for the one queue, and the program counters of the threads that rebalance, reset
and shut down. Left out: other topics; of other queues everything but what the one queue can feel of them.
"""

from __future__ import annotations

from offsetproof.lang import (
    Array,
    Component,
    Fifo,
    OffsetSet,
    among,
    array,
    choose,
    every,
    fifo,
    flag,
    holds,
    integer,
    larger,
    negation,
    offset,
    one_of,
    optional,
    part,
    some,
)
from offsetproof.model.shared.broker import Broker
from offsetproof.model.shared.process_queue import ConsumeTask, ProcessQueue
from offsetproof.model.vocabulary import (
    PROCESS_QUEUES,
    RUNS,
    InfoStep,
    Origin,
    PullRequestAt,
    RebalanceStep,
    RepairStep,
    ResetEffect,
    ResetStep,
    StopStep,
    TaskStep,
)


class Commit(Component):
    """A one-way UPDATE_CONSUMER_OFFSET on its way to the broker: who sent it, and the value frozen in it.

    History: it is `ghost_superseded` if the reset that sent it was followed by another since.
    """

    origin: Origin = one_of(Origin)
    offset: int = offset()
    ghost_superseded: bool = flag()


class RebalanceRun(Component):
    """A run of updateProcessQueueTableInRebalance: run 0 is RebalanceService's, run 1 the one that resume makes.

    `pq_id` is the ProcessQueue that truncateMessageQueueNotMyTopic has taken out of the table and not yet dropped.
    """

    at: RebalanceStep = one_of(RebalanceStep)
    pq_id: int | None = optional(integer(0, lambda scope: scope.process_queues - 1))
    start: int = offset()
    ghost_after_landing: bool = flag()


class ResetRun(Component):
    """A run of MQClientInstance.resetOffset, synchronized: one at a time.

    `pq_id` is the ProcessQueue that the first loop holds between setDropped and clear; `target` is the table that came
    with the command. History: it is `ghost_superseded` if the administrator has reset again since the command.
    """

    at: ResetStep = one_of(ResetStep)
    pq_id: int | None = optional(integer(0, lambda scope: scope.process_queues - 1))
    target: int | None = optional(offset())
    ghost_superseded: bool = flag()


class InfoRun(Component):
    """A run of consumerRunningInfo at the queue, which it has found in the table without a cell.

    `start` is the offset that the broker has given it; `is_older` says that it began before a reset fell asleep.
    """

    at: InfoStep = one_of(InfoStep)
    start: int = offset()
    is_older: bool = flag()


class Consumer(Component):
    """One client of the group, as far as the one queue is concerned.

    `believes_allocated` is what its last look at the group told it; another client may believe the same. `cell` is
    shared by all ProcessQueues of the queue in this client. `read_value` is what persistAll has read and not yet sent,
    where the scope has it in two steps, and `misses_queue` says that the queue is not in the set that it goes by.
    `commits` are its one-way commits, oldest first. `resumed` says that resume has something left to do: the rebalance
    in its own thread.
    """

    alive: bool = flag(initial=True)
    subscribed: bool = flag(initial=True)
    believes_allocated: bool = flag()
    paused: bool = flag()
    resumed: bool = flag()
    stop: StopStep = one_of(StopStep)
    process_queue_table: int | None = optional(integer(0, lambda scope: scope.process_queues - 1))
    process_queues_made: int = integer(0, "process_queues")
    cell: int | None = optional(offset())
    read_value: int | None = optional(integer(0, lambda scope: scope.messages if scope.fine else 0))
    misses_queue: bool = flag()
    commits: Fifo[Commit] = fifo(Commit, "commits_in_flight")
    rebalance: Array[RebalanceRun] = array(RUNS, RebalanceRun)
    reset_command: int | None = optional(offset())
    reset_run: ResetRun = part(ResetRun)
    info: InfoRun = part(InfoRun)
    process_queue: Array[ProcessQueue] = array(PROCESS_QUEUES, ProcessQueue)

    def raise_cell(self, value: int, pq: ProcessQueue) -> None:  # noqa: ARG002 - a remedy asks for whom
        """Writes the cell unless it holds more, for a ProcessQueue (RemoteBrokerOffsetStore.updateOffset)."""
        held = self.cell
        self.cell = value if held is None else larger(held, value)

    def remove_cell(self) -> None:
        """Takes the cell out of the offset table (removeOffset).

        A task that has fetched it writes to an AtomicLong that nobody reads any more.
        """
        self.cell = None
        if self.scope.fine > 0:
            for pq in self.process_queue:
                for task in pq.task:
                    held = task.at == TaskStep.FETCHED
                    task.at = choose(held, TaskStep.DETACHED, task.at)

    def send_commit(self, origin: Origin) -> None:
        """Sends the cell's value one-way, if there is a cell (updateConsumeOffsetToBroker)."""
        held = self.cell
        if held is not None:
            superseded = every([origin == Origin.RESET, self.reset_run.ghost_superseded])
            self.push_commit(origin, held, superseded)

    def push_commit(self, origin: Origin, value: int, superseded: bool) -> None:
        """A commit with the cell's value is on its way."""
        self.commits.push(origin=origin, offset=value, ghost_superseded=superseded)

    def push_read_value(self, value: int) -> None:
        """A commit with the value that persistAll has read is on its way."""
        self.commits.push(origin=Origin.PROGRESS, offset=value, ghost_superseded=False)

    def note_reset(self) -> None:
        """History: the administrator resets; what runs for an earlier reset, and what came of it, counts no more."""
        self.reset_run.ghost_superseded = self.reset_run.at != ResetStep.IDLE
        for commit in self.commits:
            commit.ghost_superseded = commit.origin == Origin.RESET
        for run in self.rebalance:
            run.ghost_after_landing = False
        for pq in self.process_queue:
            pq.ghost_after_landing = False

    def write_cell(self, value: int | None) -> None:
        """Writes the cell whatever it holds (updateOffset with increaseOnly false)."""
        self.cell = value

    def set_cell(self, value: int | None) -> None:
        """Writes the cell whatever it holds, for a reset or a new start.

        Tasks of a queue that a reset has dropped must leave it alone from then on.
        """
        self.write_cell(value)
        for pq in self.process_queue:
            hit = pq.ghost_aftermath == ResetEffect.DROPPED
            pq.ghost_aftermath = choose(hit, ResetEffect.OVERWRITTEN, pq.ghost_aftermath)

    def has_frozen_queue(self) -> bool:
        """Is there a live ProcessQueue in the table whose cell takes no value? Not where nothing freezes cells."""
        return False

    def forget_cell(self) -> None:
        """The process is gone, and its cell."""
        self.cell = None

    def forget(self) -> None:
        """The process is gone, and everything in its memory; one-way commits that it sent are still on their way."""
        self.alive = False
        self.forget_cell()
        self.read_value = None
        self.misses_queue = False
        self.process_queue_table = None
        self.paused = False
        self.resumed = False
        self.stop = StopStep.STOPPED
        self.reset_command = None
        self.reset_run.reset()
        self.info.reset()
        for run in self.rebalance:
            run.reset()
        for pq in self.process_queue:
            pq.die()

    def owns_live_queue(self) -> bool:
        """Is there a ProcessQueue in the table that is not dropped?"""
        return some(
            every([self.has_listed(pq_id), negation(pq.dropped)]) for pq_id, pq in enumerate(self.process_queue)
        )

    def has_pull_on_its_way(self) -> bool:
        """Is a pull with a commit in it still on its way to the broker, be it that of a process that is gone?"""
        return some(among(pq.pull_request, PullRequestAt.SENT, PullRequestAt.CLIENT_GONE) for pq in self.process_queue)

    def has_pull_of_gone_client(self) -> bool:
        """Is a pull on its way whose process is gone?"""
        return some(pq.pull_request == PullRequestAt.CLIENT_GONE for pq in self.process_queue)

    def has_task_past_check(self) -> bool:
        """Does a task stand between check C and the end of updateOffset although its queue is dropped by now?"""
        past = (TaskStep.CHECKED, TaskStep.FETCHED, TaskStep.DETACHED)
        return some(
            every([pq.dropped, some(task.at == at for at in past)]) for pq in self.process_queue for task in pq.task
        )

    def has_callback_past_count(self) -> bool:
        """Does a pull callback stand before updateOffset although its queue is dropped by now?

        It stands after the count of messages, or after a test of `dropped` where the release has one.
        """
        return some(every([pq.dropped, pq.is_called_back()]) for pq in self.process_queue)

    def has_rebalanced_after_resume(self) -> bool:
        """Is the rebalance over that resume makes in its own thread, or does it find nothing to do?

        A reset's thread makes it within resetOffset, which is synchronized: the next reset waits for it.
        """
        run = self.rebalance[1]
        over = every([run.at == RebalanceStep.IDLE, negation(self.resumed)])
        return some([over, every([run.at == RebalanceStep.IDLE, self.matches_its_view()])])

    def is_down_and_heard(self) -> bool:
        """Is its process gone, and has everything that it sent arrived?"""
        return every([negation(self.alive), self.commits.count == 0, negation(self.has_pull_of_gone_client())])

    def holds_no_offset_beyond(self, end: int) -> bool:
        """Does this client hold no offset or message beyond this one: cells, pulls, commits, answers, caches, tasks?"""
        known = [self.number_of(Consumer.cell) <= end + 1, self.number_of(Consumer.read_value) <= end + 1]
        known += [self.info.start <= end]
        known += [commit.offset <= end for commit in self.commits]
        known += [run.start <= end for run in self.rebalance]
        for pq in self.process_queue:
            known += [pq.next_offset <= end, pq.number_of(ProcessQueue.piggyback) <= end + 1]
            known += [(pq.msg_tree_map - OffsetSet.below(end)).count() == 0]
            known += [some([pq.queue_offset_max < end, pq.queue_offset_max == 0])]
            known += [task.number_of(ConsumeTask.result) <= end + 1 for task in pq.task]
            known += [some([task.at == TaskStep.NONE, m < end]) for m, task in enumerate(pq.task)]
        return every(known)

    def matches_its_view(self) -> bool:
        """Has the last rebalance done what the consumer's view of the group asks for?"""
        wanted = every([self.believes_allocated, self.alive, self.subscribed])
        return negation(holds(self, Consumer.process_queue_table, None)) == wanted

    def has_free_thread(self) -> bool:
        """Is there a thread of the client's public executor for a pull callback? A reset keeps one until it is over."""
        return some([self.scope.callback_threads != 1, self.reset_run.at == ResetStep.IDLE])

    def has_listed(self, pq_id: int) -> bool:
        """Is this ProcessQueue the one in the table?"""
        return holds(self, Consumer.process_queue_table, pq_id)

    def broker_has_cell(self, broker: Broker) -> bool:
        """Has the cell reached the broker, if there is one?"""
        same = self.number_of(Consumer.cell) == broker.number_of(Broker.committed)
        return some([holds(self, Consumer.cell, None), same])

    def is_calm(self) -> bool:
        """Is no step of a reset, rebalance, shutdown or repair pending, and no message of this client on its way?"""
        busy = [
            self.is_rebalancing(),
            self.info.at != InfoStep.IDLE,
            self.misses_queue,
            self.reset_run.at != ResetStep.IDLE,
            every([self.alive, negation(holds(self, Consumer.reset_command, None))]),
        ]
        busy += [self.commits.count > 0, self.stop == StopStep.SERVICE_STOPPED, self.stop == StopStep.PERSISTED]
        busy += [negation(holds(self, Consumer.read_value, None))]
        busy += [pq.repair != RepairStep.IDLE for pq in self.process_queue]
        return negation(some(busy))

    def is_rebalancing(self) -> bool:
        """Is a rebalance run under way? While the consumer is paused, no run takes its first step."""
        return some(run.at != RebalanceStep.IDLE for run in self.rebalance)

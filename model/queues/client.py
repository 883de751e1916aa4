"""A client: its process queue table and offset table for several queues, and the threads that work on them.

Stands for MQClientInstance with one DefaultMQPushConsumerImpl. A ProcessQueue is what it is in the table for: whether
it is dropped, and where it consumes next. One that has left the table is over, but for a task that is about to write
and for a poll. Left out: a ProcessQueue that leaves the table without being dropped, and goes on (claim I18 of one
queue).
"""

from __future__ import annotations

from offsetproof.lang import (
    Array,
    Component,
    Fifo,
    OffsetSet,
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
    offset_set,
    one_of,
    optional,
    part,
)
from offsetproof.model.queues.vocabulary import (
    COMMANDS,
    QUEUES,
    PersistStep,
    Poll,
    TableResetStep,
    TopicRebalanceStep,
)
from offsetproof.model.vocabulary import RUNS


class QueueCommit(Component):
    """A one-way UPDATE_CONSUMER_OFFSET of one queue on its way.

    History: `ghost_reset` is the reset whose own write it is, or 0.
    """

    offset: int = offset()
    ghost_reset: int = integer(0, "resets")


class Share(Component):
    """One queue in one client.

    `cell` is its offset in the offset table, `position` where its ProcessQueue consumes next, `writing` what a task is
    about to write to the cell, of this ProcessQueue or of an earlier one. `slept` says that the poll was held before a
    reset's sleep that is over. History: the ProcessQueue started from an answer that the broker gave after the reset
    had landed, and a task of it has written the cell.
    """

    cell: int | None = optional(offset())
    position: int = offset()
    writing: int | None = optional(offset())
    poll: Poll = one_of(Poll)
    slept: bool = flag()
    commits: Fifo[QueueCommit] = fifo(QueueCommit, "commits_in_flight")
    ghost_after_landing: bool = flag()
    ghost_wrote: bool = flag()

    def raise_cell(self, value: int) -> None:
        """Writes the cell unless it holds more (RemoteBrokerOffsetStore.updateOffset with increaseOnly)."""
        held = self.cell
        self.cell = value if held is None else larger(held, value)

    def set_cell(self, value: int) -> None:
        """Writes the cell, whatever stands there (updateOffset without increaseOnly)."""
        self.cell = value

    def remove_cell(self) -> None:
        """Takes the cell out of the offset table."""
        self.cell = None

    def is_frozen(self) -> bool:
        """Does the cell take no value? In no release without the repair of an illegal offset here."""
        return False

    def has_caught_up(self, committed: int) -> bool:
        """Is every message consumed, does the cell say so, has its broker heard of it, and is the next pull held?"""
        end, polls = self.scope.messages, Poll.HELD if self.scope.polls > 0 else Poll.NONE
        consumed = every([self.position == end, self.number_of(Share.cell) == end + 1, self.poll == polls])
        return every([consumed, committed == end])

    def send_commit(self, reset: int = 0) -> None:
        """Sends the cell's value one-way, if there is a cell; progress says nothing where there are no messages."""
        held = self.cell
        if held is not None and (self.scope.messages > 0 or reset > 0):
            self.commits.push(offset=held, ghost_reset=reset)

    def end_process_queue(self) -> None:
        """The ProcessQueue is dropped: it begins nothing more; what it has begun goes on."""
        self.position = 0
        self.ghost_after_landing = False
        self.poll = choose(self.poll == Poll.HELD, Poll.LEFT, self.poll)


class PersistRun(Component):
    """A round of persistAll: the queues that it goes by, the next cell to look at, and the cells to remove at its end.

    `is_older` says that it began before a reset fell asleep. History: `ghost_listed` is the table when it began.
    """

    at: PersistStep = one_of(PersistStep)
    queues: OffsetSet = offset_set("queues")
    next: int = integer(0, "queues")
    unused: OffsetSet = offset_set("queues")
    is_older: bool = flag()
    ghost_listed: OffsetSet = offset_set("queues")


class TopicRebalance(Component):
    """A run of rebalanceByTopic: run 0 is RebalanceService's, run 1 that of resume.

    `allocated` is what the strategy gave it at its beginning, `queue` the one that it is at, and `ahead` the one that
    its iterator over the table has already.
    """

    at: TopicRebalanceStep = one_of(TopicRebalanceStep)
    allocated: OffsetSet = offset_set("queues")
    queue: int = integer(0, lambda scope: scope.queues - 1)
    ahead: int = integer(0, "queues")
    start: int = offset()
    ghost_after_landing: bool = flag()


class Command(Component):
    """A RESET_CONSUMER_CLIENT_OFFSET that waits to be executed: the target in its table, which all its queues have."""

    target: int | None = optional(offset())


class TableReset(Component):
    """A run of MQClientInstance.resetOffset over the queues of the table, synchronized: one at a time.

    `command` is the number of the command that it executes, `next` the queue that its loop comes to next, `ahead` the
    one that the iterator of the first loop has already.
    """

    at: TableResetStep = one_of(TableResetStep)
    command: int = integer(0, lambda scope: max(0, scope.resets * scope.brokers - 1))
    target: int = offset()
    next: int = integer(0, "queues")
    ahead: int = integer(0, "queues")


class Client(Component):
    """One client of the group.

    `process_queue_table` has its queues, `dropped` those of them whose ProcessQueue is dropped. One that is not
    `subscribed` has given the topic up, and goes on for others; one that `shares_id` has another one's client id.
    History: `ghost_pauses` counts the sleeps of the last run of the reset tool (2 for more).
    """

    running: bool = flag(True)
    subscribed: bool = flag(True)
    shares_id: bool = flag()

    process_queue_table: OffsetSet = offset_set("queues")
    dropped: OffsetSet = offset_set("queues")
    paused: bool = flag()
    share: Array[Share] = array(QUEUES, Share)
    persist: PersistRun = part(PersistRun)
    rebalance: Array[TopicRebalance] = array(RUNS, TopicRebalance)
    command: Array[Command] = array(COMMANDS, Command)
    reset_run: TableReset = part(TableReset)
    ghost_pauses: int = integer(0, 2)

    def is_live(self, q: int) -> bool:
        """Is the queue in the table with a ProcessQueue that is not dropped?"""
        return every([self.process_queue_table.has(q), negation(self.dropped.has(q))])

    def drop(self, q: int) -> None:
        """Marks the queue's ProcessQueue dropped."""
        self.dropped = self.dropped.add(q)
        self.share[q].end_process_queue()

    def remove_queue(self, q: int) -> None:
        """Takes the queue out of the table, and its cell out of the offset table."""
        self.process_queue_table = self.process_queue_table.remove(q)
        self.dropped = self.dropped.remove(q)
        self.share[q].end_process_queue()
        self.share[q].remove_cell()
        self.share[q].ghost_wrote = False

    def truncate_queue(self, q: int) -> None:
        """Takes the queue out of the table, and drops its ProcessQueue; its cell stays."""
        self.process_queue_table = self.process_queue_table.remove(q)
        self.dropped = self.dropped.remove(q)
        self.share[q].end_process_queue()
        self.share[q].ghost_wrote = False

    def stop(self) -> None:
        """The process ends: what was in its memory is gone."""
        for q, share in enumerate(self.share):
            self.remove_queue(q)
            share.poll = Poll.NONE
            share.slept = False
        self.running = False

    def rebalances_nothing(self) -> bool:
        """Is no run of rebalance under way?"""
        return every(run.at == TopicRebalanceStep.IDLE for run in self.rebalance)

    def first_listed(self, since: int) -> int:
        """The first queue in the table, from this one on, or their number."""
        return (self.process_queue_table - OffsetSet.below(since)).lowest(default=self.scope.queues)

    def come_to(self, ahead: int, wanted: OffsetSet) -> tuple[int, int]:
        """Where an iterator over the table comes to the next wanted queue: that queue, and what it has ahead then.

        It is weakly consistent: what it has ahead comes, in the table or not, and what has come into the table before
        that does not. Each is the number of queues if there is none.
        """
        to_come = (self.process_queue_table | OffsetSet.below(ahead + 1)) - OffsetSet.below(ahead)
        found = (to_come & wanted).lowest(default=self.scope.queues)
        return found, self.first_listed(found + 1)

    def has_no_command(self) -> bool:
        """Is no reset waiting or under way?"""
        none = [holds(command, Command.target, None) for command in self.command]
        return every([*none, self.reset_run.at == TableResetStep.IDLE])

    def is_being_reset(self) -> bool:
        """Is a reset under way of some queues, which are not pulled meanwhile?"""
        return self.reset_run.at == TableResetStep.SLEEPING

    def does_nothing(self) -> bool:
        """Is nothing of resets, rebalance, persistAll and tasks pending?"""
        calm = [self.has_no_command(), self.rebalances_nothing(), self.persist.at == PersistStep.IDLE]
        calm += [holds(share, Share.writing, None) for share in self.share]
        return every([*calm, negation(self.paused)])

    def has_nothing_on_its_way(self) -> bool:
        """Has every commit that it sent arrived?"""
        return every(share.commits.count == 0 for share in self.share)

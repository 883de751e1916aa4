"""A remedy: resets of a queue have numbers, and what was made before the last one counts no more.

The broker counts the resets of a queue, and tells the number with the answers to queries and pulls. A ProcessQueue has
the number of the answer that it starts from, a cell that of the ProcessQueue or the answer which wrote it, a commit
that of its cell, a pull that of its ProcessQueue. The broker ignores commits with an earlier number, and answers pulls
with an earlier number with the offset that it has; nobody takes a marker, so none gets lost, and there is none once
the target is in the table. In the client a cell takes no value from a ProcessQueue with an earlier number.

A number that is the broker's is told here from all earlier ones, and those not from each other: `is_former`.
"""

from __future__ import annotations

from typing import cast

from offsetproof.lang import Change, choose, every, flag, holds, negation, require, same, some
from offsetproof.model.behaviours.freezes_cell import FreezingConsumer
from offsetproof.model.behaviours.server_side_reset import (
    AnsweredProcessQueue,
    MarkedCommits,
    MarkedPulls,
    MarkedQueries,
    MarkedReset,
    MarkingBroker,
)
from offsetproof.model.behaviours.server_side_reset_concurrent import AnsweredPulls, MarkedInfos
from offsetproof.model.concurrent.fine_persisting import FinePersisting
from offsetproof.model.concurrent.inspecting import Inspecting
from offsetproof.model.remote.piggybacking import Piggybacking
from offsetproof.model.remote.querying import Querying
from offsetproof.model.shared.consumer import Commit, Consumer, InfoRun, RebalanceRun
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.shared.rebalancing import Rebalancing
from offsetproof.model.variants import INFO_READS_ONLY, RESETS_NUMBERED
from offsetproof.model.vocabulary import InfoStep, Origin, PullRequestAt, RebalanceStep


class NumberedCommit(Commit):
    """A commit that may have the number of a former reset."""

    is_former: bool = flag()


class NumberedRun(RebalanceRun):
    """A run whose start may be of a former reset."""

    is_former: bool = flag()


class NumberedInfo(InfoRun):
    """A running info whose answer may be of a former reset."""

    is_former: bool = flag()


class NumberedProcessQueue(AnsweredProcessQueue):
    """A ProcessQueue, the commit that its pull carries and the offset of its repair, each with its number."""

    is_former: bool = flag()
    piggyback_is_former: bool = flag()
    target_is_former: bool = flag()

    def discard_pull_request(self) -> None:
        """The PullRequest is gone, and what was answered to it."""
        super().discard_pull_request()
        self.target_is_former = False

    def die(self) -> None:
        """The process is gone; a pull on its way keeps the number of its commit."""
        super().die()
        self.is_former = False
        self.target_is_former = False


class NumberedConsumer(FreezingConsumer):
    """A client whose cell has a number, as has the value that persistAll has read."""

    cell_is_former: bool = flag()
    read_is_former: bool = flag()

    def raise_cell(self, value: int, pq: ProcessQueue) -> None:
        """Writes the cell, unless it has a later number than the ProcessQueue."""
        is_former = cast(NumberedProcessQueue, pq).is_former
        held = self.cell
        if held is None:
            self.cell_is_former = is_former
            super().raise_cell(value, pq)
        elif self.cell_is_former and not is_former:
            self.write_cell(value)
            self.cell_is_former = self.frozen
        elif self.cell_is_former or not is_former:
            super().raise_cell(value, pq)

    def set_answer(self, value: int, is_former: bool) -> None:
        """Writes what the broker has answered, unless the cell has a later number."""
        if self.cell is None or self.cell_is_former or not is_former:
            self.cell_is_former = choose(self.frozen, self.cell_is_former, is_former)
            self.set_cell(value)

    def freeze_cell(self, pq: ProcessQueue) -> None:
        """Writes the offset of a repair, with the number of the answer to it."""
        super().freeze_cell(pq)
        self.cell_is_former = cast(NumberedProcessQueue, pq).target_is_former

    def remove_cell(self) -> None:
        """Takes the cell out of the table, and its number."""
        super().remove_cell()
        self.cell_is_former = False

    def push_commit(self, origin: Origin, value: int, superseded: bool) -> None:
        """A commit with the cell's value and number is on its way."""
        self.commits.push(origin=origin, offset=value, ghost_superseded=superseded, is_former=self.cell_is_former)

    def push_read_value(self, value: int) -> None:
        """A commit with the value and number that persistAll has read is on its way."""
        is_former = self.read_is_former
        self.commits.push(origin=Origin.PROGRESS, offset=value, ghost_superseded=False, is_former=is_former)
        self.read_is_former = False

    def forget(self) -> None:
        """The process is gone, and its cells."""
        super().forget()
        self.cell_is_former = False
        self.read_is_former = False

    def become_former(self) -> None:
        """There is a new number: all that this client has, and has sent, has an earlier one."""
        self.cell_is_former = negation(holds(self, Consumer.cell, None))
        self.read_is_former = negation(holds(self, Consumer.read_value, None))
        for commit in self.commits:
            cast(NumberedCommit, commit).is_former = True
        for run in self.rebalance:
            cast(NumberedRun, run).is_former = run.at != RebalanceStep.IDLE
        cast(NumberedInfo, self.info).is_former = self.info.at == InfoStep.ANSWERED
        for each in self.process_queue:
            pq = cast(NumberedProcessQueue, each)
            pq.is_former = self.alive
            pq.piggyback_is_former = negation(holds(pq, ProcessQueue.piggyback, None))
            pq.target_is_former = self.alive


def _process_queue(consumer: Consumer, pq_id: int) -> NumberedProcessQueue:
    return cast(NumberedProcessQueue, consumer.process_queue[pq_id])


class NumberingBroker(MarkingBroker):
    """A broker whose marker no pull takes."""

    def goes_with(self, pull_offset: int) -> bool:  # noqa: ARG002 - whatever it is
        """Does the marker go with a pull from this offset? With none."""
        return False


class NumberedReset(MarkedReset):
    """What the tool and the broker do."""

    def tell(self, x: int, wanted: int) -> None:
        """The broker marks the queue, and counts one reset more."""
        super().tell(x, wanted)
        for consumer in self.consumer:
            cast(NumberedConsumer, consumer).become_former()

    @same(MarkedReset.broker_writes_target)
    def broker_writes_target(self) -> None:
        """Writes the target into the table, where queries find it from now on, and answers the tool."""
        super().broker_writes_target()
        cast(MarkingBroker, self.broker).marker = None


class NumberedCommits(MarkedCommits):
    """What the broker does with commits, and with those that pulls carry."""

    def execute_sent_commit(self, c: int, place: int) -> None:
        """Executes a commit that has the last number, whether or not the target is in the table yet."""
        require(negation(cast(NumberedCommit, self.consumer[c].commits[place]).is_former))
        super(MarkedCommits, self).execute_sent_commit(c, place)

    def ignore_sent_commit(self, c: int, place: int) -> None:
        """Ignores a commit that has an earlier number."""
        require(cast(NumberedCommit, self.consumer[c].commits[place]).is_former)
        self.consumer[c].commits.remove(place)

    @same(Piggybacking.broker_receives_pull)
    def broker_receives_pull(self, c: int, pq_id: int) -> None:
        """Takes the pull; with an earlier number it is answered with the offset, and commits nothing."""
        pq = _process_queue(self.consumer[c], pq_id)
        is_gone, refuses = pq.pull_request == PullRequestAt.CLIENT_GONE, self.refuses_pulls()
        super(MarkedCommits, self).broker_receives_pull(c, pq_id)
        pq.piggyback_is_former = False
        is_held = every([is_gone, negation(refuses)])
        pq.pull_request = choose(is_held, PullRequestAt.CLIENT_GONE, pq.pull_request)
        if every([pq.is_former, negation(is_gone), negation(refuses)]):
            pq.reset_to = self.broker.offset_for_query()
            pq.target_is_former = False

    def executes_piggyback(self, pq: ProcessQueue) -> bool:
        """Is it executed? Not where the pull, or the cell that it carries, has an earlier number."""
        numbered = cast(NumberedProcessQueue, pq)
        is_last = negation(some([numbered.is_former, numbered.piggyback_is_former]))
        return every([super().executes_piggyback(pq), is_last])


class NumberedQueries(MarkedQueries, MarkedInfos):
    """What queries are answered."""

    def answer_query(self, run: RebalanceRun) -> None:
        """The offset, with its number."""
        super().answer_query(run)
        cast(NumberedRun, run).is_former = False

    def answer_info(self, c: int) -> None:
        """The offset, with its number."""
        super().answer_info(c)
        cast(NumberedInfo, self.consumer[c].info).is_former = False


class NumberedPulls(MarkedPulls, AnsweredPulls):
    """What the broker answers pulls."""

    def send_pull(self, consumer: Consumer, pq: ProcessQueue) -> None:
        """The pull is sent, with the number of the cell."""
        super().send_pull(consumer, pq)
        is_former = every([cast(NumberedConsumer, consumer).cell_is_former, pq.pull_request == PullRequestAt.SENT])
        cast(NumberedProcessQueue, pq).piggyback_is_former = is_former

    @same(AnsweredPulls.broker_answers_pull)
    def broker_answers_pull(self, c: int, pq_id: int) -> None:
        """Answers a pull with the last number by what is stored."""
        require(negation(_process_queue(self.consumer[c], pq_id).is_former))
        super().broker_answers_pull(c, pq_id)

    @same(MarkedPulls.poll_takes_marker)
    def poll_takes_marker(self, c: int, pq_id: int) -> None:
        """Is answered with the offset, as it has an earlier number."""
        pq = _process_queue(self.consumer[c], pq_id)
        require(pq.is_at_broker(), pq.is_former, negation(self.broker.gone))
        pq.reset_to = self.broker.offset_for_query()
        pq.target_is_former = False

    @same(MarkedPulls.poll_is_illegal)
    def poll_is_illegal(self, c: int, pq_id: int) -> None:
        """Drops the queue, as the offset is illegal; what it is corrected to has the number of the pull."""
        super().poll_is_illegal(c, pq_id)
        pq = _process_queue(self.consumer[c], pq_id)
        pq.target_is_former = pq.is_former


class NumberedStarts(Querying, Rebalancing, Inspecting):
    """What a client makes of the broker's answers."""

    def store_start(self, consumer: Consumer, run: RebalanceRun) -> None:
        """Writes a run's start into the cell, with its number."""
        cast(NumberedConsumer, consumer).set_answer(run.start, cast(NumberedRun, run).is_former)

    @same(Rebalancing.rebalance_adds_queue)
    def rebalance_adds_queue(self, c: int, r: int) -> None:
        """Puts a new ProcessQueue into the table, with the number of its start."""
        consumer = self.consumer[c]
        is_former = cast(NumberedRun, consumer.rebalance[r]).is_former
        listed, pq_id = consumer.process_queue_table, consumer.process_queues_made
        super().rebalance_adds_queue(c, r)
        if listed is None:
            _process_queue(consumer, pq_id).is_former = is_former

    @same(Inspecting.running_info_stores_answer)
    def running_info_stores_answer(self, c: int) -> None:
        """Writes the answer into the cell, with its number."""
        consumer = cast(NumberedConsumer, self.consumer[c])
        info = cast(NumberedInfo, consumer.info)
        require(info.at == InfoStep.ANSWERED)
        if not self.setting.behaves(INFO_READS_ONLY):
            consumer.set_answer(info.start, info.is_former)
        info.reset()


class NumberedPersists(FinePersisting):
    """What persistAll reads."""

    @same(FinePersisting.consumer_reads_cell)
    def consumer_reads_cell(self, c: int) -> None:
        """Reads the cell, and its number."""
        super().consumer_reads_cell(c)
        consumer = cast(NumberedConsumer, self.consumer[c])
        consumer.read_is_former = consumer.cell_is_former


NUMBERS_RESETS = Change(
    RESETS_NUMBERED,
    steps=(NumberedCommits, NumberedQueries, NumberedReset, NumberedPulls, NumberedStarts, NumberedPersists),
    parts=(
        NumberingBroker,
        NumberedConsumer,
        NumberedProcessQueue,
        NumberedCommit,
        NumberedRun,
        NumberedInfo,
    ),
)
"""What a push consumer and its broker are with it."""

"""Since 5.2.0 a thread that waits for an answer gets it from a thread of the pull callbacks.

Stands for NettyRemotingAbstract.invokeSyncImpl, whose future is completed in the callback executor. Where that has one
thread, and resetOffset runs in it, the client's requests time out: the rebalance of resume hears of no members, and a
run that has begun before does not add its queue. The next run adds it, when resetOffset is over.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from offsetproof.lang import Change, negation, require, same, some
from offsetproof.lang.record import Pause
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.rebalancing import ASKS, READS_MEMBERS, RebalancingByTopic, at_query
from offsetproof.model.queues.resetting import RESUMES, ResettingTable
from offsetproof.model.queues.threads import REBALANCE, RESET, of_client
from offsetproof.model.queues.vocabulary import TableResetStep, TopicRebalanceStep
from offsetproof.model.releases import REPLIES_BY_CALLBACK_THREADS
from offsetproof.model.threads import QUERY
from offsetproof.model.timers import QUERY_TIMEOUT

_TIMES_OUT = Pause(
    "a query without an answer", ("client_reads_members", "rebalance_removes_queue", "rebalance_adds_queue"),
    QUERY_TIMEOUT, any_longer=True, source="RemoteBrokerOffsetStore.fetchConsumeOffsetFromBroker",
)  # fmt: skip


class Answered(QueueGroup):
    """Which requests are answered."""

    def gets_answers(self, c: int) -> bool:
        """Is there a thread for the answers to the client's requests?"""
        return some([self.scope.callback_threads == 0, self.client[c].reset_run.at == TableResetStep.IDLE])


class AnsweredRebalance(RebalancingByTopic, Answered):
    """What a run of rebalance is answered."""

    @same(RebalancingByTopic.client_reads_members)
    def client_reads_members(self, c: int, r: int, b: int) -> None:
        """Asks a broker for the members, allocates by strategy, and finds the first queue to drop or to add."""
        require(self.gets_answers(c))
        super().client_reads_members(c, r, b)

    @same(RebalancingByTopic.rebalance_asks_for_offset)
    def rebalance_asks_for_offset(self, c: int, r: int) -> None:
        """Removes a left-over cell of a queue that it found missing, and gets its offset."""
        require(self.gets_answers(c))
        super().rebalance_asks_for_offset(c, r)

    @REBALANCE.step(
        *ASKS,
        waits=_TIMES_OUT,
        rig=replace(REBALANCE.rig, values=partial(at_query, times_out=True), within=(QUERY,)),
    )
    def rebalance_query_times_out(self, c: int, r: int) -> None:
        """Removes a left-over cell of a queue that it found missing, and goes on to the next without an answer."""
        client = self.client[c]
        run = client.rebalance[r]
        require(run.at == TopicRebalanceStep.MISSING, negation(self.gets_answers(c)))
        client.share[run.queue].remove_cell()
        self.find_missing(client, run, run.queue + 1)


class ResumeWithoutAnswer(ResettingTable, Answered):
    """What the thread of a reset does last."""

    @RESET.step(
        RESUMES,
        any_time="it ends when the rebalance in its thread does",
        rig=replace(RESET.rig, within=(READS_MEMBERS,), values=partial(of_client, times_out=True)),
        logs="resume this consumer, {}",
    )
    def reset_returns(self, c: int) -> None:
        """Has rebalanced, or has not heard of the members, and frees the monitor for the next command."""
        super().reset_returns(c)

    def finds_nothing_to_do(self, c: int) -> bool:
        """Would the rebalance of resume change no table, or hear of no members?"""
        return some([super().finds_nothing_to_do(c), self.scope.callback_threads > 0])


REPLIES_NEED_THREADS = Change(
    REPLIES_BY_CALLBACK_THREADS,
    steps=(Answered, AnsweredRebalance, ResumeWithoutAnswer),
    leaves_out=("that a request which times out closes the connection, and the polls on it are lost",),
)
"""What several queues' client is with it."""

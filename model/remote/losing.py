"""Losing: a request that never arrives. Nobody learns of a one-way request's loss; a pull is tried again.

Stands for NettyRemotingAbstract.invokeOnewayImpl, whose exceptions the callers swallow, for connections that break, and
for the pull callback's onException. A query for an offset that is lost times out, which is not the error that an answer
may be: readOffset gives -2 and not -1, and the queue is not added this time. Left out: other requests that wait for an
answer; a connection that breaks for several requests at once.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.lang import at, require, some
from offsetproof.lang.record import Pause
from offsetproof.lang.step import in_rig
from offsetproof.model.shared.group import Group
from offsetproof.model.shared.pulling import PULL_SENT
from offsetproof.model.shared.resetting import COMMANDED
from offsetproof.model.threads import CALLBACK, COMMANDS, NETWORK, QUERY, REBALANCE, of_client
from offsetproof.model.timers import ON_ITS_WAY, PULL_TIMEOUT, QUERY_TIMEOUT
from offsetproof.model.variants import LOSS, NOTHING_LOST
from offsetproof.model.vocabulary import PullRequestAt, RebalanceStep

_COMMAND = Pause("a reset command is on its way", (COMMANDED,), most=ON_ITS_WAY, source="a request")
_TIMES_OUT = Pause(
    "a lost query goes unnoticed", ("rebalance_removes_dirty_offset",), QUERY_TIMEOUT,
    source="RemoteBrokerOffsetStore.fetchConsumeOffsetFromBroker",
)  # fmt: skip
_UNANSWERED = Pause(
    "a lost pull goes unnoticed", (PULL_SENT,), most=PULL_TIMEOUT,
    source="DefaultMQPushConsumerImpl.pullMessage: consumerTimeoutMillisWhenSuspend",
)  # fmt: skip


class Losing(Group):
    """What the network may take away."""

    @COMMANDS.step(at("Broker2Client", "resetOffset", "invokeOneway"), waits=_COMMAND, fault=LOSS)
    def reset_command_is_lost(self, c: int) -> None:
        """Cannot send the command to one client, and answers success."""
        require(self.consumer[c].reset_command is not None, not self.setting.assumes(NOTHING_LOST))
        self.consumer[c].reset_command = None

    @NETWORK.step(
        at("MQClientAPIImpl", "updateConsumerOffsetOneway", "invokeOneway"),
        any_time="it takes away what is on its way: a commit, up to 1 s",
        fault=LOSS,
    )
    def commit_is_lost(self, c: int) -> None:
        """Sends a one-way commit that never arrives."""
        require(self.consumer[c].commits.count > 0, not self.setting.assumes(NOTHING_LOST))
        self.consumer[c].commits.remove(0)

    @REBALANCE.step(
        at("RemoteBrokerOffsetStore", "readOffset", "fetchConsumeOffsetFromBroker"),
        waits=_TIMES_OUT,
        rig=in_rig(QUERY, answer_query=True, times_out=True),
        fault=LOSS,
    )
    def offset_query_times_out(self, c: int, r: int) -> None:
        """Gets no answer to its offset query; the next run tries again."""
        run = self.consumer[c].rebalance[r]
        require(run.at == RebalanceStep.DIRTY_REMOVED, not self.setting.assumes(NOTHING_LOST))
        run.reset()

    @CALLBACK.step(
        at("DefaultMQPushConsumerImpl.PullCallback", "onException", "executePullRequestLater"),
        waits=_UNANSWERED,
        rig=replace(CALLBACK.rig, call="fail_pull", values=of_client, whole=True),
        fault=LOSS,
    )
    def pull_fails(self, c: int, pq_id: int) -> None:
        """Loses a pull or its answer, and tries again in a second.

        A commit that travels with the pull is lost where it had not arrived.
        """
        pq = self.consumer[c].process_queue[pq_id]
        require(some([pq.pull_request == PullRequestAt.SENT, pq.pull_request == PullRequestAt.HELD]))
        pq.piggyback = None
        pq.pull_request = PullRequestAt.RUN_QUEUE

"""Losing: a request that never arrives. Nobody learns of a one-way request's loss; a pull is tried again.

Stands for NettyRemotingAbstract.invokeOnewayImpl, whose exceptions the callers swallow, for connections that break, and
for the pull callback's onException. A query for an offset that is lost times out, which is not the error that an answer
may be: readOffset gives -2 and not -1, and the queue is not added this time. Left out: other requests that wait for an
answer; a connection that breaks for several requests at once.
"""

from __future__ import annotations

from offsetproof.lang import action, at, require, some
from offsetproof.model.group import Group
from offsetproof.model.steps import rebalance_action
from offsetproof.model.variants import LOSS, NOTHING_LOST
from offsetproof.model.vocabulary import CONSUMERS, LIVES, RebalanceStep, Token


class Losing(Group):
    """What the network may take away."""

    @action(
        c=CONSUMERS, actor="broker", thread="network", fault=LOSS,
        stands_for=[at("Broker2Client", "resetOffset", "invokeOneway")],
    )  # fmt: skip
    def reset_command_is_lost(self, c: int) -> None:
        """Cannot send the command to one client, and answers success."""
        require(self.consumer[c].reset_command is not None, not self.setting.assumes(NOTHING_LOST))
        self.consumer[c].reset_command = None

    @action(
        c=CONSUMERS, actor="consumer[c]", thread="network", fault=LOSS,
        stands_for=[at("MQClientAPIImpl", "updateConsumerOffsetOneway", "invokeOneway")],
    )  # fmt: skip
    def commit_is_lost(self, c: int) -> None:
        """Sends a one-way commit that never arrives."""
        require(self.consumer[c].commits.count > 0, not self.setting.assumes(NOTHING_LOST))
        self.consumer[c].commits.remove(0)

    @rebalance_action(at("RemoteBrokerOffsetStore", "readOffset", "fetchConsumeOffsetFromBroker"), fault=LOSS)
    def offset_query_times_out(self, c: int, r: int) -> None:
        """Gets no answer to its offset query; the next run tries again."""
        run = self.consumer[c].rebalance[r]
        require(run.at == RebalanceStep.DIRTY_REMOVED, not self.setting.assumes(NOTHING_LOST))
        run.reset()

    @action(
        c=CONSUMERS, life=LIVES, actor="consumer[c]", thread="pull callback", fault=LOSS,
        stands_for=[at("DefaultMQPushConsumerImpl.PullCallback", "onException", "executePullRequestLater")],
    )  # fmt: skip
    def pull_fails(self, c: int, life: int) -> None:
        """Loses a pull or its answer, and tries again in a second.

        A commit that travels with the pull is lost where it had not arrived.
        """
        pq = self.consumer[c].process_queue[life]
        require(some([pq.token == Token.SENT, pq.token == Token.HELD]))
        pq.piggyback = None
        pq.token = Token.RUN_QUEUE

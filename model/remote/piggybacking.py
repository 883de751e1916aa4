"""Piggybacking: the commit that a pull carries, which the broker executes before it looks for messages.

Stands for PullMessageProcessor.processRequest at the broker.
"""

from __future__ import annotations

from offsetproof.lang import at, choose, negation, require, some
from offsetproof.lang.record import Pause
from offsetproof.model.shared.group import Group
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.threads import PULLS
from offsetproof.model.timers import ON_ITS_WAY
from offsetproof.model.vocabulary import Origin, PullRequestAt

_SENT = Pause("a pull is on its way", ("consumer_pulls",), most=ON_ITS_WAY, source="a request")


class Piggybacking(Group):
    """What the broker does with a pull that carries a commit."""

    @PULLS.step(
        at("PullMessageProcessor", "processRequest", "commitOffset").or_at("tryCommitOffset", "commitOffset"),
        waits=_SENT,
    )
    def broker_receives_pull(self, c: int, pq_id: int) -> None:
        """Takes the pull, and executes the commit that it carries.

        It does so whether or not messages are found, also where the client is gone by now and another one of the group
        is there. Where the topic is deleted, or it knows no member of the group, it says so first, and commits nothing.
        """
        pq = self.consumer[c].process_queue[pq_id]
        require(some([pq.pull_request == PullRequestAt.SENT, pq.pull_request == PullRequestAt.CLIENT_GONE]))
        value = pq.piggyback
        require(value is not None)
        if value is not None and self.executes_piggyback(pq):
            self.execute_commit(value, Origin.PROGRESS)
        pq.piggyback = None
        pq.pull_request = choose(pq.pull_request == PullRequestAt.SENT, PullRequestAt.HELD, PullRequestAt.NONE)

    def executes_piggyback(self, pq: ProcessQueue) -> bool:  # noqa: ARG002 - a remedy asks for whose pull
        """Is a commit that a pull carries executed? Not where the pull is refused."""
        return negation(self.refuses_pulls())

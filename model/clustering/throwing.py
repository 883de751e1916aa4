"""Throwing: an exception that takes a PullRequest away.

Stands for PullMessageService.run, which catches what pullMessage throws, and logs it.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.lang.rigging import RigChange
from offsetproof.model.shared.group import Group
from offsetproof.model.shared.pulling import DISPATCHED
from offsetproof.model.threads import PULL, of_client
from offsetproof.model.variants import PULL_REQUEST_KEPT, PULL_REQUEST_LOSS
from offsetproof.model.vocabulary import PullRequestAt


class Throwing(Group):
    """What the pull thread loses."""

    @PULL.step(
        at("PullMessageService", "run", "error"),
        waits=DISPATCHED,
        any_time="a fault of the pull thread, which may happen whenever it takes the PullRequest",
        rig=RigChange("lose_pull_request", of_client),
        fault=PULL_REQUEST_LOSS,
    )
    def pull_request_is_lost(self, c: int, pq_id: int) -> None:
        """Throws, and the exception is swallowed: nobody pulls any more.

        pullMessage throws and PullMessageService swallows it: nobody pulls for this ProcessQueue.
        """
        pq = self.consumer[c].process_queue[pq_id]
        require(pq.pull_request == PullRequestAt.RUN_QUEUE, not pq.dropped)
        if not self.setting.behaves(PULL_REQUEST_KEPT):
            pq.discard_pull_request()

"""Since 5.0.0 an orderly consumer's pull that gets no answer to where it starts is tried again three seconds later.

In 4.9.4 RebalancePushImpl.computePullFromWhereWithException gives -1 then, which is sent.
"""

from __future__ import annotations

from offsetproof.lang import Change, at, require
from offsetproof.lang.step import in_rig
from offsetproof.model.orderly.pulling import SETS_START, UNANSWERED, LockedPulling
from offsetproof.model.orderly.threads import ASKING_PULL
from offsetproof.model.releases import PULL_NEEDS_START
from offsetproof.model.threads import QUERY
from offsetproof.model.variants import BROKER_ERROR
from offsetproof.model.vocabulary import RebalanceStep


class PullingFromStart(LockedPulling):
    """What the pull thread does without an answer."""

    @ASKING_PULL.step(
        at("DefaultMQPushConsumerImpl", "pullMessage", "executePullRequestLater", 6),
        waits=UNANSWERED,
        rig=in_rig(QUERY, answer_query=True, times_out=True, within=[SETS_START]),
        fault=BROKER_ERROR,
        logs="Failed to compute pull offset, pullResult: {}",
    )
    def pull_waits_for_start(self, c: int) -> None:
        """Gets no answer at all, and is tried again later."""
        run = self.consumer[c].pull_start
        require(run.at == RebalanceStep.DIRTY_REMOVED)
        run.reset()


NEEDS_START = Change(PULL_NEEDS_START, steps=(PullingFromStart,), gone=(LockedPulling.pull_goes_on_without_start,))
"""What orderly consumption is with it."""

"""With PR #10087 a pull callback tests `dropped` first: a response for a queue that was given up has no effect.

What the callback does next is a step of its own: the queue may be dropped and cleared between the two.
"""

from __future__ import annotations

from typing import Any

from offsetproof.lang import Change, at, every, negation, require
from offsetproof.lang.rigging import RigChange, RigMoment
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.shared.pulling import Pulling
from offsetproof.model.threads import CALLBACK, of_client
from offsetproof.model.variants import POLL_CHECKS_DROPPED
from offsetproof.model.vocabulary import PullRequestAt


def _ends_poll(moment: RigMoment) -> dict[str, Any]:
    """The release lacks the fix, so the rig gives no answer to a poll that the fix would discard."""
    pull_request = moment.after[f"consumer[{moment.arg('c')}].process_queue[{moment.arg('pq_id')}].pull_request"]
    return of_client(moment, ends=pull_request == "NONE")


class CheckingPolls(Pulling):
    """What the callback does first, and when it goes on."""

    @CALLBACK.step(
        at("DefaultMQPushConsumerImpl.PullCallback", "onSuccess"),
        any_time="it receives the answer that the next step acts on, and that step has the wait",
        rig=RigChange("end_poll", _ends_poll),
    )
    def poll_checks_dropped(self, c: int, pq_id: int) -> None:
        """Tests `dropped` first; on a dropped queue the PullRequest is gone."""
        pq = self.consumer[c].process_queue[pq_id]
        require(pq.is_answered(), self.consumer[c].has_free_thread())
        if pq.dropped:
            pq.discard_pull_request()
        else:
            pq.pull_request = PullRequestAt.CHECKED

    def gets_answer(self, c: int, pq: ProcessQueue) -> bool:  # noqa: ARG002  # the thread is taken already
        """Has it tested `dropped`?"""
        return every([pq.pull_request == PullRequestAt.CHECKED, negation(self.broker.gone)])


CHECKS_POLLS = Change(POLL_CHECKS_DROPPED, steps=(CheckingPolls,))
"""What a push consumer is with it."""

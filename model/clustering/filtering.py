"""Filtering: a pull that finds nothing but messages with a tag to which nobody subscribed.

Stands for the branch NO_MATCHED_MSG of PullCallback. A broadcasting consumer has it, too; its model leaves it out.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.model.shared.pulling import CHECKED, NOTIFIED, Pulling
from offsetproof.model.threads import CALLBACK

_CALLBACK = "DefaultMQPushConsumerImpl.PullCallback"
_PULL = "DefaultMQPushConsumerImpl"


class Filtering(Pulling):
    """What a pull callback does where no message matches."""

    @CALLBACK.step(
        at(_CALLBACK, "onSuccess", "correctTagsOffset"),
        at(_PULL, "correctTagsOffset", "getMsgCount"),
        waits=(NOTIFIED, CHECKED),
    )
    def poll_matches_nothing(self, c: int, pq_id: int) -> None:
        """Finds only other tags; the next pull begins after them.

        NO_MATCHED_MSG: all that is stored from here on has another tag.
        """
        pq = self.consumer[c].process_queue[pq_id]
        highest = self.broker.max_offset
        first, after = self.scope.unmatched_from, self.scope.unmatched_from + self.scope.unmatched
        require(self.scope.unmatched > 0, self.is_called_back(c, pq), self.broker.min_offset <= pq.next_offset)
        require(first <= pq.next_offset, pq.next_offset < highest, highest <= after)
        pq.next_offset = highest
        self.count_messages(pq)

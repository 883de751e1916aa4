"""Suspending: the user pauses a consumer, and lets it go on.

Stands for DefaultMQPushConsumerImpl.suspend and resume.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.lang.step import in_rig
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import APPLICATION, BY_APPLICATION

_PUSH = "DefaultMQPushConsumerImpl"


class Suspending(Group):
    """What a user may do to a running consumer."""

    @APPLICATION.step(at(_PUSH, "suspend", "pause="), any_time=BY_APPLICATION, rig=in_rig(call="suspend"))
    def user_suspends(self, c: int) -> None:
        """Pauses the consumer."""
        consumer = self.consumer[c]
        require(self.suspends_left > 0, consumer.alive, not consumer.paused)
        self.suspends_left = self.suspends_left - 1
        consumer.paused = True

    @APPLICATION.step(at(_PUSH, "resume", "pause="), any_time=BY_APPLICATION, rig=in_rig(call="resume"))
    def user_resumes(self, c: int) -> None:
        """Resumes the consumer; a rebalance in this thread follows."""
        consumer = self.consumer[c]
        require(self.scope.suspends > 0, consumer.alive, consumer.paused)
        consumer.paused = False
        consumer.resumed = True

"""Resetting: an administrator resets the offset of queue 0, and the client that has the queue is told.

Stands for the reset at the client, Broker2Client.resetOffset and MQClientInstance.resetOffset; the reset at the broker
is in `behaviours/server_side_reset_replicas.py`. The tool asks the master, or the slave where the route has no master.
The client takes the target in one step. Left out: a commit on its way when the client does so, and all else that undoes
a reset at one broker, which is in the model `rocketmq`.
"""

from __future__ import annotations

from offsetproof.lang import at, require, some
from offsetproof.model.replicas.consumer import Consumer
from offsetproof.model.replicas.pair import Pair
from offsetproof.model.replicas.threads import ADMIN, RESET
from offsetproof.model.shared.administering import TELLS
from offsetproof.model.threads import BY_DECISION


class Resetting(Pair):
    """What an administrator and a client do about a reset."""

    @ADMIN.step(*TELLS, any_time=BY_DECISION)
    def administrator_resets(self, x: int) -> None:
        """Resets queue 0, backward or forward: the broker tells its client, which is online."""
        self.require_reset(x)
        require(some(replica.is_registered() for replica in self.broker))
        require(some(consumer.listed[0] for consumer in self.consumer))
        self.command = x

    def require_reset(self, x: int) -> None:
        """An administrator may reset now, from the offset that is shown to it."""
        require(self.resets_left > 0)
        shown = self.given_number(0)
        require(shown > 0, x + 1 > shown if self.scope.forward == 1 else x + 1 < shown)
        self.resets_left = self.resets_left - 1
        self.ghost_target = x

    @RESET.step(
        at("MQClientInstance", "resetOffset", "updateConsumeOffset"),
        any_time="the command is on its way, and the client waits ten seconds",
    )
    def client_hears_of_reset(self, c: int) -> None:
        """Takes the target into its cell, and goes on from there."""
        target = self.command
        consumer = self.consumer[c]
        require(target is not None, consumer.listed[0])
        if target is not None:
            self.take_target(consumer, target)
        self.command = None
        self.note_reset()

    def take_target(self, consumer: Consumer, target: int) -> None:
        """Goes on from the target, with no commit of before on its way."""
        require(consumer.to_master[0].offset is None, consumer.to_slave[0].offset is None)
        consumer.set_offset(0, target)
        self.ghost_heard = True

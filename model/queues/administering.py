"""Administering: the reset tool asks one broker after the other, and each tells every client of the group.

Stands for DefaultMQAdminExtImpl.resetOffsetByTimestamp, AdminBrokerProcessor.resetOffset and
Broker2Client.resetOffset. A broker's command names all its queues, and here they have one target. Left out: a first
broker that fails, which changes nothing; resets of a group with members that are no more than that; commands that are
lost; the rest of what one queue can tell (offline groups, the force flag, the search by time).
"""

from __future__ import annotations

from offsetproof.lang import action, at, require
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.variants import (
    BROKER_ERROR,
    EVERY_BROKER_ANSWERS,
    NEWER_COMMAND_REPLACES,
    RESETS_APART,
)
from offsetproof.model.queues.vocabulary import BROKERS, TARGETS, queues_of

_ASKS = at("DefaultMQAdminExtImpl", "resetOffsetByTimestamp", "invokeBrokerToResetOffset")


class Administering(QueueGroup):
    """What the reset tool does, and the brokers for it."""

    @action(
        b=BROKERS, x=TARGETS, actor="administrator", thread="reset tool",
        stands_for=[_ASKS, at("Broker2Client", "resetOffset", "invokeOneway")],
        logs="[reset-offset] reset offset success. topic={}, group={}, clientId={}",
    )  # fmt: skip
    def administrator_resets_broker(self, b: int, x: int) -> None:
        """Asks the next broker, which sends every client a target for its queues.

        The first one begins a run of the tool. The broker's own table stays.
        """
        require(self.next_broker == b, self.scope.others == 0)
        if b == 0:
            require(self.resets_begun < self.scope.resets)
            if self.setting.assumes(RESETS_APART):
                require(self.is_free_of_resets())
            self.resets_begun = self.resets_begun + 1
            for client in self.client:
                client.ghost_pauses = 0
        self.next_broker = (b + 1) % self.scope.brokers
        self._send_commands(b, x)
        for q in queues_of(self.scope, b):
            self.note_answered(q, x)

    def _send_commands(self, b: int, x: int) -> None:
        for client in self.client:
            for number, command in enumerate(client.command):
                run, broker = divmod(number, self.scope.brokers)
                if broker == b:
                    if self.resets_begun == run + 1:
                        command.target = x
                    elif self.setting.behaves(NEWER_COMMAND_REPLACES) and self.resets_begun > run:
                        command.target = None

    @action(b=BROKERS, actor="administrator", thread="reset tool", fault=BROKER_ERROR, stands_for=[_ASKS])
    def administrator_fails_at_broker(self, b: int) -> None:
        """Asks the next broker, which fails: the loop ends half-way.

        It ends with that exception, and the brokers before have told their clients.
        """
        require(b > 0, self.next_broker == b, not self.setting.assumes(EVERY_BROKER_ANSWERS))
        self.next_broker = 0
        self.ghost_failed = self.resets_begun

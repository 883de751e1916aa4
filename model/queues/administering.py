"""Administering: the reset tool asks one broker after the other, and each tells every client of the group.

Stands for DefaultMQAdminExtImpl.resetOffsetByTimestamp, AdminBrokerProcessor.resetOffset and
Broker2Client.resetOffset. A broker's command names all its queues, and here they have one target. The offset of one
queue is written by DefaultMQAdminExtImpl.updateConsumeOffset, which no client hears of. A tool of 5.x
(resetOffsetByQueueId) does the same, and then asks the broker for a reset by time 0 of that queue: a broker of 4.9.4
reads no queue in the request, and resets all that it has to their min offsets. Left out: a first broker that fails,
which changes nothing; resets by time of a group with members that are no more than that, or that is stopped; commands
that are lost; the rest of what one queue can tell (offline groups, the force flag, the search by time).
"""

from __future__ import annotations

from offsetproof.lang import at, every, require
from offsetproof.lang.record import Pause
from offsetproof.lang.rigging import RigChange
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.threads import ADMIN, RESET_TOOL
from offsetproof.model.queues.variants import (
    BROKER_ERROR,
    EVERY_BROKER_ANSWERS,
    GROUP_STOPPED,
    NEWER_COMMAND_REPLACES,
    RESETS_APART,
)
from offsetproof.model.queues.vocabulary import BROKERS, QUEUES, broker_of, last_reset, queues_of
from offsetproof.model.threads import BY_DECISION
from offsetproof.model.timers import ON_ITS_WAY
from offsetproof.model.vocabulary import TARGETS

RESETS_AT_BROKER = "resets at the broker, without a command to clients"
_ASKS = at("DefaultMQAdminExtImpl", "resetOffsetByTimestamp", "invokeBrokerToResetOffset")
_SENDS = at("Broker2Client", "resetOffset", "invokeOneway")
_SENT = "[reset-offset] reset offset success. topic={}, group={}, clientId={}"
_FAILURE = Pause(
    "the reset tool waits for a broker", ("administrator_resets_broker",), most=ON_ITS_WAY, source="a request"
)
_NEXT_REQUEST = Pause(
    "the tool waits for a broker", ("administrator_writes_queue",), most=ON_ITS_WAY, source="a request"
)
_WRITES_OFFSET = RigChange("write_offset", lambda moment: {"queue": moment.arg("q"), "offset": moment.arg("x")})


class AdministeringBrokers(QueueGroup):
    """What the reset tool does, and the brokers for it."""

    @RESET_TOOL.step(
        _ASKS,
        _SENDS,
        any_time="a decision from outside, and the tool's next request",
        logs=_SENT,
        b=BROKERS,
        x=TARGETS,
    )
    def administrator_resets_broker(self, b: int, x: int) -> None:
        """Asks the next broker, which sends every client a target for its queues.

        The first one begins a run of the tool. The broker's own table stays.
        """
        require(self.next_broker == b, self.scope.others == 0, self.scope.tool_5x == 0)
        require(every(client.running for client in self.client))
        if b == 0:
            if self.setting.assumes(RESETS_APART):
                require(self.is_free_of_resets())
            self.begin_run()
        self.next_broker = (b + 1) % self.scope.brokers
        self._send_commands(b, x)
        for q in queues_of(self.scope, b):
            self.note_answered(q, x)

    def begin_run(self) -> None:
        require(self.resets_begun < self.scope.resets)
        self.resets_begun = self.resets_begun + 1
        for client in self.client:
            client.ghost_pauses = 0

    def _send_commands(self, b: int, x: int) -> None:
        for client in self.client:
            for number, command in enumerate(client.command):
                run, broker = divmod(number, self.scope.brokers)
                if broker == b and client.running:
                    if self.resets_begun == run + 1:
                        command.target = x
                    elif self.setting.behaves(NEWER_COMMAND_REPLACES) and self.resets_begun > run:
                        command.target = None

    @RESET_TOOL.step(_ASKS, waits=_FAILURE, fault=BROKER_ERROR, b=BROKERS)
    def administrator_fails_at_broker(self, b: int) -> None:
        """Asks the next broker, which fails: the loop ends half-way.

        It ends with that exception, and the brokers before have told their clients.
        """
        require(b > 0, self.next_broker == b, not self.setting.assumes(EVERY_BROKER_ANSWERS))
        self.next_broker = 0
        self.ghost_failed = self.resets_begun

    @ADMIN.step(
        at("DefaultMQAdminExtImpl", "updateConsumeOffset", "updateConsumerOffset"),
        any_time=BY_DECISION,
        rig=_WRITES_OFFSET,
        q=QUEUES,
        x=TARGETS,
    )
    def administrator_writes_queue(self, q: int, x: int) -> None:
        """Writes the offset of one queue at its broker, which tells nobody.

        A tool of 5.x is then about to ask that broker for a reset.
        """
        require(self.writes_left > 0, self.next_broker == 0, self.asks_broker == 0)
        if self.setting.assumes(GROUP_STOPPED):
            require(self.is_stopped())
        self.writes_left = self.writes_left - 1
        number = last_reset(self.scope)
        if self.asks_after_write():
            self.begin_run()
            self.asks_broker = broker_of(self.scope, q) + 1
            number = self.resets_begun
        self.note_written(q, x, number)
        self.commit(q, x, 0)

    @ADMIN.step(
        at("AdminBrokerProcessor", "resetOffset", "resetOffset"), _SENDS, waits=_NEXT_REQUEST, logs=_SENT, b=BROKERS
    )
    def administrator_asks_for_one_queue(self, b: int) -> None:
        """Asks the broker for a reset by time 0 of the queue that it has written, which sends one of all its queues.

        If no client runs it answers that the consumer is not online, and sends nothing.
        """
        require(self.asks_broker == b + 1)
        self.asks_broker = 0
        self._send_commands(b, 0)

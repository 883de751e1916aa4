"""Administering: a reset of the group's offset as the tool and the broker do it, before any client hears of it.

Stands for DefaultMQAdminExtImpl.resetOffsetByTimestamp, AdminBrokerProcessor.resetOffset and
Broker2Client.resetOffset. A topic's other broker is there only as the tool's second call. Where the scope has
`equal_times`, a reset may be by time, and as many consecutive messages were stored at the same time. Where it has
`unforced`, resets are without the force flag: the command is sent all the same, and its target is the stored offset
where the wanted one is not below it. Left out: a slave that is asked where no master is known; the broker's refusal of
a group that never committed (a guard here), or of which no consumer is online where the tool does not go on by itself
(CONSUMER_NOT_ONLINE); two runs of the tool at a time.
"""

from __future__ import annotations

from offsetproof.lang import (
    OffsetSet,
    at,
    bound,
    choose,
    every,
    holds,
    negation,
    require,
    smaller,
)
from offsetproof.model.shared.consumer import Consumer
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import BY_DECISION, RESET_TOOL
from offsetproof.model.vocabulary import TARGETS, Direction, Origin, ResetLoop

_TOOL = "DefaultMQAdminExtImpl"
TELLS = [at("AdminBrokerProcessor", "resetOffset", "resetOffset"), at("Broker2Client", "resetOffset", "invokeOneway")]
RESET_LOG = "[reset-offset] reset offset success. topic={}, group={}, clientId={}"


class Administering(Group):
    """What the administrator's tool does, and the broker for it."""

    @RESET_TOOL.step(*TELLS, any_time=BY_DECISION, logs=RESET_LOG, x=TARGETS)
    def administrator_resets(self, x: int) -> None:
        """Sends every consumer the target.

        The broker computes it and tells every consumer of the group, one-way; its own table stays. What is sent
        to one that is not running is forgotten when it starts.
        """
        require(x <= self.broker.max_offset, self.scope.equal_times == 0)
        if self.scope.offline > 0:
            require(negation(every(negation(consumer.alive) for consumer in self.consumer)))
        self.tell(x, x)

    def tell(self, x: int, wanted: int) -> None:
        """Every consumer is sent the target x; `wanted` is where the administrator meant it to be.

        Without force the target is not above the stored offset.
        """
        committed = self.broker.committed
        if self.scope.unforced > 0 and committed is not None:
            x = smaller(x, committed)
        require(self.resets_left > 0, committed is not None, negation(self.broker.gone))
        bound(every(holds(consumer, Consumer.reset_command, None) for consumer in self.consumer))
        if self.scope.resets > 1:
            require(self.is_tool_free())
        self.resets_left = self.resets_left - 1
        self.note_wanted(wanted)
        for consumer in self.consumer:
            consumer.reset_command = x
        self.ghost_answered = True
        if self.scope.brokers > 1:
            self.reset_loop = ResetLoop.FIRST_ANSWERED

    def is_tool_free(self) -> bool:
        """Is the tool's last run over? Two runs at a time are left out."""
        if self.scope.resets == 1:
            return self.reset_loop == ResetLoop.IDLE
        return every([self.reset_loop != ResetLoop.FIRST_ANSWERED, self.reset_loop != ResetLoop.OFFLINE])

    def note_wanted(self, wanted: int) -> None:
        """History: where the reset goes, and what is no longer owed since. It begins with each reset.

        Without force it goes no further than to the stored offset, whatever direction was meant.
        """
        committed = self.broker.committed
        skipped_to = wanted
        if self.scope.unforced > 0 and committed is not None:
            skipped_to = smaller(wanted, committed)
        self.ghost_skipped = self.ghost_skipped | OffsetSet.below(skipped_to)
        self.ghost_target = skipped_to
        if self.scope.resets > 1:
            self._forget_earlier_reset()
        if committed is not None:
            onward = choose(wanted > committed, Direction.FORWARD, Direction.NONE)
            self.ghost_direction = choose(wanted < committed, Direction.BACKWARD, onward)

    def _forget_earlier_reset(self) -> None:
        """History: what an earlier reset has come to, and what it still does, says nothing of the one that begins."""
        self.ghost_landed = False
        self.ghost_answered = False
        self.ghost_redone = OffsetSet.below(0)
        self.broker.ghost_row_superseded = self.broker.row_origin == Origin.RESET
        for consumer in self.consumer:
            consumer.note_reset()

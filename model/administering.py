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
    some,
)
from offsetproof.lang.record import Pause
from offsetproof.lang.rigging import RigChange
from offsetproof.model.consumer import Consumer
from offsetproof.model.group import Group
from offsetproof.model.threads import BY_DECISION, RESET_TOOL
from offsetproof.model.timers import ON_ITS_WAY
from offsetproof.model.variants import (
    BROKER_ERROR,
    COMMITS_TIMELY,
    EVERY_BROKER_ANSWERS,
    FIRST_OF_EQUAL_TIMES,
    LAST_PULLS_TIMELY,
)
from offsetproof.model.vocabulary import TARGETS, WANTED, Direction, Origin, ResetLoop

_TOOL = "DefaultMQAdminExtImpl"
_TELLS = [at("AdminBrokerProcessor", "resetOffset", "resetOffset"), at("Broker2Client", "resetOffset", "invokeOneway")]
_NEXT_BROKER = Pause(
    "the reset tool waits for a broker",
    (("administrator_is_told_offline", "administrator_resets", "administrator_resets_by_time"),),
    most=ON_ITS_WAY,
    source="a request",
)
_LOG = "[reset-offset] reset offset success. topic={}, group={}, clientId={}"


class Administering(Group):
    """What the administrator's tool does, and the broker for it."""

    @RESET_TOOL.step(*_TELLS, any_time=BY_DECISION, logs=_LOG, x=TARGETS)
    def administrator_resets(self, x: int) -> None:
        """Sends every consumer the target.

        The broker computes it and tells every consumer of the group, one-way; its own table stays. What is sent
        to one that is not running is forgotten when it starts.
        """
        require(x <= self.broker.max_offset, self.scope.equal_times == 0)
        if self.scope.offline > 0:
            require(negation(every(negation(consumer.alive) for consumer in self.consumer)))
        self._tell(x, x)

    @RESET_TOOL.step(
        *_TELLS, at("ConsumeQueue", "getOffsetInQueueByTime"), any_time=BY_DECISION, logs=_LOG, w=WANTED, x=TARGETS
    )
    def administrator_resets_by_time(self, w: int, x: int) -> None:
        """Resets to the time at which message w was stored.

        The search stops at x. Of several messages with one time it may stop at any. A time later than the last
        message's gives the last message, which is w = max here.
        """
        equal, highest = self.scope.equal_times, self.broker.max_offset
        require(equal > 0)
        last = w + equal if not self.setting.behaves(FIRST_OF_EQUAL_TIMES) else w + 1
        within = every([w % max(equal, 1) == 0, w <= x, x < last, x < highest])
        beyond = every([w == highest, x + 1 == highest])
        require(some([within, beyond]))
        self._tell(x, w)

    def _tell(self, x: int, wanted: int) -> None:
        """Every consumer is sent the target x; `wanted` is where the administrator meant it to be.

        Without force the target is not above the stored offset.
        """
        committed = self.broker.committed
        if self.scope.unforced > 0 and committed is not None:
            x = smaller(x, committed)
        require(self.resets_left > 0, committed is not None, negation(self.broker.gone))
        bound(every(holds(consumer, Consumer.reset_command, None) for consumer in self.consumer))
        if self.scope.resets > 1:
            require(self._is_tool_free())
        self.resets_left = self.resets_left - 1
        self._note_reset(wanted)
        for consumer in self.consumer:
            consumer.reset_command = x
        self.ghost_answered = True
        if self.scope.brokers > 1:
            self.reset_loop = ResetLoop.FIRST_ANSWERED

    def _is_tool_free(self) -> bool:
        """Is the tool's last run over? Two runs at a time are left out."""
        if self.scope.resets == 1:
            return self.reset_loop == ResetLoop.IDLE
        return every([self.reset_loop != ResetLoop.FIRST_ANSWERED, self.reset_loop != ResetLoop.OFFLINE])

    def _note_reset(self, wanted: int) -> None:
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

    @RESET_TOOL.step(at(_TOOL, "resetOffsetByTimestamp", "invokeBrokerToResetOffset"), waits=_NEXT_BROKER)
    def administrator_resets_next_broker(self) -> None:
        """Asks the topic's other broker, which answers with success."""
        require(self.reset_loop == ResetLoop.FIRST_ANSWERED)
        self.reset_loop = ResetLoop.BOTH_ANSWERED

    @RESET_TOOL.step(
        at(_TOOL, "resetOffsetByTimestamp", "invokeBrokerToResetOffset"), waits=_NEXT_BROKER, fault=BROKER_ERROR
    )
    def administrator_fails_at_next_broker(self) -> None:
        """Asks the topic's other broker, which fails: the loop ends.

        It ends with that exception.
        """
        require(self.reset_loop == ResetLoop.FIRST_ANSWERED, not self.setting.assumes(EVERY_BROKER_ANSWERS))
        self.reset_loop = ResetLoop.ABORTED

    @RESET_TOOL.step(at("Broker2Client", "resetOffset", "setCode", 4), any_time=BY_DECISION, x=TARGETS)
    def administrator_is_told_offline(self, x: int) -> None:
        """Hears that no consumer is online; turns to the offline reset.

        The broker knows no consumer of the group and answers with code 206. Without force the tool then writes nothing
        above the stored offset.
        """
        require(self.scope.offline > 0, self.resets_left > 0, x <= self.broker.max_offset)
        require(negation(self.broker.gone))
        require(every(negation(consumer.alive) for consumer in self.consumer))
        committed = self.broker.committed
        require(committed is not None, self._is_tool_free())
        if self.scope.unforced > 0 and committed is not None:
            require(x <= committed)
        self.resets_left = self.resets_left - 1
        self._note_reset(x)
        self.offline_target = x
        self.reset_loop = ResetLoop.OFFLINE

    @RESET_TOOL.step(
        at(_TOOL, "resetOffsetConsumeOffset", "updateConsumerOffset"),
        at("ConsumerOffsetManager", "commitOffset", "get"),
        waits=_NEXT_BROKER,
        rig=RigChange("write_offset", lambda moment: {"offset": moment.before["offline_target"]}),
    )
    def administrator_resets_offline(self) -> None:
        """Writes the target into the broker's offset table.

        It does so whoever may have started since.
        """
        target = self.offline_target
        require(self.reset_loop == ResetLoop.OFFLINE, target is not None)
        if self.setting.assumes(COMMITS_TIMELY):
            require(every(consumer.commits.count == 0 for consumer in self.consumer))
        if self.setting.assumes(LAST_PULLS_TIMELY):
            require(every(negation(consumer.has_orphaned_pull()) for consumer in self.consumer))
        if target is not None:
            self.put_offset(target)
        self.offline_target = None
        self.ghost_landed = True
        self.ghost_answered = True
        self.reset_loop = ResetLoop.BOTH_ANSWERED

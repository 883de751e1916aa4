"""Other resets: by time, of a topic on two brokers, and of a group that is offline.

Stands for DefaultMQAdminExtImpl.resetOffsetByTimestamp and resetOffsetConsumeOffset, and their loops over brokers.
"""

from __future__ import annotations

from offsetproof.lang import at, every, negation, require, some
from offsetproof.lang.record import Pause
from offsetproof.lang.rigging import RigChange
from offsetproof.model.releases import END_WHEN_LATER, FIRST_OF_EQUAL_TIMES, NOW_IS_A_TIME
from offsetproof.model.shared.administering import RESET_LOG, TELLS, Administering
from offsetproof.model.threads import BY_DECISION, RESET_TOOL
from offsetproof.model.timers import ON_ITS_WAY
from offsetproof.model.variants import (
    BROKER_ERROR,
    COMMITS_TIMELY,
    EVERY_BROKER_ANSWERS,
    LAST_PULLS_TIMELY,
    RESET_BY_OLD_COMMAND,
    RESET_TO_NOW,
)
from offsetproof.model.vocabulary import TARGETS, WANTED, ResetLoop

_TOOL = "DefaultMQAdminExtImpl"
_NEXT_BROKER = Pause(
    "the reset tool waits for a broker",
    (("administrator_is_told_offline", "administrator_resets", "administrator_resets_by_time"),),
    most=ON_ITS_WAY,
    source="a request",
)


class OtherResets(Administering):
    """What the tool does beside the reset of one queue whose consumers run."""

    @RESET_TOOL.step(
        *TELLS,
        at("ConsumeQueue", "getOffsetInQueueByTime").or_at("binarySearchInQueueByTime"),
        any_time=BY_DECISION,
        logs=RESET_LOG,
        w=WANTED,
        x=TARGETS,
    )
    def administrator_resets_by_time(self, w: int, x: int) -> None:
        """Resets to the time at which message w was stored.

        The search stops at x. Of several messages with one time it may stop at any. A time later than the last
        message's, which is w = max here, gives the last message, or the end, as the release does.
        """
        equal, highest = self.scope.equal_times, self.broker.max_offset
        require(equal > 0, not self.setting.assumes(RESET_BY_OLD_COMMAND))
        last = w + equal if not self.setting.behaves(FIRST_OF_EQUAL_TIMES) else w + 1
        within = every([w % max(equal, 1) == 0, w <= x, x < last, x < highest])
        beyond = every([w == highest, self._end_of_search(x) == highest])
        asked_for = [beyond] if self.setting.assumes(RESET_TO_NOW) else [within, beyond]
        require(some(asked_for))
        self.ask(x, w)

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
        require(committed is not None, self.is_tool_free())
        if self.scope.unforced > 0 and committed is not None:
            require(x <= committed)
        self.resets_left = self.resets_left - 1
        self.note_wanted(x)
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
            require(every(negation(consumer.has_pull_of_gone_client()) for consumer in self.consumer))
        if target is not None:
            self.put_offset(target)
        self.offline_target = None
        self.ghost_landed = True
        self.ghost_answered = True
        self.reset_loop = ResetLoop.BOTH_ANSWERED

    def ask(self, x: int, wanted: int) -> None:
        """The tool asks the broker, whose search ends at x."""
        self.tell(x, wanted)

    def _end_of_search(self, x: int) -> int:
        """Where the offsets end, if x is found for a time later than the last message's, or for `now`."""
        is_number = self.setting.assumes(RESET_TO_NOW) and not self.setting.behaves(NOW_IS_A_TIME)
        return x if is_number or self.setting.behaves(END_WHEN_LATER) else x + 1

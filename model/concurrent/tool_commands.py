"""Commands of the administrator's tool that end well and may have reset nothing, as the tool's release has it.

Stands for ResetOffsetByTimeOldCommand with a time in milliseconds, which writes the offset whoever is online, for the
option `-c CLUSTER` of ResetOffsetByTimeCommand, and for DefaultMQAdminExtImpl.resetOffsetNewConcurrent. Left out: what
of the last one is about several brokers.
"""

from __future__ import annotations

from offsetproof.lang import at, negation, require
from offsetproof.lang.rigging import RigChange
from offsetproof.model.concurrent.other_resets import OtherResets
from offsetproof.model.releases import (
    CLUSTER_MEANS_CPLUS,
    ERROR_COUNTS_AS_SUCCESS,
    NUMERIC_TIME_WORKS,
    SERVER_SIDE_RESET,
)
from offsetproof.model.threads import BY_DECISION, RESET_TOOL
from offsetproof.model.variants import RESET_BY_OLD_COMMAND, RESET_CONCURRENTLY, RESET_WITH_CLUSTER
from offsetproof.model.vocabulary import TARGETS

_TOOL = "DefaultMQAdminExtImpl"


class ToolCommands(OtherResets):
    """What the tool counts as success."""

    def ask(self, x: int, wanted: int) -> None:
        """A command in the form for clients in C++ is read by nobody: a Java client throws as it decodes it."""
        for_cplus = self.setting.assumes(RESET_WITH_CLUSTER) and self.setting.behaves(CLUSTER_MEANS_CPLUS)
        if for_cplus and not self.setting.behaves(SERVER_SIDE_RESET):
            self._end_well(wanted)
        else:
            super().ask(x, wanted)

    @RESET_TOOL.step(
        at(_TOOL, "resetOffsetConsumeOffset", "updateConsumerOffset"),
        at("ConsumerOffsetManager", "commitOffset", "get"),
        any_time=BY_DECISION,
        rig=RigChange("write_offset", lambda moment: {"offset": moment.after["broker.committed"]}),
        x=TARGETS,
    )
    def administrator_resets_by_old_command(self, x: int) -> None:
        """Writes the target, or says nothing of an error."""
        require(self.scope.equal_times > 0, self.setting.assumes(RESET_BY_OLD_COMMAND))
        require(x <= self.broker.max_offset)
        self._end_well(x)
        if self.setting.behaves(NUMERIC_TIME_WORKS):
            self.put_offset(x)
            self.ghost_landed = True

    @RESET_TOOL.step(at(_TOOL, "resetOffsetByTimestamp", "invokeBrokerToResetOffset"), any_time=BY_DECISION, x=TARGETS)
    def administrator_counts_refusal(self, x: int) -> None:
        """Is refused by the broker, and counts that as success."""
        require(self.scope.equal_times > 0, self.setting.assumes(RESET_CONCURRENTLY))
        require(self.setting.behaves(ERROR_COUNTS_AS_SUCCESS), x <= self.broker.max_offset)
        self._end_well(x)

    def _end_well(self, wanted: int) -> None:
        """Tells the administrator of no error; the target was `wanted`."""
        require(self.resets_left > 0, self.broker.committed is not None, negation(self.broker.gone))
        self.resets_left = self.resets_left - 1
        self.note_wanted(wanted)
        self.ghost_answered = True

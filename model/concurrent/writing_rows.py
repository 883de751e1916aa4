"""Writing rows: an administrator changes the group's row at the broker, past all clients.

Stands for DefaultMQAdminExtImpl.updateConsumeOffset and ConsumerOffsetManager.queryMinOffsetInAllGroup.
"""

from __future__ import annotations

from offsetproof.lang import OffsetSet, at, require
from offsetproof.lang.rigging import RigChange
from offsetproof.model.releases import REFUSES_UNKNOWN
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import ADMIN, BY_DECISION
from offsetproof.model.vocabulary import TARGETS

_MANAGER = "ConsumerOffsetManager"


class WritingRows(Group):
    """What an administrator may do to the row."""

    @ADMIN.step(
        at("DefaultMQAdminExtImpl", "updateConsumeOffset", "updateConsumerOffset"),
        at(_MANAGER, "commitOffset", "get"),
        any_time=BY_DECISION,
        rig=RigChange("write_offset", lambda moment: {"offset": moment.arg("x")}),
        x=TARGETS,
    )
    def administrator_updates_offset(self, x: int) -> None:
        """Writes the broker's offset directly.

        The offline reset does so for every queue.
        """
        require(self.updates_left > 0, x <= self.broker.max_offset)
        if self.setting.behaves(REFUSES_UNKNOWN):
            require(not self.broker.gone)
        self.updates_left = self.updates_left - 1
        self.ghost_skipped = self.ghost_skipped | OffsetSet.below(x)
        self.put_offset(x)

    @ADMIN.step(
        at(_MANAGER, "queryMinOffsetInAllGroup", "Iterator.remove"),
        any_time=BY_DECISION,
        rig=RigChange("query_min_offset"),
    )
    def administrator_queries_min_offset(self) -> None:
        """Asks for the lowest offset of groups, which removes rows.

        A query for the lowest offset of all groups but some removes those groups' rows.
        """
        require(self.updates_left > 0, self.broker.committed is not None)
        self.updates_left = self.updates_left - 1
        self.broker.committed = None
        self.broker.neighbour_committed = False

"""Regrouping: an administrator deletes the group, with its offsets or without, and it is made again.

Stands for AdminBrokerProcessor.deleteSubscriptionGroup, which takes the group out of the broker's subscription groups
and, only where it is asked to (`mqadmin deleteSubGroup -r true`), its rows out of the offset table. Nothing makes a
group again but its use: where autoCreateSubscriptionGroup is true, as by default, the next heartbeat or pull of a
consumer does, and else the administrator. So clients that run go on; their cells, caches and commits stay. The offset
file is written by the next flush, and not by the deletion.

Left out: pulls that a broker without autoCreateSubscriptionGroup refuses while there is no such group, and commits that
one of 5.3.0 refuses then, with it or without, until a heartbeat or pull has made the group again (they are executed
here); the retry and dead-letter topics, which `mqadmin deleteSubGroup` deletes for a cluster and not for one broker.
"""

from __future__ import annotations

from offsetproof.lang import OffsetSet, at, every, require
from offsetproof.lang.rigging import RigChange
from offsetproof.model.shared.broker import Broker
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import ADMIN, BY_DECISION
from offsetproof.model.variants import GROUP_DELETED_WHILE_DOWN, OFFSETS_REMOVED

_DELETES = at("AdminBrokerProcessor", "deleteSubscriptionGroup", "deleteSubscriptionGroupConfig")


class Regrouping(Group):
    """How an administrator deletes the group."""

    @ADMIN.step(_DELETES, any_time=BY_DECISION)
    def administrator_deletes_group(self) -> None:
        """Deletes the group; its offsets stay, as they do by default."""
        require(not self.setting.assumes(OFFSETS_REMOVED))
        self._delete_group()

    @ADMIN.step(
        _DELETES,
        at("AdminBrokerProcessor", "deleteSubscriptionGroup", "removeOffset"),
        any_time=BY_DECISION,
        rig=RigChange("remove_offset"),
        logs="clean group offset {}",
    )
    def administrator_deletes_group_with_offsets(self) -> None:
        """Deletes the group, and its rows with it.

        A row that is being made is published later. What is stored by then is owed no more; what the group is owed of
        the rest is fixed anew when it starts again.
        """
        self._delete_group()
        self.broker.committed = None
        self.broker.neighbour_committed = False
        self.ghost_owed_from = None
        self.ghost_skipped = self.ghost_skipped | OffsetSet.below(self.broker.max_offset)

    def _delete_group(self) -> None:
        require(self.group_deletions_left > 0)
        if self.setting.assumes(GROUP_DELETED_WHILE_DOWN):
            require(every(consumer.is_down_and_heard() for consumer in self.consumer))
            require(self.broker.row_being_made is None)
        self.group_deletions_left = self.group_deletions_left - 1
        self.ghost_group_deleted = self.broker.number_of(Broker.committed) > 1  # it is past its first message

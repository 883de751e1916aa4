"""Storing: the group's row at the broker, the offset file, retention, and what an administrator may do to the row.

Stands for ConsumerOffsetManager, ConfigManager.persist and load, and the store's cleaning. A commit that finds a row
is one step; one that finds none makes a new inner map and publishes it in a second step, and what another commit
published between the two is gone. Left out: how the offset file is written (`files/` has that), the 10 s before the
first flush, slaves.
"""

from __future__ import annotations

from offsetproof.lang import OffsetSet, action, at, require, some
from offsetproof.model.group import Group
from offsetproof.model.variants import BROKER_KILL, ROW_MADE_ATOMICALLY
from offsetproof.model.vocabulary import TARGETS, Origin

_MANAGER = "ConsumerOffsetManager"


class Storing(Group):
    """What happens to the broker's memory and files."""

    @action(
        actor="broker", thread="consumer manage", stands_for=[at(_MANAGER, "commitOffset", "put", 2)]
    )  # fmt: skip
    def broker_publishes_row(self) -> None:
        """Makes the new inner map the group's row, replacing any other.

        The map has this queue's offset; whatever row there was is gone.
        """
        value = self.broker.row_being_made
        require(value is not None)
        if value is not None:
            self.commit(value, self.broker.row_origin, self.broker.ghost_row_superseded)
        self.broker.row_being_made = None
        self.broker.row_origin = Origin.PROGRESS
        self.broker.ghost_row_superseded = False
        self.broker.neighbour_committed = False

    @action(actor="broker", thread="consumer manage", stands_for=[at(_MANAGER, "commitOffset", "get")])
    def neighbour_commits(self) -> None:
        """Executes a commit for the group's other queue.

        It goes into the row, or into a new inner map.
        """
        require(self.neighbour_commits_left > 0, not self.broker.neighbour_row_being_made)
        self.neighbour_commits_left = self.neighbour_commits_left - 1
        if self.broker.has_row() or self.setting.behaves(ROW_MADE_ATOMICALLY):
            self.broker.neighbour_committed = True
            self.ghost_neighbour_has_committed = True
        else:
            self.broker.neighbour_row_being_made = True

    @action(actor="broker", thread="consumer manage", stands_for=[at(_MANAGER, "commitOffset", "put", 2)])
    def neighbour_publishes_row(self) -> None:
        """Makes the other queue's new inner map the group's row."""
        require(self.broker.neighbour_row_being_made)
        self.broker.neighbour_row_being_made = False
        self.broker.neighbour_committed = True
        self.ghost_neighbour_has_committed = True
        self.broker.committed = None

    @action(actor="broker", thread="flush timer", stands_for=[at("ConfigManager", "persist", "string2File")])
    def broker_flushes(self) -> None:
        """Writes the offset table to the offset file.

        It does so every five seconds.
        """
        broker = self.broker
        require(some([broker.flushed != broker.committed, broker.neighbour_flushed != broker.neighbour_committed]))
        broker.flushed = broker.committed
        broker.neighbour_flushed = broker.neighbour_committed

    @action(actor="broker", thread="process", fault=BROKER_KILL, stands_for=[at("ConfigManager", "load", "decode")])
    def broker_is_killed(self) -> None:
        """Is killed and restarted: its offset table is what the file holds."""
        self.broker.restart()

    @action(
        actor="broker", thread="store cleaning", stands_for=[at("ConsumeQueue", "correctMinOffset", "minLogicOffset=")]
    )
    def retention_removes_message(self) -> None:
        """Deletes the oldest stored message."""
        require(self.retention_left > 0, self.broker.min_offset < self.broker.max_offset)
        self.retention_left = self.retention_left - 1
        self.broker.min_offset = self.broker.min_offset + 1

    @action(
        actor="broker", thread="store cleaning",
        stands_for=[at("DefaultMessageStore", "checkInDiskByConsumeOffset", "checkInDiskByCommitOffset")],
    )  # fmt: skip
    def first_message_turns_cold(self) -> None:
        """Has so much commit log by now that offset 0 is only on disk."""
        require(self.scope.cold > 0, not self.broker.cold, self.broker.max_offset > 0)
        self.broker.cold = True

    @action(
        x=TARGETS, actor="administrator", thread="admin tool",
        stands_for=[
            at("DefaultMQAdminExtImpl", "updateConsumeOffset", "updateConsumerOffset"),
            at(_MANAGER, "commitOffset", "get"),
        ],
    )  # fmt: skip
    def administrator_updates_offset(self, x: int) -> None:
        """Writes the broker's offset directly.

        The offline reset does so for every queue.
        """
        require(self.updates_left > 0, x <= self.broker.max_offset)
        self.updates_left = self.updates_left - 1
        self.ghost_skipped = self.ghost_skipped | OffsetSet.below(x)
        self.put_offset(x)

    @action(
        actor="administrator", thread="admin tool",
        stands_for=[at(_MANAGER, "queryMinOffsetInAllGroup", "Iterator.remove")],
    )  # fmt: skip
    def administrator_queries_min_offset(self) -> None:
        """Asks for the lowest offset of groups, which removes rows.

        A query for the lowest offset of all groups but some removes those groups' rows.
        """
        require(self.updates_left > 0, self.broker.committed is not None)
        self.updates_left = self.updates_left - 1
        self.broker.committed = None
        self.broker.neighbour_committed = False

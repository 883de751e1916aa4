"""Storing: the group's row at the broker, the offset file, retention, and what an administrator may do to the row.

Stands for ConsumerOffsetManager, ConfigManager.persist and load, and the store's cleaning. A commit that finds a row
is one step; one that finds none makes a new inner map and publishes it in a second step, and what another commit
published between the two is gone. Left out: how the offset file is written (`files/` has that), the 10 s before the
first flush, slaves.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.lang import OffsetSet, at, require, some
from offsetproof.lang.record import Pause, at_once
from offsetproof.lang.rigging import RigChange, ThreadStep
from offsetproof.model.group import Group
from offsetproof.model.threads import ADMIN, BROKER, BY_DECISION, BY_FAULT, FLUSH, ROWS, STORE
from offsetproof.model.timers import FLUSH_EVERY, FLUSH_FIRST
from offsetproof.model.variants import BROKER_KILL, ROW_MADE_ATOMICALLY
from offsetproof.model.vocabulary import TARGETS, Origin

_MANAGER = "ConsumerOffsetManager"


_FLUSH = Pause(
    "the flush timer", ("broker_flushes",), FLUSH_EVERY, any_longer=True,
    source="BrokerController.initialize: flushConsumerOffsetInterval",
)  # fmt: skip
_FIRST_FLUSH = Pause(
    "the flush timer", ("broker_is_killed",), FLUSH_FIRST, any_longer=True,
    source="BrokerController.initialize: the first flush after a start",
)  # fmt: skip
_FIRST_FLUSH_AFTER_LOSS = replace(_FIRST_FLUSH, after=("broker_loses_tail",))


def _neighbour(call: str | None) -> ThreadStep:
    return ThreadStep("commit", lambda moment: ("neighbour commit",), call)


class Storing(Group):
    """What happens to the broker's memory and files."""

    @ROWS.step(
        at(_MANAGER, "commitOffset", "put", 2),
        waits=at_once("broker_executes_commit", "broker_executes_newer_commit_first", "broker_receives_pull"),
    )
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

    @ROWS.step(
        at(_MANAGER, "commitOffset", "get"),
        any_time="the other queue's progress, which may take any time",
        rig=_neighbour("neighbour_commit"),
    )
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

    @ROWS.step(at(_MANAGER, "commitOffset", "put", 2), rig=_neighbour(None))
    def neighbour_publishes_row(self) -> None:
        """Makes the other queue's new inner map the group's row."""
        require(self.broker.neighbour_row_being_made)
        self.broker.neighbour_row_being_made = False
        self.broker.neighbour_committed = True
        self.ghost_neighbour_has_committed = True
        self.broker.committed = None

    @FLUSH.step(at("ConfigManager", "persist", "string2File"), waits=(_FLUSH, _FIRST_FLUSH, _FIRST_FLUSH_AFTER_LOSS))
    def broker_flushes(self) -> None:
        """Writes the offset table to the offset file.

        It does so every five seconds.
        """
        broker = self.broker
        require(some([broker.flushed != broker.committed, broker.neighbour_flushed != broker.neighbour_committed]))
        broker.flushed = broker.committed
        broker.neighbour_flushed = broker.neighbour_committed

    @BROKER.step(at("ConfigManager", "load", "decode"), any_time=BY_FAULT, fault=BROKER_KILL)
    def broker_is_killed(self) -> None:
        """Is killed and restarted: its offset table is what the file holds."""
        self.broker.restart()

    @STORE.step(
        at("ConsumeQueue", "correctMinOffset", "minLogicOffset="),
        any_time="the store may clean up at any time: by age, or for want of room",
    )
    def retention_removes_message(self) -> None:
        """Deletes the oldest stored message."""
        require(self.retention_left > 0, self.broker.min_offset < self.broker.max_offset)
        self.retention_left = self.retention_left - 1
        self.broker.min_offset = self.broker.min_offset + 1

    @STORE.step(
        at("DefaultMessageStore", "checkInDiskByConsumeOffset", "checkInDiskByCommitOffset"),
        any_time="the commit log may outgrow the memory at any time",
        rig=RigChange("cool"),
    )
    def first_message_turns_cold(self) -> None:
        """Has so much commit log by now that offset 0 is only on disk."""
        require(self.scope.cold > 0, not self.broker.cold, self.broker.max_offset > 0)
        self.broker.cold = True

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

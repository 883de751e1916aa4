"""Rows: the first commits of a group make its row in the offset table, in two steps.

Stands for ConsumerOffsetManager.commitOffset. A commit that finds no row makes a new inner map and publishes it in a
second step, and what another commit published between the two is gone.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.lang.record import at_once
from offsetproof.lang.rigging import ThreadStep
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import ROWS
from offsetproof.model.variants import ROW_MADE_ATOMICALLY
from offsetproof.model.vocabulary import Origin

_MANAGER = "ConsumerOffsetManager"


def _neighbour(call: str | None) -> ThreadStep:
    return ThreadStep("commit", lambda moment: ("neighbour commit",), call)


class Rows(Group):
    """What the broker does with a group's row, and the commits for its other queue."""

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

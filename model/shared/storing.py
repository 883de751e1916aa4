"""Storing: the group's row at the broker, the offset file, retention, and what an administrator may do to the row.

Stands for ConsumerOffsetManager, ConfigManager.persist and load, and the store's cleaning. A commit that finds a row
is one step; one that finds none makes a new inner map and publishes it in a second step, and what another commit
published between the two is gone. Left out: how the offset file is written (`files/` has that), the 10 s before the
first flush, slaves.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import STORE

_MANAGER = "ConsumerOffsetManager"


class Storing(Group):
    """What happens to the broker's memory and files."""

    @STORE.step(
        at("ConsumeQueue", "correctMinOffset", "minLogicOffset="),
        any_time="the store may clean up at any time: by age, or for want of room",
    )
    def retention_removes_message(self) -> None:
        """Deletes the oldest stored message."""
        require(self.retention_left > 0, self.broker.min_offset < self.broker.max_offset)
        self.retention_left = self.retention_left - 1
        self.broker.min_offset = self.broker.min_offset + 1

"""Storing: the broker deletes the oldest message of the queue (retention).

Stands for the message store's cleaning. The group's row is in `remote/committing.py` and `concurrent/writing_rows.py`,
the offset file's flush in `remote/flushing.py`.
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

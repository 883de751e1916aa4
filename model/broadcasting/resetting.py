"""Resetting: the command comes as for any push consumer, and sets a cell that only persistAll would bring to the file.

Stands for MQClientInstance.resetOffset, which asks for no mode. Left out: a thread that stalls for longer than the
reset sleeps (as in the concurrent model).
"""

from __future__ import annotations

from typing import ClassVar

from offsetproof.lang import action, at
from offsetproof.lang.action import Retold
from offsetproof.model.broadcasting.group import BroadcastGroup
from offsetproof.model.places import PERSISTS
from offsetproof.model.shared.resetting import Resetting
from offsetproof.model.vocabulary import CONSUMERS

RESETS_AT_BROKER = "resets at the broker, without a command to clients"


class ResettingCell(Resetting, BroadcastGroup):
    """What the reset's persist does."""

    retold: ClassVar[tuple[Retold, ...]] = (
        Retold(Resetting.reset_removes_offset, "Keeps the cell: removeOffset is empty.", silent=True),
    )

    @action(
        c=CONSUMERS, actor="consumer[c]", thread="reset",
        stands_for=[
            PERSISTS,
            at("LocalFileOffsetStore", "persist"),
        ],
    )  # fmt: skip
    def reset_persists(self, c: int) -> None:
        """Persists the queue: the store's persist is empty."""
        super().reset_persists(c)

"""A restart of the broker in order, as orderly consumers have it: the locks are gone, and unlocks never arrive.

Stands for what `remote/restarting` has, and for RebalanceLockManager, whose table is in memory only. Left out: an
answer about locks that the restart cuts off, which is as one that is refused.
"""

from __future__ import annotations

from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.model.remote.restarting import Restarting


class LockedRestarting(Restarting, OrderlyGroup):
    """What a restart in order does to locks and to what is on its way about them."""

    def break_connections(self) -> None:
        """The broker is gone: no request to unlock that was sent one-way arrives."""
        super().break_connections()
        for consumer in self.consumer:
            consumer.unlocks = 0
            consumer.late_unlocks = 0
            consumer.left_unlock = False

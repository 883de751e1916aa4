"""The broker's locks of queues: who has this one's.

Stands for RebalanceLockManager. A lease that has expired is as good as none, so its entry is left out; so are the
mutex (each request is one step) and the renewal by isLocked outside of it. The table is in memory only.
"""

from __future__ import annotations

from offsetproof.lang import integer, optional
from offsetproof.model.shared.broker import Broker


class LockingBroker(Broker):
    """The broker with the group's lock of the one queue: the client that has it."""

    lock_owner: int | None = optional(integer(0, lambda scope: scope.consumers - 1))

    def restart(self) -> None:
        """The process is gone and started again: no queue is locked."""
        super().restart()
        self.lock_owner = None

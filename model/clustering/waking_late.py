"""Waking late: what is still under way when the sleep of a reset is over, each a fault.

Stands for threads that stall for longer than the 10 s of MQClientInstance.resetOffset, and for a pull that is as late.
"""

from __future__ import annotations

from offsetproof.lang import require
from offsetproof.model.shared.resetting import INTERRUPTED, SLEEP, SLEEPS, Resetting
from offsetproof.model.threads import RESET
from offsetproof.model.variants import (
    LATE_PULL,
    NO_STALLED_CALLBACK,
    NO_STALLED_REBALANCE,
    NO_STALLED_TASK,
    PULLS_TIMELY,
    STALL,
)
from offsetproof.model.vocabulary import Overdue


class WakingLate(Resetting):
    """The ends of a sleep at which something is overdue."""

    @RESET.step(SLEEPS, waits=SLEEP, rig=INTERRUPTED, counts_as="reset_wakes", fault=LATE_PULL)
    def reset_wakes_before_pull_arrives(self, c: int) -> None:
        """Wakes while an older pull is still on its way to the broker."""
        require(not self.setting.assumes(PULLS_TIMELY))
        self.wake(c, Overdue.PULL)

    @RESET.step(SLEEPS, waits=SLEEP, rig=INTERRUPTED, counts_as="reset_wakes", fault=STALL)
    def reset_wakes_before_stalled_task(self, c: int) -> None:
        """Wakes while a task stands between check C and updateOffset."""
        require(not self.setting.assumes(NO_STALLED_TASK))
        self.wake(c, Overdue.TASK)

    @RESET.step(SLEEPS, waits=SLEEP, rig=INTERRUPTED, counts_as="reset_wakes", fault=STALL)
    def reset_wakes_before_stalled_callback(self, c: int) -> None:
        """Wakes while a callback stands between count and updateOffset.

        The count is that of the queue's messages, which a pull callback reads.
        """
        require(not self.setting.assumes(NO_STALLED_CALLBACK))
        self.wake(c, Overdue.CALLBACK)

    @RESET.step(SLEEPS, waits=SLEEP, rig=INTERRUPTED, counts_as="reset_wakes", fault=STALL)
    def reset_wakes_before_stalled_rebalance(self, c: int) -> None:
        """Wakes while an older rebalance run is still under way."""
        require(not self.setting.assumes(NO_STALLED_REBALANCE))
        self.wake(c, Overdue.REBALANCE)

"""Rebalancing in finer steps: the test for pause is a step of its own, where the scope is `fine`."""

from __future__ import annotations

from offsetproof.lang import at, every, holds, negation, require
from offsetproof.lang.step import in_rig
from offsetproof.model.shared.consumer import Consumer
from offsetproof.model.shared.rebalancing import ALLOCATES, APART, MEMBERS, RESUMED, Rebalancing
from offsetproof.model.threads import REBALANCE
from offsetproof.model.vocabulary import RebalanceStep

_TABLE = "updateProcessQueueTableInRebalance"


class FineRebalancing(Rebalancing):
    """What a rebalance run does before its first step over the table."""

    @REBALANCE.step(at("DefaultMQPushConsumerImpl", "doRebalance", "pause"), waits=(APART, RESUMED))
    def rebalance_passes_pause(self, c: int, r: int) -> None:
        """Finds the consumer not paused, and goes on even if that changes."""
        require(self.scope.fine > 0, super().may_begin(c, r))
        self.consumer[c].rebalance[r].at = RebalanceStep.BEGUN

    @REBALANCE.step(at("RebalanceImpl", _TABLE), waits=MEMBERS, rig=in_rig(ALLOCATES))
    def rebalance_changes_nothing(self, c: int, r: int) -> None:
        """Finds the table as the consumer's view wants it.

        The view is that of the group's members.
        """
        consumer = self.consumer[c]
        require(consumer.rebalance[r].at == RebalanceStep.BEGUN)
        require(consumer.believes_allocated == negation(holds(consumer, Consumer.process_queue_table, None)))
        consumer.rebalance[r].at = RebalanceStep.IDLE

    def may_begin(self, c: int, r: int) -> bool:
        """May this run take its first step over the table? It has passed the test for pause."""
        if self.scope.fine > 0:
            return every([self.consumer[c].rebalance[r].at == RebalanceStep.BEGUN, self.consumer[c].subscribed])
        return super().may_begin(c, r)

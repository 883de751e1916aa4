"""Since 5.0.0 a rebalance drops all queues that it gives up before it persists and removes the first of them.

Stands for the two loops of RebalanceImpl.updateProcessQueueTableInRebalance, of which the second goes by a map that the
first has filled.
"""

from __future__ import annotations

from typing import cast

from offsetproof.lang import Change, OffsetSet, offset_set, require, same
from offsetproof.model.queues.client import Client, TopicRebalance
from offsetproof.model.queues.rebalancing import RebalancingByTopic
from offsetproof.model.queues.vocabulary import TopicRebalanceStep
from offsetproof.model.releases import TWO_PHASE_REMOVAL


class TwoPhaseRun(TopicRebalance):
    """A run with the queues that it has dropped and has yet to remove (`to_remove`)."""

    to_remove: OffsetSet = offset_set("queues")


class TwoPhaseRemoval(RebalancingByTopic):
    """The loops over what a run drops, and over what it removes."""

    @same(RebalancingByTopic.rebalance_drops_queue)
    def rebalance_drops_queue(self, c: int, r: int) -> None:
        """Drops the ProcessQueue of a queue that is not allocated, and goes on to the next such queue."""
        client = self.client[c]
        run = cast(TwoPhaseRun, client.rebalance[r])
        require(run.at == TopicRebalanceStep.UNALLOCATED)
        if client.process_queue_table.has(run.queue):
            client.drop(run.queue)
        run.to_remove = run.to_remove.add(run.queue)
        self.find_unallocated(c, run)

    @same(RebalancingByTopic.rebalance_removes_queue)
    def rebalance_removes_queue(self, c: int, r: int) -> None:
        """Removes the cell, takes the queue out of the table, and goes on to the next that the run has dropped."""
        client = self.client[c]
        run = cast(TwoPhaseRun, client.rebalance[r])
        require(run.at == TopicRebalanceStep.PERSISTED)
        client.remove_queue(run.queue)
        run.to_remove = run.to_remove.remove(run.queue)
        self.find_missing(client, run, 0)

    def find_missing(self, client: Client, run: TopicRebalance, since: int) -> None:
        """The loop over the table is over: a queue that the run has dropped is removed before one is added."""
        dropped = cast(TwoPhaseRun, run).to_remove
        if dropped.count() > 0:
            run.queue, run.at = dropped.lowest(default=self.scope.queues - 1), TopicRebalanceStep.DROPPED
        else:
            super().find_missing(client, run, since)


REMOVES_AFTERWARDS = Change(TWO_PHASE_REMOVAL, steps=(TwoPhaseRemoval,), parts=(TwoPhaseRun,))
"""What a rebalance of several queues is with it."""

"""A remedy: the repair of an illegal offset gives an orderly consumer's queue up as a rebalance does, while none runs.

It unlocks the queue before it takes it out of the table, and leaves it there where a listener is busy. No release has
it: RebalanceImpl.removeProcessQueue takes the queue out of the table first.
"""

from __future__ import annotations

from offsetproof.lang import Change, every, negation, require, some
from offsetproof.lang.record import NotInRig, at_once
from offsetproof.model.orderly.handing_over import LockedRebalancing, LockedRepairing
from offsetproof.model.orderly.variants import REPAIR_AS_REBALANCE
from offsetproof.model.orderly.vocabulary import RequestStep
from offsetproof.model.shared.repairing import DROPS, REMOVES, REMOVES_LOG
from offsetproof.model.threads import REPAIR
from offsetproof.model.vocabulary import RepairStep


class RepairingAsRebalance(LockedRepairing, LockedRebalancing):
    """The steps of the repair in another order, and the wait of rebalance and repair for each other."""

    def _gives_up(self, c: int) -> bool:
        """Is a repair in the midst of giving the queue up?"""
        steps = (RepairStep.UNLISTED, RepairStep.DROPPED, RepairStep.PERSISTED_AGAIN)
        return some(pq.repair == step for pq in self.consumer[c].process_queue for step in steps)

    def may_begin(self, c: int, r: int) -> bool:
        """May this run take its first step? Not while a repair gives the queue up."""
        return every([super().may_begin(c, r), negation(self._gives_up(c))])

    @REPAIR.step(
        REMOVES,
        any_time="a repair that waits for a rebalance, with a fix that has no release",
        rig=NotInRig("no published class looks for the queue before it unlocks it"),
    )
    def repair_finds_queue(self, c: int, pq_id: int) -> None:
        """Looks for the ProcessQueue in the table, and leaves it there for now.

        Without one the repair is over. It waits for a run of rebalance, and for another repair.
        """
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        require(pq.repair == RepairStep.PERSISTED, negation(consumer.runs_rebalance()), negation(self._gives_up(c)))
        self.finds_queue(c, pq_id)

    @REPAIR.step(DROPS, waits=at_once("repair_finds_queue"), logs=REMOVES_LOG)
    def repair_drops_queue(self, c: int, pq_id: int) -> None:
        """Drops the ProcessQueue that it has found."""
        super().repair_drops_queue(c, pq_id)

    def give_up_in_repair(self, c: int, pq_id: int) -> None:
        """Removes the cell and unlocks the queue; where its listener runs, the repair is over."""
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        listed = pq.unlocking
        require(listed is not None)
        super().give_up_in_repair(c, pq_id)
        if listed is not None and consumer.process_queue[listed].request.at != RequestStep.LISTENING:
            pq.repair = RepairStep.PERSISTED_AGAIN

    def finish_unlocked_repair(self, c: int, pq_id: int) -> None:
        """The queue is unlocked, and still in the table."""

    @REPAIR.step(REMOVES, waits=at_once("repair_removes_offset", "repair_unlocks_queue"))
    def repair_removes_queue(self, c: int, pq_id: int) -> None:
        """Takes the unlocked queue out of the table; the repair is over."""
        consumer = self.consumer[c]
        pq = consumer.process_queue[pq_id]
        require(pq.repair == RepairStep.PERSISTED_AGAIN, pq.unlocking is None)
        consumer.process_queue_table = None
        self.finish_repair(c, pq_id)


REPAIRS_AS_REBALANCE = Change(REPAIR_AS_REBALANCE, steps=(RepairingAsRebalance,))
"""What orderly consumption is with it."""

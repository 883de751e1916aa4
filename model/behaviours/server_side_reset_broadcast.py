"""A reset at the broker as a broadcasting group has it: it succeeds, and one client hears of it.

The marker is of the group, topic and queue, and each client has the queue. Whichever client's pull takes the marker is
answered with the target, and its repair writes that into its file; the others go on where they are. The row that the
broker writes is read by nobody. What all push consumers have of it is in `server_side_reset`; the steps of a reset at
the client stay in the model, and cannot be taken.
"""

from __future__ import annotations

from typing import cast

from offsetproof.lang import Change, every, flag, negation, same, some
from offsetproof.lang.rigging import RigChange
from offsetproof.model.behaviours.server_side_reset import (
    ANSWERS,
    HELD,
    AnsweredProcessQueue,
    MarkedPulls,
    MarkedReset,
    MarkingBroker,
    answer_pull,
    signs_of_rest,
)
from offsetproof.model.broadcasting.consuming import BroadcastPulling
from offsetproof.model.broadcasting.group import BroadcastGroup
from offsetproof.model.broadcasting.rebalancing import BroadcastRepair
from offsetproof.model.broadcasting.resetting import RESETS_AT_BROKER
from offsetproof.model.local.store import LocalConsumer
from offsetproof.model.releases import MERGES_INTO_FILE, SERVER_SIDE_RESET
from offsetproof.model.shared.consumer import Consumer
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.shared.pulling import Pulling
from offsetproof.model.threads import PULLS
from offsetproof.model.vocabulary import RepairStep


class HearingProcessQueue(AnsweredProcessQueue):
    """A ProcessQueue whose pull may hear of a reset. History: its repair is of that (`ghost_of_reset`)."""

    ghost_of_reset: bool = flag()


class HearingConsumer(LocalConsumer):
    """A client that may hear of a reset by its pull. History: the reset has landed in its file (`ghost_landed`)."""

    ghost_landed: bool = flag()

    def note_reset(self) -> None:
        """History: the administrator resets; a repair of an earlier reset, and what it has written, counts no more."""
        super().note_reset()
        self.ghost_landed = False
        for pq in self.process_queue:
            cast(HearingProcessQueue, pq).ghost_of_reset = False

    def has_landed(self) -> bool:
        """History: has a reset that it heard of by a pull landed in its file?"""
        return self.ghost_landed

    def is_persisting_reset(self) -> bool:
        """Does a repair stand between its write of a reset's target into the cell and its end?"""
        began = (RepairStep.IDLE, RepairStep.WAITING)
        return some(
            every([cast(HearingProcessQueue, pq).ghost_of_reset, *(negation(pq.repair == step) for step in began)])
            for pq in self.process_queue
        )


class BroadcastMarkedReset(MarkedReset, BroadcastGroup):
    """When a reset has landed, and when all has come to rest."""

    def note_target_written(self) -> None:
        """History: a file has yet to have the target."""

    def note_landing(self, c: int) -> None:
        """History: the cell is about to be written to the file of a client, and the reset may land there."""
        super().note_landing(c)
        consumer = cast(HearingConsumer, self.consumer[c])
        lands = every([consumer.is_persisting_reset(), consumer.number_of(Consumer.cell) == self.ghost_target + 1])
        consumer.ghost_landed = some([consumer.ghost_landed, lands])

    def rest(self) -> bool:
        """At rest as else, and nothing of a reset is left."""
        return every([super().rest(), *signs_of_rest(self)])


class AnsweredBroadcasts(Pulling):
    """What the broker answers a pull."""

    @PULLS.step(ANSWERS, waits=HELD, rig=RigChange("nothing"))
    def broker_answers_pull(self, c: int, pq_id: int) -> None:
        """Answers a pull by what is stored; there is no marker."""
        answer_pull(self, c, pq_id)


class HearingPulls(MarkedPulls, BroadcastPulling):
    """What a pull sends, and what its callback hears."""

    def send_pull(self, consumer: Consumer, pq: ProcessQueue) -> None:
        """The pull is at the broker at once, and nothing is answered yet."""
        super().send_pull(consumer, pq)

    @same(MarkedPulls.poll_hears_of_reset)
    def poll_hears_of_reset(self, c: int, pq_id: int) -> None:
        """Hears the target: drops the queue, and repairs it."""
        super().poll_hears_of_reset(c, pq_id)
        cast(HearingProcessQueue, self.consumer[c].process_queue[pq_id]).ghost_of_reset = True


class LandingRepair(BroadcastRepair):
    """What the repair writes to the file."""

    @same(BroadcastRepair.repair_persists)
    def repair_persists(self, c: int, pq_id: int) -> None:
        """Persists the queue, where persist is not empty."""
        if self.setting.behaves(MERGES_INTO_FILE):
            self.note_landing(c)
        super().repair_persists(c, pq_id)

    def finish_repair(self, c: int, pq_id: int) -> None:
        """The repair is over."""
        super().finish_repair(c, pq_id)
        cast(HearingProcessQueue, self.consumer[c].process_queue[pq_id]).ghost_of_reset = False


RESETS_BROADCAST_BY_MARKER = Change(
    SERVER_SIDE_RESET,
    steps=(BroadcastMarkedReset, MarkedReset, AnsweredBroadcasts, MarkedPulls, HearingPulls, LandingRepair),
    parts=(MarkingBroker, AnsweredProcessQueue, HearingProcessQueue, HearingConsumer),
    includes=(RESETS_AT_BROKER,),
    leaves_out=(
        "what of a reset at the broker is about several queues (model `several-queues`), and a hold that cold-data "
        "control refuses before it looks at the marker",
    ),
)
"""What a broadcasting group and its broker are with it."""

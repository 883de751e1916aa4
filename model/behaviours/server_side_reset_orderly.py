"""A reset at the broker as an orderly consumer has it: the repair that it ends in waits for the queue's consume lock.

What all push consumers have of it is in `server_side_reset`. The steps of a reset at the client stay in the model, and
cannot be taken: nobody is sent a command.
"""

from __future__ import annotations

from offsetproof.lang import Change, every
from offsetproof.lang.rigging import RigChange
from offsetproof.model.behaviours.server_side_reset import (
    ANSWERS,
    HELD,
    LEFT_OUT,
    MARKED,
    MARKED_PARTS,
    MarkedPulls,
    answer_pull,
    signs_of_rest,
)
from offsetproof.model.concurrent.left_out import RESETS_AT_BROKER
from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.model.releases import SERVER_SIDE_RESET
from offsetproof.model.shared.pulling import Pulling
from offsetproof.model.threads import PULLS


class AnsweredPolls(Pulling):
    """What the broker answers a pull: `broker_answers_pull` is the answer to the query of one here."""

    @PULLS.step(ANSWERS, waits=HELD, rig=RigChange("nothing"))
    def broker_answers_poll(self, c: int, pq_id: int) -> None:
        """Answers a pull by what is stored; there is no marker."""
        answer_pull(self, c, pq_id)


class OrderlyMarkedRest(OrderlyGroup):
    """When all has come to rest, or settled."""

    def rest(self) -> bool:
        """At rest as else, and nothing of a reset is left."""
        return every([super().rest(), *signs_of_rest(self)])

    def has_settled(self) -> bool:
        """Settled as else, and nothing of a reset is left."""
        return every([super().has_settled(), *signs_of_rest(self)])


RESETS_ORDERLY_BY_MARKER = Change(
    SERVER_SIDE_RESET,
    steps=(*MARKED, AnsweredPolls, MarkedPulls, OrderlyMarkedRest),
    parts=MARKED_PARTS,
    includes=(RESETS_AT_BROKER,),
    leaves_out=LEFT_OUT,
)
"""What an orderly consumer and its broker are with it."""

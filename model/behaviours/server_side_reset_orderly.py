"""A reset at the broker as an orderly consumer has it: the repair that it ends in waits for the queue's consume lock.

What all push consumers have of it is in `server_side_reset`. The steps of a reset at the client stay in the model, and
cannot be taken: nobody is sent a command.
"""

from __future__ import annotations

from offsetproof.lang import Change, every
from offsetproof.model.behaviours.server_side_reset import LEFT_OUT, MARKED, MARKED_PARTS, signs_of_rest
from offsetproof.model.concurrent.left_out import RESETS_AT_BROKER
from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.model.releases import SERVER_SIDE_RESET


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
    steps=(*MARKED, OrderlyMarkedRest),
    parts=MARKED_PARTS,
    includes=(RESETS_AT_BROKER,),
    leaves_out=LEFT_OUT,
)
"""What an orderly consumer and its broker are with it."""

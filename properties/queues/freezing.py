"""Frozen cells of several queues: the repair after a reset at the broker freezes a cell until it is removed."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, at_rest, case, every, negation, some
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.releases import FREEZES_CELL, SERVER_SIDE_RESET
from offsetproof.properties.queues.unnamed import KEPT


@at_rest(
    case(
        "I34",
        REFUTED,
        "come-back-reset",
        only_of=[SERVER_SIDE_RESET, FREEZES_CELL],
        where="where a queue may go to another client and come back while it is reset",
        why="a rebalance gives the queue up and takes it again while the repair is under way: the repair finds no "
        "ProcessQueue in the table, so it does not come to removeOffset, and the new ProcessQueue has the frozen cell",
        symptom="after a reset a consumer goes on consuming a queue, and its offset at the broker stands still until a "
        "rebalance or restart",
        no_remedy="no release has one",
    ),
    case(
        "I34-kept",
        HOLDS,
        *("two-brokers", "one-broker", "held-polls", "twice"),
        only_of=[SERVER_SIDE_RESET, FREEZES_CELL],
        needs=["W-repaired"],
        where=f"where {KEPT}",
    ),
)
def no_live_queue_has_a_frozen_cell(group: QueueGroup) -> bool:
    """At rest no queue that a client has in its table, not dropped, has a cell that takes no value."""
    frozen = [
        every([client.is_live(q), share.is_frozen()]) for client in group.client for q, share in enumerate(client.share)
    ]
    return negation(some(frozen))

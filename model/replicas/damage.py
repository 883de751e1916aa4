"""Damage: messages that nobody consumes any more, and messages that were consumed again."""

from __future__ import annotations

from offsetproof.lang import Damage, OffsetSet, choose
from offsetproof.model.replicas.pair import Pair


def lost_messages(pair: Pair) -> int:
    """How many messages are below a consumer's position and were not consumed."""
    return sum(
        choose(consumer.listed[q], (OffsetSet.below(consumer.position[q]) - pair.ghost_done[q]).count(), 0)
        for consumer in pair.consumer
        for q in range(pair.scope.queues)
    )


def repeated_messages(pair: Pair) -> int:
    """How many messages were consumed more than once."""
    return sum(repeated.count() for repeated in pair.ghost_repeated)


OUTSIDE = ("broker_shuts_down", "administrator_resets", "client_gives_queue_up", "broker_moves_version")
"""What starts again: no more of it happens once a claim has failed."""

DAMAGE = Damage(lost=lost_messages, repeated=repeated_messages, outside=OUTSIDE)
"""What the checker needs to say how bad a violation is."""

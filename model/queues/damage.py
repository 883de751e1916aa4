"""What becomes of messages: which are skipped, and which were consumed again without need.

Lost are the messages below a queue's committed offset that nobody has consumed; of a queue on which a backward reset
has landed, or has yet to land, also those from its target on that were not consumed again since. Repeated are those
that were consumed more than once, but for what the last reset asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from offsetproof.lang import Damage, OffsetSet, Scope, choose
from offsetproof.model.queues.broker import StoredQueue
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.vocabulary import Direction


def lost_messages(group: QueueGroup) -> int:
    """How many messages nobody will consume from here."""
    return sum(_lost_count(group, queue) for queue in group.queue)


def _lost_count(group: QueueGroup, queue: StoredQueue) -> int:
    below = OffsetSet.below(queue.offset_for_query())
    again = _asked_for(group, queue) - queue.ghost_redone
    return ((below - queue.ghost_done) | (again & below)).count()


def _asked_for(group: QueueGroup, queue: StoredQueue) -> OffsetSet:
    """What a backward reset wants to be consumed again."""
    since = OffsetSet.below(group.scope.messages) - OffsetSet.below(queue.ghost_target)
    return choose(queue.ghost_direction == Direction.BACKWARD, since, OffsetSet())


def repeated_messages(group: QueueGroup) -> int:
    """How many messages were consumed more than once, although the last reset did not ask for it."""
    return sum((queue.ghost_repeated - _asked_for(group, queue)).count() for queue in group.queue)


def agreement(scope: Scope) -> Sequence[Mapping[str, OffsetSet]]:
    """In the end all brokers know all members."""
    members = OffsetSet.below(scope.consumers + scope.others)
    known = {f"registry[{b}].members": members for b in range(scope.brokers)}
    return [known | {f"registry[{b}].unheard": OffsetSet() for b in range(scope.brokers)}]


OUTSIDE = (
    "administrator_resets_broker",
    "administrator_writes_queue",
    "membership_changes",
    "broker_restarts",
    "application_unsubscribes",
    "client_stops",
)
"""What starts again: no more of it happens once a claim has failed."""

DAMAGE = Damage(lost=lost_messages, repeated=repeated_messages, outside=OUTSIDE, settled=agreement)
"""What the checker needs to say how bad a violation is."""

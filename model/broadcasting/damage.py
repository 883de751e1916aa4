"""What becomes of messages of a broadcasting client: which it skips for good, and which it is given again.

Lost are owed messages below the file's offset that were neither done nor dropped by policy: a restart begins past them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from offsetproof.lang import Damage, OffsetSet, Scope
from offsetproof.model.broadcasting.group import BroadcastGroup


def lost_offsets(group: BroadcastGroup) -> OffsetSet:
    """The owed messages that a client has left behind."""
    stored = group.consumer[0].stored
    if stored is None:
        return OffsetSet()
    return (group.owed_offsets() - group.ghost_done - group.ghost_dropped) & OffsetSet.below(stored)


def repeated_offsets(group: BroadcastGroup) -> OffsetSet:
    """The messages that a listener was given more than once."""
    return group.ghost_repeated


def all_routes(scope: Scope) -> Sequence[Mapping[str, bool]]:
    """In the end every client sees the queue in the route."""
    return [{f"consumer[{c}].believes_allocated": True for c in range(scope.consumers)}]


OUTSIDE = (
    "administrator_resets",
    "consumer_begins_shutdown",
    "producer_sends",
    "retention_removes_message",
    "view_changes",
)
"""What starts again: no more of it happens once a claim has failed."""

DAMAGE = Damage(lost=lost_offsets, repeated=repeated_offsets, outside=OUTSIDE, settled=all_routes)
"""What the checker needs to say how bad a violation is."""

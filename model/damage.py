"""What becomes of messages: which are lost when nothing more happens from outside.

Lost are owed offsets below the broker's committed offset that nobody has done: whoever takes the queue next starts past
them. Owed is every stored offset that no administrator skipped. A backward reset that has landed makes the offsets from
its target on owed once more: they count as lost until a life that started after the landing has done them, because
that they be delivered again is what the administrator asked for.

In the end the group agrees on one owner: each consumer hears of it in its own time. Left out: a further restart or
change of owner, which would bring back what has not been committed yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from offsetproof.lang import Damage, OffsetSet, Scope, choose
from offsetproof.model.group import Group
from offsetproof.model.vocabulary import Direction


def lost_offsets(group: Group) -> OffsetSet:
    """The owed offsets below the committed one that are not done, or not done again where a reset asked for that."""
    committed = group.broker.committed
    if committed is None:
        return OffsetSet()
    stored = OffsetSet.below(group.broker.max_offset)
    never_done = stored - group.ghost_done - group.ghost_skipped
    not_redone = stored - OffsetSet.below(group.ghost_target) - group.ghost_redone
    is_asked_again = group.ghost_landed & (group.ghost_direction == Direction.BACKWARD)
    missing = never_done | choose(is_asked_again, not_redone, OffsetSet())
    return missing & OffsetSet.below(committed)


def one_owner(scope: Scope) -> Sequence[Mapping[str, bool]]:
    """The ways in which the group may come to agree: one consumer believes that the queue is its own."""
    everyone = range(scope.consumers)
    return [{f"consumer[{c}].believes_allocated": c == owner for c in everyone} for owner in everyone]


DAMAGE = Damage(
    lost=lost_offsets, outside=("administrator_resets", "view_changes", "producer_sends"), settled=one_owner
)
"""What the checker needs to say how bad a violation is."""

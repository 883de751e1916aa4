"""What becomes of messages: which are lost when nothing more happens from outside.

Lost are owed offsets below the broker's committed offset that nobody has done: whoever takes the queue next starts past
them. Repeated are the messages that a listener was given again, but for those that a backward reset asked for. A
backward reset that has landed makes the offsets from its target on owed once more: they count as lost until a
ProcessQueue that started after the landing has done them, because that they be delivered again is what the
administrator asked for.

In the end the group agrees on one owner: each consumer hears of it in its own time. Left out: a further restart or
change of owner, which would bring back what has not been committed yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from offsetproof.lang import Damage, OffsetSet, Scope, choose, every
from offsetproof.model.shared.group import Group
from offsetproof.model.vocabulary import Direction


def lost_offsets(group: Group) -> OffsetSet:
    """The owed offsets below the committed one that are not done, or not done again where a reset asked for that."""
    committed = group.broker.committed
    if committed is None:
        return OffsetSet()
    stored = OffsetSet.below(group.broker.max_offset)
    never_done = group.owed_offsets() - group.ghost_done
    not_redone = stored - OffsetSet.below(group.ghost_target) - group.ghost_redone
    is_asked_again = every([group.ghost_landed, group.ghost_direction == Direction.BACKWARD])
    missing = never_done | choose(is_asked_again, not_redone, OffsetSet())
    return missing & OffsetSet.below(committed)


def repeated_offsets(group: Group) -> OffsetSet:
    """The offsets that a listener was given more than once, although no reset asked for it."""
    asked_for = OffsetSet.below(group.scope.messages) - OffsetSet.below(group.ghost_target)
    is_asked_again = every([group.ghost_landed, group.ghost_direction == Direction.BACKWARD])
    return group.ghost_repeated - choose(is_asked_again, asked_for, OffsetSet())


def one_owner(scope: Scope) -> Sequence[Mapping[str, bool]]:
    """The ways in which the group may come to agree: one consumer believes that the queue is its own."""
    everyone = range(scope.consumers)
    return [{f"consumer[{c}].believes_allocated": c == owner for c in everyone} for owner in everyone]


OUTSIDE = (
    "administrator_resets",
    "administrator_updates_offset",
    "administrator_queries_min_offset",
    "administrator_is_told_offline",
    "administrator_resets_by_time",
    "application_unsubscribes",
    "broker_restarts",
    "broker_restarts_behind_answers",
    "consumer_begins_shutdown",
    "consumer_reads_members",
    "first_message_turns_cold",
    "membership_changes",
    "neighbour_commits",
    "producer_sends",
    "retention_removes_message",
    "running_info_finds_no_cell",
    "user_suspends",
    "view_changes",
)
"""What starts again: no more of it happens once a claim has failed."""

DAMAGE = Damage(lost=lost_offsets, repeated=repeated_offsets, outside=OUTSIDE, settled=one_owner)
"""What the checker needs to say how bad a violation is."""

_DELETIONS = (
    "administrator_deletes_topic",
    "administrator_deletes_group",
    "administrator_deletes_group_with_offsets",
)
_COMMANDS = ("administrator_resets_by_old_command", "administrator_counts_refusal")
DAMAGE_WITH_TOPICS = replace(DAMAGE, outside=(*OUTSIDE, *_DELETIONS, *_COMMANDS))
"""The same for a model in which topics and groups are deleted, and which has more of the tool's commands."""

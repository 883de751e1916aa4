"""What administrators do beside a reset with force: resets without it, and groups that are deleted."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, Step, case, each_step, every, holds, implies
from offsetproof.model.releases import SERVER_SIDE_RESET
from offsetproof.model.shared.broker import Broker
from offsetproof.model.shared.group import Group
from offsetproof.model.variants import GROUP_DELETED_WHILE_DOWN, OFFSETS_REMOVED, POLL_CHECKS_DROPPED
from offsetproof.model.vocabulary import Direction
from offsetproof.properties.broker_offsets import executes_a_reset

_ANSWERS = ("broker_answers_query", "broker_answers_query_before_commits")


@each_step(
    case(
        "I28",
        REFUTED,
        "unforced-reset",
        needs=["W-unforced-reset-landed"],
        why="the reset writes the committed offset to the cell and then sends the cell: a poll that ends between the "
        "two finds the cleared cache empty, and raises the cell past all that was cleared",
        symptom="a reset without force, which should not move the offset forward, skipped messages",
        remedies=["I28-poll-checks"],
    ),
    case(
        "I28-poll-checks",
        HOLDS.unless(SERVER_SIDE_RESET),
        "unforced-reset",
        fixes=[POLL_CHECKS_DROPPED],
        needs=["W-unforced-reset-landed"],
        where="with the fix of PR #10087, where the offset is reset once, no message is deleted, the application does "
        "not suspend the consumer, and nothing is late, overtaken or stalled",
        why="the broker sends the committed offset as target of a queue whose wanted offset is not below it",
    ),
)
def forward_reset_without_force_moves_nothing(before: Group, after: Group, step: Step) -> bool:
    """A forward reset without force writes no offset above that which was committed when it was commanded."""
    committed = after.broker.committed
    if before.scope.unforced == 0 or committed is None:
        return True
    lands = every([executes_a_reset(before, step), before.ghost_direction == Direction.FORWARD])
    return implies(lands, committed <= before.ghost_target)


@each_step(
    case(
        "I31",
        REFUTED,
        "group-deleted",
        assumptions=[GROUP_DELETED_WHILE_DOWN],
        where="where the group's offsets stay, as they do by default, and no consumer runs when it is deleted",
        why="deleteSubGroup removes the group's offsets only where it is asked to (-r true); without that the next "
        "consumer of the same name finds them",
        symptom="a consumer group was deleted (deleteSubGroup) and created again, and starts at the old group's "
        "offset: messages were skipped, or a new start was expected",
        remedies=["I31-down"],
    ),
    case(
        "I31-running",
        REFUTED,
        "group-deleted",
        assumptions=[OFFSETS_REMOVED],
        where="where the offsets are removed while consumers may run, or what they sent is on its way",
        why="a consumer that runs keeps its cell, and its next persistAll, pull or shutdown commits it again, "
        "since 5.3.0 once a heartbeat or pull has made the group",
        symptom="a consumer group was deleted with its offsets (-r true) while a consumer was running, and they are "
        "back",
        remedies=["I31-down"],
    ),
    case(
        "I31-broker-kill",
        REFUTED,
        "group-deleted-restart",
        assumptions=[OFFSETS_REMOVED, GROUP_DELETED_WHILE_DOWN],
        where="where the offsets are removed while no consumer runs, and the broker may be killed",
        why="the deletion changes the table in memory; the offset file is written every five seconds, and a broker "
        "that is killed before that comes back with the rows",
        symptom="a consumer group was deleted with its offsets, the broker crashed within seconds, and they are back",
        no_remedy="the file is written every five seconds; look at the group's progress after a crash",
    ),
    case(
        "I31-down",
        HOLDS,
        "group-deleted",
        assumptions=[OFFSETS_REMOVED, GROUP_DELETED_WHILE_DOWN],
        needs=["W-group-made-again"],
        where="where the offsets are removed while no consumer runs and everything sent is executed; no broker is "
        "killed, and no administrator writes the offset",
        why="it starts as any group without an offset does, which need not be where CONSUME_FROM_LAST_OFFSET says: "
        "see I13",
    ),
)
def group_made_again_starts_as_a_new_one(before: Group, after: Group, step: Step) -> bool:  # noqa: ARG001 - it is asked before
    """A group that was deleted past its first message has no offset when a consumer of that name asks for it again."""
    if step.action not in _ANSWERS:
        return True
    return implies(before.ghost_group_deleted, holds(before.broker, Broker.committed, None))

"""The broker's offset, and where a group starts."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, Step, always, at_rest, case, each_step, every, implies, remedy, some
from offsetproof.model.releases import ONLY_CODE_22
from offsetproof.model.shared.group import Group
from offsetproof.model.variants import (
    COMMITS_IN_ORDER,
    MONOTONE_COMMITS,
    NO_ZERO_ANSWER,
    OFFSET_ZERO_COLD,
    QUERIES_IN_ORDER,
    ROW_MADE_ATOMICALLY,
)
from offsetproof.model.vocabulary import Origin

_ADMINISTRATOR = (
    "administrator_updates_offset",
    "administrator_queries_min_offset",
    "administrator_resets_offline",
    "administrator_deletes_topic",
    "administrator_deletes_group_with_offsets",
)


@each_step(
    case(
        "I3",
        REFUTED,
        *("come-back", "hand-over", "broker-restart"),
        why="commits are unconditional, so one that is overtaken, an owner that does not know yet that it is none, or "
        "an old offset file each set it back",
        symptom="the committed offset went backward on a dashboard",
        remedies=[
            "I3-monotone",
            remedy("hand-over", fixes=[MONOTONE_COMMITS], bounds={"messages": 1}),
        ],
    ),
    case(
        "I3-calm",
        REFUTED,
        "come-back",
        assumptions=[COMMITS_IN_ORDER, QUERIES_IN_ORDER],
        where="for one consumer whose one-way commits and queries are executed in the order of sending",
        why="a pull carries the offset of the moment when it was sent, and may arrive after a later commit",
        remedies=["I3-monotone"],
    ),
    case(
        "I3-monotone",
        HOLDS,
        *("come-back", "take-over", "restart-in-order"),
        fixes=[MONOTONE_COMMITS],
        where="with a broker that ignores a commit below the stored offset",
    ),
)
def broker_offset_never_falls(before: Group, after: Group, step: Step) -> bool:
    """The broker's offset never decreases unless a reset or an administrator did it."""
    if step.action in _ADMINISTRATOR:
        return True
    was, now = before.broker.committed, after.broker.committed
    if was is None or now is None:
        return some([was is None, now is not None])
    return some([now >= was, executes_a_reset(before, step)])


def executes_a_reset(before: Group, step: Step) -> bool:
    """Is what the broker writes in this step a reset's own?"""
    if before.scope.resets == 0:
        return False
    if step.action in ("broker_writes_target", "administrator_resets_offline"):
        return True
    if step.action == "broker_publishes_row":
        return before.broker.row_origin == Origin.RESET
    if step.action not in ("broker_executes_commit", "broker_executes_newer_commit_first"):
        return False
    place = step.args["p"] if step.action == "broker_executes_newer_commit_first" else 0
    return before.consumer[step.args["c"]].commits[place].origin == Origin.RESET


@at_rest(
    case(
        "I3-heals",
        HOLDS,
        "come-back",
        needs=["W-rest", "W-set-back"],
        where="for a consumer that goes on running with its topic",
        why="the owner commits again whatever was set back",
    ),
    case(
        "I3-heals-running-info",
        HOLDS,
        "running-info",
        needs=["W-inspected", "W-set-back"],
        where="where an operator asks for the consumer's running info, and it goes on running with its topic",
        why="the next poll that ends without news raises the cell again",
    ),
    case(
        "I3-heals-query-error",
        HOLDS,
        "take-over",
        needs=["W-rest", "W-set-back"],
        where="where the queue changes hands and a query may fail, for consumers that go on running with their topic",
        why="a late task of the old owner sets the broker's offset back, and the new owner, whose query failed, starts "
        "at the max offset without a cell; its first poll that ends without news makes one",
    ),
    case(
        "I3-heals-query-error-fixed",
        HOLDS,
        "take-over",
        fixes=[ONLY_CODE_22],
        needs=["W-rest", "W-set-back"],
        where="where a query may fail, with the fix of 5.0.0, for one message, and consumers that go on running",
    ),
)
def broker_offset_is_repaired_at_rest(group: Group) -> bool:
    """At rest the broker's offset is as high as it ever was."""
    committed = group.broker.committed
    return implies(committed is not None, committed is None or committed >= group.ghost_highest)


@always(
    case(
        "I11",
        REFUTED,
        "first-commits",
        why="a commit that finds no row makes one and puts it in place of what another commit has put there meanwhile",
        symptom="a queue of a new group has no offset although it was committed",
        remedies=["I11-fixed"],
    ),
    case(
        "I11-fixed",
        HOLDS,
        "first-commits",
        fixes=[ROW_MADE_ATOMICALLY],
        where="with the fix of PR #10701 and #10992, where no broker is killed and no administrator removes the row",
    ),
)
def first_commits_of_two_queues_survive(group: Group) -> bool:
    """What was committed for a queue of a new group stays stored, whatever is committed for another queue."""
    here = implies(group.ghost_has_committed, group.broker.committed is not None)
    there = implies(group.ghost_neighbour_has_committed, group.broker.neighbour_committed)
    return every([here, there])


@each_step(
    case(
        "I13",
        REFUTED,
        "warm-start",
        why="as long as offset 0 is stored and in memory the broker answers 0 instead of `not found`",
        symptom="a new group with CONSUME_FROM_LAST_OFFSET was given the history of its topic",
        remedies=["I13-fixed"],
    ),
    case(
        "I13-cold",
        HOLDS,
        "cold-start",
        assumptions=[OFFSET_ZERO_COLD],
        needs=["W-cold-start"],
        where="where the queue is empty, or its offset 0 has left the broker's memory",
    ),
    case(
        "I13-fixed",
        HOLDS,
        "warm-start",
        fixes=[NO_ZERO_ANSWER],
        where="with a broker that never answers 0 for a group without offset",
    ),
    case(
        "I13-recreated",
        HOLDS,
        "recreated-start",
        assumptions=[OFFSET_ZERO_COLD],
        needs=["W-started-after-fall"],
        where="where the topic is deleted and created again, and is empty or cold when the group starts",
        why="a topic that was cold is warm again once it is created again: until its new offset 0 has left the memory, "
        "a new group is given its history, see I13",
    ),
    case(
        "I13-recreated-fixed",
        HOLDS,
        "recreated-start",
        fixes=[NO_ZERO_ANSWER],
        needs=["W-started-after-fall"],
        where="where the topic is deleted and created again, with a broker that never answers 0",
        why="a group that asked before the deletion starts at the former end, which may be beyond the new one; it is "
        "then repaired, or passes what it should be given, see I4-recreated",
    ),
)
def new_group_starts_at_max(before: Group, after: Group, step: Step) -> bool:  # noqa: ARG001 - the start is in before
    """A new group with CONSUME_FROM_LAST_OFFSET starts at the max offset of the moment at its first start."""
    owed_from = before.ghost_owed_from
    consumer = before.consumer[step.args["c"]] if step.action == "rebalance_adds_queue" else None
    if consumer is None or owed_from is None:
        return True
    first = consumer.process_queues_made == 0
    return implies(first, consumer.rebalance[step.args["r"]].start >= owed_from)


@each_step(case("I22", HOLDS, "come-back", needs=["W-piggyback"]))
def only_a_fresh_pull_commits(before: Group, after: Group, step: Step) -> bool:
    """A held or woken poll never commits; a fresh pull that is not refused commits what was frozen in it."""
    if step.action.startswith("poll_"):
        return before.broker.committed == after.broker.committed
    if step.action == "broker_receives_pull":
        pq = before.consumer[step.args["c"]].process_queue[step.args["pq_id"]]
        if after.scope.neighbours > 0 and before.broker.row_being_made is None:
            is_row = after.broker.row_being_made == pq.piggyback
            return some([before.refuses_pulls(), after.broker.committed == pq.piggyback, is_row])
        return some([before.refuses_pulls(), after.broker.committed == pq.piggyback])
    return True

"""Claims about the broker's offset and about where a group starts."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, Step, always, at_rest, each_step, implies
from offsetproof.model.group import Group
from offsetproof.model.variants import (
    COMMITS_IN_ORDER,
    MONOTONE_COMMITS_FIX,
    NO_ZERO_ANSWER_FIX,
    ONLY_CODE_22_FIX,
    QUERIES_IN_ORDER,
    ROW_MADE_ATOMICALLY_FIX,
)

_ADMINISTRATOR = ("administrator_updates_offset", "administrator_queries_min_offset")


def _never_falls(before: Group, after: Group, step: Step) -> bool:
    if step.action in _ADMINISTRATOR:
        return True
    was, now = before.broker.committed, after.broker.committed
    if was is None or now is None:
        return (was is None) | (now is not None)
    return now >= was


@each_step(id="I3", expected={"4.9.4": REFUTED}, scopes=["come-back", "hand-over", "broker-restart"])
def broker_offset_never_falls(before: Group, after: Group, step: Step) -> bool:
    """The broker's offset never decreases unless a reset or an administrator did it.

    Refuted: commits are unconditional, so one that is overtaken, an owner that does not know yet that it is none, or
    an old offset file each set it back.
    """
    return _never_falls(before, after, step)


@each_step(
    id="I3-calm", expected={"4.9.4": REFUTED}, scopes=["come-back"], assumptions=[COMMITS_IN_ORDER, QUERIES_IN_ORDER]
)
def broker_offset_of_one_consumer_never_falls(before: Group, after: Group, step: Step) -> bool:
    """The same for one consumer whose one-way commits and queries are executed in the order of sending.

    Still refuted: a pull carries the offset of the moment when it was sent, and may arrive after a later commit.
    """
    return _never_falls(before, after, step)


@each_step(id="I3-monotone", expected={"4.9.4": HOLDS}, scopes=["come-back", "take-over"], fixes=[MONOTONE_COMMITS_FIX])
def broker_offset_never_falls_where_commits_are_monotone(before: Group, after: Group, step: Step) -> bool:
    """The same with a broker that ignores a commit below the stored offset."""
    return _never_falls(before, after, step)


@at_rest(id="I3-heals", expected={"4.9.4": HOLDS}, scopes=["come-back"], needs=["W-rest", "W-set-back"])
def broker_offset_is_repaired_at_rest(group: Group) -> bool:
    """At rest the broker's offset is as high as it ever was: the owner commits again whatever was set back."""
    return _is_as_high_as_ever(group)


def _is_as_high_as_ever(group: Group) -> bool:
    committed = group.broker.committed
    return implies(committed is not None, committed is None or committed >= group.ghost_highest)


@at_rest(id="I3-heals-query-error", expected={"4.9.4": REFUTED}, scopes=["take-over-two"])
def broker_offset_is_repaired_at_rest_although_a_query_fails(group: Group) -> bool:
    """The same where the queue changes hands and a query may fail.

    Refuted: a late task of the old owner brings its removed cell back, which sets the broker's offset back; the new
    owner, whose query failed, starts at the max offset without a cell, and has nothing to commit until a message comes.
    """
    return _is_as_high_as_ever(group)


@at_rest(
    id="I3-heals-query-error-fixed",
    expected={"4.9.4": HOLDS},
    scopes=["take-over"],
    needs=["W-rest", "W-set-back"],
    fixes=[ONLY_CODE_22_FIX],
)
def broker_offset_is_repaired_at_rest_when_only_code_22_means_none(group: Group) -> bool:
    """The same with the fix of 5.0.0, for one message."""
    return _is_as_high_as_ever(group)


@always(id="I11", expected={"4.9.4": REFUTED}, scopes=["first-commits"])
def first_commits_of_two_queues_survive(group: Group) -> bool:
    """What was committed for a queue of a new group stays stored, whatever is committed for another queue.

    Refuted: a commit that finds no row makes one and puts it in place of what another commit has put there meanwhile.
    """
    here = implies(group.ghost_has_committed, group.broker.committed is not None)
    there = implies(group.ghost_neighbour_has_committed, group.broker.neighbour_committed)
    return here & there


@always(id="I11-fixed", expected={"4.9.4": HOLDS}, scopes=["first-commits"], fixes=[ROW_MADE_ATOMICALLY_FIX])
def first_commits_of_two_queues_survive_with_compute_if_absent(group: Group) -> bool:
    """The same with the fix of PR #10701 and #10992."""
    return first_commits_of_two_queues_survive.function(group)


def _starts_as_documented(before: Group, step: Step) -> bool:
    owed_from = before.ghost_owed_from
    consumer = before.consumer[step.args["c"]] if step.action == "rebalance_adds_queue" else None
    if consumer is None or owed_from is None:
        return True
    first = consumer.lives_created == 0
    return implies(first, consumer.rebalance[step.args["r"]].start >= owed_from)


@each_step(id="I13", expected={"4.9.4": REFUTED}, scopes=["warm-start"])
def new_group_starts_at_max(before: Group, after: Group, step: Step) -> bool:  # noqa: ARG001 - the start is in before
    """A new group with CONSUME_FROM_LAST_OFFSET starts at the max offset of the moment at its first start.

    Refuted: as long as offset 0 is stored and in memory the broker answers 0 instead of `not found`.
    """
    return _starts_as_documented(before, step)


@each_step(id="I13-cold", expected={"4.9.4": HOLDS}, scopes=["cold-start"])
def new_group_starts_at_max_when_zero_is_cold(before: Group, after: Group, step: Step) -> bool:  # noqa: ARG001 - the start is in before
    """The same where offset 0 has left the broker's memory."""
    return _starts_as_documented(before, step)


@each_step(id="I13-fixed", expected={"4.9.4": HOLDS}, scopes=["warm-start"], fixes=[NO_ZERO_ANSWER_FIX])
def new_group_starts_at_max_without_zero_answers(before: Group, after: Group, step: Step) -> bool:  # noqa: ARG001 - the start is in before
    """The same with a broker that never answers 0 for a group without offset."""
    return _starts_as_documented(before, step)


@each_step(id="I22", expected={"4.9.4": HOLDS}, scopes=["come-back"], needs=["W-piggyback"])
def only_a_fresh_pull_commits(before: Group, after: Group, step: Step) -> bool:
    """A held or woken poll never commits; a fresh pull commits the value that was frozen when it was sent."""
    if step.action.startswith("poll_"):
        return before.broker.committed == after.broker.committed
    if step.action == "broker_receives_pull":
        pq = before.consumer[step.args["c"]].process_queue[step.args["life"]]
        return after.broker.committed == pq.piggyback
    return True

"""Where offset resets land: what was answered with success, by time, and on several brokers."""

from __future__ import annotations

from offsetproof.lang import (
    HOLDS,
    REFUTED,
    OffsetSet,
    at_rest,
    case,
    every,
    implies,
    remedy,
)
from offsetproof.model.releases import (
    CLUSTER_MEANS_CPLUS,
    ERROR_COUNTS_AS_SUCCESS,
    FIRST_OF_EQUAL_TIMES,
    NUMERIC_TIME_WORKS,
    R_5_3_3,
    SERVER_SIDE_RESET,
)
from offsetproof.model.shared.group import Group
from offsetproof.model.variants import (
    EVERY_BROKER_ANSWERS,
    NOTHING_LOST,
    PERSIST_IN_ONE,
    POLL_CHECKS_DROPPED,
    RESET_BY_OLD_COMMAND,
    RESET_CONCURRENTLY,
    RESET_WITH_CLUSTER,
    RESET_WRITES_ALWAYS,
    RESETS_NUMBERED,
    UPDATE_CHECKS_DROPPED,
)
from offsetproof.model.vocabulary import Direction, ResetLoop


@at_rest(
    case(
        "I6",
        REFUTED.unless(SERVER_SIDE_RESET),
        "moving-reset",
        needs=["W-reset-landed"],
        why="the client writes the target only for queues that are in its table when it wakes, and nobody else does",
        symptom="the tool said that the reset succeeded, and nothing changed: the queue had moved to another consumer",
        no_remedy="with reset-writes-always the timer's persistAll may remove the cell of a queue that has left the "
        "table before the reset has sent it; the fix would have to send the target itself",
    ),
    case(
        "I6-kept",
        HOLDS,
        "calm-reset",
        needs=["W-rest-after-reset"],
        where="for one consumer that keeps the queue",
    ),
    case(
        "I6-lost-command",
        REFUTED.unless(SERVER_SIDE_RESET),
        "lost-reset",
        where="for one consumer that keeps the queue, where a one-way request may be lost",
        why="the broker swallows the exception of the one-way request, and answers with success",
        symptom="the tool said that the reset succeeded, and nothing changed: the command never arrived",
        remedies=["I6-nothing-lost"],
    ),
    case(
        "I6-restarted",
        REFUTED.unless(SERVER_SIDE_RESET),
        "reset-restart-in-order",
        where="for one consumer that keeps the queue, where the broker is restarted in order",
        why="the client sends its reset's target one-way, and a restart takes away what is on its way: nobody sends it "
        "again",
        symptom="the tool said that the reset succeeded, and nothing changed: the broker was restarted right then",
        no_remedy="look at the offset after a restart, and reset again",
    ),
    case(
        "I6-expired",
        REFUTED.unless(SERVER_SIDE_RESET),
        "fine-reset",
        where="for one consumer that keeps the queue, where a run of rebalance asks for the group's members after it "
        "has found the consumer not paused",
        why="the members come two minutes later: the run takes the queue that the reset has dropped for unpulled, and "
        "removes it before the reset's thread, which stands as long, writes the target",
        symptom="the tool said that the reset succeeded, and nothing changed: the client stood for two minutes and "
        "logged `because pull is pause`",
        remedies=[remedy("fine-reset", fixes=[RESET_WRITES_ALWAYS], assumptions=[PERSIST_IN_ONE])],
    ),
    case(
        "I6-old-command",
        REFUTED.unless(NUMERIC_TIME_WORKS),
        "reset-by-time",
        assumptions=[RESET_BY_OLD_COMMAND],
        needs=["W-rest-after-reset"],
        where="where the administrator uses resetOffsetByTimeOld with a time in milliseconds",
        why="a tool of 4.9.x resets in the handler of NumberFormatException alone: with a number it asks no broker, "
        "and ends without an error",
        symptom="mqadmin resetOffsetByTimeOld -s MILLISECONDS said nothing of an error, and changed nothing",
        remedies=[remedy("reset-by-time", fixes=[NUMERIC_TIME_WORKS])],
    ),
    case(
        "I6-cluster",
        REFUTED.unless(SERVER_SIDE_RESET),
        "reset-by-time",
        only_of=[CLUSTER_MEANS_CPLUS],
        assumptions=[RESET_WITH_CLUSTER],
        needs=["W-rest-after-reset"],
        where="where the administrator names the cluster to a tool of 5.x (`-c CLUSTER`)",
        why="the tool takes `-c` for clients in C++, too; a broker that sends commands sends a list where Java clients "
        "expect a map, and they throw as they decode it",
        symptom="mqadmin resetOffsetByTime -c CLUSTER showed the new offsets, and nothing changed",
        no_remedy="leave `-c` out",
    ),
    case(
        "I6-concurrently",
        REFUTED,
        "reset-by-time",
        only_of=[ERROR_COUNTS_AS_SUCCESS],
        assumptions=[RESET_CONCURRENTLY],
        where="where a program resets with resetOffsetNewConcurrent, and a broker may refuse",
        why="a broker that answers SYSTEM_ERROR (it is a slave, there is no such group, no queue) is put into the list "
        "of those that have reset",
        symptom="resetOffsetNewConcurrent named no failure, and the offset is where it was",
        no_remedy="look at the offset; resetOffsetByTimestamp and resetOffsetNew throw an exception",
    ),
    case(
        "I6-nothing-lost",
        HOLDS,
        "lost-reset",
        assumptions=[NOTHING_LOST],
        needs=["W-rest-after-reset"],
        where="for one consumer that keeps the queue, given that every one-way request arrives",
    ),
    case(
        "I6-twice",
        HOLDS,
        "reset-twice",
        needs=["W-second-reset-landed", "W-rest-after-reset"],
        where="for one consumer that keeps the queue, of each of two resets, the last one at rest",
    ),
)
def answered_reset_has_landed(group: Group) -> bool:
    """At rest, a reset that was answered with success has been written to the broker."""
    return implies(group.ghost_answered, group.ghost_landed)


@at_rest(
    case(
        "I6-time",
        REFUTED,
        "equal-times",
        why="where several messages were stored at the same time the search stops at any of them",
        symptom="a reset to a time left out messages that were stored at that very time",
        remedies=[
            "I6-time-stable",
            *(
                remedy("equal-times", fixes=[fix], release=R_5_3_3.name)
                for fix in (UPDATE_CHECKS_DROPPED, RESETS_NUMBERED)
            ),
        ],
    ),
    case(
        "I6-time-fixed",
        REFUTED,
        "equal-times",
        fixes=[FIRST_OF_EQUAL_TIMES],
        where="with the search of 5.1.1",
        why="what makes any reset unstable is still there: see I5",
        remedies=["I6-time-stable"],
    ),
    case(
        "I6-time-stable",
        HOLDS.unless(SERVER_SIDE_RESET),
        "equal-times",
        fixes=[FIRST_OF_EQUAL_TIMES, POLL_CHECKS_DROPPED],
        needs=["W-reset-by-time"],
        where="with the search of 5.1.1 and the fix of PR #10087, for a consumer that goes on running with its topic",
        why="nothing is late, overtaken or stalled here",
    ),
)
def reset_to_a_time_delivers_everything_since(group: Group) -> bool:
    """At rest, a backward reset to a time has had every message delivered again that was stored then or later."""
    stored = OffsetSet.below(group.broker.max_offset)
    since = stored - OffsetSet.below(group.ghost_target) - group.owed_to_nobody()
    landed = every([group.ghost_landed, group.ghost_direction == Direction.BACKWARD])
    return implies(landed, (since - group.ghost_redone).count() == 0)


@at_rest(
    case(
        "I21",
        REFUTED,
        "two-brokers",
        needs=["W-both-brokers-answered"],
        why="the tool asks one broker after the other, and the first failure ends its loop",
        symptom="a reset of a topic on several brokers changed only some of them",
        remedies=["I21-answered"],
    ),
    case(
        "I21-answered",
        HOLDS,
        "two-brokers",
        assumptions=[EVERY_BROKER_ANSWERS],
        needs=["W-both-brokers-answered"],
        where="given that every broker answered",
    ),
)
def reset_of_two_brokers_is_all_or_nothing(group: Group) -> bool:
    """At rest, a reset of a topic on two brokers has landed on both or on none."""
    return implies(group.ghost_landed, group.reset_loop == ResetLoop.BOTH_ANSWERED)

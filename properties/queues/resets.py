"""Resets of several queues: where they end, and how they stay."""

from __future__ import annotations

from offsetproof.lang import (
    HOLDS,
    REFUTED,
    OffsetSet,
    always,
    at_rest,
    case,
    every,
    implies,
    negation,
    some,
)
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.variants import (
    COMMANDS_IN_ORDER,
    EVERY_BROKER_ANSWERS,
    NEWER_COMMAND_REPLACES,
    POLL_CHECKS_DROPPED,
    RESET_WHILE_DOWN,
    RESET_WRITES_ALWAYS,
    RESETS_APART,
)
from offsetproof.model.releases import REPLIES_BY_CALLBACK_THREADS, SERVER_SIDE_RESET
from offsetproof.model.vocabulary import Direction
from offsetproof.properties.queues.unnamed import KEPT

_ONE, _TWICE = ("two-brokers", "one-broker"), ("twice", "twice-two-brokers")
_LANDS = ("twice", "twice-empty")
_FIRST_DONE = "where the administrator waits until all clients have done with the first of two resets"
_IN_TURN = "commands that wait for resetOffset's monitor get it in any order"
_WHILE_DOWN = (
    "where the group is stopped when a reset of two brokers begins, all that its clients had sent has ended, none "
    "starts before the tool has every answer, and nobody writes the offset of a single queue"
)


@at_rest(
    case(
        "I6",
        HOLDS,
        *_ONE,
        "ends-half-way",
        needs=["W-both-landed"],
        where=f"after one reset, where {KEPT}",
        why="each command names its broker's queues, and the second one finds in the table what the first one's "
        "rebalance has put there",
    ),
    case(
        "I6-twice",
        REFUTED.unless(SERVER_SIDE_RESET),
        *_LANDS,
        needs=["W-second-done"],
        where="where the administrator resets again before the clients have done with the first reset, and nobody "
        "writes the offset of a single queue",
        why=f"{_IN_TURN}: the older one of a broker may be executed last, and its target stands",
        symptom="the offset is where the reset before the last one had put it, of all queues or of one broker's",
        remedies=["I6-twice-apart", "I6-twice-in-order", "I6-twice-replaced"],
    ),
    case(
        "I6-twice-apart",
        HOLDS,
        *_LANDS,
        assumptions=[RESETS_APART],
        needs=["W-second-done"],
        where=f"{_FIRST_DONE}, {KEPT}",
        why="that takes ten seconds for each broker",
    ),
    case(
        "I6-twice-in-order",
        HOLDS,
        *_LANDS,
        not_of=[SERVER_SIDE_RESET],
        assumptions=[COMMANDS_IN_ORDER],
        needs=["W-second-done"],
        where=f"where a client executes one broker's commands in their order, {KEPT}",
    ),
    case(
        "I6-twice-replaced",
        HOLDS,
        *_LANDS,
        not_of=[SERVER_SIDE_RESET],
        fixes=[NEWER_COMMAND_REPLACES],
        needs=["W-second-done"],
        where=f"where a newer command takes the place of one that waits, {KEPT}",
    ),
    case(
        "I6-twice-one-cpu",
        HOLDS.unless(REPLIES_BY_CALLBACK_THREADS),
        "twice-one-cpu",
        not_of=[SERVER_SIDE_RESET],
        needs=["W-second-landed"],
        where=f"where one thread executes all commands, {KEPT}",
        why="a broker's commands come over one connection and wait for that thread in their order. Since 5.2.0 the "
        "rebalance of resume gets no answer from that thread, so a second command may find no queue in the table",
    ),
    case(
        "I6-half-way",
        REFUTED.unless(SERVER_SIDE_RESET),
        "half-way",
        needs=["W-half-way-repaired"],
        where="where the first reset has ended at the second broker, and the administrator resets again at once",
        why=f"{_IN_TURN}: that the first run has failed changes nothing of what its first broker has sent",
        symptom="a reset failed at one of the brokers, was repeated with success, and the queues of a broker that had "
        "answered both are where the failed one had put them",
        remedies=["I6-half-way-apart"],
    ),
    case(
        "I6-half-way-apart",
        HOLDS,
        "half-way",
        assumptions=[RESETS_APART],
        needs=["W-half-way-repaired"],
        where="where the first reset has ended at the second broker, the next one comes when its commands are done, "
        f"{KEPT}",
    ),
    case(
        "I6-moving",
        REFUTED.unless(SERVER_SIDE_RESET),
        "moving-reset",
        needs=["W-moved-and-landed"],
        where="where queues move between clients, and nobody writes the offset of a single queue",
        why="a client writes the target only for queues that are in its table when it wakes",
        symptom="the tool said that the reset succeeded, and queues that were moving between consumers kept theirs",
        remedies=["I6-moving-fixed"],
    ),
    case(
        "I6-moving-fixed",
        HOLDS,
        "moving-reset",
        not_of=[SERVER_SIDE_RESET],
        fixes=[RESET_WRITES_ALWAYS],
        where="where queues move between clients, each of which writes the target of every queue, for one reset",
        needs=["W-moved-and-landed"],
    ),
)
def answered_reset_is_the_last_that_landed(group: QueueGroup) -> bool:
    """At rest, of each queue, the last reset that its broker answered is the last one that was written to it."""
    return every(queue.ghost_landed == queue.ghost_answered for queue in group.queue)


@always(
    case(
        "I5",
        REFUTED,
        "held-polls",
        why="a poll that was held before the reset ends after it, with an empty cache, and raises the cell to the end: "
        "of one broker's queues as of one queue. A reset at the broker is undone by the pull that takes a queue's "
        "marker: the commit that it carries is executed after that",
        symptom="the reset stuck on some queues of the topic, and on others it did not",
        remedies=["I5-fixed"],
    ),
    case(
        "I5-fixed",
        HOLDS,
        "held-polls",
        not_of=[SERVER_SIDE_RESET],
        fixes=[POLL_CHECKS_DROPPED],
        needs=["W-poll-outlives-reset"],
        where=f"with the fix of PR #10087, after one reset, where {KEPT}",
        why="nothing stalls here, and nothing is overtaken",
    ),
    case(
        "I5-one-cpu",
        REFUTED,
        "one-cpu",
        not_of=[SERVER_SIDE_RESET],
        where="where one thread runs resets and pull callbacks",
        why="the callback of a poll that ended while the thread slept waits until the reset is over, and then raises "
        "the cell that the rebalance of resume has written",
        symptom="on a machine with one CPU, the offset of an idle queue is back at its end soon after the consumer has "
        "resumed, and what is not consumed again until the consumer stops is skipped",
        remedies=["I5-one-cpu-fixed"],
    ),
    case(
        "I5-one-cpu-fixed",
        HOLDS,
        "one-cpu",
        not_of=[SERVER_SIDE_RESET],
        fixes=[POLL_CHECKS_DROPPED],
        needs=["W-poll-outlives-reset"],
        where="where one thread runs resets and pull callbacks, with the fix of PR #10087, after one reset, where "
        f"{KEPT}",
    ),
    case(
        "I5-timely",
        HOLDS.unless(SERVER_SIDE_RESET),
        *_ONE,
        needs=["W-both-landed"],
        where=f"after one reset, where no poll is held for as long as it sleeps, {KEPT}",
    ),
    case(
        "I5-twice",
        REFUTED,
        *_TWICE,
        where="where the administrator resets again before the clients have done with the first reset",
        why=f"{_IN_TURN}: the older one sets the cell to its own target after the last one has landed",
        symptom="the last of several resets did not stick, or only on one broker's queues",
        remedies=["I5-twice-apart"],
    ),
    case(
        "I5-twice-apart",
        HOLDS.unless(SERVER_SIDE_RESET),
        *_TWICE,
        "half-way",
        assumptions=[RESETS_APART],
        needs=["W-second-landed"],
        where=f"{_FIRST_DONE}, whether that was asked of all brokers or not, no poll is held for as long as a reset "
        f"sleeps, {KEPT}",
    ),
    case(
        "I5-while-down",
        HOLDS,
        "stopped-reset",
        only_of=[SERVER_SIDE_RESET],
        assumptions=[RESET_WHILE_DOWN],
        needs=["W-stopped-and-landed"],
        where=_WHILE_DOWN,
        why="the first pull of each queue after that starts from the target, and takes the marker",
    ),
)
def backward_reset_stays_on_every_queue(group: QueueGroup) -> bool:
    """From a backward reset's landing on a queue, its offset v has everything from the target to v done again."""
    end = group.scope.messages
    stays = []
    for queue in group.queue:
        missing = OffsetSet.below(end) - OffsetSet.below(queue.ghost_target) - queue.ghost_redone
        back = every([queue.has_landed(), queue.ghost_direction == Direction.BACKWARD])
        stays.append(implies(back, queue.offset_for_query() <= missing.lowest(default=end)))
    return every(stays)


@always(
    case(
        "I5-forward",
        HOLDS.unless(SERVER_SIDE_RESET),
        *_ONE,
        *("held-polls", "one-cpu"),
        not_in={"one-cpu": [SERVER_SIDE_RESET]},
        needs=["W-forward-landed"],
        where=f"after one reset, where {KEPT}",
    ),
    case(
        "I5-forward-twice",
        REFUTED,
        *_TWICE,
        where="where the administrator resets again before the clients have done with the first reset",
        why=f"{_IN_TURN}: the older one sets the cell to its own target after the last one has landed",
        symptom="messages that the last of several resets was to skip are delivered",
        remedies=["I5-forward-twice-apart"],
    ),
    case(
        "I5-forward-twice-apart",
        HOLDS.unless(SERVER_SIDE_RESET),
        *_TWICE,
        "half-way",
        assumptions=[RESETS_APART],
        needs=["W-second-landed"],
        where=f"{_FIRST_DONE}, {KEPT}",
    ),
    case(
        "I5-forward-while-down",
        HOLDS,
        "stopped-reset",
        only_of=[SERVER_SIDE_RESET],
        assumptions=[RESET_WHILE_DOWN],
        needs=["W-forward-landed"],
        where=_WHILE_DOWN,
    ),
)
def forward_reset_stays_on_every_queue(group: QueueGroup) -> bool:
    """From a forward reset's landing on a queue, its offset is never below the target."""
    forward = [every([queue.has_landed(), queue.ghost_direction == Direction.FORWARD]) for queue in group.queue]
    reached = [queue.offset_for_query() >= queue.ghost_target for queue in group.queue]
    return every(implies(f, r) for f, r in zip(forward, reached, strict=True))


@at_rest(
    case(
        "I21",
        REFUTED,
        "half-way",
        assumptions=[RESETS_APART],
        why="the tool asks one broker after the other, and the first failure ends its loop",
        symptom="a reset of a topic on several brokers changed only the queues of some of them",
        remedies=["I21-answered"],
    ),
    case(
        "I21-answered",
        HOLDS,
        "half-way",
        assumptions=[RESETS_APART, EVERY_BROKER_ANSWERS],
        needs=["W-second-landed"],
        where=f"given that every broker answers, where {KEPT}",
    ),
    case(
        "I21-one-broker",
        HOLDS,
        "twice",
        assumptions=[RESETS_APART],
        needs=["W-second-landed"],
        where=f"for two queues of one broker, which one command names, where {KEPT}",
    ),
)
def reset_lands_on_all_queues_or_on_none(group: QueueGroup) -> bool:
    """At rest, the last run of the reset tool has landed on every queue, or on none."""
    landed = [queue.ghost_landed == group.resets_begun for queue in group.queue]
    return some([every(landed), negation(some(landed))])

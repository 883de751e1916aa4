"""Resets of a broadcasting group that the broker does not refuse.

Where clients are told of resets a group without a row is refused (`consumer group not exist`), and nothing happens:
that is not a claim, and the groups here consumed in CLUSTERING mode before. A reset at the broker needs no row.
"""

from __future__ import annotations

from itertools import product

from offsetproof.lang import HOLDS, REFUTED, OffsetSet, always, at_rest, case, every, implies
from offsetproof.model.broadcasting.group import BroadcastGroup
from offsetproof.model.releases import FREEZES_CELL, MERGES_INTO_FILE, RELEASES, SERVER_SIDE_RESET
from offsetproof.model.variants import (
    POLL_CHECKS_DROPPED,
    RESET_DROPS_AGAIN,
    RESET_WRITES_ALWAYS,
    UPDATE_CHECKS_DROPPED,
)

_REPAIRED_OUT_OF_FILE = tuple(
    f"broker={broker.name},client={client.name}"
    for broker, client in product(RELEASES, RELEASES)
    if broker.shows(SERVER_SIDE_RESET) and not (client.shows(FREEZES_CELL) and client.shows(MERGES_INTO_FILE))
)
"""Mixed clusters in which the broker resets, and the client's repair does not reach its file: what the client writes
meanwhile passes the cell, which is not frozen, or its persist writes nothing.
"""


@always(
    case(
        "I5-broadcast",
        REFUTED,
        "broadcast-reset",
        needs=["W-reset-in-file"],
        why="a poll that was held all the time ends after the reset and corrects the cell, as in clustering; the "
        "landing itself takes a persistAll between two lines of resetOffset. A reset at the broker ends in a repair, "
        "whose second persist writes what a task of the dropped ProcessQueue has raised the next cell to",
        symptom="the reset of a broadcast consumer did not stick",
        remedies=["I5-broadcast-merged-fixed", "I5-broadcast-checked"],
    ),
    case(
        "I5-broadcast-merged",
        REFUTED,
        "broadcast-reset",
        not_of=[SERVER_SIDE_RESET],
        fixes=[MERGES_INTO_FILE],
        needs=["W-reset-in-file"],
        where="with the fix of 4.9.8 and 5.2.0, with which each reset lands",
        why="a poll that was held all the time ends after the reset and corrects the cell",
        symptom="since 4.9.8: the reset of a broadcast consumer did not stick",
        remedies=["I5-broadcast-merged-fixed"],
    ),
    case(
        "I5-broadcast-merged-orphan",
        REFUTED,
        "broadcast-reset",
        not_of=[SERVER_SIDE_RESET],
        fixes=[MERGES_INTO_FILE, POLL_CHECKS_DROPPED],
        where="with the fixes of 4.9.8 and of PR #10087",
        why="a rebalance that was under way when the reset began adds the queue while it sleeps; the reset takes that "
        "ProcessQueue out of the table undropped, and it goes on pulling and writing the cell",
        symptom="the reset of a broadcast consumer that had just started did not stick",
        remedies=["I5-broadcast-merged-fixed"],
    ),
    case(
        "I5-broadcast-merged-fixed",
        HOLDS,
        "broadcast-reset",
        not_of=[SERVER_SIDE_RESET],
        fixes=[MERGES_INTO_FILE, POLL_CHECKS_DROPPED, RESET_DROPS_AGAIN],
        needs=["W-reset-in-file"],
        where="with the fixes of 4.9.8 and of PR #10087, and a reset that drops what it takes out; no message is "
        "deleted or swept",
    ),
    case(
        "I5-broadcast-checked",
        HOLDS,
        "broadcast-reset",
        only_of=[SERVER_SIDE_RESET, MERGES_INTO_FILE],
        fixes=[UPDATE_CHECKS_DROPPED],
        needs=["W-reset-in-file"],
        where="where each write of a cell looks at `dropped`, no message is deleted or swept, and the client is "
        "neither shut down nor killed",
        why="no pull of a broadcasting client carries an offset, and what it writes meanwhile does not pass a frozen "
        "cell",
    ),
)
def broadcast_reset_stays(group: BroadcastGroup) -> bool:
    """From a reset's landing in the client's file, its offset v has everything from the target X to v done again."""
    stored = group.consumer[0].stored
    if stored is None or not group.has_one_client():
        return True
    since = OffsetSet.below(group.scope.messages) - OffsetSet.below(group.ghost_target)
    return implies(group.ghost_landed, stored <= (since - group.ghost_redone).lowest(default=group.scope.messages))


@at_rest(
    case(
        "I6-broadcast",
        REFUTED.unless(SERVER_SIDE_RESET),
        "broadcast-reset",
        elsewhere=dict.fromkeys(_REPAIRED_OUT_OF_FILE, REFUTED),
        needs=["W-rest-after-reset"],
        where="of a reset by force, where the route stays, and the client is neither shut down nor killed",
        why="the target is set only for queues in the table, which a client that has just started does not have; for "
        "the others see I6-broadcast-always",
        symptom="the tool said that the reset succeeded, and a broadcast consumer went on where it was",
        remedies=["I6-broadcast-fixed"],
    ),
    case(
        "I6-broadcast-always",
        REFUTED,
        "broadcast-reset",
        not_of=[SERVER_SIDE_RESET],
        fixes=[RESET_WRITES_ALWAYS],
        where="where a reset writes its target for a queue that is not in the table, too",
        why="the reset sets the cell, but persist is empty, and resume reads the file again: it takes a persistAll "
        "between two lines of resetOffset for the target to reach the file (apache/rocketmq #7740); 4.9.8's persist "
        "writes, but a held poll that ends before it raises the cell again",
        symptom="the tool said that the reset succeeded, and a broadcast consumer went on where it was",
        remedies=["I6-broadcast-fixed"],
    ),
    case(
        "I6-broadcast-merged",
        REFUTED,
        "broadcast-reset",
        not_of=[SERVER_SIDE_RESET],
        fixes=[MERGES_INTO_FILE],
        where="with the fix of 4.9.8 and 5.2.0, whose persist writes",
        why="the target is set only for queues in the table",
        symptom="since 4.9.8: a reset changed nothing for a broadcast consumer that had just started",
        remedies=["I6-broadcast-fixed"],
    ),
    case(
        "I6-broadcast-late-poll",
        REFUTED,
        "broadcast-reset",
        not_of=[SERVER_SIDE_RESET],
        fixes=[MERGES_INTO_FILE, RESET_WRITES_ALWAYS],
        where="with the fix of 4.9.8, and a reset that always writes its target",
        why="a held poll ends between the reset's write of the cell and its persist, and raises the cell again",
        symptom="since 4.9.8: a reset of an idle broadcast consumer changed nothing, though rarely",
        remedies=["I6-broadcast-fixed"],
    ),
    case(
        "I6-broadcast-fixed",
        HOLDS,
        "broadcast-reset",
        not_of=[SERVER_SIDE_RESET],
        fixes=[MERGES_INTO_FILE, RESET_WRITES_ALWAYS, POLL_CHECKS_DROPPED, RESET_DROPS_AGAIN],
        needs=["W-rest-after-reset"],
        where="with the fixes of 4.9.8 and of PR #10087, and a reset that always writes its target and drops what it "
        "takes out; the client is neither shut down nor killed, and no message is deleted",
    ),
)
def answered_reset_is_in_the_file(group: BroadcastGroup) -> bool:
    """At rest, a reset that was answered with success has reached the client's file."""
    return implies(every([group.has_one_client(), group.ghost_answered]), group.ghost_landed)


@at_rest(
    case(
        "I6-broadcast-each",
        REFUTED,
        "broadcast-reset-two-clients",
        only_of=[SERVER_SIDE_RESET],
        where="for a group of two clients",
        why="the broker has one marker for the group, topic and queue, and the first pull that comes takes it, "
        "whichever client's it is",
        symptom="since 5.2.0: a reset of a broadcasting group succeeds, and one of its consumers begins again from the "
        "target of a queue; the others go on where they are",
        no_remedy="the marker is the group's; with useServerSideResetOffset=false each client is told",
    ),
)
def answered_reset_is_in_every_file(group: BroadcastGroup) -> bool:
    """At rest, a reset that was answered with success has reached the file of each client."""
    return implies(group.ghost_answered, every(consumer.has_landed() for consumer in group.consumer))

"""What a broadcasting client does with messages: done before its file passes them, and not twice without a cause."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, OffsetSet, always, at_rest, case, implies, negation
from offsetproof.model.broadcasting.group import BroadcastGroup
from offsetproof.model.local.variants import START_PERSISTED
from offsetproof.model.releases import LOCKED_WHEN_ADDED, MERGES_INTO_FILE
from offsetproof.model.variants import ACK_AT_FAILURE, ACK_BEFORE_FAILURE, RECONSUME_LATER, SHUTDOWN_WAITS
from offsetproof.model.vocabulary import StopStep

_NO_ROW = "nothing is in the file yet, and LAST_OFFSET starts at the max offset of that moment"


def _passes_only(group: BroadcastGroup, accounted_for: OffsetSet) -> bool:
    """Is what the file's offset has passed accounted for, as far as it was owed?"""
    stored = group.consumer[0].stored
    if stored is None or not group.has_one_client():
        return True
    return stored <= (group.owed_offsets() - accounted_for).lowest(default=group.scope.messages)


@always(
    case(
        "I4-broadcast",
        HOLDS,
        *("broadcast", "broadcast-batch"),
        needs=["W-all-stored"],
        why="a task raises the cell to its own ProcessQueue's lowest unfinished message at most, and the file has the "
        "cell",
    ),
    case(
        "I4-broadcast-policy",
        HOLDS,
        *("broadcast", "broadcast-batch"),
        listener=RECONSUME_LATER,
        needs=["W-dropped-by-policy"],
        where="with a listener that may return RECONSUME_LATER or null, or throw",
        why="what failed is logged and forgotten: it counts as consumed, with those of its batch that were never tried",
    ),
    case(
        "I4-broadcast-ack",
        REFUTED,
        "broadcast-batch",
        listener=ACK_AT_FAILURE,
        where="with a listener that sets ackIndex to the message at which it fails",
        why="ackIndex i acknowledges message i as well, so that it is not even logged as failed",
        symptom="a broadcast message that failed was neither delivered again nor logged",
        remedies=["I4-broadcast-ack-before"],
    ),
    case(
        "I4-broadcast-ack-before",
        HOLDS,
        "broadcast-batch",
        listener=ACK_BEFORE_FAILURE,
        needs=["W-dropped-by-policy"],
        where="with a listener that sets ackIndex to the message before the one at which it fails",
    ),
    case(
        "I4-broadcast-orderly",
        REFUTED,
        "broadcast-orderly-one",
        fixes=[LOCKED_WHEN_ADDED],
        where="with an orderly listener, where a ProcessQueue is marked as locked when it is made (4.9.5)",
        why="the first pull under the lock asks again where to start, and LAST_OFFSET says the max offset of that "
        "moment: what came since the rebalance asked is passed",
        symptom="an orderly broadcast consumer skipped the first messages after it was started",
        remedies=["I4-broadcast-orderly-fixed"],
    ),
    case(
        "I4-broadcast-orderly-fixed",
        HOLDS,
        "broadcast-orderly-one",
        fixes=[LOCKED_WHEN_ADDED, START_PERSISTED],
        needs=["W-all-stored"],
        where="with one queue and an orderly listener, where a ProcessQueue is marked as locked when it is made, and "
        "every start is written to the file before the queue is added",
        why="the file answers the second time as it did the first; with another queue, before 4.9.8, a persistAll in "
        "between may write a file without this one",
    ),
    case(
        "I4-broadcast-swept",
        REFUTED,
        "broadcast-sweep",
        where="where a message is with its listener for over 15 minutes",
        why="the expiry sweep sends a copy to %RETRY% in this mode, too, where no broadcasting client reads it, and "
        "takes the message out of the cache: the offset passes it while its listener still runs",
        symptom="a broadcast message that took longer than consumeTimeout was lost when its client was restarted",
        no_remedy="no fix of the sweep is in the model; a listener that is done within consumeTimeout meets none",
    ),
    case(
        "I4-broadcast-killed",
        REFUTED,
        "broadcast-kills",
        where="where the client may be killed before its first persistAll, 10 s after its start",
        why=_NO_ROW,
        symptom="a broadcast consumer that was killed soon after its first start skipped messages",
        remedies=["I4-broadcast-killed-persisted"],
    ),
    case(
        "I4-broadcast-killed-persisted",
        HOLDS,
        *("broadcast-kills", "broadcast-shutdown", "broadcast-route"),
        fixes=[START_PERSISTED],
        needs=["W-later-process-queue-from-file"],
        where="where every start is written to the file at once; the client may be killed or shut down, or its "
        "only queue may leave the route for a while",
        why="persistAll without any queue leaves the file alone",
    ),
    case(
        "I4-broadcast-shutdown",
        REFUTED,
        "broadcast-shutdown",
        where="where the client is shut down gracefully and started again",
        why="a queue has no cell before its first message is consumed or its first poll has ended, some 15 s after the "
        "start: the shutdown writes no row for it",
        symptom="a broadcast consumer that was restarted within seconds of its first start skipped messages",
        remedies=["I4-broadcast-killed-persisted"],
    ),
    case(
        "I4-broadcast-file-lost",
        REFUTED,
        "broadcast-file-lost",
        fixes=[START_PERSISTED],
        where="where a client loses its file while it is down: a new container, or another address",
        why="LAST_OFFSET starts at the max offset, and what came while the client was down is skipped",
        symptom="a broadcast consumer that came back on another host, or under another address or instance "
        "name, skipped what was sent meanwhile",
        no_remedy="nothing else knows the offset; CONSUME_FROM_FIRST_OFFSET repeats instead (I4-broadcast-first)",
    ),
    case(
        "I4-broadcast-first",
        HOLDS,
        "broadcast-first",
        needs=["W-again-after-loss"],
        where="with CONSUME_FROM_FIRST_OFFSET; the client may be killed, and lose its file",
        why="what the file does not have starts at 0: messages are repeated instead of skipped",
    ),
    case(
        "I4-broadcast-expansion",
        REFUTED,
        "broadcast-expansion",
        where="where a queue is added to the topic, and is owed to a client that runs from its first message on",
        why="no broker is asked for an offset in this mode, so that none answers 0: LAST_OFFSET starts the queue at "
        "the max offset of the moment at which the client learns of it, up to 30 s later",
        symptom="a broadcast consumer skipped the first messages of queues that were added to a topic",
        no_remedy="nothing tells that the queue is new; with CONSUME_FROM_FIRST_OFFSET it holds "
        "(I4-broadcast-expansion-first)",
    ),
    case(
        "I4-broadcast-expansion-first",
        HOLDS,
        "broadcast-expansion-first",
        needs=["W-all-stored"],
        where="with CONSUME_FROM_FIRST_OFFSET, where a queue is added to the topic",
        why="what the file does not have starts at 0",
    ),
    case(
        "I4-broadcast-routes",
        REFUTED.unless(MERGES_INTO_FILE),
        "broadcast-routes",
        fixes=[START_PERSISTED],
        where="where the queue's broker leaves the route while another queue stays, and every start is written",
        why="persistAll writes a new file with the other queue alone, and LAST_OFFSET starts this one at the max "
        "offset when its broker is back (apache/rocketmq #4016)",
        symptom="a broadcast consumer skipped messages of a broker that had been away for a while",
        remedies=["I4-broadcast-merged"],
    ),
    case(
        "I4-broadcast-restart",
        REFUTED.unless(MERGES_INTO_FILE),
        "broadcast-two-queues",
        fixes=[START_PERSISTED],
        where="where the client may be killed, has another queue, and every start is written",
        why="after a restart the other queue may be in the table first; a persistAll then writes a file "
        "without this one",
        symptom="a broadcast consumer that was started while one broker was away skipped that broker's messages",
        remedies=["I4-broadcast-merged"],
    ),
    case(
        "I4-broadcast-repair",
        REFUTED.unless(MERGES_INTO_FILE),
        "broadcast-retention",
        where="where the first message is deleted before it is pulled",
        why="the repair of the illegal offset sets the cell, which is not in the file, and the next ProcessQueue, some"
        " 30 s later, starts at the max offset of that moment",
        symptom="a broadcast consumer on a queue whose first messages were deleted skipped what came in half a minute",
        remedies=["I4-broadcast-repair-merged"],
    ),
    case(
        "I4-broadcast-repair-merged",
        HOLDS,
        "broadcast-retention",
        fixes=[MERGES_INTO_FILE],
        needs=["W-later-process-queue-from-file"],
        where="where the first message is deleted before it is pulled, with the fix of 4.9.8, whose persist writes; "
        "the client is not shut down",
    ),
    case(
        "I4-broadcast-merged",
        HOLDS,
        *("broadcast-routes", "broadcast-two-queues"),
        fixes=[MERGES_INTO_FILE, START_PERSISTED],
        needs=["W-later-process-queue-from-file"],
        where="with the fix of 4.9.8 and 5.2.0, where every start is written and persistAll is one step",
    ),
)
def file_passes_only_what_is_done_or_dropped(group: BroadcastGroup) -> bool:
    """Every owed offset below the one in the client's file is done, or was logged and dropped by policy."""
    return _passes_only(group, group.ghost_done | group.ghost_dropped)


@always(
    case(
        "I4-broadcast-success",
        REFUTED,
        "broadcast",
        listener=RECONSUME_LATER,
        where="with a listener that may return RECONSUME_LATER or null, or throw",
        why="broadcasting sends nothing back: what failed is logged once, and its offset is passed",
        symptom="BROADCASTING, the message consume failed, drop it: the message is never delivered again",
        no_remedy="this is the mode's documented policy; a listener that must not lose any has to try again itself",
    ),
    case("I4-broadcast-success-all", HOLDS, *("broadcast", "broadcast-batch"), needs=["W-all-stored"]),
    case(
        "I4-broadcast-success-orderly",
        HOLDS,
        "broadcast-orderly-first",
        fixes=[LOCKED_WHEN_ADDED],
        listener=RECONSUME_LATER,
        needs=["W-all-stored"],
        where="with CONSUME_FROM_FIRST_OFFSET and an orderly listener that may fail, where a ProcessQueue is marked as "
        "locked when it is made (4.9.5)",
        why="an orderly listener's batch is put back and given to it again, in this mode, too: nothing is dropped",
    ),
)
def file_passes_only_what_succeeded(group: BroadcastGroup) -> bool:
    """Every owed offset below the one in the client's file was consumed with success."""
    return _passes_only(group, group.ghost_done)


@at_rest(
    case(
        "I16-broadcast",
        REFUTED,
        "broadcast-shutdown",
        needs=["W-shut-down-with-row"],
        why="by default nobody waits for running listeners, and what they finish after the last persistAll is not "
        "in the file",
        symptom="a broadcast consumer repeats messages after each restart in order",
        remedies=["I16-broadcast-waits"],
    ),
    case(
        "I16-broadcast-waits",
        HOLDS,
        "broadcast-shutdown",
        assumptions=[SHUTDOWN_WAITS],
        needs=["W-shut-down-with-row"],
        where="where the shutdown waits longer than the longest listener, the route stays, and nothing is swept or "
        "killed",
        why="no pull carries an older offset, as it does in CLUSTERING mode. What the file's own steps may do is in "
        "`offset-files` (I16-client-waits)",
    ),
)
def graceful_shutdown_leaves_finished_work_in_the_file(group: BroadcastGroup) -> bool:
    """After a graceful shutdown the message at the file's offset is not a finished one: nothing is repeated."""
    consumer = group.consumer[0]
    stored = consumer.stored
    if stored is None or not group.has_one_client():
        return True
    return implies(consumer.stop == StopStep.STOPPED, negation(group.ghost_done.has(stored)))


@always(
    case(
        "I20-broadcast",
        HOLDS,
        *("broadcast", "broadcast-batch"),
        needs=["W-all-stored"],
        where="where nothing is killed, shut down, reset or swept, and the route stays",
    ),
    case(
        "I20-broadcast-route",
        REFUTED,
        *("broadcast-route", "broadcast-routes"),
        where="where the queue leaves the route and comes back",
        why="a queue that comes back is read from the file, which is up to five seconds older than the cell that is "
        "still there",
        symptom="a broadcast consumer that was not restarted consumed messages twice after a change of the route",
        no_remedy="a listener that runs while its queue is dropped counts for nothing; the fix of 4.9.8 leaves that",
    ),
)
def broadcast_message_is_not_delivered_twice(group: BroadcastGroup) -> bool:
    """A client that is not killed, reset or swept is given no message twice."""
    return implies(group.has_one_client(), group.ghost_repeated.count() == 0)

"""At-least-once delivery: what the broker's offset has passed is done."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, always, case, remedy
from offsetproof.model.releases import (
    MARKER_DELETED_WITH_TOPIC,
    ONLY_CODE_22,
    ROW_DELETED_WITH_TOPIC,
    SERVER_SIDE_RESET,
    ZERO_ONLY_IF_STORED,
)
from offsetproof.model.shared.group import Group
from offsetproof.model.variants import (
    ACK_AT_FAILURE,
    ACK_BEFORE_FAILURE,
    ACK_BELOW_MINUS_ONE,
    ACK_FIRST,
    ACK_NONE,
    DELETED_WHILE_DOWN,
    FLUSHED_FIRST,
    NO_ZERO_ANSWER,
    RECONSUME_LATER,
    RETRY_FROM_FIRST,
    START_STORED,
    STARTS_COMPLETE,
    UPDATE_CHECKS_DROPPED,
)

_SECOND_LOOK = (
    "a group that has committed nothing finds its queue empty a second time, and is told that nothing is stored; a "
    "message comes, and only then is the max offset asked for, which has passed it"
)
_FAILING = ["W-sent-back", "W-second-of-batch-fails"]


@always(
    case(
        "I4",
        HOLDS,
        *("batch", "loss", "fine-steps", "first-offset", "timestamp", "retry-last"),
        needs=["W-all-committed"],
        why="a task commits at most its own ProcessQueue's lowest unfinished offset, and a new ProcessQueue starts "
        "from what was committed; lost requests only keep the offset",
    ),
    case(
        "I4-killed",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        *("crash", "broker-restart"),
        needs=["W-all-committed"],
        where="where the consumer or the broker may be killed",
        why="kills only set the offset back or keep it; a group that has none starts at 0",
    ),
    case(
        "I4-killed-zero-stored",
        REFUTED,
        *("crash", "broker-restart"),
        fixes=[ZERO_ONLY_IF_STORED],
        where="where the consumer or the broker may be killed, and 0 is the answer only if message 0 is stored (5.1.0)",
        why=_SECOND_LOOK,
        symptom="a new group skipped its first messages: its consumer was started, or given the queue, a second time "
        "before it had committed anything",
        no_remedy="with CONSUME_FROM_FIRST_OFFSET a group without offset starts at 0; a start that is committed before "
        "the first pull is lost with a broker that is killed",
    ),
    case(
        "I4-restarted",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        "restart-in-order",
        needs=["W-all-committed"],
        where="where the broker is restarted in order",
        why="commits that the restart takes away only keep the offset; since 5.1.0 see I4-killed-zero-stored",
    ),
    case(
        "I4-reset",
        REFUTED.unless(SERVER_SIDE_RESET),
        "calm-reset",
        where="where the offset is reset meanwhile",
        why="a reset clears the cache, so a poll that ends without news finds it empty and raises the cell past "
        "messages that nobody has finished; persistAll sends that while the reset sleeps",
        symptom="messages were skipped around an offset reset, and no consumer was restarted or slow",
        remedies=[remedy("calm-reset", fixes=[UPDATE_CHECKS_DROPPED])],
    ),
    case(
        "I4-unforced",
        REFUTED,
        "unforced-reset",
        where="where the offset is reset without force meanwhile",
        why="a reset clears the cache, so a poll that ends without news finds it empty and raises the cell past "
        "messages that nobody has finished; persistAll sends that while the reset sleeps. A reset at the broker "
        "(since 5.2.0) does not look at `force`: it goes forward past what is not finished",
        symptom="messages were skipped around an offset reset without force, and no consumer was restarted or slow",
        remedies=[remedy("unforced-reset", fixes=[UPDATE_CHECKS_DROPPED])],
    ),
    case(
        "I4-query-error",
        REFUTED.unless(ONLY_CODE_22).unless(ZERO_ONLY_IF_STORED),
        "take-over",
        where="where the broker may answer an offset query with an error",
        why="the client reads any error as `no offset stored`, and LAST_OFFSET starts it at the max offset",
        symptom="messages were skipped when a broker answered offset queries with errors (restart, slave, overload)",
        remedies=["I4-query-error-fixed"],
    ),
    case(
        "I4-query-error-fixed",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        "take-over",
        fixes=[ONLY_CODE_22],
        where="where an offset query may fail and, as since 5.0.0, only QUERY_NOT_FOUND means that nothing is stored",
    ),
    case(
        "I4-new-group",
        REFUTED,
        "new-group",
        where="for a new group on a queue whose first message may be deleted",
        why="a queue that has lost its offset 0 is started at the max offset. Until the first commit, a second start "
        "after a kill asks for it again, and skips what came in between",
        symptom="a new group skipped messages: its consumer was restarted before it had committed anything",
        remedies=["I4-new-group-whole"],
    ),
    case(
        "I4-new-group-stored",
        REFUTED,
        "new-group",
        fixes=[START_STORED],
        where="for a new group whose start is sent one-way before the first pull, where the broker did not know it",
        why="the first start finds the queue empty and is given 0; it is killed before it can say so, and the second "
        "start, on a queue that has lost its offset 0, asks for the max offset",
        symptom="a new group skipped messages: its consumer was killed while it started for the first time",
        remedies=["I4-new-group-whole"],
    ),
    case(
        "I4-new-group-whole",
        HOLDS,
        "new-group",
        fixes=[START_STORED],
        assumptions=[STARTS_COMPLETE],
        needs=["W-started-again"],
        where="for a new group of one consumer, whose start is sent one-way before the first pull, and whose first "
        "start gets as far",
        why="a later start's query is executed after that commit, kill or not: nothing is overtaken here",
    ),
    case(
        "I4-tags",
        HOLDS,
        "tags",
        needs=["W-passed-by-tag"],
        where="where stored messages have other tags and are owed to nobody",
        why="a poll that matches nothing corrects the cell only where everything pulled so far is done",
    ),
    case(
        "I4-tags-around",
        HOLDS,
        *("tags-middle", "tags-last"),
        needs=["W-passed-around-tags"],
        where="where a stored message behind has another tag and is owed to nobody",
    ),
    case(
        "I4-retry-timestamp",
        REFUTED,
        "retry-timestamp",
        where="for the queue of the group's retry topic with CONSUME_FROM_TIMESTAMP",
        why="without a stored offset such a queue starts at the max offset, and failed messages that wait there for "
        "their second delivery are skipped; with the other rules it starts at 0: see I4",
        symptom="failed messages are never delivered a second time to a group with CONSUME_FROM_TIMESTAMP",
        remedies=["I4-retry-timestamp-fixed"],
    ),
    case(
        "I4-retry-timestamp-fixed",
        HOLDS,
        "retry-timestamp",
        fixes=[RETRY_FROM_FIRST],
        needs=["W-all-committed"],
        where="for the queue of the group's retry topic, where such a queue starts at 0 by every rule",
    ),
    case(
        "I4-expansion",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        "expansion",
        needs=["W-expanded"],
        where="for a queue that is added to the topic of an old group, and is owed to it from its first message on",
    ),
    case(
        "I4-expansion-zero-stored",
        REFUTED,
        "expansion",
        fixes=[ZERO_ONLY_IF_STORED],
        where="for an added queue, where 0 is the answer only if message 0 is stored (5.1.0)",
        why="the query finds the queue empty and is answered with `no offset stored`; a message is stored, and only "
        "then is the max offset asked for, which has passed it",
        symptom="the first messages of a queue that was added to a topic were skipped, though the group ran",
        no_remedy="clients decide by ConsumeFromWhere alone; with CONSUME_FROM_FIRST_OFFSET the queue starts at 0",
    ),
    case(
        "I4-expansion-cold",
        REFUTED,
        "expansion-cold",
        where="for an added queue whose first message may leave the broker's memory before the group looks at it for "
        "the first time",
        why="a queue whose first message is no longer in memory is answered with `no offset stored`, as one that has "
        "lost it is: LAST_OFFSET starts even an old group at the max offset, and all that came before is skipped",
        symptom="messages of a new broker or queue were skipped although none of them was deleted: the group was down "
        "or learned of it late, and its first message was no longer in the broker's memory",
        no_remedy="clients decide by ConsumeFromWhere alone; with CONSUME_FROM_FIRST_OFFSET the queue starts at 0",
    ),
    case(
        "I4-expansion-late",
        REFUTED,
        "expansion-late",
        where="for an added queue whose first message may be deleted before the group looks at it for the first time",
        why="a queue that has lost its offset 0 is answered with `no offset stored`, and LAST_OFFSET starts even an "
        "old group at the max offset: all that came before is skipped",
        symptom="messages of a queue that was added to a topic were skipped: the group was down, or learned of it "
        "late, and its first message had been deleted",
        no_remedy="clients decide by ConsumeFromWhere alone; with CONSUME_FROM_FIRST_OFFSET the queue starts at 0",
    ),
    case(
        "I4-expansion-fixed",
        REFUTED,
        "expansion",
        fixes=[NO_ZERO_ANSWER],
        where="for an added queue, with the fix of I13",
        why="what spares a new group its history makes an old group skip what came before its first look at the queue",
        symptom="messages of a queue that was added to a topic were skipped, with a broker that never answers 0",
        no_remedy="it holds without the fix, see I4-expansion",
    ),
    case(
        "I4-recreated",
        REFUTED,
        *("recreated", "recreated-down"),
        needs=["W-beyond-end-repaired"],
        where="where the topic is deleted and created again",
        why="the group's row outlives its topic, and so do cells and PullRequests of clients that run. New messages "
        "have the offsets that it has passed: those below it are skipped, unless a pull finds the queue still empty",
        symptom="a topic was deleted and created again, and its first messages were never delivered",
        remedies=["I4-recreated-down"],
    ),
    case(
        "I4-recreated-row-deleted",
        REFUTED,
        "recreated-down",
        fixes=[ROW_DELETED_WITH_TOPIC],
        where="where the topic is deleted and created again, with the fix of 5.0.0, while clients may run",
        why="the row goes with the topic, but a client that runs keeps the route and its cell, and commits it again",
        symptom="a topic was deleted and created again with its consumers running, and its first messages were never "
        "delivered (5.0.0 and later)",
        remedies=["I4-recreated-down"],
    ),
    case(
        "I4-recreated-stopped",
        REFUTED,
        "recreated-down",
        assumptions=[DELETED_WHILE_DOWN],
        where="where the topic is deleted while its group is stopped, and created again",
        why="the row stays, and the group starts from it",
        symptom="a topic was deleted and created again while its consumers were stopped, and its first messages were "
        "never delivered",
        remedies=["I4-recreated-down"],
    ),
    case(
        "I4-recreated-down",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        "recreated-down",
        fixes=[ROW_DELETED_WITH_TOPIC],
        assumptions=[DELETED_WHILE_DOWN],
        needs=["W-end-fell"],
        where="where the topic is deleted while its group is stopped, with the fix of 5.0.0, and created again",
        why="the group starts without an offset, and the broker answers 0",
    ),
    case(
        "I4-recreated-down-zero-stored",
        REFUTED,
        "recreated-down",
        fixes=[ROW_DELETED_WITH_TOPIC, ZERO_ONLY_IF_STORED],
        assumptions=[DELETED_WHILE_DOWN],
        where="where the topic is deleted while its group is stopped, its row with it, and 0 is the answer only if "
        "message 0 is stored (5.1.0)",
        why="the group starts without an offset on an empty queue, as a new one does, but everything in it is owed: "
        "what is stored between its query and its request for the max offset is skipped",
        symptom="a topic was deleted and created again with its consumers stopped, and a first message was skipped",
        no_remedy="clients decide by ConsumeFromWhere alone; with CONSUME_FROM_FIRST_OFFSET the queue starts at 0",
    ),
    case(
        "I4-recreated-marked",
        REFUTED.unless(MARKER_DELETED_WITH_TOPIC),
        "recreated-marked",
        only_of=[SERVER_SIDE_RESET],
        assumptions=[DELETED_WHILE_DOWN],
        needs=["W-end-fell"],
        where="where the topic is deleted while its group is stopped, after a reset, and created again",
        why="the marker outlives its topic and the row; a group that starts then is answered with the target of the "
        "former topic, and skips what is stored below it",
        symptom="an offset was reset, then the topic was deleted and created again while its consumers were stopped, "
        "and its first messages were never delivered (5.2.0 to 5.3.3)",
        no_remedy="5.5.0 removes the marker with the topic and its row",
    ),
    case(
        "I4-tail-lost",
        REFUTED,
        "tail-lost",
        needs=["W-beyond-end-repaired"],
        where="where a broker's machine goes down with messages that it has delivered and not flushed",
        why="the next messages get the offsets of those that are lost, and the group's offset has passed them. A pull "
        "that comes while its offset is beyond the end only brings it back to the end of that moment",
        symptom="messages that were sent after a broker's machine had crashed were never delivered",
        remedies=["I4-tail-lost-flushed"],
    ),
    case(
        "I4-tail-lost-flushed",
        HOLDS,
        "tail-lost",
        assumptions=[FLUSHED_FIRST],
        needs=["W-end-fell"],
        where="where a broker's machine goes down, and only with messages whose offsets nobody was told",
        why="SYNC_FLUSH makes the producer wait for the disk, and not the consumer; it leaves only the moment between "
        "the two",
    ),
    case(
        "I4-reconsume-later",
        HOLDS,
        "batch",
        listener=RECONSUME_LATER,
        needs=_FAILING,
        where="with a listener that returns RECONSUME_LATER or null, or throws, when a message fails",
    ),
    case(
        "I4-ack-at-failure",
        REFUTED,
        "batch",
        listener=ACK_AT_FAILURE,
        where="with a listener that calls setAckIndex(i) at the failing message i",
        why="messages 0 to ackIndex count as consumed, message i among them",
        symptom="a message whose listener failed was never retried (setAckIndex at the failing message)",
        remedies=["I4-ack-before-failure"],
    ),
    case(
        "I4-ack-before-failure",
        HOLDS,
        "batch",
        listener=ACK_BEFORE_FAILURE,
        needs=_FAILING,
        where="with setAckIndex(i - 1) at the failing message i, which is what the listener should do",
    ),
    case(
        "I4-ack-first",
        REFUTED,
        "batch",
        listener=ACK_FIRST,
        where="with setAckIndex(0)",
        why="the first message counts as consumed, even when it is the one that failed",
        symptom="the first message of a batch failed and was never retried (setAckIndex(0))",
        remedies=["I4-ack-none"],
    ),
    case(
        "I4-ack-none",
        HOLDS,
        "batch",
        listener=ACK_NONE,
        needs=_FAILING,
        where="with setAckIndex(-1): the whole batch is sent back",
    ),
    case(
        "I4-ack-below-minus-one",
        HOLDS,
        "batch",
        listener=ACK_BELOW_MINUS_ONE,
        needs=["W-second-of-batch-fails"],
        where="with setAckIndex(-2): the task throws, and its messages pin the offset until the expiry sweep",
    ),
    case(
        "I4-ack-below-minus-one-swept",
        HOLDS,
        "send-back",
        listener=ACK_BELOW_MINUS_ONE,
        needs=["W-second-of-batch-fails", "W-pinned"],
        where="with setAckIndex(-2), where the expiry sweep sends back what the task left, after 15 to 30 minutes",
    ),
)
def committed_offset_never_exceeds_min_unacked(group: Group) -> bool:
    """Every owed offset below the broker's offset is done.

    Owed are the stored offsets from where ConsumeFromWhere is documented to start the group; it is asked where an
    offset was found or 0 was answered.
    """
    committed = group.broker.committed
    if committed is None:
        return True
    missing = group.owed_offsets() - group.ghost_done
    return committed <= missing.lowest(default=group.scope.messages)

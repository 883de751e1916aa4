"""Claims about at-least-once delivery: what the broker's offset has passed is done."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, always
from offsetproof.model.group import Group
from offsetproof.model.variants import (
    ACK_AT_FAILURE,
    ACK_BEFORE_FAILURE,
    ACK_BELOW_MINUS_ONE,
    ACK_FIRST,
    ACK_NONE,
    NO_ZERO_ANSWER_FIX,
    ONLY_CODE_22_FIX,
    RECONSUME_LATER,
    RETRY_FROM_FIRST_FIX,
    START_STORED_FIX,
)

_FAILING = ["W-sent-back", "W-second-of-batch-fails"]


def _passed_is_done(group: Group) -> bool:
    committed = group.broker.committed
    if committed is None:
        return True
    missing = group.owed() - group.ghost_done
    return committed <= missing.lowest(default=group.scope.messages)


@always(
    id="I4",
    expected={"4.9.4": HOLDS},
    scopes=[
        "crash",
        "broker-restart",
        "batch",
        "loss",
        "fine-steps",
        "first-offset",
        "timestamp",
        "retry-last",
    ],
    needs=["W-all-committed"],
)
def passed_offsets_are_done(group: Group) -> bool:
    """Every owed offset below the broker's offset is done, where an offset was found or 0 was answered.

    Owed are the stored offsets from where ConsumeFromWhere is documented to start the group. Believed because a task
    commits at most its own life's lowest unfinished offset, and a new life starts from what was committed. Kills of
    the consumer and of the broker, and lost requests, only set the offset back or keep it there.
    """
    return _passed_is_done(group)


@always(id="I4-query-error", expected={"4.9.4": REFUTED}, scopes=["take-over"])
def passed_offsets_are_done_although_a_query_fails(group: Group) -> bool:
    """The same where the broker may answer an offset query with an error.

    Refuted: the client reads any error as `no offset stored`, and LAST_OFFSET starts it at the max offset.
    """
    return _passed_is_done(group)


@always(id="I4-query-error-fixed", expected={"4.9.4": HOLDS}, scopes=["take-over"], fixes=[ONLY_CODE_22_FIX])
def passed_offsets_are_done_when_only_code_22_means_none(group: Group) -> bool:
    """The same with the fix of 5.0.0: only QUERY_NOT_FOUND means that nothing is stored."""
    return _passed_is_done(group)


@always(id="I4-new-group", expected={"4.9.4": REFUTED}, scopes=["new-group"])
def passed_offsets_are_done_in_a_new_group(group: Group) -> bool:
    """The same for a new group that starts at the max offset because offset 0 is not in the broker's memory.

    Refuted by one kill: until the first commit a second start asks for the max offset again, and skips what came in
    between.
    """
    return _passed_is_done(group)


@always(
    id="I4-new-group-stored",
    expected={"4.9.4": HOLDS},
    scopes=["new-group"],
    needs=["W-started-again"],
    fixes=[START_STORED_FIX],
)
def passed_offsets_are_done_when_the_start_is_sent_first(group: Group) -> bool:
    """The same where a start that the broker did not know is sent one-way before the first pull.

    Believed because a later start's query is executed after that commit, kill or not: nothing is overtaken here.
    """
    return _passed_is_done(group)


@always(id="I4-tags", expected={"4.9.4": HOLDS}, scopes=["tags"], needs=["W-passed-by-tag"])
def passed_offsets_are_done_where_tags_differ(group: Group) -> bool:
    """The same where stored messages have other tags and are owed to nobody.

    Believed because a poll that matches nothing corrects the cell only where everything pulled so far is done.
    """
    return _passed_is_done(group)


@always(id="I4-retry-timestamp", expected={"4.9.4": REFUTED}, scopes=["retry-timestamp"])
def passed_offsets_are_done_in_a_retry_queue(group: Group) -> bool:
    """The same for the queue of the group's retry topic with CONSUME_FROM_TIMESTAMP.

    Refuted: without a stored offset such a queue starts at the max offset, and failed messages that wait there for
    their second delivery are skipped. With the other rules it starts at 0: see I4.
    """
    return _passed_is_done(group)


@always(
    id="I4-retry-timestamp-fixed",
    expected={"4.9.4": HOLDS},
    scopes=["retry-timestamp"],
    needs=["W-all-committed"],
    fixes=[RETRY_FROM_FIRST_FIX],
)
def passed_offsets_are_done_in_a_retry_queue_that_starts_at_first(group: Group) -> bool:
    """The same where a retry topic's queue starts at 0 by every rule."""
    return _passed_is_done(group)


@always(id="I4-expansion", expected={"4.9.4": HOLDS}, scopes=["expansion"], needs=["W-expanded"])
def passed_offsets_are_done_in_an_added_queue(group: Group) -> bool:
    """The same for a queue that is added to the topic of an old group, and is owed to it from its first message on."""
    return _passed_is_done(group)


@always(id="I4-expansion-fixed", expected={"4.9.4": REFUTED}, scopes=["expansion"], fixes=[NO_ZERO_ANSWER_FIX])
def passed_offsets_are_done_in_an_added_queue_without_zero_answers(group: Group) -> bool:
    """The same with the fix of I13.

    Refuted: what spares a new group its history makes an old group skip what came before its first look at the queue.
    """
    return _passed_is_done(group)


@always(id="I4-reconsume-later", expected={"4.9.4": HOLDS}, scopes=["batch"], needs=_FAILING, listener=RECONSUME_LATER)
def passed_offsets_are_done_when_the_listener_retries(group: Group) -> bool:
    """The same with a listener that returns RECONSUME_LATER or null, or throws, when a message fails."""
    return _passed_is_done(group)


@always(id="I4-ack-at-failure", expected={"4.9.4": REFUTED}, scopes=["batch"], listener=ACK_AT_FAILURE)
def passed_offsets_are_done_when_ack_index_is_the_failure(group: Group) -> bool:
    """The same with a listener that calls setAckIndex(i) at the failing message i.

    Refuted: messages 0 to ackIndex count as consumed, message i among them.
    """
    return _passed_is_done(group)


@always(
    id="I4-ack-before-failure", expected={"4.9.4": HOLDS}, scopes=["batch"], needs=_FAILING, listener=ACK_BEFORE_FAILURE
)
def passed_offsets_are_done_when_ack_index_is_before_the_failure(group: Group) -> bool:
    """The same with setAckIndex(i - 1), which is what the listener should do."""
    return _passed_is_done(group)


@always(id="I4-ack-first", expected={"4.9.4": REFUTED}, scopes=["batch"], listener=ACK_FIRST)
def passed_offsets_are_done_when_ack_index_is_zero(group: Group) -> bool:
    """The same with setAckIndex(0): the first message counts as consumed, even when it is the one that failed."""
    return _passed_is_done(group)


@always(id="I4-ack-none", expected={"4.9.4": HOLDS}, scopes=["batch"], needs=_FAILING, listener=ACK_NONE)
def passed_offsets_are_done_when_ack_index_is_minus_one(group: Group) -> bool:
    """The same with setAckIndex(-1): the whole batch is sent back."""
    return _passed_is_done(group)


@always(
    id="I4-ack-below-minus-one",
    expected={"4.9.4": HOLDS},
    scopes=["batch"],
    needs=["W-second-of-batch-fails"],
    listener=ACK_BELOW_MINUS_ONE,
)
def passed_offsets_are_done_when_ack_index_is_below_minus_one(group: Group) -> bool:
    """The same with setAckIndex(-2): the task throws and its messages pin the offset for ever."""
    return _passed_is_done(group)

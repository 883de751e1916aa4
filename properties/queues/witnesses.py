"""Witnesses: situations that a HOLDS about several queues must have met."""

from __future__ import annotations

from offsetproof.lang import HOLDS, OffsetSet, case, every, holds, negation, some, sometimes
from offsetproof.model.queues.client import Share
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.variants import (
    GROUP_STOPPED,
    LEAVES_GROUP,
    OWN_CLIENT_IDS,
    RESET_WHILE_DOWN,
    RESETS_APART,
)
from offsetproof.model.queues.vocabulary import PersistStep, Poll, TopicRebalanceStep
from offsetproof.model.releases import FREEZES_CELL, ONE_QUEUE_RESET, SERVER_SIDE_RESET
from offsetproof.model.vocabulary import Direction


def _has_landed_everywhere(group: QueueGroup, direction: Direction) -> bool:
    return every(every([queue.has_landed(), queue.ghost_direction == direction]) for queue in group.queue)


@sometimes(
    case("W-both-landed", HOLDS, "two-brokers", "one-broker", "ends-half-way"),
    case("W-stopped-and-landed", HOLDS, "stopped-reset", only_of=[SERVER_SIDE_RESET], assumptions=[RESET_WHILE_DOWN]),
)
def backward_reset_has_landed_on_all_queues(group: QueueGroup) -> bool:
    """A backward reset has landed on all queues, everything was consumed again, and nothing is under way."""
    return every([_has_landed_everywhere(group, Direction.BACKWARD), group.rest()])


@sometimes(case("W-forward-landed", HOLDS, "two-brokers", "one-broker", "held-polls", "one-cpu", "half-way"))
def forward_reset_has_landed_on_all_queues(group: QueueGroup) -> bool:
    """A forward reset has landed on all queues."""
    return _has_landed_everywhere(group, Direction.FORWARD)


@sometimes(
    case(
        "W-second-landed",
        HOLDS,
        *("twice", "twice-two-brokers", "twice-one-cpu", "half-way"),
        assumptions=[RESETS_APART],
    )
)
def second_backward_reset_has_landed_on_all_queues(group: QueueGroup) -> bool:
    """The second of two resets is backward and has landed on all queues, after the first, and nothing is under way."""
    second = every(queue.ghost_landed == 2 for queue in group.queue)
    return every([second, _has_landed_everywhere(group, Direction.BACKWARD), group.rest()])


@sometimes(case("W-second-done", HOLDS, "twice", "twice-empty"))
def second_reset_has_landed_on_all_queues(group: QueueGroup) -> bool:
    """The second of two resets has landed on all queues, after the first, and nothing is under way."""
    return every([*(queue.ghost_landed == 2 for queue in group.queue), group.rest()])


@sometimes(case("W-half-way-repaired", HOLDS, "half-way", assumptions=[RESETS_APART]))
def second_reset_has_landed_after_one_that_failed_half_way(group: QueueGroup) -> bool:
    """The first reset ended at the second broker, the second one has landed on all queues, nothing is under way."""
    second = every(queue.ghost_landed == 2 for queue in group.queue)
    return every([group.ghost_failed == 1, second, group.rest()])


@sometimes(case("W-consumes-while-paused", HOLDS, "two-brokers", "ends-half-way", "held-polls"))
def queue_is_consumed_while_another_is_reset(group: QueueGroup) -> bool:
    """A reset of one queue is under way in a client, and another one's task is to write, which was not named yet."""
    resets = [client.is_being_reset() for client in group.client]
    writes = [
        every([negation(holds(client.share[q], Share.writing, None)), queue.was_never_reset()])
        for client in group.client
        for q, queue in enumerate(group.queue)
    ]
    return every([some(resets), some(writes)])


@sometimes(
    case(
        "W-repaired",
        HOLDS,
        "two-brokers",
        "one-broker",
        "held-polls",
        "twice",
        only_of=[SERVER_SIDE_RESET, FREEZES_CELL],
    )
)
def queue_in_the_table_has_a_frozen_cell(group: QueueGroup) -> bool:
    """The repair of a queue that is still in the table has frozen its cell."""
    return some(
        every([client.process_queue_table.has(q), share.is_frozen()])
        for client in group.client
        for q, share in enumerate(client.share)
    )


@sometimes(case("W-poll-outlives-reset", HOLDS, "held-polls", "one-cpu", not_of=[SERVER_SIDE_RESET]))
def poll_outlives_a_reset(group: QueueGroup) -> bool:
    """A poll of a dropped ProcessQueue is still held when its queue was added again."""
    return some(
        every([client.is_live(q), share.poll == Poll.LEFT])
        for client in group.client
        for q, share in enumerate(client.share)
    )


@sometimes(case("W-moved", HOLDS, "averagely", "by-circle"))
def queues_have_moved(group: QueueGroup) -> bool:
    """At rest, a client that had queues has none, or none any more that it had at first."""
    return every([group.rest(), some(client.process_queue_table.count() == 0 for client in group.client)])


@sometimes(case("W-moved-and-landed", HOLDS, "moving-reset"))
def reset_has_landed_on_queues_that_moved(group: QueueGroup) -> bool:
    """At rest, a reset has landed on all queues, and one client has none any more."""
    landed = every(queue.has_landed() for queue in group.queue)
    return every([group.rest(), landed, some(client.process_queue_table.count() == 0 for client in group.client)])


@sometimes(case("W-landed-at-rest", HOLDS, "moving-reset", "two-brokers"))
def reset_has_landed_everywhere_at_rest(group: QueueGroup) -> bool:
    """At rest, a reset has landed on all queues."""
    return every([*(queue.has_landed() for queue in group.queue), group.rest()])


@sometimes(case("W-heard-again", HOLDS, "broker-restarts"))
def restarted_broker_has_heard_of_all_again(group: QueueGroup) -> bool:
    """At rest after a broker's restart, it knows all members again, and each client has a queue."""
    each = [client.process_queue_table.count() > 0 for client in group.client]
    return every([group.restarts_left == 0, group.rest(), *each])


@sometimes(case("W-left-to-the-others", HOLDS, "unsubscribed", assumptions=[LEAVES_GROUP]))
def topic_is_left_to_the_others(group: QueueGroup) -> bool:
    """At rest, a client has given the topic up, and others subscribe to it."""
    subscribed = [client.subscribed for client in group.client]
    return every([group.rest(), some(subscribed), negation(every(subscribed))])


@sometimes(case("W-shared", HOLDS, "one-id", assumptions=[OWN_CLIENT_IDS]))
def each_client_has_a_queue(group: QueueGroup) -> bool:
    """At rest, each client has a queue."""
    return every([group.rest(), *(client.process_queue_table.count() > 0 for client in group.client)])


@sometimes(
    case("W-written-and-done", HOLDS, "one-queue", assumptions=[GROUP_STOPPED]),
    case("W-written-and-done-5x", HOLDS, "one-queue-5x", fixes=[ONE_QUEUE_RESET], assumptions=[GROUP_STOPPED]),
)
def queue_written_back_was_done_again(group: QueueGroup) -> bool:
    """A queue's offset was written back, its messages from there were done again, and nothing is under way."""
    back = [every([queue.has_landed(), queue.ghost_direction == Direction.BACKWARD]) for queue in group.queue]
    again = [queue.ghost_redone.count() > 0 for queue in group.queue]
    return every([group.rest(), some(every(each) for each in zip(back, again, strict=True))])


@sometimes(
    case("W-written-forward", HOLDS, "one-queue", assumptions=[GROUP_STOPPED]),
    case("W-written-forward-5x", HOLDS, "one-queue-5x", fixes=[ONE_QUEUE_RESET], assumptions=[GROUP_STOPPED]),
)
def queue_written_forward_skips(group: QueueGroup) -> bool:
    """At rest, a queue was written forward, and not all that this was to skip was done."""
    skipped = []
    for queue in group.queue:
        forward = every([queue.has_landed(), queue.ghost_direction == Direction.FORWARD])
        skipped.append(every([forward, negation(OffsetSet.below(queue.ghost_target) <= queue.ghost_done)]))
    return every([group.rest(), some(skipped)])


@sometimes(case("W-round-meets-new-queue", HOLDS, "persist-moving"))
def round_of_persist_meets_a_new_queue(group: QueueGroup) -> bool:
    """A round of persistAll has noted a cell as unused, whose queue has come into the table since."""
    return some(
        every(
            [client.persist.at == PersistStep.TAKEN, (client.persist.unused & client.process_queue_table).count() > 0]
        )
        for client in group.client
    )


@sometimes(case("W-gives-up-progress", HOLDS, "persist-moving"))
def queue_is_given_up_after_progress(group: QueueGroup) -> bool:
    """A rebalance is about to persist a queue whose cell a task has written."""
    return some(
        every([run.at == TopicRebalanceStep.DROPPED, run.queue == q, share.ghost_wrote])
        for client in group.client
        for run in client.rebalance
        for q, share in enumerate(client.share)
    )

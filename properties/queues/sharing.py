"""What queues of a group share: the clients that have them, and the rounds of persistAll."""

from __future__ import annotations

from offsetproof.lang import (
    HOLDS,
    REFUTED,
    OffsetSet,
    Step,
    always,
    at_rest,
    case,
    each_step,
    every,
    holds,
    implies,
    negation,
    some,
)
from offsetproof.model.queues.client import Client, Share
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.variants import LEAVES_GROUP, OWN_CLIENT_IDS, PERSIST_LOOKS_AGAIN

_ALLOCATED = ("averagely", "by-circle")


@at_rest(
    case(
        "I8-heals",
        HOLDS,
        *_ALLOCATED,
        needs=["W-moved"],
        where="where every member subscribes to the topic, under a client id of its own",
        why="the strategies deal every queue out once to the members that a client sees, and at rest all see the same. "
        "Rest is where a run of rebalance changes no table, so what is decided here is that the shares part the queues",
    ),
    case(
        "I8-heals-after-reset",
        HOLDS,
        *("moving-reset", "two-brokers"),
        needs=["W-landed-at-rest"],
        where="where every member subscribes to the topic, under a client id of its own, after a reset, stated without "
        "a ProcessQueue that leaves the table undropped (I8-heals-reset of one queue)",
        why="what the first loop drops the second one takes out of the table, and the rebalance of resume adds again",
    ),
    case(
        "I8-heals-restarted",
        HOLDS,
        "broker-restarts",
        needs=["W-heard-again"],
        where="where every member subscribes to the topic, under a client id of its own, after a broker was restarted "
        "and has heard of all of them again",
        why="a broker that knows nobody gives an error, and clients keep what they have; one that knows some of them "
        "deals the queues out to those, until it has heard of the rest",
    ),
    case(
        "I8-heals-unsubscribed",
        REFUTED,
        "unsubscribed",
        where="where a member does not subscribe to the topic, or not any more",
        why="unsubscribe() takes the topic out of the client's own subscriptions. Brokers list the members of a group "
        "whatever they subscribe to, so the strategies go on giving the client its share, which it does not take",
        symptom="one consumer called unsubscribe(), or subscribes to another topic under the same group, and its "
        "queues are consumed by nobody, as long as it runs",
        remedies=["I8-heals-unsubscribed-left"],
    ),
    case(
        "I8-heals-unsubscribed-left",
        HOLDS,
        "unsubscribed",
        assumptions=[LEAVES_GROUP],
        needs=["W-left-to-the-others"],
        where="where a client that gives the topic up leaves the group as well, and every other member subscribes "
        "to it under a client id of its own",
    ),
    case(
        "I8-heals-one-id",
        REFUTED,
        "one-id",
        where="where two processes have the same client id",
        why="the broker has a member for each connection, and lists its id for each. A client looks for its id in that "
        "list and finds the first: both take the share of the first, and nobody that of the second",
        symptom="some queues are consumed by two consumers and others by nobody: two processes have the same client "
        "id, the same address and instanceName",
        remedies=["I8-heals-own-ids"],
    ),
    case(
        "I8-heals-own-ids",
        HOLDS,
        "one-id",
        assumptions=[OWN_CLIENT_IDS],
        needs=["W-shared"],
        where="where a second process starts, and every member subscribes to the topic, under a client id of its own",
    ),
)
def every_queue_has_one_owner_at_rest(group: QueueGroup) -> bool:
    """At rest, when all brokers and clients know the same members, one ProcessQueue pulls each queue, in one table.

    It is dropped in none. Where no client subscribes to the topic nobody is expected to pull.
    """
    owned = [group.owners(q) == 1 for q in range(group.scope.queues)]
    return implies(some(client.subscribed for client in group.client), every(owned))


@always(
    case(
        "I8",
        REFUTED,
        *_ALLOCATED,
        why="clients ask different brokers at different times, and nobody waits for the other's hand-over",
        symptom="two consumers consume the same queue for a while",
        no_remedy="clients allocate by views of their own; the effect is transient, see I8-heals",
    ),
    case(
        "I8-restarted",
        REFUTED,
        "broker-restarts",
        where="where a broker is restarted",
        why="it knows only the members that it has heard of since, so whoever asks it first gets all queues, those of "
        "the members that it will hear of within 30 s as well",
        symptom="after a broker was restarted, two consumers consume the same queue for a while",
        no_remedy="the table of members is in the broker's memory; the effect is transient, see I8-heals-restarted",
    ),
)
def queue_never_has_two_owners(group: QueueGroup) -> bool:
    """At most one client has the queue in its table, not dropped."""
    return every(group.owners(q) <= 1 for q in range(group.scope.queues))


@each_step(
    case(
        "I26",
        REFUTED,
        "persist-moving",
        why="a round of persistAll goes by the queues that it was given; a rebalance adds one meanwhile, whose new "
        "cell the round finds unused",
        symptom="`remove unused mq` is logged for a queue that the consumer has just been given",
        remedies=["I26-looks-again"],
    ),
    case(
        "I26-looks-again",
        HOLDS,
        "persist-moving",
        fixes=[PERSIST_LOOKS_AGAIN],
        needs=["W-round-meets-new-queue"],
        where="with a persistAll that looks at the table again before it removes",
    ),
)
def persist_keeps_the_cells_of_the_table(before: QueueGroup, after: QueueGroup, step: Step) -> bool:
    """A round of persistAll removes no cell of a queue that is in the table."""
    if step.action not in ("client_removes_unused_cells", "client_removes_unused_cell"):
        return True
    client, then = before.client[step.args["c"]], after.client[step.args["c"]]
    return _keeps_cells(client, then, client.process_queue_table)


def _keeps_cells(client: Client, then: Client, queues: OffsetSet) -> bool:
    """Has each of these queues that had a cell still one?"""
    kept = []
    for q, share in enumerate(client.share):
        had = every([queues.has(q), negation(holds(share, Share.cell, None))])
        kept.append(implies(had, negation(holds(then.share[q], Share.cell, None))))
    return every(kept)


@each_step(
    case(
        "I26-at-rest",
        HOLDS,
        "persist-moving",
        needs=["W-round-meets-new-queue"],
        why="the set is a copy of the table's keys; only what comes into the table afterwards is missing from it",
    ),
)
def persist_never_misses_a_queue_that_it_was_given(before: QueueGroup, after: QueueGroup, step: Step) -> bool:
    """No round of persistAll removes the cell of a queue that was in the table when the round began."""
    if step.action != "client_removes_unused_cells":
        return True
    client, then = before.client[step.args["c"]], after.client[step.args["c"]]
    return _keeps_cells(client, then, client.persist.ghost_listed)


@each_step(
    case(
        "I27",
        REFUTED,
        "persist-moving",
        why="a round of persistAll has removed the cell that a task had written, as in I26; the queue is lost before "
        "anything writes it again, and persist() sends nothing where there is no cell",
        symptom="messages are delivered again after a rebalance, although their tasks had ended long before it",
        remedies=["I27-looks-again"],
    ),
    case(
        "I27-looks-again",
        HOLDS,
        "persist-moving",
        fixes=[PERSIST_LOOKS_AGAIN],
        needs=["W-gives-up-progress"],
        where="with a persistAll that looks at the table again before it removes",
    ),
)
def queue_is_given_up_with_its_progress(before: QueueGroup, _after: QueueGroup, step: Step) -> bool:
    """A queue whose tasks have written its cell still has the cell when a rebalance persists it to give it up."""
    if step.action != "rebalance_persists":
        return True
    client = before.client[step.args["c"]]
    run = client.rebalance[step.args["r"]]
    empty = [
        every([run.queue == q, share.ghost_wrote, holds(share, Share.cell, None)])
        for q, share in enumerate(client.share)
    ]
    return negation(some(empty))

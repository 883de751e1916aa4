"""What queues of a group share: the clients that have them, and the rounds of persistAll."""

from __future__ import annotations

from offsetproof.lang import (
    HOLDS,
    REFUTED,
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
from offsetproof.model.queues.client import Share
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.variants import PERSIST_LOOKS_AGAIN

_ALLOCATED = ("averagely", "by-circle")


@at_rest(
    case(
        "I8-heals",
        HOLDS,
        *_ALLOCATED,
        needs=["W-moved"],
        why="the strategies deal every queue out once to the members that a client sees, and at rest all see the same",
    ),
)
def every_queue_has_one_owner_at_rest(group: QueueGroup) -> bool:
    """At rest, when all brokers and clients know the same members, every queue is in exactly one table.

    A queue may be in none that the scope has where it has members that are no more than that (`others`).
    """
    fewest = 1 if group.scope.others == 0 else 0
    owners = [group.owners(q) for q in range(group.scope.queues)]
    return every(every([number >= fewest, number <= 1]) for number in owners)


@always(
    case(
        "I8",
        REFUTED,
        *_ALLOCATED,
        why="clients ask different brokers at different times, and nobody waits for the other's hand-over",
        symptom="two consumers consume the same queue for a while",
        no_remedy="clients allocate by views of their own; the effect is transient, see I8-heals",
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
    kept = []
    for q, share in enumerate(client.share):
        had = every([client.process_queue_table.has(q), negation(holds(share, Share.cell, None))])
        kept.append(implies(had, negation(holds(then.share[q], Share.cell, None))))
    return every(kept)


@always(
    case(
        "I26-at-rest",
        HOLDS,
        "persist-moving",
        needs=["W-round-meets-new-queue"],
        why="the set is a copy of the table's keys; only what comes into the table afterwards is missing from it",
    ),
)
def persist_never_misses_a_queue_that_it_was_given(group: QueueGroup) -> bool:
    """No round of persistAll is about to remove the cell of a queue that was in the table when the round began."""
    return every((client.persist.unused & client.persist.queues).count() == 0 for client in group.client)


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

"""Who has the queue in the end: exactly one ProcessQueue pulls it once nothing is pending, or nobody does."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, always, case, choose, every, implies, negation, remedy, some
from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.model.variants import PULL_REQUEST_KEPT
from offsetproof.model.vocabulary import PullRequestAt


@always(
    case(
        "I8-one",
        HOLDS,
        *("orderly-hand-over", "orderly-come-back"),
        needs=["W-settled"],
        where="where no member gives the topic up",
        why="a live ProcessQueue keeps its PullRequest in every branch of the pull, and one that is given up is "
        "dropped before anybody else can lock the queue",
    ),
    case(
        "I8-one-restart",
        HOLDS,
        *("orderly-restart-two", "orderly-restart-one"),
        needs=["W-settled-after-restart"],
        where="also after the broker was killed and started again, and has forgotten its locks",
        why="whoever asks first gets the lock, and the next round of lockAll tells the other; a client without the "
        "lock that is not the owner gives the queue up when it rebalances",
    ),
    case(
        "I8-one-restarted",
        HOLDS,
        *("orderly-restart-in-order", "orderly-restart-in-order-two"),
        needs=["W-settled-after-routine"],
        where="also after the broker was restarted in order, which loses its locks",
    ),
    case(
        "I8-one-unsubscribed",
        REFUTED,
        "orderly-unsubscribe",
        where="where the application gives the topic up in one member",
        why="unsubscribe() takes the topic out of the member's own subscriptions and leaves it in the group: the "
        "others go on allocating queues to it, and it takes none of them (apache/rocketmq #2737)",
        symptom="after unsubscribe() in one member of an orderly group, its queues are consumed by nobody",
        no_remedy="a member that is to give a topic up alone has to be shut down, or to leave the group",
    ),
    case(
        "I8-one-lost",
        REFUTED,
        "orderly-lost-pull-request",
        where="where pullMessage may throw",
        why="PullMessageService swallows the exception, and the PullRequest with it; two minutes later a rebalance "
        "replaces the ProcessQueue, so the violation is transient",
        remedies=[remedy("orderly-lost-pull-request", fixes=[PULL_REQUEST_KEPT])],
    ),
)
def exactly_one_process_queue_pulls_once_settled(group: OrderlyGroup) -> bool:
    """Once nothing is pending, exactly one ProcessQueue of the queue pulls, in a table or not, under the broker's lock.

    Nothing pends when no step of a member is under way or on its way, one running member believes that the queue is its
    own, no dropped ProcessQueue waits in its table, and neither lockAll nor a lease that expires would change who has
    it.
    """
    live = [
        (c, every([pq.pull_request != PullRequestAt.NONE, negation(pq.dropped)]), pq.believes_in_lock())
        for c, consumer in enumerate(group.consumer)
        for pq in consumer.process_queue
    ]
    locked = [implies(pulls, every([believes, group.has_lock(c)])) for c, pulls, believes in live]
    one = sum(choose(pulls, 1, 0) for _, pulls, _ in live) == 1
    return implies(
        every([group.has_settled(), negation(_has_listed_a_dropped_process_queue(group))]), every([one, *locked])
    )


@always(
    case(
        "I8-listed",
        REFUTED,
        *("orderly-hand-over", "orderly-come-back"),
        why="a rebalance that finds the listener busy leaves the dropped ProcessQueue in the table, for the next run "
        "to take out; if the queue is allocated again by then, the next run finds it in the table and does "
        "nothing, until it was not pulled for two minutes (rocketmq.client.pull.pullMaxIdleTime)",
        symptom="a queue that an orderly consumer lost and got back while its listener was busy is not consumed for "
        "two minutes",
        no_remedy="the effect is transient: the rebalance after the two minutes replaces the ProcessQueue",
    )
)
def listed_process_queue_is_live_once_settled(group: OrderlyGroup) -> bool:
    """Once nothing is pending, the ProcessQueue in the table is not a dropped one, which nobody pulls for."""
    return implies(group.has_settled(), negation(_has_listed_a_dropped_process_queue(group)))


def _has_listed_a_dropped_process_queue(group: OrderlyGroup) -> bool:
    return some(
        every([consumer.has_listed(pq_id), pq.dropped])
        for consumer in group.consumer
        for pq_id, pq in enumerate(consumer.process_queue)
    )

"""What an orderly consumer comes to in the end, under the fairness of threads, whatever it does on the way."""

from __future__ import annotations

from offsetproof.lang import HOLDS, case, every, leads_to, negation, some
from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.properties.in_the_end import is_to_have_queue, pulls_live_queue


@leads_to(
    case(
        "I38-orderly",
        HOLDS,
        "orderly-restart-one",
        needs=["W-settled-after-restart"],
        where="also after the broker was killed, and has forgotten its locks",
        why="lockAll asks again every 20 s. I8-one-restart says more of what has settled, and not that anything does",
    ),
    case(
        "I38-orderly-restarted",
        HOLDS,
        "orderly-restart-in-order",
        needs=["W-settled-after-routine"],
        where="also after the broker was restarted in order, which loses its locks",
    ),
    case(
        "I38-orderly-lost",
        HOLDS,
        "orderly-lost-pull-request",
        where="where pullMessage may throw, and the client is not shut down",
        why="a rebalance replaces what was not pulled for two minutes: so the violation of I8-one-lost is transient",
    ),
)
def queue_is_pulled_under_its_lock_in_the_end(group: OrderlyGroup) -> tuple[bool, bool]:
    """A queue that a running client is to have has in the end a live ProcessQueue with PullRequest and lock."""
    consumer = group.consumer[0]
    believes = some(
        every([consumer.has_listed(n), pq.believes_in_lock()]) for n, pq in enumerate(consumer.process_queue)
    )
    is_wanted = is_to_have_queue(consumer)
    has_all = every([pulls_live_queue(consumer), believes, group.has_lock(0)])
    return is_wanted, some([has_all, negation(is_wanted)])

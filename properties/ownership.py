"""Claims about who may consume a queue, and with which ProcessQueue."""

from __future__ import annotations

from offsetproof.lang import REFUTED, always, every, negation, some
from offsetproof.model.group import Group


@always(id="I8", expected={"4.9.4": REFUTED}, scopes=["hand-over"])
def at_most_one_consumer_has_a_live_life(group: Group) -> bool:
    """At most one client has a life of the queue in its table that is not dropped.

    Refuted: each client allocates by its own view of the group, and views differ for a while.
    """
    owners = [consumer.owns_live_queue() for consumer in group.consumer]
    return every(negation(every([a, b])) for i, a in enumerate(owners) for b in owners[:i])


@always(id="I18", expected={"4.9.4": REFUTED}, scopes=["moving-reset"])
def life_outside_the_table_is_over(group: Group) -> bool:
    """A ProcessQueue that has left the table is dropped, or has neither a pull token nor a task.

    Refuted: a rebalance that began before the reset paused the consumer adds a queue between the reset's two loops;
    the second loop takes it out of the table although nobody ever marked it dropped, and it goes on pulling.
    """
    return every(
        some([consumer.process_queue_table == life, pq.dropped, pq.is_quiet()])
        for consumer in group.consumer
        for life, pq in enumerate(consumer.process_queue)
    )

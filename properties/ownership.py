"""Who may consume a queue, and with which ProcessQueue."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, always, at_rest, case, choose, every, negation, remedy, some
from offsetproof.model.releases import SERVER_SIDE_RESET
from offsetproof.model.shared.group import Group
from offsetproof.model.variants import REBALANCE_SYNCHRONIZED, RESET_DROPS_AGAIN
from offsetproof.model.vocabulary import PullRequestAt


@always(
    case(
        "I8",
        REFUTED,
        "hand-over",
        why="each client allocates by its own view of the group, and views differ for a while",
        symptom="two consumers handle the same messages for a while after a rebalance",
        no_remedy="clients allocate by views of their own; the effect is transient, see I8-heals",
    )
)
def at_most_one_consumer_has_a_live_process_queue(group: Group) -> bool:
    """At most one client has a ProcessQueue of the queue in its table that is not dropped."""
    owners = [consumer.owns_live_queue() for consumer in group.consumer]
    return every(negation(every([a, b])) for i, a in enumerate(owners) for b in owners[:i])


@at_rest(
    case(
        "I8-heals",
        HOLDS,
        *("take-over", "allocated"),
        needs=["W-two-owners", "W-rest"],
        why="every ProcessQueue but the owner's has been dropped on the way, and a dropped one loses its PullRequest",
    ),
    case(
        "I8-heals-reset",
        REFUTED.unless(SERVER_SIDE_RESET),
        "moving-reset",
        where="where a reset may overlap a rebalance",
        why="the orphan that the reset took out of the table without dropping it goes on beside the new ProcessQueue "
        "for good, and everything is consumed twice",
        symptom="two consumers, or one twice, handle the same messages for good after a reset",
        remedies=["I8-heals-reset-synchronized"],
    ),
    case(
        "I8-heals-reset-fixed",
        REFUTED.unless(SERVER_SIDE_RESET),
        "moving-reset",
        fixes=[RESET_DROPS_AGAIN],
        where="where a reset drops whatever ProcessQueue its second loop takes out of the table",
        why="resume rebalances in the reset's thread, beside the rebalance thread: the run that is late removes the "
        "other one's new ProcessQueue by its queue, undropped",
        symptom="two consumers, or one twice, handle the same messages for good after a reset, although a reset drops "
        "what it removes",
        remedies=["I8-heals-reset-synchronized"],
    ),
    case(
        "I8-heals-reset-synchronized",
        HOLDS,
        "moving-reset",
        fixes=[RESET_DROPS_AGAIN, REBALANCE_SYNCHRONIZED],
        needs=["W-rest-after-reset"],
        where="where a reset drops whatever ProcessQueue it removes, and one run of rebalance waits for the other",
    ),
    case(
        "I8-heals-resume",
        REFUTED,
        "resume-moving",
        where="where an application suspends and resumes the consumer while the group changes; no reset",
        why="resume rebalances in its own thread: the run that is late removes the other one's new ProcessQueue by its"
        " queue, undropped",
        symptom="one consumer handles messages twice for good after a suspend and resume",
        remedies=["I8-heals-resume-synchronized"],
    ),
    case(
        "I8-heals-resume-synchronized",
        HOLDS,
        "resume-moving",
        fixes=[REBALANCE_SYNCHRONIZED],
        needs=["W-rest-moved"],
        where="where an application suspends and resumes the consumer, and one run of rebalance waits for the other",
    ),
)
def one_process_queue_pulls_at_rest(group: Group) -> bool:
    """At rest, when all clients see the same group, at most one ProcessQueue still pulls, in a table or not."""
    pulling = [
        choose(every([pq.pull_request != PullRequestAt.NONE, negation(pq.dropped)]), 1, 0)
        for consumer in group.consumer
        for pq in consumer.process_queue
    ]
    return sum(pulling) <= 1


@always(
    case(
        "I18",
        REFUTED,
        "moving-reset",
        why="a rebalance that began before the reset paused the consumer adds a queue between the reset's two loops; "
        "the second loop takes it out of the table although nobody ever marked it dropped, and it goes on pulling",
        remedies=[remedy("moving-reset", fixes=[RESET_DROPS_AGAIN, REBALANCE_SYNCHRONIZED])],
    )
)
def process_queue_outside_the_table_is_over(group: Group) -> bool:
    """A ProcessQueue that has left the table is dropped, or has neither a PullRequest nor a task."""
    return every(
        some([consumer.process_queue_table == pq_id, pq.dropped, pq.is_quiet()])
        for consumer in group.consumer
        for pq_id, pq in enumerate(consumer.process_queue)
    )

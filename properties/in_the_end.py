"""What whole runs come to in the end, under the fairness of threads: what states at rest alone do not say.

A claim at rest holds of runs that never come to rest, whatever they do; these are about all fair runs. Where both are
there for one world, HOLDS of these is the stronger. Producers, administrators and applications have no duty to do
anything, and faults and the changes of a group's members never have to happen.
"""

from __future__ import annotations

from offsetproof.lang import (
    HOLDS,
    REFUTED,
    OffsetSet,
    case,
    every,
    leads_to,
    negation,
    remedy,
    some,
)
from offsetproof.model.releases import SERVER_SIDE_RESET, ZERO_ONLY_IF_STORED
from offsetproof.model.shared.consumer import Consumer
from offsetproof.model.shared.group import Group
from offsetproof.model.variants import NOTHING_LOST, UPDATE_CHECKS_DROPPED
from offsetproof.model.vocabulary import PullRequestAt


@leads_to(
    case(
        "I36",
        HOLDS,
        "calm-reset",
        not_of=[SERVER_SIDE_RESET],
        needs=["W-reset-landed"],
        where="for one consumer that keeps the queue, and has threads enough for its callbacks",
        why="stronger than I6-kept: no fair run goes on for ever without the reset's write",
    ),
    case(
        "I36-lost-command",
        REFUTED.unless(SERVER_SIDE_RESET),
        "lost-reset",
        where="for one consumer that keeps the queue, where a one-way request may be lost",
        why="as in I6-lost-command: the command is sent once, and pulls and commits go on without it for ever",
        remedies=[remedy("lost-reset", assumptions=[NOTHING_LOST])],
    ),
    case(
        "I36-restarted",
        REFUTED.unless(SERVER_SIDE_RESET),
        "reset-restart-in-order",
        where="for one consumer that keeps the queue, where the broker is restarted in order",
        why="as in I6-restarted: nobody sends again what the restart has taken away",
        no_remedy="look at the offset after a restart, and reset again",
    ),
)
def answered_reset_lands_in_the_end(group: Group) -> tuple[bool, bool]:
    """A reset that was answered with success is written to the broker in the end."""
    return group.ghost_answered, group.ghost_landed


@leads_to(
    case(
        "I37",
        HOLDS,
        "batch",
        needs=["W-all-committed"],
        where="where no consumer is suspended or shut down, and the topic stays",
    ),
    case(
        "I37-killed",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        "crash",
        needs=["W-finished-again-after-kill"],
        where="where the consumer may be killed and started again; no consumer is suspended or shut down",
        why="what a kill took away is pulled again, from the stored offset or a lower one. Since 5.1.0 a group "
        "that had stored none may start behind it: see I4-killed-zero-stored",
    ),
    case(
        "I37-reset",
        REFUTED.unless(SERVER_SIDE_RESET),
        "calm-reset",
        where="where the offset is reset once; no consumer is suspended or shut down, and the topic stays",
        why="as in I4-reset: a poll that ends late raises the cell past a message that the reset has cleared",
        remedies=[remedy("calm-reset", fixes=[UPDATE_CHECKS_DROPPED])],
    ),
)
def stored_message_is_finished_in_the_end(group: Group) -> tuple[bool, bool]:
    """What is stored is finished or sent back in the end, as long as a running consumer is to have the queue."""
    missing = group.owed_offsets() - group.ghost_done
    return True, some([missing.count() == 0, negation(_is_wanted(group))])


@leads_to(
    case(
        "I38",
        HOLDS,
        "lost-pull-request",
        needs=["W-pull-request-lost"],
        where="where pullMessage may throw, and no consumer is suspended",
        why="a rebalance replaces what was not pulled for two minutes: this is why the violation of I23-lost is "
        "transient",
    ),
)
def queue_has_an_owner_that_pulls_in_the_end(group: Group) -> tuple[bool, bool]:
    """A queue that a running consumer is to have has in the end a live ProcessQueue with its PullRequest."""
    pulls = some(pulls_live_queue(consumer) for consumer in group.consumer)
    return _is_wanted(group), some([pulls, negation(_is_wanted(group))])


def pulls_live_queue(consumer: Consumer) -> bool:
    """Is there a ProcessQueue in the table that is not dropped and has its PullRequest?"""
    return some(
        every([consumer.has_listed(pq_id), negation(pq.dropped), pq.pull_request != PullRequestAt.NONE])
        for pq_id, pq in enumerate(consumer.process_queue)
    )


@leads_to(
    case(
        "I39",
        HOLDS,
        "calm-reset",
        only_of=[SERVER_SIDE_RESET],
        needs=["W-reset-landed"],
        where="for one consumer that keeps the queue",
        why="a pull takes the marker at once, or when its hold is over. Nothing is at rest while there is a marker, so "
        "no claim at rest says this",
    ),
)
def marker_is_taken_in_the_end(group: Group) -> tuple[bool, bool]:
    """The marker of a reset is taken by a pull in the end, as long as a running consumer is to have the queue."""
    is_marked = group.broker.has_marker()
    return is_marked, negation(every([is_marked, _is_wanted(group)]))


@leads_to(
    case(
        "I40",
        HOLDS,
        "batch",
        needs=["W-all-committed"],
        where="where no consumer is shut down",
        why="stronger than I32",
    ),
    case(
        "I40-hang",
        REFUTED,
        "hang-unswept",
        where="where a listener may never return, and the expiry sweep does not come",
        why="as in I32-hang: the message stays cached, and pulls and persists go on around it for ever",
        no_remedy="the sweep is what releases it (I40-swept); without one a restart of that consumer does",
    ),
    case(
        "I40-swept",
        HOLDS,
        "hang-swept",
        needs=["W-hang-swept"],
        where="where a listener may never return, and the expiry sweep goes on coming round; no consumer is suspended "
        "or shut down, and the topic stays",
        why="the sweep's timer is fair: no assumption says that it has come, as I32-hang-swept does",
    ),
)
def pinned_offset_is_released_in_the_end(group: Group) -> tuple[bool, bool]:
    """Where a consumer has the queue, what is done at or above the broker's offset is below it in the end."""
    committed = group.broker.committed
    begins_at = 0 if committed is None else committed
    ahead = group.ghost_done - OffsetSet.below(begins_at)
    owned = some(consumer.owns_live_queue() for consumer in group.consumer)
    is_pinned = every([owned, ahead.count() > 0])
    return is_pinned, negation(is_pinned)


def _is_wanted(group: Group) -> bool:
    """Is there a running consumer that is to have the queue, by its own view of the group?"""
    return some(is_to_have_queue(consumer) for consumer in group.consumer)


def is_to_have_queue(consumer: Consumer) -> bool:
    """Is it a running consumer that is to have the queue, by its own view of the group?"""
    return every([consumer.alive, consumer.subscribed, consumer.believes_allocated])

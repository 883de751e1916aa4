"""A consumer from its first pull to its shutdown: its PullRequest, what it delivers, what it commits in the end."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, OffsetSet, always, at_rest, case, every, implies, negation, remedy, some
from offsetproof.model.shared.group import Group
from offsetproof.model.variants import (
    HANGING_RESTARTED,
    MONOTONE_COMMITS,
    NOTHING_LOST,
    PERSIST_IN_ONE,
    PULL_REQUEST_KEPT,
    SHUTDOWN_WAITS,
    SWEEP_COMES,
)
from offsetproof.model.vocabulary import PullRequestAt, StopStep


@at_rest(
    case(
        "I16",
        REFUTED,
        "shutdown",
        needs=["W-shut-down"],
        why="by default nobody waits for running listeners, and what they finish after the persist is not sent",
        symptom="messages are repeated after each rolling restart",
        remedies=["I16-waits-monotone"],
    ),
    case(
        "I16-waits",
        REFUTED,
        "shutdown",
        assumptions=[SHUTDOWN_WAITS],
        where="where the shutdown waits longer than the longest listener",
        why="a pull that was sent before carries an older offset, and may reach the broker after the persist",
        symptom="messages are repeated after a rolling restart, although the shutdown waits for its listeners",
        remedies=["I16-waits-monotone"],
    ),
    case(
        "I16-waits-monotone",
        HOLDS,
        "shutdown",
        fixes=[MONOTONE_COMMITS],
        assumptions=[SHUTDOWN_WAITS],
        needs=["W-shut-down"],
        where="for a consumer that keeps its queue, where the shutdown waits, and the broker ignores a commit below "
        "the stored offset; without a reset, and where no administrator removes the group's row and the topic and its "
        "messages are kept",
    ),
    case(
        "I16-waits-in-two",
        REFUTED,
        "fine-shutdown",
        fixes=[MONOTONE_COMMITS],
        assumptions=[SHUTDOWN_WAITS],
        where="where besides persistAll takes its queues, and then removes a cell, in two steps",
        why="the timer's set of queues is older than the ProcessQueue; what it removes is the ProcessQueue's own cell,"
        " and a task that has got hold of it raises one that nobody reads",
        symptom="a message is repeated after a rolling restart right after the start, without any stall or loss",
        remedies=["I16-waits-in-one"],
    ),
    case(
        "I16-waits-in-one",
        HOLDS,
        "fine-shutdown",
        fixes=[MONOTONE_COMMITS],
        assumptions=[SHUTDOWN_WAITS, PERSIST_IN_ONE],
        needs=["W-shut-down"],
        where="for a consumer that keeps its queue, where nothing comes between the steps of persistAll; without a "
        "reset, and where no administrator removes the group's row and the topic and its messages are kept",
    ),
    case(
        "I16-swept",
        REFUTED,
        "shutdown-sweep",
        fixes=[MONOTONE_COMMITS],
        assumptions=[SHUTDOWN_WAITS],
        where="where the shutdown waits, and a message may take over fifteen minutes",
        why="the sweep takes the message out of the cache while its listener returns; the task finds the cache empty "
        "and writes nothing, and there is no cell until a poll ends without news",
        symptom="a message that took over fifteen minutes is repeated after a restart, twice with its copy in %RETRY%",
        no_remedy="its copy in %RETRY% is delivered again anyway; consumeTimeout says how long a message may take",
    ),
    case(
        "I16-restarted",
        REFUTED,
        "shutdown-restart-in-order",
        fixes=[MONOTONE_COMMITS],
        assumptions=[SHUTDOWN_WAITS],
        where="where the shutdown waits, and the broker is restarted in order",
        why="the last persist is sent one-way: where the broker stops before it has executed it, nobody sends it again",
        symptom="messages are repeated after a rolling restart of consumers and brokers at a time",
        no_remedy="restart consumers a few seconds before or after the brokers that they use",
    ),
    case(
        "I16-lost",
        REFUTED,
        "shutdown-loss",
        fixes=[MONOTONE_COMMITS],
        assumptions=[SHUTDOWN_WAITS],
        where="where the shutdown waits, and a one-way request may be lost",
        why="the last persist is sent one-way: where it is lost nobody sends it again",
        symptom="messages are repeated after a rolling restart, and the connection to the broker broke right then",
        remedies=[remedy("shutdown-loss", fixes=[MONOTONE_COMMITS], assumptions=[SHUTDOWN_WAITS, NOTHING_LOST])],
    ),
)
def graceful_shutdown_commits_finished_work(group: Group) -> bool:
    """After a graceful shutdown the message at the broker's offset is not a finished one: nothing is repeated."""
    stopped = group.consumer[0].stop == StopStep.STOPPED
    committed = group.broker.committed
    begins_at = 0 if committed is None else committed
    return implies(stopped, negation(group.ghost_done.has(begins_at)))


@always(
    case(
        "I23",
        HOLDS,
        *("come-back", "retention"),
        needs=["W-all-committed"],
        why="every branch of the pull and of its callback hands the PullRequest on, or drops the ProcessQueue",
    ),
    case(
        "I23-flow",
        HOLDS,
        "tags",
        needs=["W-passed-by-tag"],
        where="with flow control, and with messages that match nothing",
    ),
    case(
        "I23-lost",
        REFUTED,
        "lost-pull-request",
        where="where pullMessage may throw",
        why="PullMessageService swallows the exception, and the PullRequest with it; it heals: after two minutes a "
        "rebalance replaces the ProcessQueue, so the effect of the violation is transient",
        symptom="a queue is not pulled for two minutes",
        remedies=[remedy("lost-pull-request", fixes=[PULL_REQUEST_KEPT])],
    ),
)
def live_process_queue_has_its_pull_request(group: Group) -> bool:
    """A live ProcessQueue has a PullRequest, which is in exactly one place (the model cannot express two)."""
    return every(
        implies(every([consumer.has_listed(pq_id), negation(pq.dropped)]), pq.pull_request != PullRequestAt.NONE)
        for consumer in group.consumer
        for pq_id, pq in enumerate(consumer.process_queue)
    )


@at_rest(
    case("I32", HOLDS, "batch", needs=["W-all-committed"]),
    case(
        "I32-hang",
        REFUTED,
        *("hang", "hang-unswept"),
        where="where a listener may never return, and the expiry sweep has not come to that message",
        why="removeMessage gives the lowest cached offset, so one message without a result pins the offset for all "
        "that is consumed behind it",
        symptom="the offset of one queue does not move (it does not advance, stays fixed, is stuck, pinned) "
        "although messages are consumed; the lag grows, and a restart of that consumer ends it",
        remedies=["I32-hang-swept", "I32-hang-restarted"],
    ),
    case(
        "I32-hang-swept",
        HOLDS,
        "hang",
        assumptions=[SWEEP_COMES],
        needs=["W-hang-swept"],
        where="where a listener may never return, once the expiry sweep has come round; its topic is kept",
        why="the sweep sends the first cached message back after consumeTimeout (15 minutes, looked at every 15) and "
        "removes it. It looks at the first one only, and only if that has a start time: a message that waits for a "
        "thread has none. Its removal moves nothing; the next task or poll that ends does",
    ),
    case(
        "I32-hang-restarted",
        HOLDS,
        "hang",
        assumptions=[HANGING_RESTARTED],
        needs=["W-hang-restarted"],
        where="where a listener may never return, once its consumer has been restarted; its topic is kept",
        why="the message, and all that was consumed behind it, is delivered again",
    ),
)
def offset_moves_with_what_is_done(group: Group) -> bool:
    """At rest, where a consumer has the queue, no message at or above the broker's offset is done."""
    committed = group.broker.committed
    begins_at = 0 if committed is None else committed
    ahead = group.ghost_done - OffsetSet.below(begins_at)
    return implies(some(consumer.owns_live_queue() for consumer in group.consumer), ahead.count() == 0)


@always(case("I20", HOLDS, "batch", needs=["W-all-committed"]))
def nothing_is_delivered_twice_without_a_cause(group: Group) -> bool:
    """No message is delivered twice where nothing is killed, reset, handed over, sent back or swept.

    Each of those causes has a witness that it suffices: W-again-...
    """
    return group.ghost_repeated.count() == 0

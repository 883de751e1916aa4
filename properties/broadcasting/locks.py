"""Orderly listeners in BROADCASTING mode: they ask the broker for locks that the mode has no use for."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, Step, at_rest, case, each_step, every, holds, implies, negation
from offsetproof.model.broadcasting.group import BroadcastGroup
from offsetproof.model.releases import LOCKED_WHEN_ADDED, NO_BROADCAST_LOCKS
from offsetproof.model.shared.consumer import Consumer
from offsetproof.model.vocabulary import LockStep, RebalanceStep


@at_rest(
    case(
        "I23-broadcast-orderly",
        REFUTED.unless(LOCKED_WHEN_ADDED),
        "broadcast-orderly",
        needs=["W-rest-with-both"],
        why="a pull waits for the mark that a queue is locked; the new ProcessQueue is not there yet when the lock is "
        "granted, and lockAll, which would set the mark, runs in CLUSTERING mode only (apache/rocketmq #1286)",
        symptom="an orderly broadcast consumer never consumes: pull message later because not locked in broker",
        remedies=["I23-broadcast-orderly-marked"],
    ),
    case(
        "I23-broadcast-orderly-marked",
        HOLDS,
        "broadcast-orderly",
        fixes=[LOCKED_WHEN_ADDED],
        needs=["W-rest-with-both"],
        where="with the fix of 4.9.5",
    ),
    case(
        "I23-broadcast-orderly-unlocked",
        REFUTED.unless(LOCKED_WHEN_ADDED),
        "broadcast-orderly",
        fixes=[NO_BROADCAST_LOCKS],
        where="with the fix of 5.3.2 alone",
        why="no lock is asked for, and the pull waits for the mark all the same",
        symptom="an orderly broadcast consumer never consumes: pull message later because not locked in broker",
        remedies=["I23-broadcast-orderly-both"],
    ),
    case(
        "I23-broadcast-orderly-both",
        HOLDS,
        "broadcast-orderly",
        fixes=[LOCKED_WHEN_ADDED, NO_BROADCAST_LOCKS],
        needs=["W-rest-with-both"],
        where="with the fixes of 4.9.5 and 5.3.2",
    ),
)
def every_listed_queue_is_pulled(group: BroadcastGroup) -> bool:
    """At rest a poll is held for the queue of each client that has it in its table."""
    return every(
        implies(consumer.has_listed(pq_id), group.is_waiting(pq))
        for consumer in group.consumer
        for pq_id, pq in enumerate(consumer.process_queue)
    )


@each_step(
    case(
        "I8-broadcast-orderly",
        REFUTED.unless(NO_BROADCAST_LOCKS),
        "broadcast-orderly",
        fixes=[LOCKED_WHEN_ADDED],
        where="with the fix of 4.9.5",
        why="a rebalance locks the queue, and the broker has one lock for all clients of the group; nobody renews it, "
        "so the next one waits for 60 s, and the one after that for 60 s more",
        symptom="an orderly broadcast consumer begins minutes late: add a new mq failed, because lock failed",
        remedies=["I8-broadcast-orderly-unlocked"],
    ),
    case(
        "I8-broadcast-orderly-unlocked",
        HOLDS,
        "broadcast-orderly",
        fixes=[LOCKED_WHEN_ADDED, NO_BROADCAST_LOCKS],
        needs=["W-rest-with-both"],
        where="with the fixes of 4.9.5 and 5.3.2",
    ),
)
def rebalance_gets_the_queue(_before: BroadcastGroup, after: BroadcastGroup, step: Step) -> bool:
    """A rebalance of a client that sees the queue in the route ends with the queue in its table."""
    if step.action not in ("rebalance_hears_of_lock", "rebalance_adds_queue"):
        return True
    consumer = after.consumer[step.args["c"]]
    run = consumer.rebalance[step.args["r"]]
    is_over = every([run.at == RebalanceStep.IDLE, run.lock == LockStep.IDLE, consumer.believes_allocated])
    return implies(is_over, negation(holds(consumer, Consumer.process_queue_table, None)))

"""Who may run a listener: the broker's lock, the client's own, and what is left of them when a queue changes hands."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, always, at_rest, case, choose, every, implies, negation, remedy, some
from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.model.orderly.variants import (
    BATCHES_SHORT,
    REPAIR_AS_REBALANCE,
    RESET_WAITS_FOR_LISTENER,
    UNLOCKS_IN_ORDER,
)
from offsetproof.model.orderly.vocabulary import RequestStep
from offsetproof.model.releases import FORCES_UNLOCK, PULL_NEEDS_START, SERVER_SIDE_RESET, UNLOCKED_AT_ONCE
from offsetproof.model.variants import RESET_DROPS_AGAIN, SHUTDOWN_WAITS
from offsetproof.properties import ownership

_LATE_UNLOCK = (
    "a queue that is given up with messages in its cache is unlocked 20 s later, by its name; if the client has taken "
    "it back by then, the lock of its new ProcessQueue is lost"
)
_REPAIR = (
    "the repair of an illegal offset takes the queue out of the table before it unlocks it by name. In between, up "
    "to 1 s where a listener is busy, the client's rebalance may lock and add the queue again: the unlock then takes "
    "the lock of the new ProcessQueue"
)
_REFUSES = (
    "a broker that has just started would have to refuse all locks for as long as a client believes in one, 30 s and a "
    "batch"
)
_REPAIRED = "where the oldest message may be deleted before it is pulled, so that an illegal offset is repaired"
_REPAIRED_OR_UNANSWERED = (
    "where an illegal offset is repaired: the oldest message is deleted before it is pulled, or a query for an offset "
    "is not answered"
)
_ANSWERED = {"orderly-repair-error": [PULL_NEEDS_START]}
"""A pull that needs its start makes no illegal offset of a query that is not answered."""
_FORCED = (
    "Since 5.2.0 a queue that is given up over 20 s after its last lock is unlocked while its listener runs, however "
    "short that is: a lock is renewed every 20 s, but not that of a dropped queue"
)
_REPAIRED_AS_REBALANCE = (
    "where an illegal offset is repaired as a rebalance gives a queue up, and a queue that is given up is unlocked at "
    "once"
)
_BOTH_AFTER_REPAIR = (
    "two consumers handle messages of one queue at the same time, some seconds after `the pull request offset illegal`"
)


@always(
    case(
        "I9",
        REFUTED,
        "orderly-return",
        why=f"{_LATE_UNLOCK}, and another client takes it while the first still believes in it",
        symptom="two consumers handle messages of one queue at the same time, after it came back to one of them within "
        "20 s",
        remedies=["I9-at-once"],
    ),
    case(
        "I9-at-once",
        HOLDS.unless(FORCES_UNLOCK),
        "orderly-return",
        fixes=[UNLOCKED_AT_ONCE],
        needs=["W-locked-twice"],
        where="where a queue that is given up is unlocked at once, and no offset is illegal",
        why="the consume lock is tried first, so no listener of the dropped ProcessQueue runs, and none starts on it. "
        f"{_FORCED}",
    ),
    case(
        "I9-once",
        HOLDS.unless(FORCES_UNLOCK),
        "orderly-hand-over",
        needs=["W-handed-over"],
        where="where no consumer takes back a queue that it has given up, and no offset is illegal",
        why=_FORCED,
    ),
    case(
        "I9-one-client",
        HOLDS,
        *("orderly-come-back", "orderly-reset"),
        needs=["W-second-process-queue-listens"],
        where="within one client, also around a reset",
        why="the requests of all its ProcessQueues wait for one lock of the queue (MessageQueueLock)",
    ),
    case(
        "I9-lease",
        REFUTED,
        "orderly-lease",
        where="where locks may not be renewed for a while",
        why="a client looks at its lock before each batch only: a listener that runs on after the lease has expired "
        "does not know",
        symptom="two consumers handle messages of one queue at the same time, one after a long pause or a lost network",
        remedies=["I9-lease-short"],
    ),
    case(
        "I9-lease-short",
        HOLDS.unless(FORCES_UNLOCK),
        "orderly-lease",
        assumptions=[BATCHES_SHORT],
        needs=["W-handed-over", "W-lease-expired"],
        where="where locks may not be renewed for a while, and every batch is shorter than the margin of 30 s",
        why=_FORCED,
    ),
    case(
        "I9-restart",
        REFUTED,
        "orderly-broker-restart",
        where="where the broker may be killed and started again",
        why="its locks are in memory only, and whoever asks first gets the queue; the old owner learns of it when it "
        "renews, up to 20 s later",
        symptom="two consumers handle messages of one queue at the same time after the broker was restarted",
        no_remedy=_REFUSES,
    ),
    case(
        "I9-restarted",
        REFUTED,
        "orderly-restart-in-order-two",
        where="where the broker is restarted in order",
        why="an orderly end writes no locks either: they are in memory only",
        symptom="two consumers handle messages of one queue at the same time after a broker was restarted as a routine",
        no_remedy=_REFUSES,
    ),
    case(
        "I9-overtaken",
        REFUTED,
        "orderly-overtake",
        fixes=[UNLOCKED_AT_ONCE],
        where="where a queue that is given up is unlocked at once, by a request that a later one may overtake",
        why="the broker has 16 threads for requests to lock and unlock, which are not in order: the unlock of the old "
        "ProcessQueue takes the lock of the new one away",
        symptom="two consumers handle messages of one queue at the same time, after it came back to one of them",
        remedies=["I9-in-order"],
    ),
    case(
        "I9-in-order",
        HOLDS.unless(FORCES_UNLOCK),
        "orderly-overtake",
        fixes=[UNLOCKED_AT_ONCE],
        assumptions=[UNLOCKS_IN_ORDER],
        needs=["W-locked-twice"],
        where="where a queue that is given up is unlocked at once, unlocks are not overtaken, and no offset is illegal",
    ),
    case(
        "I9-shutdown",
        REFUTED,
        "orderly-shutdown-two",
        where="where a consumer is shut down gracefully",
        why="by default nobody waits for running listeners, and the queue is unlocked all the same",
        symptom="the consumer that takes a queue over handles messages while the one that is shut down is still busy",
        remedies=["I9-shutdown-short"],
    ),
    case(
        "I9-shutdown-waits",
        REFUTED,
        "orderly-shutdown-two",
        assumptions=[SHUTDOWN_WAITS],
        where="where a graceful shutdown waits for its listeners",
        why="locks are not renewed while it waits, so the lease of a listener that takes longer than 60 s expires",
        symptom="the consumer that takes a queue over handles messages while the one that is shut down is still busy, "
        "although its shutdown waits",
        remedies=["I9-shutdown-short"],
    ),
    case(
        "I9-shutdown-short",
        HOLDS,
        "orderly-shutdown-two",
        assumptions=[SHUTDOWN_WAITS, BATCHES_SHORT],
        needs=["W-handed-over"],
        where="where a graceful shutdown waits for its listeners, and batches are short",
    ),
    case(
        "I9-repair",
        REFUTED,
        *("orderly-repair", "orderly-repair-error"),
        where=_REPAIRED_OR_UNANSWERED,
        why=f"{_REPAIR}, and another client takes it while the first still believes in it",
        symptom=_BOTH_AFTER_REPAIR,
        remedies=["I9-repair-fixed"],
        not_in=_ANSWERED,
    ),
    case(
        "I9-repair-at-once",
        REFUTED,
        "orderly-repair",
        fixes=[UNLOCKED_AT_ONCE],
        where=f"where a queue that is given up is unlocked at once, and {_REPAIRED.removeprefix('where ')}",
        why=f"{_REPAIR}, and another client takes it while the first still believes in it",
        symptom=f"{_BOTH_AFTER_REPAIR}, also with 5.2.0",
        remedies=["I9-repair-fixed"],
    ),
    case(
        "I9-repair-fixed",
        HOLDS,
        *("orderly-repair", "orderly-repair-busy", "orderly-repair-error"),
        fixes=[UNLOCKED_AT_ONCE, REPAIR_AS_REBALANCE],
        needs=["W-listens-after-repair"],
        where=_REPAIRED_AS_REBALANCE,
        not_in=_ANSWERED,
    ),
)
def at_most_one_listener_runs(group: OrderlyGroup) -> bool:
    """Two listeners of the queue never run at a time, in one client or in two."""
    running = [
        choose(pq.request.at == RequestStep.LISTENING, 1, 0)
        for consumer in group.consumer
        for pq in consumer.process_queue
    ]
    return sum(running) <= 1


@always(
    case(
        "I9-locked",
        HOLDS.unless(FORCES_UNLOCK),
        "orderly-hand-over",
        needs=["W-handed-over"],
        where="where no queue is taken back, and no offset is illegal",
        why=_FORCED,
    ),
    case(
        "I9-locked-come-back",
        REFUTED,
        "orderly-come-back",
        where="where one consumer gives the queue up and takes it back",
        why=_LATE_UNLOCK,
        remedies=["I9-locked-at-once"],
    ),
    case(
        "I9-locked-at-once",
        HOLDS.unless(FORCES_UNLOCK),
        "orderly-come-back",
        fixes=[UNLOCKED_AT_ONCE],
        needs=["W-second-process-queue-listens"],
        where="where a queue that is given up and taken back is unlocked at once, and no offset is illegal",
    ),
    case(
        "I9-locked-reset",
        REFUTED,
        "orderly-reset-moving",
        fixes=[UNLOCKED_AT_ONCE],
        where="where the queue is lost around a reset, and unlocked at once",
        why="a reset that finds the listener busy does not unlock the queue, but takes it out of the table; the next "
        "ProcessQueue of it is given up with its own consume lock, while the first one's listener runs on",
        symptom="two consumers handle messages of one queue at the same time after an offset reset and a rebalance",
        remedies=["I9-locked-reset-fixed"],
    ),
    case(
        "I9-locked-orphan",
        REFUTED,
        "orderly-reset-moving",
        fixes=[UNLOCKED_AT_ONCE, RESET_WAITS_FOR_LISTENER],
        where="where a reset waits for the listener, and a queue that is given up is unlocked at once",
        why="a rebalance that began before the reset paused the consumer adds the queue between the reset's two loops; "
        "the second one unlocks it and takes it out of the table, but nobody ever dropped it",
        symptom="two consumers handle messages of one queue at the same time after an offset reset and a rebalance",
        remedies=["I9-locked-reset-fixed"],
    ),
    case(
        "I9-locked-reset-fixed",
        HOLDS.unless(FORCES_UNLOCK, SERVER_SIDE_RESET),
        "orderly-reset-moving",
        fixes=[UNLOCKED_AT_ONCE, RESET_WAITS_FOR_LISTENER, RESET_DROPS_AGAIN],
        needs=["W-second-process-queue-listens"],
        where="where a reset waits for the listener and drops what it takes out of the table, and a queue that is "
        "given up is unlocked at once",
    ),
    case(
        "I9-locked-unsubscribe",
        REFUTED,
        "orderly-unsubscribe",
        where="where the application gives the topic up",
        why="the queue leaves the table without being unlocked, so its lock is not renewed: a listener that takes "
        "longer than 60 s loses it",
        symptom="two consumers may handle messages of one queue at the same time after one called unsubscribe(): it "
        "keeps the broker's lock for a minute, and was busy for longer",
        remedies=[remedy("orderly-unsubscribe", assumptions=[BATCHES_SHORT])],
    ),
    case(
        "I9-locked-repair",
        REFUTED,
        *("orderly-repair", "orderly-repair-error"),
        where=_REPAIRED_OR_UNANSWERED,
        why=_REPAIR,
        remedies=["I9-locked-repair-fixed"],
    ),
    case(
        "I9-locked-repair-busy",
        REFUTED,
        "orderly-repair-busy",
        where="where an illegal offset may be repaired while a listener is busy with an earlier message",
        why="the repair does not unlock the queue then, but it has taken it out of the table, so its lock is not "
        "renewed: a listener that takes longer than 60 s loses it, if no rebalance locks the queue again before",
        remedies=["I9-locked-repair-fixed"],
    ),
    case(
        "I9-locked-repair-fixed",
        HOLDS.unless(FORCES_UNLOCK),
        *("orderly-repair", "orderly-repair-busy", "orderly-repair-error"),
        fixes=[UNLOCKED_AT_ONCE, REPAIR_AS_REBALANCE],
        needs=["W-listens-after-repair"],
        where=_REPAIRED_AS_REBALANCE,
        why="no rebalance runs between the unlock and the end of the repair, so nobody has locked the queue again. "
        f"{_FORCED}",
    ),
)
def listener_runs_under_the_brokers_lock(group: OrderlyGroup) -> bool:
    """Where a listener runs, the client has the broker's lock of the queue.

    Where it has not, any other client of the group may start one.
    """
    return every(implies(consumer.listens(), group.has_lock(c)) for c, consumer in enumerate(group.consumer))


@always(
    case(
        "I8-locked",
        REFUTED.unless(UNLOCKED_AT_ONCE),
        "orderly-return",
        why=f"{_LATE_UNLOCK}; the client itself learns of it when it renews, up to 20 s later",
        symptom="a queue is consumed by two clients for up to 20 s, after it came back to one of them",
        remedies=[remedy("orderly-return", fixes=[UNLOCKED_AT_ONCE])],
    ),
    case(
        "I8-locked-once",
        HOLDS,
        "orderly-hand-over",
        needs=["W-handed-over"],
        where="where no queue is taken back, and no offset is illegal",
    ),
    case(
        "I8-locked-repair",
        REFUTED,
        *("orderly-repair", "orderly-repair-busy"),
        where=_REPAIRED,
        why=f"{_REPAIR}; the client itself learns of it when it renews, up to 20 s later",
        symptom="a queue is consumed by two clients for up to 20 s, after `the pull request offset illegal`",
        remedies=[remedy("orderly-repair-busy", fixes=[UNLOCKED_AT_ONCE, REPAIR_AS_REBALANCE])],
    ),
)
def at_most_one_consumer_believes_in_its_lock(group: OrderlyGroup) -> bool:
    """At most one client has a ProcessQueue in its table that is not dropped and believes that the queue is locked."""
    owners = [
        some(
            every([consumer.has_listed(pq_id), negation(pq.dropped), pq.believes_in_lock()])
            for pq_id, pq in enumerate(consumer.process_queue)
        )
        for consumer in group.consumer
    ]
    return every(negation(every([a, b])) for i, a in enumerate(owners) for b in owners[:i])


at_most_one_live_process_queue_in_order = always(
    case(
        "I8-orderly",
        HOLDS,
        "orderly-hand-over",
        needs=["W-handed-over"],
        where="where no offset is illegal",
        why="a queue is locked before it is added, and dropped before it is unlocked; see I8 for what happens without",
    ),
    case(
        "I8-orderly-lease",
        REFUTED,
        "orderly-lease",
        where="where locks may not be renewed for a while",
        why="a client keeps the queue in its table when its lock has expired, and another adds it",
        symptom="two clients pull one queue for a while",
        no_remedy="the first client neither pulls nor consumes again before it has asked for the lock",
    ),
    case(
        "I8-orderly-repair",
        REFUTED,
        *("orderly-repair", "orderly-repair-error"),
        where=_REPAIRED_OR_UNANSWERED,
        why=f"{_REPAIR}, and another client adds the queue as well",
        symptom="two clients have one queue at the same time, some seconds after `the pull request offset illegal`",
        remedies=["I8-orderly-repair-fixed"],
        not_in=_ANSWERED,
    ),
    case(
        "I8-orderly-repair-fixed",
        HOLDS,
        *("orderly-repair", "orderly-repair-busy", "orderly-repair-error"),
        fixes=[UNLOCKED_AT_ONCE, REPAIR_AS_REBALANCE],
        needs=["W-listens-after-repair"],
        where=_REPAIRED_AS_REBALANCE,
        not_in=_ANSWERED,
    ),
)(ownership.at_most_one_consumer_has_a_live_process_queue.function)

one_orderly_process_queue_pulls_at_rest = at_rest(
    case("I8-heals-orderly", HOLDS, *("orderly-hand-over", "orderly-come-back"), needs=["W-rest-in-order"])
)(ownership.one_process_queue_pulls_at_rest.function)

"""The small worlds that claims about orderly consumption are decided in."""

from __future__ import annotations

from collections.abc import Mapping

from offsetproof.lang import Default, Scope
from offsetproof.model.concurrent.bounds import CLUSTERING_BOUNDS, fixed_bounds
from offsetproof.model.orderly.variants import RENEWAL
from offsetproof.model.variants import (
    BROKER_ERROR,
    BROKER_KILL,
    KILL,
    LATE_PULL,
    LOSS,
    OVERTAKE,
    PULL_REQUEST_LOSS,
    STALL,
)

ORDERLY_BOUNDS: Mapping[str, Default] = {
    **CLUSTERING_BOUNDS,
    **fixed_bounds(
        *("brokers", "queues", "queue", "registries", "strategy", "offline", "equal_times", "updates", "neighbours"),
        *("suspends", "running_infos", "sweeps", "deletions", "group_deletions", "tails", "fine"),
    ),
    "unlocks_in_flight": Default(
        1, "one consumer's requests to unlock that are due or on their way at a time", range(1, 63)
    ),
    "reconsumes": Default(0, "1: a message that fails twice goes to the dead-letter queue; 0: never", range(2)),
}

SCOPES = (
    Scope("orderly", {"process_queues": 1}, about="one consumer, two messages"),
    Scope("orderly-batch", {"process_queues": 1, "batch": 2}, about="one consumer, batches of up to two messages"),
    Scope(
        "orderly-tags",
        {"process_queues": 1, "unmatched": 1, "unmatched_from": 1},
        about="one consumer; the last of two messages has another tag",
    ),
    Scope(
        "orderly-tags-around",
        {"process_queues": 1, "messages": 3, "unmatched": 1, "unmatched_from": 1},
        about="one consumer; the middle one of three messages has another tag",
    ),
    Scope(
        "dead-letters",
        {"process_queues": 1, "batch": 2, "reconsumes": 1},
        about="one consumer; what fails twice goes to the dead-letter queue",
    ),
    Scope(
        "orderly-come-back",
        {"view_changes": 2, "commits_in_flight": 1},
        about="one consumer loses the queue and regains it; no reset",
    ),
    Scope(
        "orderly-hand-over",
        {"consumers": 2, "process_queues": 1, "messages": 1, "view_changes": 2, "commits_in_flight": 1},
        about="two consumers hand the queue over; no reset",
    ),
    Scope(
        "orderly-return",
        {"consumers": 2, "messages": 1, "view_changes": 3, "commits_in_flight": 1},
        about="two consumers; one may lose the queue and regain it",
    ),
    Scope(
        "orderly-overtake",
        {"consumers": 2, "messages": 1, "view_changes": 3, "commits_in_flight": 1},
        faults={OVERTAKE: 1},
        about="two consumers; one may lose the queue and regain it; one request may overtake another",
    ),
    Scope(
        "orderly-lease",
        {"consumers": 2, "process_queues": 1, "messages": 1, "view_changes": 2, "commits_in_flight": 1},
        faults={RENEWAL: 1},
        about="two consumers hand the queue over; locks may not be renewed for a while",
    ),
    Scope(
        "orderly-broker-restart",
        {"consumers": 2, "process_queues": 1, "messages": 1, "view_changes": 2, "commits_in_flight": 1},
        faults={BROKER_KILL: 1},
        about="two consumers; the broker may be killed, and forgets all locks",
    ),
    Scope(
        "orderly-restart-two",
        {"consumers": 2, "process_queues": 1, "messages": 1, "view_changes": 1, "commits_in_flight": 1},
        faults={BROKER_KILL: 1},
        about="two consumers, one change of view; the broker may be killed, and forgets all locks",
    ),
    Scope(
        "orderly-reset",
        {"messages": 2, "resets": 1, "commits_in_flight": 1, "rebalances": 2},
        about="one consumer keeps the queue while the offset is reset once; no fault",
    ),
    Scope(
        "orderly-reset-moving",
        {"messages": 1, "resets": 1, "view_changes": 2, "commits_in_flight": 1, "rebalances": 2},
        about="one consumer loses and regains the queue around a reset",
    ),
    Scope(
        "orderly-unsubscribe",
        {"process_queues": 1, "messages": 1, "unsubscribes": 1, "commits_in_flight": 1},
        about="the application gives the topic up",
    ),
    Scope("orderly-shutdown", {"process_queues": 1, "shutdowns": 1}, about="one consumer is shut down gracefully"),
    Scope(
        "orderly-shutdown-two",
        {"consumers": 2, "process_queues": 1, "view_changes": 1, "shutdowns": 1, "commits_in_flight": 1},
        about="a consumer is shut down gracefully, and another takes the queue",
    ),
    Scope(
        "orderly-query-error",
        {"messages": 1, "commits_in_flight": 1},
        faults={BROKER_ERROR: 1},
        about="one consumer; a query for an offset may fail",
    ),
    Scope(
        "orderly-reset-stalled",
        {"messages": 1, "resets": 1, "commits_in_flight": 1, "rebalances": 2},
        faults={STALL: 1},
        about="one consumer keeps the queue while the offset is reset once; a thread may stall",
    ),
    Scope("orderly-crash", faults={KILL: 1}, about="one consumer that may be killed and started again"),
    Scope(
        "orderly-restart-one",
        {"messages": 1, "view_changes": 2, "commits_in_flight": 1},
        faults={BROKER_KILL: 1},
        about="the broker may be killed and reload its file, and forgets all locks; one consumer",
    ),
    Scope(
        "orderly-restart-in-order",
        {"messages": 1, "view_changes": 2, "commits_in_flight": 1, "broker_restarts": 1},
        about="the broker is restarted in order, and forgets all locks; one consumer",
    ),
    Scope(
        "orderly-restart-in-order-two",
        {
            "consumers": 2,
            "process_queues": 1,
            "messages": 1,
            "view_changes": 1,
            "commits_in_flight": 1,
            "broker_restarts": 1,
        },
        about="two consumers, one change of view; the broker is restarted in order, and forgets all locks",
    ),
    Scope(
        "orderly-reset-restart-in-order",
        {"messages": 1, "resets": 1, "commits_in_flight": 1, "rebalances": 2, "broker_restarts": 1},
        about="one consumer keeps the queue while the offset is reset once; the broker is restarted in order",
    ),
    Scope(
        "orderly-retention",
        {"commits_in_flight": 1, "retention": 1},
        about="one consumer; the oldest message may be deleted before it is pulled",
    ),
    Scope(
        "orderly-cold",
        {"commits_in_flight": 1, "cold": 1},
        about="one consumer; offset 0 may leave the broker's memory",
    ),
    Scope(
        "orderly-repair",
        {"consumers": 2, "view_changes": 1, "commits_in_flight": 1, "retention": 1},
        about="two consumers; the oldest message may be deleted before it is pulled, so that an offset is repaired",
    ),
    Scope(
        "orderly-repair-busy",
        {"consumers": 2, "view_changes": 1, "commits_in_flight": 1, "retention": 2},
        about="two consumers; both messages may be deleted, so that an offset is repaired while a listener is busy",
    ),
    Scope(
        "orderly-repair-error",
        {"consumers": 2, "messages": 1, "view_changes": 1, "commits_in_flight": 1},
        faults={BROKER_ERROR: 1},
        about="two consumers; a query for an offset may fail, or not be answered: then an offset is repaired",
    ),
    Scope("orderly-loss", {"commits_in_flight": 1}, faults={LOSS: 1}, about="a one-way request or a pull may be lost"),
    Scope(
        "orderly-lost-pull-request", {"messages": 1}, faults={PULL_REQUEST_LOSS: 1}, about="a PullRequest may be lost"
    ),
    Scope(
        "orderly-lost-reset",
        {"messages": 1, "resets": 1, "commits_in_flight": 1, "rebalances": 2},
        faults={LOSS: 1},
        about="one consumer keeps the queue while the offset is reset once; a one-way request or a pull may be lost",
    ),
    Scope(
        "orderly-reset-overtaken",
        {"messages": 1, "resets": 1, "rebalances": 2},
        faults={OVERTAKE: 1},
        about="one consumer keeps the queue while the offset is reset once; one request may overtake another",
    ),
    Scope(
        "orderly-reset-late",
        {"messages": 1, "resets": 1, "commits_in_flight": 1, "rebalances": 2},
        faults={LATE_PULL: 1},
        about="one consumer keeps the queue while the offset is reset once; a pull may be late",
    ),
    Scope(
        "orderly-query-errors",
        {"messages": 1, "commits_in_flight": 1},
        faults={BROKER_ERROR: 2},
        about="one consumer; two requests about offsets may fail",
    ),
    Scope(
        "large-orderly",
        {
            "consumers": 3,
            "process_queues": 3,
            "messages": 6,
            "resets": 2,
            "view_changes": 4,
            "rebalances": 2,
            "unlocks_in_flight": 2,
        },
        faults={
            OVERTAKE: 1,
            LATE_PULL: 1,
            STALL: 1,
            KILL: 1,
            BROKER_KILL: 1,
            BROKER_ERROR: 1,
            PULL_REQUEST_LOSS: 1,
            LOSS: 1,
            RENEWAL: 1,
        },
        about="three consumers, two resets, one of each fault",
        large=True,
    ),
)

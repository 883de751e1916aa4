"""The small worlds that claims about broadcasting are decided in."""

from __future__ import annotations

from collections.abc import Mapping

from offsetproof.lang import Default, Scope
from offsetproof.model.concurrent.bounds import BOUNDS, fixed_bounds
from offsetproof.model.local.variants import FILE_LOSS
from offsetproof.model.variants import KILL
from offsetproof.model.vocabulary import ConsumeFrom

_OFF_OR_ON = range(2)

BROADCAST_BOUNDS: Mapping[str, Default] = {
    **BOUNDS,
    **fixed_bounds(
        *("brokers", "queues", "queue", "registries", "strategy", "offline", "equal_times", "updates", "neighbours"),
        *(
            "suspends",
            "running_infos",
            "unsubscribes",
            "deletions",
            "group_deletions",
            "tails",
            "cold",
            "unmatched",
            "unmatched_from",
            "fine",
        ),
        "commits_in_flight",
    ),
    "other_queue": Default(0, "1: the client has another queue, which stays in the route", _OFF_OR_ON),
    "clustered_before": Default(
        0, "1: the broker has an offset of the group from CLUSTERING mode, so that a reset is not refused", _OFF_OR_ON
    ),
    "orderly": Default(0, "1: the listener is orderly, so that queues are locked before they are added", _OFF_OR_ON),
}

SCOPES = (
    Scope("broadcast", {"process_queues": 1}, about="one client that keeps the queue, and is not restarted"),
    Scope("broadcast-batch", {"process_queues": 1, "batch": 2}, about="one client; tasks of up to two messages"),
    Scope("broadcast-kills", faults={KILL: 1}, about="one client that may be killed and started again"),
    Scope(
        "broadcast-first",
        {"consume_from": ConsumeFrom.FIRST_OFFSET},
        faults={KILL: 1, FILE_LOSS: 1},
        about="one client with CONSUME_FROM_FIRST_OFFSET that may be killed, and lose its file",
    ),
    Scope(
        "broadcast-file-lost",
        faults={KILL: 1, FILE_LOSS: 1},
        about="one client that may be killed, and lose its file",
    ),
    Scope("broadcast-shutdown", {"shutdowns": 1}, about="one client that is shut down gracefully and started again"),
    Scope(
        "broadcast-route",
        {"view_changes": 2},
        about="the queue may leave the route and come back (reading is forbidden for a while); there is no other queue",
    ),
    Scope(
        "broadcast-routes",
        {"messages": 1, "view_changes": 2, "other_queue": 1},
        about="the queue may leave the route with its broker and come back; another queue stays",
    ),
    Scope(
        "broadcast-two-queues",
        {"other_queue": 1},
        faults={KILL: 1},
        about="one client with two queues that may be killed and started again",
    ),
    Scope(
        "broadcast-expansion",
        {"process_queues": 1, "expansion": 1},
        about="a queue is added to the topic of a client that runs",
    ),
    Scope(
        "broadcast-expansion-first",
        {"process_queues": 1, "expansion": 1, "consume_from": ConsumeFrom.FIRST_OFFSET},
        about="a queue is added to the topic of a client that runs with CONSUME_FROM_FIRST_OFFSET",
    ),
    Scope(
        "broadcast-sweep", {"process_queues": 1, "sweeps": 1}, about="one client; the expiry sweep sends a message back"
    ),
    Scope("broadcast-retention", {"retention": 1}, about="one client; the oldest message is deleted"),
    Scope("broadcast-retention-twice", {"retention": 2}, about="one client; the two oldest messages are deleted"),
    Scope(
        "broadcast-retention-two-queues",
        {"retention": 1, "other_queue": 1},
        about="the oldest message is deleted; one client with two queues",
    ),
    Scope(
        "broadcast-reset",
        {"messages": 1, "resets": 1, "rebalances": 2, "clustered_before": 1},
        about="one client of a group that was a clustering one, whose offset is reset once",
    ),
    Scope(
        "broadcast-reset-two-queues",
        {"messages": 1, "resets": 1, "rebalances": 2, "clustered_before": 1, "other_queue": 1},
        about="the same, of one with two queues",
    ),
    Scope(
        "broadcast-reset-two-clients",
        {"consumers": 2, "messages": 1, "resets": 1, "rebalances": 2},
        about="two clients of a group whose offset is reset once",
    ),
    Scope(
        "broadcast-orderly",
        {"consumers": 2, "process_queues": 1, "messages": 1, "orderly": 1},
        about="two clients with orderly listeners, which ask for locks",
    ),
    Scope(
        "broadcast-orderly-one",
        {"messages": 1, "orderly": 1},
        about="one client with an orderly listener",
    ),
    Scope(
        "broadcast-orderly-first",
        {"process_queues": 1, "batch": 2, "orderly": 1, "consume_from": ConsumeFrom.FIRST_OFFSET},
        about="one client with an orderly listener and CONSUME_FROM_FIRST_OFFSET; batches of up to two messages",
    ),
    Scope(
        "large-broadcast",
        {
            "process_queues": 4,
            "messages": 6,
            "batch": 2,
            "view_changes": 4,
            "shutdowns": 1,
            "sweeps": 1,
            "retention": 2,
            "resets": 1,
            "rebalances": 2,
            "clustered_before": 1,
            "other_queue": 1,
        },
        faults={KILL: 2, FILE_LOSS: 1},
        about="one client, a reset, two kills",
        large=True,
    ),
)

"""The small worlds that claims are decided in.

A scope names the bounds in which it is special; all others are as bounds.py says. A fault that it does not name cannot
happen.
"""

from __future__ import annotations

from offsetproof.lang import Scope
from offsetproof.model.variants import (
    BROKER_ERROR,
    BROKER_KILL,
    BROKER_LOSES_TAIL,
    HANG,
    KILL,
    LATE_PULL,
    LOSS,
    OVERTAKE,
    PULL_REQUEST_LOSS,
    SEND_BACK,
    STALL,
)
from offsetproof.model.vocabulary import ConsumeFrom, Strategy

_ONE_OF_EACH = {OVERTAKE: 1, LATE_PULL: 1, STALL: 1}

SCOPES = (
    Scope(
        "reset",
        {"process_queues": 3, "messages": 1, "resets": 1, "rebalances": 2},
        faults=_ONE_OF_EACH,
        about="one consumer keeps the queue while the offset is reset once",
    ),
    Scope(
        "calm-reset",
        {"process_queues": 3, "messages": 1, "resets": 1, "rebalances": 2},
        about="one consumer keeps the queue while the offset is reset once; no fault",
    ),
    Scope(
        "unforced-reset",
        {"process_queues": 3, "messages": 1, "resets": 1, "rebalances": 2, "unforced": 1},
        about="one consumer keeps the queue while the offset is reset once without the force flag; no fault",
    ),
    Scope(
        "unforced-reset-two",
        {"process_queues": 3, "messages": 2, "resets": 1, "rebalances": 2, "unforced": 1},
        about="unforced-reset with two messages, the first of which may be finished and not committed",
    ),
    Scope(
        "moving-reset",
        {"process_queues": 3, "messages": 1, "resets": 1, "view_changes": 2, "commits_in_flight": 1, "rebalances": 2},
        faults={STALL: 1},
        about="one consumer loses and regains the queue around a reset",
    ),
    Scope(
        "reset-two",
        {
            "consumers": 2,
            "process_queues": 3,
            "messages": 1,
            "resets": 1,
            "view_changes": 2,
            "commits_in_flight": 1,
            "rebalances": 2,
        },
        about="two consumers and their changing views around a reset",
        narrower={"process_queues": 2, "view_changes": 1},
    ),
    Scope(
        "hand-over",
        {"consumers": 2, "process_queues": 1, "view_changes": 2},
        faults={OVERTAKE: 1},
        about="two consumers hand the queue over; no reset",
    ),
    Scope(
        "come-back",
        {"view_changes": 2},
        faults={OVERTAKE: 1},
        about="one consumer loses the queue and regains it; no reset",
    ),
    Scope("batch", {"process_queues": 1, "batch": 2}, about="one consumer, tasks of up to two messages"),
    Scope(
        "send-back",
        {"process_queues": 1, "batch": 2, "sweeps": 1},
        faults={SEND_BACK: 1},
        about="tasks of up to two messages; a send-back may fail or run twice, and a message may expire",
    ),
    Scope("warm-start", {"process_queues": 1}, about="a new group on a queue whose offset 0 is in the broker's memory"),
    Scope(
        "cold-start",
        {"process_queues": 1, "cold": 1},
        faults={BROKER_ERROR: 1},
        about="a new group on a queue whose offset 0 leaves the broker's memory",
    ),
    Scope(
        "new-group",
        {"retention": 1},
        faults={KILL: 1},
        about="a new group whose one consumer may be killed; the first message may be deleted",
    ),
    Scope("crash", faults={KILL: 1}, about="one consumer that may be killed and started again"),
    Scope(
        "take-over",
        {"consumers": 2, "process_queues": 1, "messages": 1, "view_changes": 2},
        faults={BROKER_ERROR: 1},
        about="a queue changes hands; a query may fail",
    ),
    Scope(
        "take-over-two",
        {"consumers": 2, "process_queues": 1, "view_changes": 2, "commits_in_flight": 1},
        faults={BROKER_ERROR: 1},
        about="a queue with two messages changes hands; a query may fail",
    ),
    Scope(
        "broker-restart",
        {"messages": 1, "view_changes": 2},
        faults={BROKER_KILL: 1},
        about="the broker may be killed and reload its file",
    ),
    Scope(
        "restart-in-order",
        {"messages": 1, "view_changes": 2, "broker_restarts": 1},
        about="the broker is restarted in order",
    ),
    Scope("expansion", {"process_queues": 1, "expansion": 1}, about="a queue is added to the topic of an old group"),
    Scope(
        "expansion-cold",
        {"process_queues": 1, "cold": 1, "expansion": 1},
        about="a queue is added to the topic of an old group; its first message may leave the broker's memory",
    ),
    Scope(
        "expansion-late",
        {"process_queues": 1, "retention": 1, "expansion": 1},
        about="a queue is added to the topic of an old group; its first message may be deleted",
    ),
    Scope(
        "two-brokers",
        {"process_queues": 3, "messages": 1, "resets": 1, "brokers": 2, "rebalances": 2},
        faults={BROKER_ERROR: 1},
        about="a reset of a topic on two brokers",
    ),
    Scope(
        "first-commits",
        {"process_queues": 1, "messages": 1, "neighbours": 1},
        about="two queues of a new group are committed first",
    ),
    Scope("retention", {"retention": 2}, about="messages are deleted before they are pulled"),
    Scope(
        "retention-moves",
        {"process_queues": 4, "view_changes": 2, "retention": 1},
        about="messages are deleted before they are pulled, while the queue is lost and regained",
    ),
    Scope("recreated", {"deletions": 1}, about="the topic is deleted and created again"),
    Scope(
        "recreated-down",
        {"messages": 1, "deletions": 1, "shutdowns": 1},
        about="the topic is deleted and created again; the one consumer is shut down once",
    ),
    Scope(
        "recreated-marked",
        {"messages": 1, "resets": 1, "deletions": 1, "shutdowns": 1, "consume_from": ConsumeFrom.FIRST_OFFSET},
        about="the offset is reset once, the topic is deleted and created again; the one consumer is shut down once",
    ),
    Scope(
        "recreated-start",
        {"process_queues": 1, "cold": 1, "deletions": 1},
        about="a new group on a topic that is deleted and created again, also after its offset 0 has left the memory",
    ),
    Scope(
        "tail-lost",
        {"tails": 1},
        faults={BROKER_LOSES_TAIL: 1},
        about="the broker's machine may go down with a message that is not flushed",
    ),
    Scope(
        "recreated-reset",
        {"resets": 1, "commits_in_flight": 1, "rebalances": 2, "deletions": 1},
        about="the topic is deleted and created again; the offset is reset once",
    ),
    Scope("lost-pull-request", {"messages": 1}, faults={PULL_REQUEST_LOSS: 1}, about="a PullRequest may be lost"),
    Scope("resume", {"view_changes": 1, "rebalances": 2, "suspends": 1}, about="resume rebalances in its own thread"),
    Scope(
        "resume-moving",
        {"process_queues": 3, "messages": 1, "view_changes": 2, "rebalances": 2, "suspends": 1},
        about="resume rebalances in its own thread while the consumer loses and regains the queue",
    ),
    Scope(
        "running-info",
        {"messages": 1, "view_changes": 2, "running_infos": 1},
        faults={BROKER_ERROR: 1},
        about="one consumer loses the queue and regains it; an operator asks for its running info; a query may fail",
    ),
    Scope(
        "inspected-reset",
        {"process_queues": 3, "messages": 1, "resets": 1, "rebalances": 2, "running_infos": 1},
        faults={OVERTAKE: 1},
        about="one consumer keeps the queue while the offset is reset once; an operator asks for its running info",
    ),
    Scope("shutdown", {"process_queues": 1, "shutdowns": 1}, about="one consumer is shut down gracefully"),
    Scope(
        "fine-shutdown",
        {"shutdowns": 1, "fine": 1},
        about="updateOffset and persistAll in two steps each, while one consumer is shut down gracefully",
    ),
    Scope(
        "shutdown-sweep",
        {"process_queues": 1, "shutdowns": 1, "sweeps": 1},
        about="one consumer is shut down gracefully; a message may take over fifteen minutes",
    ),
    Scope(
        "shutdown-loss",
        {"process_queues": 1, "shutdowns": 1},
        faults={LOSS: 1},
        about="one consumer is shut down gracefully; a one-way request may be lost",
    ),
    Scope(
        "shutdown-restart-in-order",
        {"process_queues": 1, "shutdowns": 1, "broker_restarts": 1},
        about="one consumer is shut down gracefully, and the broker is restarted in order",
    ),
    Scope("admin", {"process_queues": 1, "updates": 1}, about="an administrator writes or deletes the group's offset"),
    Scope(
        "group-deleted",
        {"messages": 1, "shutdowns": 1, "group_deletions": 1},
        about="the group is deleted and made again; its one consumer is shut down once",
    ),
    Scope(
        "group-deleted-restart",
        {"messages": 1, "shutdowns": 1, "group_deletions": 1},
        faults={BROKER_KILL: 1},
        about="the group is deleted and made again; its one consumer is shut down once, and the broker may be killed",
    ),
    Scope(
        "hang",
        {"sweeps": 1},
        faults={HANG: 1, KILL: 1},
        about="a listener of one consumer may never return; a message may expire, and the consumer may be killed",
    ),
    Scope(
        "hang-unswept",
        {"process_queues": 1},
        faults={HANG: 1},
        about="a listener of one consumer may never return; the expiry sweep does not come",
    ),
    Scope(
        "hang-swept",
        {"process_queues": 1, "sweeps": 2},
        faults={HANG: 1},
        about="a listener of one consumer may never return; the expiry sweep comes as often as it has something to do",
    ),
    Scope("unsubscribe", {"process_queues": 1, "unsubscribes": 1, "neighbours": 1}, about="the topic is given up"),
    Scope(
        "tags",
        {"process_queues": 1, "messages": 3, "unmatched": 2, "flow": 1},
        about="messages with another tag come first; flow control",
    ),
    Scope(
        "tags-middle",
        {"process_queues": 1, "messages": 3, "unmatched": 1, "unmatched_from": 1},
        about="the middle one of three messages has another tag",
    ),
    Scope("tags-last", {"process_queues": 1, "unmatched": 1, "unmatched_from": 1}, about="the second has another tag"),
    Scope("retry-last", {"retention": 1, "retry_queue": 1}, faults={KILL: 1}, about="the retry topic's queue"),
    Scope(
        "retry-timestamp",
        {"retention": 1, "retry_queue": 1, "consume_from": ConsumeFrom.TIMESTAMP},
        faults={KILL: 1},
        about="the retry topic's queue with CONSUME_FROM_TIMESTAMP",
    ),
    Scope(
        "first-offset",
        {"consume_from": ConsumeFrom.FIRST_OFFSET, "retention": 1},
        faults={KILL: 1},
        about="a new group with CONSUME_FROM_FIRST_OFFSET whose first message may be deleted",
    ),
    Scope(
        "timestamp",
        {"retention": 1, "consume_from": ConsumeFrom.TIMESTAMP, "time_offset": 1},
        faults={KILL: 1},
        about="a new group with CONSUME_FROM_TIMESTAMP",
    ),
    Scope(
        "equal-times",
        {"process_queues": 3, "resets": 1, "commits_in_flight": 1, "equal_times": 2, "rebalances": 2},
        about="a reset by time; two messages of the same time",
    ),
    Scope(
        "reset-by-time",
        {"process_queues": 3, "messages": 1, "resets": 1, "commits_in_flight": 1, "equal_times": 1, "rebalances": 2},
        about="a reset by time; one message",
    ),
    Scope(
        "fine-steps",
        {"process_queues": 1, "view_changes": 1, "commits_in_flight": 1, "fine": 1},
        about="updateOffset and persistAll in two steps each",
    ),
    Scope(
        "fine-reset",
        {"process_queues": 3, "messages": 1, "resets": 1, "fine": 1, "rebalances": 2},
        about="updateOffset and persistAll in two steps each, around a reset",
    ),
    Scope(
        "reset-twice",
        {"process_queues": 4, "messages": 1, "resets": 2, "commits_in_flight": 1, "rebalances": 2},
        about="one consumer keeps the queue while the offset is reset twice; each reset's thread rebalances, too",
    ),
    Scope(
        "one-cpu",
        {"process_queues": 3, "messages": 1, "resets": 1, "callback_threads": 1, "rebalances": 2},
        about="one thread for resets and pull callbacks",
    ),
    Scope(
        "offline-reset",
        {"process_queues": 3, "messages": 1, "resets": 1, "offline": 1, "rebalances": 2},
        faults={KILL: 1},
        about="a reset of a group that is not online",
    ),
    Scope(
        "reset-query-error",
        {"process_queues": 3, "messages": 1, "resets": 1, "rebalances": 2},
        faults={BROKER_ERROR: 1},
        about="one consumer keeps the queue while the offset is reset once; a query may fail",
    ),
    Scope(
        "reset-broker-restart",
        {"process_queues": 3, "messages": 1, "resets": 1, "rebalances": 2},
        faults={BROKER_KILL: 1},
        about="one consumer keeps the queue while the offset is reset once; the broker may be killed",
    ),
    Scope(
        "reset-restart-in-order",
        {"process_queues": 3, "messages": 1, "resets": 1, "rebalances": 2, "broker_restarts": 1},
        about="one consumer keeps the queue while the offset is reset once; the broker is restarted in order",
    ),
    Scope(
        "offline-restart-in-order",
        {
            "process_queues": 3,
            "messages": 1,
            "resets": 1,
            "offline": 1,
            "rebalances": 2,
            "broker_restarts": 1,
        },
        faults={KILL: 1},
        about="a reset of a group that is not online; the broker is restarted in order",
    ),
    Scope("loss", faults={LOSS: 1}, about="a one-way request or a pull may be lost"),
    Scope(
        "lost-reset",
        {"process_queues": 3, "messages": 1, "resets": 1, "rebalances": 2},
        faults={LOSS: 1},
        about="a one-way request or a pull may be lost around a reset",
    ),
    Scope(
        "allocated",
        {
            "consumers": 2,
            "process_queues": 1,
            "messages": 1,
            "view_changes": 2,
            "commits_in_flight": 1,
            "queues": 2,
            "registries": 1,
        },
        about="the queue is allocated averagely",
    ),
    Scope(
        "two-registries",
        {
            "consumers": 2,
            "process_queues": 1,
            "messages": 1,
            "view_changes": 1,
            "commits_in_flight": 1,
            "queues": 2,
            "queue": 1,
            "registries": 2,
            "strategy": Strategy.BY_CIRCLE,
        },
        about="allocated by circle; two brokers know the group differently",
    ),
    Scope(
        "large",
        {"consumers": 4, "process_queues": 3, "messages": 8, "resets": 3, "view_changes": 4, "rebalances": 2},
        faults={**_ONE_OF_EACH, KILL: 2},
        about="four consumers, three resets, two kills",
        large=True,
    ),
)

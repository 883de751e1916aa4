"""The small worlds that claims are decided in, and what their bounds mean.

A scope names the bounds in which it is special; all others are as `BOUNDS` says. A fault that it does not name cannot
happen.
"""

from __future__ import annotations

from collections.abc import Mapping

from offsetproof.lang import Default, Scope
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

_OFF_OR_ON, _FROM_ONE, _ONE_OR_TWO = range(2), range(1, 63), range(1, 3)

BOUNDS: Mapping[str, Default] = {
    "consumers": Default(1, "consumers of the group", _FROM_ONE),
    "process_queues": Default(2, "ProcessQueues that one consumer may make, one after the other", _FROM_ONE),
    "messages": Default(2, "messages that are stored in all", _FROM_ONE),
    "resets": Default(0, "resets by an administrator"),
    "view_changes": Default(0, "times that a consumer, or a broker, comes to see the group's members differently"),
    "commits_in_flight": Default(2, "one-way commits of one consumer on their way at a time"),
    "batch": Default(1, "messages in one task", _FROM_ONE),
    "rebalances": Default(1, "threads that rebalance: RebalanceService; with 2 also the one that resumes", _ONE_OR_TWO),
    "brokers": Default(1, "brokers that the topic is on", _ONE_OR_TWO),
    "queues": Default(1, "queues that a strategy allocates", _FROM_ONE),
    "sweeps": Default(0, "expired messages that the sweep sends back"),
    "retention": Default(0, "messages that the store deletes"),
    "deletions": Default(0, "times that the topic is deleted; `messages` may be stored each time it is there"),
    "group_deletions": Default(0, "times that an administrator deletes the group"),
    "tails": Default(0, "last messages that a broker may lose when its machine goes down"),
    "updates": Default(0, "times that an administrator writes or deletes the group's offset"),
    "running_infos": Default(0, "running infos that an operator asks a consumer for while it has no offset"),
    "suspends": Default(0, "times that the application suspends the consumer"),
    "shutdowns": Default(0, "graceful shutdowns"),
    "unsubscribes": Default(0, "times that an application gives the topic up"),
    "neighbours": Default(0, "commits for another queue of the group"),
    "consume_from": Default(ConsumeFrom.LAST_OFFSET, "where a group starts for which nothing is stored"),
    "cold": Default(0, "1: offset 0 may leave the broker's memory", _OFF_OR_ON),
    "time_offset": Default(0, "messages that were stored before the time of CONSUME_FROM_TIMESTAMP"),
    "expansion": Default(0, "1: the queue is added to the topic of an old group", _OFF_OR_ON),
    "retry_queue": Default(0, "1: the queue is that of the group's retry topic", _OFF_OR_ON),
    "unmatched": Default(0, "messages, one after the other, that have a tag to which nobody subscribed"),
    "unmatched_from": Default(0, "messages before the first one that has such a tag"),
    "flow": Default(0, "cached messages above which pulling waits; 0: it never does"),
    "equal_times": Default(0, "consecutive messages that are stored at one time; 0: no reset goes by time"),
    "fine": Default(0, "1: updateOffset, persistAll and the test for pause are two steps each", _OFF_OR_ON),
    "callback_threads": Default(0, "1: one thread runs resets and pull callbacks; 0: as many as they need", _OFF_OR_ON),
    "registries": Default(0, "brokers that know members, for whom a strategy allocates; 0: views are anything"),
    "strategy": Default(Strategy.AVERAGELY, "how queues are allocated"),
    "queue": Default(0, "which of the topic's queues this one is"),
    "offline": Default(0, "1: a reset of a group that is not online is written by the tool itself", _OFF_OR_ON),
    "unforced": Default(
        0, "1: resets are without the force flag, so their targets are not above what is stored", _OFF_OR_ON
    ),
}


def fixed_bounds(*names: str) -> Mapping[str, Default]:
    """Bounds that a model which shares these has no use for, each as it is by default and nothing else.

    What they bound is in the model `rocketmq` alone: another number would promise what cannot happen.
    """
    kinds = {name: BOUNDS[name] for name in names}
    return {
        name: Default(kind.value, f"in the model `rocketmq` alone: {kind.about}", range(kind.value, kind.value + 1))
        for name, kind in kinds.items()
    }


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

"""What the bounds of the small worlds mean, and what they are where a scope does not name them."""

from __future__ import annotations

from collections.abc import Mapping

from offsetproof.lang import Default
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
    "queue": Default(0, "which of the topic's queues this one is", below="queues"),
    "offline": Default(0, "1: a reset of a group that is not online is written by the tool itself", _OFF_OR_ON),
    "unforced": Default(
        0, "1: resets are without the force flag, so their targets are not above what is stored", _OFF_OR_ON
    ),
}

CLUSTERING_BOUNDS: Mapping[str, Default] = {
    **BOUNDS,
    "broker_restarts": Default(0, "times that an operator restarts the broker in order"),
}
"""Those of a clustering group, whose broker has its offsets."""


def fixed_bounds(*names: str) -> Mapping[str, Default]:
    """Bounds that a model which shares these has no use for, each as it is by default and nothing else.

    What they bound is in the model `rocketmq` alone: another number would promise what cannot happen.
    """
    kinds = {name: BOUNDS[name] for name in names}
    return {
        name: Default(kind.value, f"in the model `rocketmq` alone: {kind.about}", range(kind.value, kind.value + 1))
        for name, kind in kinds.items()
    }

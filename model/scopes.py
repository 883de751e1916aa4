"""The small worlds that claims are decided in. Every bound is named; a fault kind without a budget cannot happen."""

from __future__ import annotations

from collections.abc import Mapping

from offsetproof.lang import BoundSort, Scope
from offsetproof.model.variants import (
    BROKER_ERROR,
    BROKER_KILL,
    KILL,
    LATE_PULL,
    LOSS,
    OVERTAKE,
    SEND_BACK,
    STALL,
    TOKEN_LOSS,
)
from offsetproof.model.vocabulary import ConsumeFrom, Strategy

_OFF_OR_ON, _FROM_ONE, _ONE_OR_TWO = range(2), range(1, 63), range(1, 3)

BOUNDS: Mapping[str, BoundSort] = {
    "consume_from": ConsumeFrom,
    "strategy": Strategy,
    **dict.fromkeys(("cold", "expansion", "retry_queue", "fine", "callback_threads", "offline"), _OFF_OR_ON),
    **dict.fromkeys(("consumers", "lives", "messages", "batch", "queues"), _FROM_ONE),
    **dict.fromkeys(("rebalances", "brokers"), _ONE_OR_TWO),
}
"""What some bounds may be: rules that are on or off, choices, and what there has to be at least one of."""


def _bounds(
    consumers: int, lives: int, messages: int, resets: int, view_changes: int, commits: int = 2, **others: int
) -> dict[str, int]:
    """All bounds of a scope; what is not named is off."""
    budgets = ("sweeps", "retention", "updates", "suspends", "shutdowns", "unsubscribes", "neighbours")
    rules = ("consume_from", "cold", "time_offset", "expansion", "retry_queue", "unmatched", "flow", "equal_times")
    finer = ("fine", "callback_threads", "registries", "strategy", "queue", "offline")
    return {
        "consumers": consumers,
        "lives": lives,
        "messages": messages,
        "resets": resets,
        "view_changes": view_changes,
        "commits_in_flight": commits,
        "batch": 1,
        "rebalances": 1,
        "brokers": 1,
        "queues": 1,
        **dict.fromkeys((*budgets, *rules, *finer), 0),
        **others,
    }


FAULTS = {OVERTAKE: 1, LATE_PULL: 1, STALL: 1}
"""One of each."""

SCOPES = (
    Scope("reset", _bounds(1, 2, 2, 1, 0), FAULTS, "one consumer keeps the queue while the offset is reset once"),
    Scope("calm-reset", _bounds(1, 2, 2, 1, 0), {}, "the same without any fault"),
    Scope(
        "moving-reset", _bounds(1, 3, 1, 1, 2, 1), {STALL: 1}, "one consumer loses and regains the queue around a reset"
    ),
    Scope("reset-two", _bounds(2, 2, 1, 1, 2, 1), {}, "two consumers and their changing views around a reset"),
    Scope("hand-over", _bounds(2, 1, 2, 0, 2), {OVERTAKE: 1}, "two consumers hand the queue over; no reset"),
    Scope("come-back", _bounds(1, 2, 2, 0, 2), {OVERTAKE: 1}, "one consumer loses the queue and regains it; no reset"),
    Scope("batch", _bounds(1, 1, 2, 0, 0, batch=2), {}, "one consumer, tasks of up to two messages"),
    Scope(
        "send-back",
        _bounds(1, 1, 2, 0, 0, batch=2, sweeps=1),
        {SEND_BACK: 1},
        "the same where a send-back may fail or run twice, and a message may expire",
    ),
    Scope("warm-start", _bounds(1, 1, 2, 0, 0), {}, "a new group on a queue whose offset 0 is in the broker's memory"),
    Scope("cold-start", _bounds(1, 1, 2, 0, 0, cold=1), {BROKER_ERROR: 1}, "the same where offset 0 is not in memory"),
    Scope("new-group", _bounds(1, 2, 2, 0, 0, cold=1), {KILL: 1}, "a new group whose one consumer may be killed"),
    Scope("crash", _bounds(1, 2, 2, 0, 0), {KILL: 1}, "one consumer that may be killed and started again"),
    Scope("take-over", _bounds(2, 1, 1, 0, 2), {BROKER_ERROR: 1}, "a queue changes hands; a query may fail"),
    Scope("take-over-two", _bounds(2, 1, 2, 0, 2, 1), {BROKER_ERROR: 1}, "the same with two messages"),
    Scope("broker-restart", _bounds(1, 2, 1, 0, 2), {BROKER_KILL: 1}, "the broker may be killed and reload its file"),
    Scope("expansion", _bounds(1, 1, 2, 0, 0, expansion=1), {}, "a queue is added to the topic of an old group"),
    Scope("two-brokers", _bounds(1, 2, 1, 1, 0, brokers=2), {BROKER_ERROR: 1}, "a reset of a topic on two brokers"),
    Scope("first-commits", _bounds(1, 1, 1, 0, 0, neighbours=1), {}, "two queues of a new group are committed first"),
    Scope("retention", _bounds(1, 2, 2, 0, 0, retention=2), {}, "messages are deleted before they are pulled"),
    Scope("retention-moves", _bounds(1, 4, 2, 0, 2, retention=1), {}, "the same while the queue is lost and regained"),
    Scope("lost-token", _bounds(1, 2, 1, 0, 0), {TOKEN_LOSS: 1}, "a pull request may be lost"),
    Scope("resume", _bounds(1, 2, 2, 0, 1, rebalances=2, suspends=1), {}, "resume rebalances in its own thread"),
    Scope("shutdown", _bounds(1, 1, 2, 0, 0, shutdowns=1), {}, "one consumer is shut down gracefully"),
    Scope("admin", _bounds(1, 1, 2, 0, 0, updates=1), {}, "an administrator writes or deletes the group's offset"),
    Scope(
        "unsubscribe", _bounds(1, 1, 2, 0, 0, unsubscribes=1, neighbours=1), {}, "the application gives the topic up"
    ),
    Scope(
        "tags", _bounds(1, 1, 3, 0, 0, unmatched=2, flow=1), {}, "messages with another tag come first; flow control"
    ),
    Scope("retry-last", _bounds(1, 2, 2, 0, 0, cold=1, retry_queue=1), {KILL: 1}, "the retry topic's queue"),
    Scope(
        "retry-timestamp",
        _bounds(1, 2, 2, 0, 0, cold=1, retry_queue=1, consume_from=ConsumeFrom.TIMESTAMP),
        {KILL: 1},
        "the same with CONSUME_FROM_TIMESTAMP",
    ),
    Scope(
        "first-offset",
        _bounds(1, 2, 2, 0, 0, cold=1, consume_from=ConsumeFrom.FIRST_OFFSET, retention=1),
        {KILL: 1},
        "a new group with CONSUME_FROM_FIRST_OFFSET whose first message may be deleted",
    ),
    Scope(
        "timestamp",
        _bounds(1, 2, 2, 0, 0, cold=1, consume_from=ConsumeFrom.TIMESTAMP, time_offset=1),
        {KILL: 1},
        "a new group with CONSUME_FROM_TIMESTAMP",
    ),
    Scope("equal-times", _bounds(1, 2, 2, 1, 0, equal_times=2), {}, "a reset by time; two messages of the same time"),
    Scope("fine-steps", _bounds(1, 1, 2, 0, 1, 1, fine=1), {}, "updateOffset and persistAll in two steps each"),
    Scope("fine-reset", _bounds(1, 2, 2, 1, 0, fine=1), {}, "the same around a reset"),
    Scope("one-cpu", _bounds(1, 2, 2, 1, 0, callback_threads=1), {}, "one thread for resets and pull callbacks"),
    Scope("offline-reset", _bounds(1, 2, 2, 1, 0, offline=1), {KILL: 1}, "a reset of a group that is not online"),
    Scope("loss", _bounds(1, 2, 2, 0, 0), {LOSS: 1}, "a one-way request or a pull may be lost"),
    Scope("lost-reset", _bounds(1, 2, 2, 1, 0), {LOSS: 1}, "the same around a reset"),
    Scope("allocated", _bounds(2, 1, 1, 0, 2, queues=2, registries=1), {}, "the queue is allocated averagely"),
    Scope(
        "two-registries",
        _bounds(2, 1, 1, 0, 2, 1, queues=2, queue=1, registries=2, strategy=Strategy.BY_CIRCLE),
        {},
        "allocated by circle; two brokers know the group differently",
    ),
    Scope("large", _bounds(4, 3, 8, 3, 4), {**FAULTS, KILL: 2}, "four consumers, three resets, two kills", large=True),
)

"""How long the steps take: the reset's sleep, the persist timer, polls, plain code, and what is on its way.

`NO_WAIT` says of each other action why it waits for nothing that is known.
"""

from __future__ import annotations

from collections.abc import Mapping

from offsetproof.lang import Seconds, Timing, Transit, Wait, plain_code
from offsetproof.model.timers import (
    HEARTBEAT_EVERY,
    HOLD_CHECK,
    ON_ITS_WAY,
    PERSIST_EVERY,
    POLL_HOLD,
    REBALANCE_EVERY,
    RESET_SLEEP,
)
from offsetproof.model.vocabulary import Rebalancer

_RESETS, _ASKS = ("administrator_resets_broker",), ("administrator_asks_for_one_queue",)
_TOLD, _TAKES = (*_RESETS, *_ASKS), ("reset_suspends",)
_HEARD = ("membership_changes", "member_is_heard", "client_is_unregistered")
_FIRST_STEPS = ("rebalance_drops_queue", "rebalance_asks_for_offset")
_SEEN = ("client_reads_members",)
_LAST_STEPS = ("rebalance_removes_queue", "rebalance_adds_queue")


def _reset(seconds: Seconds) -> tuple[Wait, ...]:
    """From the tool's command to the end of resetOffset."""
    request = seconds(ON_ITS_WAY)
    source = "a request; MQClientInstance.resetOffset is synchronized"
    return (
        Wait(
            "a reset command is on its way", _TAKES, (_TOLD, ("reset_returns",)), ("c",), 0, request, source,
        ),
        *plain_code("the thread of a reset stalls", ("c",), _TAKES, "reset_drops_next_queue", "reset_falls_asleep"),
        Wait(
            "the thread of a reset oversleeps", ("reset_wakes",), (("reset_falls_asleep",),), ("c",),
            seconds(RESET_SLEEP), seconds(RESET_SLEEP), "MQClientInstance.resetOffset: TimeUnit.SECONDS.sleep(10)",
        ),
        *plain_code(
            "the thread of a reset stalls", ("c",), "reset_wakes", "reset_updates_next_cell", "reset_persists",
            "reset_removes_queue", "reset_resumes",
        ),
        Wait(
            "the reset tool waits for a broker", ("administrator_fails_at_broker",), (_RESETS,), (), 0, request,
            "a request",
        ),
        Wait(
            "the tool waits for a broker", _ASKS, (("administrator_writes_queue",),), (), 0, request, "a request",
        ),
    )  # fmt: skip


def _rebalance(seconds: Seconds) -> tuple[Wait, ...]:
    """A run of rebalance."""
    asked = 2 * seconds(ON_ITS_WAY)
    return (
        Wait(
            "a rebalance is late", _SEEN, (_HEARD, ("reset_resumes", "client_starts"), _LAST_STEPS), ("c", "b"),
            0, seconds(REBALANCE_EVERY), "RebalanceService: waitInterval, or earlier when it is woken",
        ),
        Wait(
            "a rebalance is late", ("rebalance_truncates_table",), (("application_unsubscribes", *_LAST_STEPS),),
            ("c",), 0, seconds(REBALANCE_EVERY), "RebalanceService: waitInterval, or earlier when it is woken",
        ),
        Wait(
            "a heartbeat is late", ("member_is_heard",), (("broker_restarts",),), ("b",), 0, seconds(HEARTBEAT_EVERY),
            "MQClientInstance.startScheduledTask: heartbeatBrokerInterval",
        ),
        Wait(
            "the thread of resume stalls", _SEEN, (("reset_resumes",),), ("c",), 0, asked,
            "DefaultMQPushConsumerImpl.resume calls doRebalance, which asks for the members",
            only=(("r", Rebalancer.RESUME),),
        ),
        Wait(
            "the rebalance thread stalls", _FIRST_STEPS, ((*_SEEN, *_LAST_STEPS),), ("c", "r"), source="plain code"
        ),
        *plain_code(
            "the rebalance thread stalls", ("c", "r"), "rebalance_drops_queue", "rebalance_persists",
            "rebalance_removes_queue",
        ),
        Wait(
            "an offset is on its way back", ("rebalance_stores_start",), (("rebalance_asks_for_offset",),), ("c", "r"),
            0, asked, "an answer",
        ),
        *plain_code("the rebalance thread stalls", ("c", "r"), "rebalance_stores_start", "rebalance_adds_queue"),
    )  # fmt: skip


def _persist(seconds: Seconds) -> tuple[Wait, ...]:
    """persistAll: two of its rounds are at least a period apart."""
    period = "MQClientInstance.startScheduledTask: persistConsumerOffsetInterval"
    rounds = ("client_takes_queues",)
    return (
        Wait("the persist timer", rounds, (rounds,), ("c",), seconds(PERSIST_EVERY), None, period),
        *plain_code(
            "the persist timer stalls", ("c",), "client_takes_queues", "client_persists_next_cell",
            "client_removes_unused_cells",
        ),
    )  # fmt: skip


def _messages(seconds: Seconds) -> tuple[Wait, ...]:
    """Tasks and polls."""
    held = seconds(POLL_HOLD) + seconds(HOLD_CHECK)
    return (
        *plain_code("a consume thread stalls", ("c", "q"), "task_passes_check", "task_updates_cell"),
        Wait(
            "a held poll", ("poll_ends",), (("broker_holds_poll",),), ("c", "q"), seconds(POLL_HOLD), held,
            "brokerSuspendMaxTimeMillis; PullRequestHoldService",
        ),
    )  # fmt: skip


def timing(seconds: Seconds) -> Timing:
    """What the checker needs to give a story its times, where timers take so long."""
    return Timing(
        waits=tuple(wait for part in (_messages, _reset, _rebalance, _persist) for wait in part(seconds)),
        transits=(Transit("a commit is on its way", "client[*].share[*].commits.count", "p", seconds(ON_ITS_WAY)),),
    )


NO_WAIT: Mapping[str, str] = {
    "task_passes_check": "the listener may take any time",
    "broker_holds_poll": "a pull, which may wait for flow control or a pause",
    "timely_poll_ends": "a poll that ends at any time within its hold",
    "client_persists_queue": "the persist timer sends every five seconds, at any time of that",
    "client_removes_unused_cell": "the persist timer removes every five seconds, at any time of that",
    "broker_executes_commit": "a commit is a transit: how long it is on its way is counted there",
    "membership_changes": "a decision from outside",
    "broker_restarts": "a decision from outside",
    "application_unsubscribes": "a decision of the application",
    "client_is_unregistered": "a decision of the application, which shuts its consumer down",
    "client_stops": "a decision from outside",
    "client_starts": "a decision from outside",
    "administrator_writes_queue": "a decision from outside",
    "administrator_resets_broker": "a decision from outside, and the tool's next request",
    "reset_returns": "it ends when the rebalance in its thread does",
}
"""By action, what decides when it is taken."""

"""How long RocketMQ's steps take: timers and defaults of 4.9.4, which threads run plain code, and what is on its way.

What is left out may take any time: a listener; a task in the pool's queue; the next round of a loop (a token in the run
queue, the persist timer, a rebalance without cause), because stories leave out rounds that change nothing. For the same
reason the persist timer only says that two of its rounds are at least one period apart. A request on its way within a
data centre is given a second.
"""

from __future__ import annotations

from offsetproof.lang import Timing, Transit, Wait, plain_code

RESET_SLEEP = 10.0
"""MQClientInstance.resetOffset: TimeUnit.SECONDS.sleep(10)."""

POLL_HOLD, HOLD_CHECK = 15.0, 5.0
"""PullRequest: brokerSuspendMaxTimeMillis; PullRequestHoldService looks every five seconds."""

PERSIST_EVERY = 5.0
"""persistConsumerOffsetInterval."""

REBALANCE_EVERY = 20.0
"""RebalanceService.waitInterval; a run may come earlier, when it is woken."""

ON_ITS_WAY = 1.0
"""A request between client and broker, either way: no constant of RocketMQ's, but generous."""

_TASK = ("c", "life", "m")
_LIFE = ("c", "life")
_WAKES = (
    "reset_wakes",
    "reset_wakes_before_pull_arrives",
    "reset_wakes_before_stalled_task",
    "reset_wakes_before_stalled_callback",
    "reset_wakes_before_stalled_rebalance",
)

_CONSUME = plain_code(
    "a consume thread stalls",
    _TASK,
    "listener_finishes",
    "task_removes_message",
    "task_checks_dropped",
    "task_updates_cell",
)

_CALLBACK = plain_code("a pull callback stalls", _LIFE, "poll_ends_without_news", "poll_corrects_offset")

_POLL = (
    Wait("a pull is on its way", ("broker_receives_pull",), (("consumer_pulls",),), _LIFE, most=ON_ITS_WAY),
    Wait(
        "the broker holds a poll too long",
        ("poll_ends_without_news",),
        (("consumer_pulls", "broker_receives_pull"),),
        _LIFE,
        least=POLL_HOLD,
        most=POLL_HOLD + HOLD_CHECK + ON_ITS_WAY,
    ),
    Wait(
        "a stored message goes unnoticed",
        ("poll_finds_messages",),
        (("consumer_pulls", "broker_receives_pull"), ("producer_sends",)),
        _LIFE,
        most=ON_ITS_WAY,
    ),
)

_RESET = (
    Wait(
        "a reset command is on its way",
        ("reset_suspends",),
        (("administrator_resets",), ("reset_resumes",)),
        ("c",),
        most=ON_ITS_WAY,
    ),
    *plain_code("the thread of a reset stalls", ("c",), "reset_suspends", "reset_drops_queue", "reset_clears_queue"),
    Wait(
        "the thread of a reset oversleeps",
        _WAKES,
        (("reset_drops_queue", "reset_clears_queue"),),
        ("c",),
        least=RESET_SLEEP,
        most=RESET_SLEEP,
    ),
    *plain_code(
        "the thread of a reset stalls",
        ("c",),
        _WAKES,
        "reset_updates_cell",
        "reset_persists",
        "reset_removes_offset",
        "reset_removes_queue",
        "reset_resumes",
    ),
)

_QUERIES = ("broker_answers_query", "broker_answers_query_before_commits")

_REBALANCE = (
    Wait(
        "a rebalance is late",
        ("rebalance_drops_queue", "rebalance_removes_dirty_offset"),
        (("view_changes",), ("reset_resumes",), ("rebalance_removes_queue", "rebalance_adds_queue")),
        ("c",),
        most=REBALANCE_EVERY,
    ),
    *plain_code(
        "the rebalance thread stalls",
        ("c",),
        "rebalance_drops_queue",
        "rebalance_persists",
        "rebalance_removes_offset",
        "rebalance_removes_queue",
    ),
    Wait(
        "a query for an offset is on its way",
        _QUERIES,
        (("rebalance_removes_dirty_offset",),),
        ("c",),
        most=ON_ITS_WAY,
    ),
    Wait("an offset is on its way back", ("rebalance_stores_start",), (_QUERIES,), ("c",), most=ON_ITS_WAY),
    *plain_code("the rebalance thread stalls", ("c",), "rebalance_stores_start", "rebalance_adds_queue"),
)

_PERSIST = Wait(
    "the persist timer",
    ("consumer_persists_all",),
    (("consumer_persists_all",),),
    ("c",),
    least=PERSIST_EVERY,
    most=None,
)

TIMING = Timing(
    waits=(*_CONSUME, *_CALLBACK, *_POLL, *_RESET, *_REBALANCE, _PERSIST),
    transits=(Transit("a commit is on its way", "consumer[*].commits.count", "p", ON_ITS_WAY),),
)
"""What the checker needs to give a story its times."""

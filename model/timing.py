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

FLUSH_EVERY = 5.0
"""flushConsumerOffsetInterval."""

REBALANCE_EVERY = 20.0
"""RebalanceService.waitInterval; a run may come earlier, when it is woken."""

ON_ITS_WAY = 1.0
"""A request between client and broker, either way: no constant of RocketMQ's, but generous."""

REPAIR_DELAY = 10.0
"""DefaultMQPushConsumerImpl.PullCallback: an illegal offset is repaired so long after."""

PULL_IDLE = 120.0
"""ProcessQueue.PULL_MAX_IDLE_TIME: after so long without a pull a queue is taken for dead."""

CONSUME_TIMEOUT = 900.0
"""consumeTimeout: a message that is so long in the listener is sent back by the sweep."""

RETRY_HERE = 5.0
"""ConsumeMessageConcurrentlyService.submitConsumeRequestLater: what could not be sent back is tried again."""

_TASK = ("c", "life", "m")
_RUN = ("c", "r")
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
    "task_fetches_cell",
    ("task_updates_cell", "task_updates_detached_cell"),
)

_FAILING = (
    *plain_code("a consume thread stalls", _TASK, "listener_fails", "task_removes_message"),
    Wait("a local retry", ("task_starts",), (("task_fails_to_send_back",),), _TASK, least=RETRY_HERE, most=RETRY_HERE),
    Wait("the expiry sweep", ("sweep_sends_message_back",), (("task_starts",),), _TASK, CONSUME_TIMEOUT, None),
    *plain_code("the expiry sweep stalls", _LIFE, "sweep_sends_message_back", "sweep_removes_message"),
)

_REPAIR = (
    Wait("a repair", ("repair_updates_cell",), (("poll_is_illegal",),), _LIFE, least=REPAIR_DELAY, most=REPAIR_DELAY),
    *plain_code(
        "the thread of a repair stalls",
        _LIFE,
        "repair_updates_cell",
        "repair_persists",
        "repair_removes_queue",
        "repair_drops_queue",
        "repair_persists_again",
        "repair_removes_offset",
    ),
)

_CALLBACK = plain_code(
    "a pull callback stalls", _LIFE, ("poll_ends_without_news", "poll_matches_nothing"), "poll_corrects_offset"
)

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
        ("poll_finds_messages", "poll_matches_nothing", "poll_is_illegal"),
        (("consumer_pulls", "broker_receives_pull"), ("producer_sends",)),
        _LIFE,
        most=ON_ITS_WAY,
    ),
)

_RESET = (
    Wait(
        "a reset command is on its way",
        ("reset_suspends",),
        (("administrator_resets", "administrator_resets_by_time"), ("reset_resumes",)),
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
    Wait(
        "the reset tool waits for a broker",
        ("administrator_resets_offline", "administrator_resets_next_broker", "administrator_fails_at_next_broker"),
        (("administrator_is_told_offline", "administrator_resets", "administrator_resets_by_time"),),
        most=ON_ITS_WAY,
    ),
)

_QUERIES = ("broker_answers_query", "broker_answers_query_before_commits", "broker_answers_query_with_error")
_FIRST_STEPS = (
    "rebalance_drops_queue",
    "rebalance_drops_expired_queue",
    "rebalance_truncates_table",
    "rebalance_removes_dirty_offset",
)

_REBALANCE = (
    Wait(
        "a rebalance is late",
        _FIRST_STEPS,
        (
            ("view_changes", "consumer_reads_members", "application_unsubscribes"),
            ("reset_resumes", "user_resumes"),
            ("rebalance_removes_queue", "rebalance_adds_queue"),
        ),
        ("c",),
        most=REBALANCE_EVERY,
    ),
    *plain_code(
        "the rebalance thread stalls",
        _RUN,
        "rebalance_passes_pause",
        ("rebalance_drops_queue", "rebalance_drops_expired_queue"),
        "rebalance_persists",
        "rebalance_removes_offset",
        "rebalance_removes_queue",
    ),
    Wait(
        "a query for an offset is on its way",
        _QUERIES,
        (("rebalance_removes_dirty_offset",),),
        _RUN,
        most=ON_ITS_WAY,
    ),
    Wait(
        "an offset is on its way back",
        ("rebalance_stores_start", "rebalance_finds_start", "rebalance_fails_to_find_start"),
        (_QUERIES,),
        _RUN,
        most=2 * ON_ITS_WAY,
    ),
    *plain_code(
        "the rebalance thread stalls", _RUN, ("rebalance_stores_start", "rebalance_finds_start"), "rebalance_adds_queue"
    ),
    *plain_code("the rebalance thread stalls", _RUN, "rebalance_truncates_table", "rebalance_drops_truncated_queue"),
    Wait(
        "an expired pull goes unnoticed",
        ("rebalance_drops_expired_queue",),
        (("pull_request_is_lost",),),
        ("c",),
        least=PULL_IDLE,
        most=PULL_IDLE + REBALANCE_EVERY,
    ),
    Wait("news of the group", ("consumer_reads_members",), (("membership_changes",),), ("b",), most=REBALANCE_EVERY),
)

_STOP = plain_code(
    "a shutdown stalls", ("c",), "consumer_begins_shutdown", "shutdown_persists", "consumer_is_shut_down"
)

_BROKER = (
    *plain_code("a broker thread stalls", (), "neighbour_commits", "neighbour_publishes_row"),
    Wait("the flush timer", ("broker_flushes",), (("broker_flushes",),), (), FLUSH_EVERY, None),
)

_PERSIST_IN_TWO = (
    Wait("the persist timer", ("consumer_reads_cell",), (("consumer_reads_cell",),), ("c",), PERSIST_EVERY, None),
    *plain_code("the persist timer stalls", ("c",), "consumer_reads_cell", "consumer_sends_read_value"),
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
    waits=(
        *_CONSUME,
        *_FAILING,
        *_CALLBACK,
        *_REPAIR,
        *_POLL,
        *_RESET,
        *_REBALANCE,
        *_STOP,
        *_BROKER,
        _PERSIST,
        *_PERSIST_IN_TWO,
    ),
    transits=(Transit("a commit is on its way", "consumer[*].commits.count", "p", ON_ITS_WAY),),
)
"""What the checker needs to give a story its times."""

"""How long RocketMQ's steps take: timers and defaults of 4.9.4, which threads run plain code, and what is on its way.

What is left out may take any time: a listener; a task in the pool's queue; the next round of a loop (a token in the run
queue, the persist timer, a rebalance without cause), because stories leave out rounds that change nothing. For the same
reason the persist timer only says that two of its rounds are at least one period apart. A request on its way within a
data centre is given a second. docs/studies/times.md has what each action waits for; `NO_WAIT` says why the others wait
for nothing that is known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from offsetproof.lang import Seconds, Timing, Transit, Wait, plain_code
from offsetproof.model.message_timing import consuming, pulling
from offsetproof.model.timers import (
    FLUSH_EVERY,
    FLUSH_FIRST,
    FLUSH_LOG,
    HOLD_CHECK,
    ON_ITS_WAY,
    PERSIST_EVERY,
    PERSIST_FIRST,
    POLL_HOLD,
    PULL_IDLE,
    PULL_RETRY,
    QUERY_TIMEOUT,
    REBALANCE_EVERY,
    RESET_SLEEP,
)
from offsetproof.model.vocabulary import Rebalancer

_RUN = ("c", "r")
_RESUMES = ("reset_resumes", "user_resumes")
_TOLD = ("administrator_resets", "administrator_resets_by_time")
_WAKES = (
    "reset_wakes",
    "reset_wakes_before_pull_arrives",
    "reset_wakes_before_stalled_task",
    "reset_wakes_before_stalled_callback",
    "reset_wakes_before_stalled_rebalance",
)


def _reset(seconds: Seconds) -> tuple[Wait, ...]:
    """From the tool's command to the end of resetOffset."""
    request = seconds(ON_ITS_WAY)
    return (
        Wait(
            "a reset command is on its way", ("reset_suspends",), (_TOLD, ("reset_resumes",)), ("c",), 0, request,
            "a request; MQClientInstance.resetOffset is synchronized",
        ),
        Wait("a reset command is on its way", ("reset_command_is_lost",), (_TOLD,), ("c",), 0, request, "a request"),
        *plain_code(
            "the thread of a reset stalls", ("c",), "reset_suspends", "reset_drops_queue", "reset_clears_queue"
        ),
        Wait(
            "the thread of a reset oversleeps", _WAKES, (("reset_drops_queue", "reset_clears_queue"),), ("c",),
            seconds(RESET_SLEEP), seconds(RESET_SLEEP), "MQClientInstance.resetOffset: TimeUnit.SECONDS.sleep(10)",
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
            (("administrator_is_told_offline", *_TOLD),), (), 0, request, "a request",
        ),
    )  # fmt: skip


_QUERIES = ("broker_answers_query", "broker_answers_query_before_commits", "broker_answers_query_with_error")
_GIVES_UP, _TAKES = ("rebalance_drops_queue", "rebalance_truncates_table"), "rebalance_removes_dirty_offset"
_FIRST_STEPS = (*_GIVES_UP, _TAKES)
_EXPIRES = "rebalance_drops_expired_queue"
_LISTED = (("life", "consumer[{c}].process_queue_table"),)
_PULLS = ("consumer_pulls", "pull_request_is_lost", "rebalance_adds_queue")


def _rebalance(seconds: Seconds) -> tuple[Wait, ...]:
    """A run of rebalance."""
    request = seconds(ON_ITS_WAY)
    asked = 2 * request
    return (
        Wait(
            "a rebalance is late",
            _FIRST_STEPS,
            (
                ("view_changes", "consumer_reads_members", "application_unsubscribes"),
                _RESUMES,
                ("rebalance_removes_queue", "rebalance_adds_queue", "repair_removes_queue"),
                ("rebalance_fails_to_find_start", "broker_answers_query_with_error", "offset_query_times_out"),
                ("consumer_starts",),
            ),
            ("c",), 0, seconds(REBALANCE_EVERY), "RebalanceService: waitInterval, or earlier when it is woken",
        ),
        Wait(
            "the thread of resume stalls", (*_FIRST_STEPS, _EXPIRES, "rebalance_passes_pause"), (_RESUMES,), ("c",),
            0, asked, "DefaultMQPushConsumerImpl.resume calls doRebalance, which asks for the members",
            only=(("r", Rebalancer.RESUME),),
        ),
        Wait(
            "a rebalance waits for the members", (*_FIRST_STEPS, _EXPIRES, "rebalance_changes_nothing"),
            (("rebalance_passes_pause",),), _RUN, 0, asked, "RebalanceImpl.rebalanceByTopic: findConsumerIdList",
        ),
        Wait(
            "an expired pull", (_EXPIRES,), (_PULLS,), ("c", "life"), seconds(PULL_IDLE), None,
            "ProcessQueue.isPullExpired: PULL_MAX_IDLE_TIME", _LISTED,
        ),
        Wait(
            "an expired pull goes unnoticed", (_EXPIRES,), ((*_PULLS, "poll_is_illegal"), _RESUMES), ("c", "life"),
            0, seconds(PULL_IDLE) + seconds(REBALANCE_EVERY),
            "ProcessQueue.isPullExpired: PULL_MAX_IDLE_TIME; RebalanceService", _LISTED,
        ),
        *plain_code(
            "the rebalance thread stalls",
            _RUN,
            ("rebalance_drops_queue", _EXPIRES),
            "rebalance_persists",
            "rebalance_removes_offset",
            "rebalance_removes_queue",
        ),
        *plain_code(
            "the rebalance thread stalls", _RUN, "rebalance_truncates_table", "rebalance_drops_truncated_queue"
        ),
    )  # fmt: skip


def _offset_query(seconds: Seconds) -> tuple[Wait, ...]:
    """What a run of rebalance asks for a start, and makes of the answer."""
    request = seconds(ON_ITS_WAY)
    asked = 2 * request
    return (
        Wait("a query for an offset is on its way", _QUERIES, ((_TAKES,),), _RUN, 0, request, "a request"),
        Wait(
            "a lost query goes unnoticed", ("offset_query_times_out",), ((_TAKES,),), _RUN, seconds(QUERY_TIMEOUT),
            seconds(QUERY_TIMEOUT), "RemoteBrokerOffsetStore.fetchConsumeOffsetFromBroker",
        ),
        Wait(
            "an offset is on its way back",
            ("rebalance_stores_start", "rebalance_finds_start", "rebalance_fails_to_find_start"), (_QUERIES,), _RUN,
            0, asked, "an answer, and a request for the max offset",
        ),
        *plain_code(
            "the rebalance thread stalls", _RUN, ("rebalance_stores_start", "rebalance_finds_start"),
            "rebalance_adds_queue"
        ),
    )  # fmt: skip


def _members(seconds: Seconds) -> tuple[Wait, ...]:
    """What a consumer hears of the group."""
    return (
        Wait(
            "news of the group", ("consumer_reads_members",), (("membership_changes",), (*_RESUMES, "consumer_starts")),
            ("b",), 0, seconds(REBALANCE_EVERY), "RebalanceService: waitInterval, or earlier when it is woken",
        ),
    )  # fmt: skip


def _stop(seconds: Seconds) -> tuple[Wait, ...]:
    """A graceful shutdown."""
    asked = 2 * seconds(ON_ITS_WAY)
    return (
        *plain_code("a shutdown stalls", ("c",), "consumer_begins_shutdown", "shutdown_persists"),
        Wait(
            "a shutdown stalls", ("consumer_is_shut_down",), (("shutdown_persists",), ("reset_resumes",)), ("c",),
            0, asked, "MQClientInstance.unregisterConsumer: a request, which waits for a reset that is under way",
        ),
    )  # fmt: skip


_COMMITS = ("broker_executes_commit", "broker_executes_newer_commit_first", "broker_receives_pull")


def _broker(seconds: Seconds) -> tuple[Wait, ...]:
    """The broker's threads and its flush."""
    return (
        *plain_code("a broker thread stalls", (), "neighbour_commits", "neighbour_publishes_row"),
        *plain_code("a broker thread stalls", (), _COMMITS, "broker_publishes_row"),
        Wait(
            "the flush timer", ("broker_flushes",), (("broker_flushes",),), (), seconds(FLUSH_EVERY), None,
            "BrokerController.initialize: flushConsumerOffsetInterval",
        ),
        Wait(
            "the flush timer", ("broker_flushes",), (("broker_is_killed",),), (), seconds(FLUSH_FIRST), None,
            "BrokerController.initialize: the first flush after a start",
        ),
    )  # fmt: skip


def _rewinding(seconds: Seconds) -> tuple[Wait, ...]:
    """A queue whose end falls."""
    return (
        Wait(
            "the broker holds a poll too long", ("poll_meets_no_topic",), (("consumer_pulls", "broker_receives_pull"),),
            ("c", "life"), 0, seconds(POLL_HOLD) + seconds(HOLD_CHECK) + seconds(ON_ITS_WAY),
            "PullMessageProcessor: at once, or when the hold is over; and the answer's way",
        ),
        Wait(
            "the pull's next try", ("consumer_pulls",), (("poll_meets_no_topic",),), ("c", "life"), seconds(PULL_RETRY),
            None, "DefaultMQPushConsumerImpl.PullCallback.onException: executePullRequestLater",
        ),
        Wait(
            "a message is long in memory only", ("broker_loses_tail",), (("producer_sends",),), (), 0,
            seconds(FLUSH_LOG), "CommitLog.FlushRealTimeService: flushCommitLogThoroughInterval",
        ),
        Wait(
            "the flush timer", ("broker_flushes",), (("broker_loses_tail",),), (), seconds(FLUSH_FIRST), None,
            "BrokerController.initialize: the first flush after a start",
        ),
    )  # fmt: skip


_ROUNDS = ("consumer_persists_all", "consumer_removes_unused_cell")
_FINE_ROUNDS = ("consumer_reads_cell", "consumer_misses_queue")
_PERIOD = "MQClientInstance.startScheduledTask: persistConsumerOffsetInterval"


_INFO_ANSWERS = (
    "broker_answers_running_info",
    "broker_answers_running_info_before_commits",
    "broker_answers_running_info_with_error",
)


def _running_info(seconds: Seconds) -> tuple[Wait, ...]:
    """A running info that asks the broker for an offset."""
    request, asked = seconds(ON_ITS_WAY), (("running_info_finds_no_cell",),)
    return (
        Wait("a running info's query is on its way", _INFO_ANSWERS, asked, ("c",), 0, request, "a request"),
        Wait(
            "a running info's answer is on its way", ("running_info_stores_answer",), (_INFO_ANSWERS,), ("c",), 0,
            request, "an answer",
        ),
    )  # fmt: skip


def _persist(seconds: Seconds) -> tuple[Wait, ...]:
    """persistAll."""
    return (
        Wait("the persist timer", _ROUNDS, (_ROUNDS,), ("c",), seconds(PERSIST_EVERY), None, _PERIOD),
        Wait("the persist timer", _FINE_ROUNDS, (_FINE_ROUNDS,), ("c",), seconds(PERSIST_EVERY), None, _PERIOD),
        Wait(
            "the persist timer", (*_ROUNDS, *_FINE_ROUNDS), (("consumer_starts",),), ("c",), seconds(PERSIST_FIRST),
            None,
            "MQClientInstance.startScheduledTask: the first round after a start",
        ),
        *plain_code("the persist timer stalls", ("c",), "consumer_reads_cell", "consumer_sends_read_value"),
        *plain_code("the persist timer stalls", ("c",), "consumer_misses_queue", "consumer_removes_unused_cell"),
    )  # fmt: skip


def shared_waits(seconds: Seconds) -> tuple[Wait, ...]:
    """The waits of all that happens beside consumption."""
    parts = (pulling, _reset, _rebalance, _offset_query, _members, _stop, _broker, _running_info, _persist)
    return tuple(wait for part in parts for wait in part(seconds))


def waits_of(actions: Collection[str], waits: Iterable[Wait]) -> Iterator[Wait]:
    """The waits for the actions of a model that is without some of these."""
    for wait in waits:
        ends = tuple(name for name in wait.ends if name in actions)
        groups = [tuple(name for name in group if name in actions) for group in wait.begins]
        begins = tuple(group for group in groups if group)
        if ends and begins:
            yield replace(wait, ends=ends, begins=begins)


def commits_on_their_way(seconds: Seconds) -> Transit:
    """How long a one-way commit takes."""
    return Transit("a commit is on its way", "consumer[*].commits.count", "p", seconds(ON_ITS_WAY))


def timing(seconds: Seconds) -> Timing:
    """What the checker needs to give a story its times, where timers take so long."""
    return Timing((*consuming(seconds), *shared_waits(seconds), *_rewinding(seconds)), (commits_on_their_way(seconds),))


NO_WAIT: Mapping[str, str] = {
    "producer_sends": "a decision from outside",
    "administrator_resets": "a decision from outside",
    "administrator_resets_by_time": "a decision from outside",
    "administrator_is_told_offline": "a decision from outside",
    "administrator_updates_offset": "a decision from outside",
    "administrator_deletes_topic": "a decision from outside",
    "administrator_creates_topic": "a decision from outside",
    "administrator_deletes_group": "a decision from outside",
    "administrator_deletes_group_with_offsets": "a decision from outside",
    "administrator_queries_min_offset": "a decision from outside",
    "application_unsubscribes": "a decision of the application",
    "running_info_finds_no_cell": "a decision from outside",
    "first_message_turns_cold": "the commit log may outgrow the memory at any time",
    "poll_checks_dropped": "it receives the answer that the next step acts on, and that step has the wait",
    "user_suspends": "a decision of the application",
    "user_resumes": "a decision of the application",
    "consumer_begins_shutdown": "a decision of the application; it ends with the wait for listeners, if there is one",
    "consumer_starts": "a decision from outside: the process may be down for any time",
    "listener_finishes": "the listener may take any time",
    "listener_fails": "the listener may take any time",
    "listener_hangs": "a fault, which may happen at any time; from then on it takes for ever",
    "consumer_is_killed": "a fault, which may happen at any time",
    "broker_is_killed": "a fault, which may happen at any time",
    "pull_request_is_lost": "a fault of the pull thread, which may happen whenever it takes the token",
    "broker_executes_commit": "it receives what is on its way: a commit, up to 1 s",
    "broker_executes_newer_commit_first": "it receives what is on its way: a commit, up to 1 s",
    "commit_is_lost": "it takes away what is on its way: a commit, up to 1 s",
    "neighbour_commits": "the other queue's progress, which may take any time",
    "retention_removes_message": "the store may clean up at any time: by age, or for want of room",
    "view_changes": "members come and go, and word of it may arrive at any time",
    "membership_changes": "at once where a connection is closed, else when a heartbeat is due or missed: any time",
}
"""By action, what decides when it is taken."""

LEFT_OUT: Mapping[str, str] = {
    "retry of a pull after 1 s while the consumer is paused, after 50 ms under flow control": (
        "such a round changes nothing: `consumer_pulls` is the round that does"
    ),
    "the next round of a pull, of persistAll, of a rebalance without cause": (
        "stories leave out rounds that change nothing, so the one that they tell may come at any time"
    ),
    "the expiry sweep's own period of 15 min": "a message that is old enough waits for the next round, at any time",
    "heartbeats every 30 s, a silent channel's expiry after 120 s, looked for every 10 s": (
        "`membership_changes`, which a closed connection brings about at once"
    ),
    "routes asked for every 30 s, the name server's 120 s for a silent broker": "routes do not change in the model",
    "the lock's renewal every 20 s, its expiry after 30 s (client) and 60 s (broker), the delayed unlock after 20 s": (
        "they belong to orderly consumption: `model/orderly/timing.py`"
    ),
    "a slave's synchronisation every 10 s": "slaves are not in the model",
    "a callback that waits for the only thread of the public executor": (
        "the guard of the pull callbacks where the scope has one such thread; a reset that holds it takes its 10 s"
    ),
}
"""Timers and waits of 4.9.4 that no action of the model ends, and what stands for them."""

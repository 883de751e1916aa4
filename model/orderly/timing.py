"""How long the steps of orderly consumption take: what it shares with the concurrent one, and its locks.

A rebalance that takes a queue begins with the request for its lock, and one that is refused tries again with the next
run; the rest of it is as it is there. That two rounds of lockAll are one period apart is all that is said of its timer,
because stories leave out rounds that change nothing. Timers are those of 4.9.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from offsetproof.lang import Seconds, Timer, Timing, Wait, plain_code
from offsetproof.model.orderly.rocketmq import RocketMQOrderly
from offsetproof.model.timers import LEASE, ON_ITS_WAY, QUERY_TIMEOUT
from offsetproof.model.timing import commits_on_their_way, shared_waits, waits_of

LOCK_EVERY = Timer("lockAll", 20.0, "client", "ProcessQueue.REBALANCE_LOCK_INTERVAL; 1 s after the start at first")
LOCK_BELIEVED = Timer("belief in a lock", 30.0, "client", "ProcessQueue.REBALANCE_LOCK_MAX_LIVE_TIME")
UNLOCK_DELAY = Timer("delayed unlock", 20.0, "client", "RebalancePushImpl.UNLOCK_DELAY_TIME_MILLS")
TRY_LOCK = Timer("consume lock's wait", 1.0, "client", "RebalancePushImpl.removeUnnecessaryMessageQueue: tryLock")
LOCK_AGAIN = Timer(
    "request's lock", 0.01, "client", "ConsumeMessageOrderlyService.tryLockLaterAndReconsume: 10 or 100 ms"
)
SUBMIT_AGAIN = Timer(
    "resubmission",
    0.01,
    "client",
    "ConsumeMessageOrderlyService.submitConsumeRequestLater: 10 ms to 30 s, 1 s by default",
)
CONTINUOUSLY = Timer("longest run", 60.0, "client", "ConsumeMessageOrderlyService.MAX_TIME_CONSUME_CONTINUOUSLY")

_RUN, _LIFE = ("c", "r"), ("c", "life")
_TAKES, _LOCKS = "rebalance_removes_dirty_offset", "broker_answers_lock"
_LATE, _FIRST_PULL = "a rebalance is late", "pull_is_sent_with_new_start"
_HEARD = ("client_hears_of_renewal", "client_hears_of_lock", "rebalance_hears_of_lock")
_ASKED = ("broker_answers_renewal", "broker_answers_request", _LOCKS)
_GIVEN_UP = ("rebalance_unlocks_queue", "reset_unlocks_queue", "repair_removes_offset")
_RESULTS = ("request_commits", "request_goes_on_uncommitted", "request_rolls_back", "request_suspends")
_PULL_ANSWERS = ("broker_answers_pull", "broker_answers_pull_before_commits", "broker_answers_pull_with_error")
_TRIES = "RebalancePushImpl.removeUnnecessaryMessageQueue: tryLock"


def _with_locks(wait: Wait) -> Wait:
    """A wait of the concurrent model, where taking a queue begins with its lock, and pulling with another start."""
    ends = tuple(_LOCKS if name == _TAKES else name for name in wait.ends)
    begins = tuple((*group, _FIRST_PULL) if "consumer_pulls" in group else group for group in wait.begins)
    refused = (("rebalance_hears_of_lock",),) if wait.who == _LATE and _LOCKS in ends else ()
    return replace(wait, ends=ends, begins=(*begins, *refused))


def _locks(seconds: Seconds) -> tuple[Wait, ...]:
    """Requests for the lock, how long it is believed in, and how it is given back."""
    request = seconds(ON_ITS_WAY)
    return (
        Wait(
            "the lock timer", ("broker_answers_renewal",), (("broker_answers_renewal",),), ("c",), seconds(LOCK_EVERY),
            None, "ConsumeMessageOrderlyService.start: REBALANCE_LOCK_INTERVAL",
        ),
        Wait(
            "an answer about locks is on its way", ("client_hears_of_renewal", "client_hears_of_lock"), (_ASKED[:2],),
            ("c",), 0, request, "an answer",
        ),
        Wait("an answer about a lock is on its way", ("rebalance_hears_of_lock",), ((_LOCKS,),), _RUN, 0, request,
             "an answer"),
        *plain_code("the rebalance thread stalls", _RUN, "rebalance_hears_of_lock", _TAKES),
        Wait(
            "a request's lock", ("broker_answers_request",), (("request_takes_messages",),), _LIFE,
            seconds(LOCK_AGAIN), None, "ConsumeMessageOrderlyService.tryLockLaterAndReconsume",
        ),
        Wait(
            "a lock grows old", ("lock_expires", "lock_expires_for_want_of_renewal"), (_HEARD,), ("c",),
            seconds(LOCK_BELIEVED), None, "ProcessQueue.isLockExpired",
        ),
        Wait(
            "a lease", ("lease_expires",), (_ASKED,), ("c",), seconds(LEASE), None, "RebalanceLockManager.isExpired",
        ),
        Wait("an unlock is on its way", ("broker_unlocks", "unlock_is_overtaken"),
             ((*_GIVEN_UP, "delayed_unlock_is_sent"),), ("c",), 0, request, "a request"),
        Wait(
            "a delayed unlock", ("delayed_unlock_is_sent",), (_GIVEN_UP,), ("c",), seconds(UNLOCK_DELAY),
            seconds(UNLOCK_DELAY), "RebalancePushImpl.unlockDelay: UNLOCK_DELAY_TIME_MILLS",
        ),
        Wait(
            "a listener keeps the consume lock", ("rebalance_unlocks_queue",), (("rebalance_removes_offset",),), _RUN,
            0, seconds(TRY_LOCK), _TRIES,
        ),
        Wait(
            "a listener keeps the consume lock", ("rebalance_cannot_unlock_queue",), (("rebalance_removes_offset",),),
            _RUN, seconds(TRY_LOCK), seconds(TRY_LOCK), _TRIES,
        ),
        Wait(
            "a listener keeps the consume lock", ("reset_unlocks_queue",), (("reset_removes_offset",),), ("c",), 0,
            seconds(TRY_LOCK), _TRIES,
        ),
        Wait(
            "a shutdown waits for the broker", ("shutdown_unlocks",),
            (("consumer_begins_shutdown", "shutdown_persists"),), ("c",), 0, 2 * request,
            "RebalanceImpl.unlockAll: a request, and its answer",
        ),
    )  # fmt: skip


def _consuming(seconds: Seconds) -> tuple[Wait, ...]:
    """A request's loop, and the first pull under a lock."""
    request = seconds(ON_ITS_WAY)
    return (
        *plain_code("a consume thread stalls", _LIFE, "request_takes_messages", "request_starts_listener"),
        *plain_code(
            "a consume thread stalls",
            _LIFE,
            "listener_returns",
            _RESULTS,
            "request_checks_dropped",
            "request_updates_cell",
        ),
        Wait(
            "a request runs long", ("request_yields",), (("broker_answers_request", "poll_finds_messages"),), _LIFE,
            seconds(CONTINUOUSLY), None, "ConsumeMessageOrderlyService: MAX_TIME_CONSUME_CONTINUOUSLY",
        ),
        Wait(
            "a queue is suspended", ("request_takes_messages",), (("request_suspends", "request_rolls_back"),), _LIFE,
            seconds(SUBMIT_AGAIN), None, "ConsumeMessageOrderlyService.submitConsumeRequestLater",
        ),
        Wait(
            "a query for an offset is on its way", _PULL_ANSWERS, (("pull_asks_for_start",),), ("c",), 0, request,
            "a request",
        ),
        Wait(
            "an offset is on its way back", ("pull_is_sent_with_new_start", "pull_finds_start"),
            ((*_PULL_ANSWERS, "pull_finds_start"),), ("c",), 0, 2 * request,
            "an answer, and a request for the max offset",
        ),
        Wait(
            "a query is not answered", ("pull_goes_on_without_start",), (("pull_asks_for_start",),), ("c",),
            seconds(QUERY_TIMEOUT), seconds(QUERY_TIMEOUT) + 2 * request,
            "RemoteBrokerOffsetStore.fetchConsumeOffsetFromBroker: 5 s; the pull from -1, and its answer",
        ),
    )  # fmt: skip


def timing(seconds: Seconds) -> Timing:
    """What the checker needs to give a story its times, where timers take so long."""
    shared = (_with_locks(wait) for wait in waits_of(RocketMQOrderly.actions, shared_waits(seconds)))
    return Timing((*shared, *_locks(seconds), *_consuming(seconds)), (commits_on_their_way(seconds),))


NO_WAIT: Mapping[str, str] = {
    "listener_returns": "the listener may take any time",
    "shutdown_ends_renewal": "a decision of the application",
    "pull_asks_for_start": "a token in the run queue: the next round of a loop",
    "broker_unlocks_late": "what is on its way to a thread of the broker that is late",
    "broker_unlocks_for_former_process": "a request whose sender is gone, on its way",
    "request_is_rejected": "what the scheduled thread has taken, 10 ms to 30 s before",
    "repair_finds_queue": "a repair that waits for a rebalance, with a fix that has no release",
}
"""By action, what decides when it is taken; what it shares with the concurrent model is there."""

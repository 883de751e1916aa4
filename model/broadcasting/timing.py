"""How long the steps of broadcasting take: what it shares with the concurrent model, its file and its locks.

`NO_WAIT` says of each other action why it waits for nothing that is known.
"""

from __future__ import annotations

from collections.abc import Mapping

from offsetproof.lang import Seconds, Timing, Wait, plain_code
from offsetproof.model.broadcasting.broadcasting import Broadcasting
from offsetproof.model.timers import LEASE, ON_ITS_WAY
from offsetproof.model.timing import shared_waits, waits_of

_RUN = ("c", "r")
_ADDS = ("rebalance_removes_dirty_offset", "rebalance_reads_file", "rebalance_stores_start")


def _start(seconds: Seconds) -> tuple[Wait, ...]:
    """A run of rebalance that reads the file."""
    return (
        *plain_code("the rebalance thread stalls", _RUN, *_ADDS),
        Wait(
            "the max offset is on its way", ("rebalance_finds_start",), (("rebalance_reads_file",),), _RUN, 0,
            2 * seconds(ON_ITS_WAY), "a request for the max offset, and its answer",
        ),
    )  # fmt: skip


def _locks(seconds: Seconds) -> tuple[Wait, ...]:
    """The lock that an orderly listener's queue is given once, and that nobody renews."""
    request = seconds(ON_ITS_WAY)
    return (
        Wait("an answer about a lock is on its way", ("rebalance_hears_of_lock",), (("broker_answers_lock",),), _RUN, 0,
             request, "an answer"),
        Wait("a lease", ("lease_expires",), (("broker_answers_lock",),), (), seconds(LEASE), None,
             "RebalanceLockManager.isExpired"),
    )  # fmt: skip


def timing(seconds: Seconds) -> Timing:
    """What the checker needs to give a story its times, where timers take so long."""
    consumed = plain_code(
        "a consume thread stalls", ("c", "life", "m"), "listener_fails", "task_drops_failed_messages",
        "task_removes_message",
    )  # fmt: skip
    shared = waits_of(Broadcasting.actions, shared_waits(seconds))
    return Timing((*shared, *consumed, *_start(seconds), *_locks(seconds)))


NO_WAIT: Mapping[str, str] = {
    "consumer_pulls": "a token in the run queue: the next round of a loop",
    "task_starts": "a task in the pool's queue may wait for any time",
    "broker_answers_lock": "a rebalance, at most 20 s after the route is known or the lock was refused",
    "rebalance_adds_other_queue": "a rebalance, at most 20 s after the other broker is known",
    "file_is_lost": "a fault, which may happen at any time",
}
"""By action, what decides when it is taken; what it shares with the concurrent model is there."""

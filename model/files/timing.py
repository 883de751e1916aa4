"""How long the steps take: the two timers that persist, a poll that the broker holds, and plain code.

`NO_WAIT` says of each other action why it waits for nothing that is known.
"""

from __future__ import annotations

from collections.abc import Mapping

from offsetproof.lang import Seconds, Timer, Timing, Wait, plain_code
from offsetproof.model.files.vocabulary import TIMER
from offsetproof.model.timers import (
    FLUSH_EVERY,
    FLUSH_FIRST,
    HOLD_CHECK,
    ON_ITS_WAY,
    PERSIST_EVERY,
    PERSIST_FIRST,
    POLL_HOLD,
)

_CALL = (
    ("broker_encodes_table", "client_encodes_table"),
    "writer_opens_tmp",
    "writer_writes_tmp",
    "writer_reads_main",
    "writer_opens_backup",
    "writer_writes_backup",
    "writer_deletes_main",
    "writer_renames_tmp",
    "writer_opens_main",
    "writer_writes_main",
)
"""A call of persist, from the encoding on."""

_POLLS = ("client_adds_queue", "client_consumes", "client_poll_ends")
"""After each of them the consumer pulls again."""


def _rounds(encodes: str, start: str, first: Timer, every: Timer, seconds: Seconds) -> tuple[Wait, Wait]:
    """A timer's first round after a start, and its next ones."""
    only = (("t", TIMER),)
    return (
        Wait("the timer", (encodes,), ((start,),), ("p",), seconds(first), None, first.source, only=only),
        Wait("the timer", (encodes,), ((encodes,),), ("p", "t"), seconds(every), None, every.source, only=only),
    )


def timing(seconds: Seconds) -> Timing:
    """What the checker needs to give a story its times, where timers take so long."""
    return Timing(
        waits=(
            *plain_code("a thread that writes stalls", ("p", "t"), *_CALL),
            *_rounds("broker_encodes_table", "broker_starts", FLUSH_FIRST, FLUSH_EVERY, seconds),
            *_rounds("client_encodes_table", "client_starts", PERSIST_FIRST, PERSIST_EVERY, seconds),
            Wait(
                "the broker holds a poll too long",
                ("client_poll_ends",),
                (_POLLS,),
                ("p", "q"),
                seconds(POLL_HOLD),
                seconds(POLL_HOLD) + seconds(HOLD_CHECK) + seconds(ON_ITS_WAY),
                "PullRequestHoldService: brokerSuspendMaxTimeMillis, looked at every 5 s; and the answer's way",
            ),
        )
    )


NO_WAIT: Mapping[str, str] = {
    "writer_writes_part": "a part of a write, which comes before the rest of it",
    "broker_starts": "a decision from outside: the process may be down for any time",
    "broker_starts_without_topics": "a decision from outside: the process may be down for any time",
    "client_starts": "a decision from outside: the process may be down for any time",
    "broker_begins_shutdown": "a decision from outside",
    "client_begins_shutdown": "a decision of the application",
    "client_persists_nothing": "the shutdown may have waited for listeners",
    "broker_exits": "the process ends when its executors have done what waited for them, which may take any time",
    "client_exits": "the process ends when its other threads do",
    "process_is_killed": "a fault, which may happen at any time",
    "broker_executes_commit": "the group's progress, which may take any time",
    "broker_executes_commit_again": "consumers send their cells every five seconds, at any time of that",
    "group_stops": "a decision from outside",
    "client_adds_queue": "a rebalance, at most 20 s after the route is known",
    "client_consumes": "the listener may take any time",
    "client_loses_queue": "a broker may leave the route at any time",
    "client_encodes_queue": "a rebalance, which may wait for the thread that persists",
    "disk_is_full": "a fault, which may happen at any time",
    "power_fails": "a fault, which may happen at any time",
    "system_writes_main": "the operating system's own time, some 30 s",
    "system_writes_backup": "the operating system's own time, some 30 s",
}
"""By action, what decides when it is taken."""

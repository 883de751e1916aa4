"""How long the steps of orderly consumption take: what it shares with the concurrent one, and its locks.

A rebalance that takes a queue begins with the request for its lock, and one that is refused tries again with the next
run; the rest of it is as it is there. That two rounds of lockAll are one period apart is all that is said of its timer,
because stories leave out rounds that change nothing. Timers are those of 4.9.4.
"""

from __future__ import annotations

from offsetproof.lang import Seconds, Timing
from offsetproof.lang.step import waits_in
from offsetproof.model.concurrent.timing import commits_on_their_way
from offsetproof.model.orderly.rocketmq import RocketMQOrderly


def timing(seconds: Seconds) -> Timing:
    """What the checker needs to give a story its times, where timers take so long."""
    return Timing(tuple(waits_in(RocketMQOrderly.actions, seconds)), (commits_on_their_way(seconds),))

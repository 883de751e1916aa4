"""How long RocketMQ's steps take: timers and defaults of 4.9.4, which threads run plain code, and what is on its way.

What is left out may take any time: a listener; a task in the pool's queue; the next round of a loop (the persist timer,
a rebalance without cause), because stories leave out rounds that change nothing. For the same reason the persist timer
only says that two of its rounds are at least one period apart. A request on its way within a data centre is given a
second. Each step says what it waits for where it is defined, or why nothing is known of that; docs/studies/times.md has
them all.
"""

from __future__ import annotations

from collections.abc import Mapping

from offsetproof.lang import Seconds, Transit
from offsetproof.model.timers import ON_ITS_WAY


def commits_on_their_way(seconds: Seconds) -> Transit:
    """How long a one-way commit takes."""
    return Transit("a commit is on its way", "consumer[*].commits.count", "p", seconds(ON_ITS_WAY))


LEFT_OUT: Mapping[str, str] = {
    "retry of a pull after 1 s while the consumer is paused, after 50 ms under flow control": (
        "such a round changes nothing: `consumer_pulls` is the round that does"
    ),
    "the next round of persistAll, of a rebalance without cause": (
        "stories leave out rounds that change nothing, so the one that they tell may come at any time"
    ),
    "the expiry sweep's own period of 15 min": "a message that is old enough waits for the next round, at any time",
    "heartbeats every 30 s, a silent channel's expiry after 120 s, looked for every 10 s": (
        "`membership_changes`, which a closed connection brings about at once"
    ),
    "routes asked for every 30 s, the name server's 120 s for a silent broker": "routes do not change in the model",
    "the lock's renewal every 20 s, its expiry after 30 s (client) and 60 s (broker), the delayed unlock after 20 s": (
        "they belong to orderly consumption: `model/orderly/timers.py`"
    ),
    "a slave's synchronisation every 10 s": "slaves are not in the model",
    "a callback that waits for the only thread of the public executor": (
        "the guard of the pull callbacks where the scope has one such thread; a reset that holds it takes its 10 s"
    ),
}
"""Timers and waits of 4.9.4 that no action of the model ends, and what stands for them."""

"""How long the steps take: each says so where it is defined; here is what is on its way."""

from __future__ import annotations

from offsetproof.lang import Seconds, Timing, Transit
from offsetproof.lang.step import waits_in
from offsetproof.model.queues.queues import Queues
from offsetproof.model.timers import ON_ITS_WAY


def timing(seconds: Seconds) -> Timing:
    """What the checker needs to give a story its times, where timers take so long."""
    return Timing(
        waits=tuple(waits_in(Queues.actions, seconds)),
        transits=(Transit("a commit is on its way", "client[*].share[*].commits.count", "p", seconds(ON_ITS_WAY)),),
    )

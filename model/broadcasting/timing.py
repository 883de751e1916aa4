"""How long the steps of broadcasting take: what it shares with the concurrent model, its file and its locks.

`NO_WAIT` says of each other action why it waits for nothing that is known.
"""

from __future__ import annotations

from offsetproof.lang import Seconds, Timing
from offsetproof.lang.step import any_time_in, waits_in
from offsetproof.model.broadcasting.broadcasting import Broadcasting


def timing(seconds: Seconds) -> Timing:
    """What the checker needs to give a story its times, where timers take so long."""
    return Timing(tuple(waits_in(Broadcasting.actions, seconds)))


NO_WAIT = any_time_in(Broadcasting.actions)
"""By action, what decides when it is taken."""

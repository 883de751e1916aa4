"""Why an action of orderly consumption has no wait of its own in timing.py."""

from __future__ import annotations

from collections.abc import Mapping

NO_WAIT: Mapping[str, str] = {
    "listener_returns": "the listener may take any time",
    "shutdown_ends_renewal": "a decision of the application",
    "pull_asks_for_start": "a token in the run queue: the next round of a loop",
    "broker_unlocks_late": "what is on its way to a thread of the broker that is late",
}
"""By action, what decides when it is taken; what it shares with the concurrent model is there."""

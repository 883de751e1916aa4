"""How long the steps of broadcasting take: what it shares with the concurrent model, its file and its locks."""

from __future__ import annotations

from offsetproof.lang import Seconds, Timing
from offsetproof.lang.step import waits_in
from offsetproof.model.broadcasting.broadcasting import Broadcasting


def timing(seconds: Seconds) -> Timing:
    """What the checker needs to give a story its times, where timers take so long."""
    return Timing(tuple(waits_in(Broadcasting.actions, seconds)))

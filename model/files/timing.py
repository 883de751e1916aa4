"""How long the steps take: each says so where it is defined."""

from __future__ import annotations

from offsetproof.lang import Seconds, Timing
from offsetproof.lang.step import waits_in
from offsetproof.model.files.offset_files import OffsetFiles


def timing(seconds: Seconds) -> Timing:
    """What the checker needs to give a story its times, where timers take so long."""
    return Timing(waits=tuple(waits_in(OffsetFiles.actions, seconds)))

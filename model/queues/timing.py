"""How long things are on their way; how long a step takes is said where it is defined."""

from __future__ import annotations

from offsetproof.lang import Seconds, Transit
from offsetproof.model.timers import ON_ITS_WAY


def commits_on_their_way(seconds: Seconds) -> Transit:
    """How long a one-way commit takes."""
    return Transit("a commit is on its way", "client[*].share[*].commits.count", "p", seconds(ON_ITS_WAY))

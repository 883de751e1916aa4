"""Which questions `guard` decides although it knows their digests: a digest says little of what computes it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from offsetproof.guard.baseline import Finding

TURNS = 10
"""One question in this many is decided again whatever its digest says."""


@dataclass(frozen=True)
class Again:
    """Which questions are decided although the baseline knows their digests: all, or those whose turn it is."""

    everything: bool = False
    turn: int | None = None

    def wants(self, finding: Finding) -> bool:
        """Is the question to be decided again?"""
        number = int(hashlib.sha256(repr((finding.asked.order, finding.kind)).encode()).hexdigest(), 16) % TURNS
        return self.everything or number == self.turn

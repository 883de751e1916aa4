"""Places in RocketMQ that steps of several threads stand for."""

from __future__ import annotations

from offsetproof.lang import at

_PUSH, _GIVES_UP = "RebalancePushImpl", "removeUnnecessaryMessageQueue"

PERSISTS = at(_PUSH, _GIVES_UP, "persist", 2).or_at(_GIVES_UP, "persist")
"""Where a queue that is given up is persisted. Since 5.2.0 the first persist is that of an orderly consumer."""

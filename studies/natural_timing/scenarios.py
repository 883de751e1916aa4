"""All scenarios."""

from __future__ import annotations

from studies.natural_timing.consuming import (
    ACK_AT_FAILURE,
    FIRST_COMMITS,
    FIRST_COMMITS_TOGETHER,
    ROLLED_BACK,
)
from studies.natural_timing.endings import BROADCAST_IDLE, BROADCAST_KILLED, KILLED, SHUT_DOWN
from studies.natural_timing.markers import COMMIT_WITH_MARKER, DEPLOYED, LATE_COMMIT, RESTARTED_MARKER, TWICE
from studies.natural_timing.repairing import REPAIR_JOINED
from studies.natural_timing.resets import LATE_POLL, QUERY_FIRST
from studies.natural_timing.starting import LOSS_WINDOW, NEW_GROUP, ORDERLY_BROADCAST

SCENARIOS = (
    LATE_POLL,
    QUERY_FIRST,
    FIRST_COMMITS,
    FIRST_COMMITS_TOGETHER,
    NEW_GROUP,
    LOSS_WINDOW,
    ACK_AT_FAILURE,
    ROLLED_BACK,
    SHUT_DOWN,
    KILLED,
    BROADCAST_KILLED,
    BROADCAST_IDLE,
    ORDERLY_BROADCAST,
    REPAIR_JOINED,
    COMMIT_WITH_MARKER,
    DEPLOYED,
    TWICE,
    LATE_COMMIT,
    RESTARTED_MARKER,
)

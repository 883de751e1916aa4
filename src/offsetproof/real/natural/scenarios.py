"""All scenarios, and which of them is a story's."""

from __future__ import annotations

from offsetproof.real.natural.consuming import (
    ACK_AT_FAILURE,
    FIRST_COMMITS,
    FIRST_COMMITS_TOGETHER,
    ROLLED_BACK,
)
from offsetproof.real.natural.endings import BROADCAST_IDLE, BROADCAST_KILLED, KILLED, SHUT_DOWN
from offsetproof.real.natural.repairing import REPAIR_JOINED
from offsetproof.real.natural.resets import LATE_POLL, QUERY_FIRST
from offsetproof.real.natural.starting import LOSS_WINDOW, NEW_GROUP, ORDERLY_BROADCAST
from offsetproof.real.natural.trying import Scenario

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
)


def scenario_of(story: str) -> Scenario | None:
    """The natural setting of a recorded story; None where there is none.

    >>> scenario_of("I5-late-poll").name
    'late-poll'
    """
    return next((scenario for scenario in SCENARIOS if story in scenario.stories), None)

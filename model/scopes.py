"""The small worlds that claims are decided in. Every bound is named; a fault kind without a budget cannot happen."""

from __future__ import annotations

from offsetproof.lang import Scope
from offsetproof.model.variants import LATE_PULL, OVERTAKE, STALL


def _bounds(
    consumers: int, lives: int, messages: int, resets: int, view_changes: int, commits: int = 2
) -> dict[str, int]:
    return {
        "consumers": consumers,
        "lives": lives,
        "messages": messages,
        "resets": resets,
        "view_changes": view_changes,
        "commits_in_flight": commits,
    }


FAULTS = {OVERTAKE: 1, LATE_PULL: 1, STALL: 1}
"""One of each."""

SCOPES = (
    Scope("reset", _bounds(1, 2, 2, 1, 0), FAULTS, "one consumer keeps the queue while the offset is reset once"),
    Scope("calm-reset", _bounds(1, 2, 2, 1, 0), {}, "the same without any fault"),
    Scope(
        "moving-reset", _bounds(1, 3, 1, 1, 2, 1), {STALL: 1}, "one consumer loses and regains the queue around a reset"
    ),
    Scope("reset-two", _bounds(2, 2, 1, 1, 2, 1), {}, "two consumers and their changing views around a reset"),
    Scope("hand-over", _bounds(2, 1, 2, 0, 2), {OVERTAKE: 1}, "two consumers hand the queue over; no reset"),
    Scope("come-back", _bounds(1, 2, 2, 0, 2), {OVERTAKE: 1}, "one consumer loses the queue and regains it; no reset"),
    Scope("large", _bounds(4, 3, 8, 3, 4), FAULTS, "four consumers, three resets", large=True),
)

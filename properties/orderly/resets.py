"""Offset resets of orderly consumers: the causes of the concurrent ones, and plain writes."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, always, at_rest, case, remedy
from offsetproof.model.variants import (
    NO_STALLED_CALLBACK,
    NO_STALLED_REBALANCE,
    NO_STALLED_TASK,
    POLL_CHECKS_DROPPED,
    UPDATE_CHECKS_DROPPED,
)
from offsetproof.properties import resets

backward_reset_stays_in_order = always(
    case(
        "I5-orderly",
        REFUTED,
        "orderly-reset",
        needs=["W-reset-landed", "W-redone"],
        why="a poll that was held all the time ends after the reset and corrects the cell, as for concurrent consumers",
        symptom="the reset did not stick: the offset is back where it was, and messages are not delivered again",
        remedies=["I5-orderly-fixed"],
    ),
    case(
        "I5-orderly-fixed",
        HOLDS,
        "orderly-reset",
        fixes=[POLL_CHECKS_DROPPED],
        needs=["W-reset-landed", "W-redone"],
        where="with the fix of PR #10087, where nothing is late, overtaken or stalled",
    ),
    case(
        "I5-orderly-stalled",
        REFUTED,
        "orderly-reset-stalled",
        fixes=[POLL_CHECKS_DROPPED],
        assumptions=[NO_STALLED_CALLBACK, NO_STALLED_REBALANCE],
        where="with the fix of PR #10087, where a consume thread may stall",
        why="a request that stands between its look at `dropped` and updateOffset for as long as the reset sleeps "
        "writes its old offset afterwards",
        symptom="the reset did not stick: a long pause of a consumer (GC, a stopped VM) ended after it",
        remedies=[
            "I5-orderly-stalled-fixed",
            remedy("orderly-reset-stalled", assumptions=[NO_STALLED_TASK]),
        ],
    ),
    case(
        "I5-orderly-stalled-fixed",
        HOLDS,
        "orderly-reset-stalled",
        fixes=[POLL_CHECKS_DROPPED, UPDATE_CHECKS_DROPPED],
        needs=["W-reset-landed"],
        where="with the fix of PR #10087 and a request that looks at `dropped` as it writes, where a thread may stall",
    ),
)(resets.backward_reset_stays.function)

forward_reset_stays_in_order = always(
    case("I5-forward-orderly", HOLDS, "orderly-reset", needs=["W-forward-reset-landed"])
)(resets.forward_reset_stays.function)

answered_reset_has_landed_in_order = at_rest(
    case(
        "I6-orderly",
        HOLDS,
        "orderly-reset",
        needs=["W-rest-after-reset"],
        where="for one consumer that keeps the queue, which is reset once",
    )
)(resets.answered_reset_has_landed.function)

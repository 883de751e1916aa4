"""Offset resets of orderly consumers: the causes of the concurrent ones, and plain writes."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, always, at_rest, case, each_step, remedy
from offsetproof.model.releases import SERVER_SIDE_RESET
from offsetproof.model.variants import (
    COMMITS_IN_ORDER,
    NO_STALLED_CALLBACK,
    NO_STALLED_REBALANCE,
    NO_STALLED_TASK,
    NOTHING_LOST,
    POLL_CHECKS_DROPPED,
    PULLS_TIMELY,
    QUERIES_IN_ORDER,
    UPDATE_CHECKS_DROPPED,
)
from offsetproof.properties import forward_resets, landings, resets, restarts

_WITH_MARKER = (
    "A reset at the broker (since 5.2.0) is undone by a commit that the pull which takes the marker carries, or that "
    "was on its way then"
)

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
        HOLDS.unless(SERVER_SIDE_RESET),
        "orderly-reset",
        fixes=[POLL_CHECKS_DROPPED],
        needs=["W-reset-landed", "W-redone"],
        where="with the fix of PR #10087, where nothing is late, overtaken or stalled",
        why=_WITH_MARKER,
    ),
    case(
        "I5-orderly-restarted",
        HOLDS.unless(SERVER_SIDE_RESET),
        "orderly-reset-restart-in-order",
        fixes=[POLL_CHECKS_DROPPED],
        needs=["W-reset-landed", "W-redone"],
        where="with the fix of PR #10087, where the broker is restarted in order",
        why=f"a table that is persisted in order keeps the target. {_WITH_MARKER}; a restart forgets the marker",
    ),
    case(
        "I5-orderly-overtaken",
        REFUTED,
        "orderly-reset-overtaken",
        fixes=[POLL_CHECKS_DROPPED],
        where="with the fix of PR #10087, where one request may overtake another",
        why="persistAll sends the cell while the reset sleeps, and the broker, whose threads take requests in any "
        "order, executes that commit after the reset's own; or the query of the ProcessQueue that follows is "
        "executed before the reset's commit, and its answer goes into the cell",
        symptom="the reset did not stick: the offset came back within a second, on a broker under load",
        remedies=[remedy("orderly-reset-overtaken", assumptions=[COMMITS_IN_ORDER, QUERIES_IN_ORDER])],
    ),
    case(
        "I5-orderly-late-pull",
        REFUTED,
        "orderly-reset-late",
        fixes=[POLL_CHECKS_DROPPED],
        where="with the fix of PR #10087, where a pull may be late",
        why="a pull carries the offset of the moment when it was sent; one that arrives after the reset's commit "
        "brings it back, whether the client has dropped the queue or not",
        symptom="the reset did not stick: a pull from before it reached the broker more than 10 s later",
        remedies=[remedy("orderly-reset-late", assumptions=[PULLS_TIMELY])],
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
        HOLDS.unless(SERVER_SIDE_RESET),
        "orderly-reset-stalled",
        fixes=[POLL_CHECKS_DROPPED, UPDATE_CHECKS_DROPPED],
        needs=["W-reset-landed"],
        where="with the fix of PR #10087 and a request that looks at `dropped` as it writes, where a thread may stall "
        "and the offset is reset once",
        why=_WITH_MARKER,
    ),
)(resets.backward_reset_stays.function)

forward_reset_stays_in_order = always(
    case(
        "I5-forward-orderly",
        HOLDS.unless(SERVER_SIDE_RESET),
        "orderly-reset",
        needs=["W-forward-reset-landed"],
        where="for one consumer that keeps the queue, where nothing is late, overtaken or stalled, no offset is "
        "illegal and nobody else writes it",
        why="a client that takes the queue over may ask for the offset before the reset's commit is executed, and "
        f"commits what it was told. {_WITH_MARKER}",
    )
)(forward_resets.forward_reset_stays.function)

answered_reset_has_landed_in_order = at_rest(
    case(
        "I6-orderly",
        HOLDS,
        "orderly-reset",
        needs=["W-rest-after-reset"],
        where="for one consumer that keeps the queue, which is reset once",
    ),
    case(
        "I6-orderly-lost-command",
        REFUTED.unless(SERVER_SIDE_RESET),
        "orderly-lost-reset",
        where="for one consumer that keeps the queue, where a one-way request may be lost",
        why="the broker swallows the exception of the one-way request, and answers with success",
        symptom="the tool said that the reset succeeded, and nothing changed: the command never arrived",
        remedies=[remedy("orderly-lost-reset", assumptions=[NOTHING_LOST])],
    ),
)(landings.answered_reset_has_landed.function)

restart_in_order_keeps_the_offset_in_order = each_step(
    case(
        "I35-orderly",
        HOLDS,
        "orderly-reset-restart-in-order",
        only_of=[SERVER_SIDE_RESET],
        why="the target of an answered reset is in the table, which is persisted in order; the marker is lost",
    )
)(restarts.restart_in_order_keeps_the_offset.function)

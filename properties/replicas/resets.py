"""What becomes of a reset at a fail-over: said of what a query gives."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, OffsetSet, always, case, every, implies
from offsetproof.model.releases import SERVER_SIDE_RESET
from offsetproof.model.replicas.pair import Pair
from offsetproof.model.replicas.variants import COPIED, ROUTES_KEPT

_NO_COPY = "the slave has no copy of it yet, or the old master returns with the file of before"
_KEPT = [COPIED, ROUTES_KEPT]
_WHERE_KEPT = (
    "where the master is shut down in order after the slave has copied its table, and is back before a client looks "
    "for "
    "its route again"
)
_NO_MARKER = (
    "the marker is in the master's memory alone: after a restart commits of clients that have not heard of the reset "
    "are "
    "executed again"
)


@always(
    case(
        "I5-fail-over",
        REFUTED,
        *("reset-back", "reset-back-stop"),
        why=_NO_COPY,
        symptom="a backward reset was undone when the master went down, or when it returned",
        remedies=["I5-fail-over-restart"],
    ),
    case(
        "I5-fail-over-restart",
        HOLDS.unless(SERVER_SIDE_RESET),
        "reset-back-stop",
        assumptions=_KEPT,
        where=_WHERE_KEPT,
        needs=["W-reset-landed"],
    ),
    case(
        "I5-fail-over-marker",
        REFUTED,
        "reset-back-stop",
        fixes=[SERVER_SIDE_RESET],
        assumptions=_KEPT,
        where=f"{_WHERE_KEPT}, with the reset at the broker (5.2.0)",
        why=_NO_MARKER,
        symptom="with 5.2.0 and later: a backward reset was undone by a restart of the master in order",
        no_remedy="no file and no copy has the marker; reset again when the restart is over",
    ),
)
def backward_reset_outlives_a_fail_over(pair: Pair) -> bool:
    """From its landing on, a query gives the target of a backward reset, or what was consumed again from there."""
    target = pair.ghost_target
    if target is None or not pair.ghost_landed:
        return True
    given = pair.given_number(0)
    passed = OffsetSet.below(given - 1) - OffsetSet.below(target)
    return implies(every([pair.somebody_answers(), given > 0]), passed <= pair.ghost_again)


@always(
    case(
        "I5-forward-fail-over",
        REFUTED,
        *("reset-forward", "reset-forward-stop"),
        why=_NO_COPY,
        symptom="a forward reset was undone when the master went down, or when it returned",
        remedies=["I5-forward-fail-over-restart"],
    ),
    case(
        "I5-forward-fail-over-restart",
        HOLDS.unless(SERVER_SIDE_RESET),
        "reset-forward-stop",
        assumptions=_KEPT,
        where=_WHERE_KEPT,
        needs=["W-reset-landed"],
    ),
    case(
        "I5-forward-fail-over-marker",
        REFUTED,
        "reset-forward-stop",
        fixes=[SERVER_SIDE_RESET],
        assumptions=_KEPT,
        where=f"{_WHERE_KEPT}, with the reset at the broker (5.2.0)",
        why=_NO_MARKER,
        symptom="with 5.2.0 and later: a forward reset was undone by a restart of the master in order",
        no_remedy="no file and no copy has the marker; reset again when the restart is over",
    ),
)
def forward_reset_outlives_a_fail_over(pair: Pair) -> bool:
    """From its landing on, a query gives nothing below the target of a forward reset."""
    target = pair.ghost_target
    if target is None or not pair.ghost_landed:
        return True
    return implies(pair.somebody_answers(), pair.given_number(0) >= target + 1)

"""Restarts of the broker in order, a routine: what they leave of a reset at the broker."""

from __future__ import annotations

from offsetproof.lang import HOLDS, Step, case, each_step, some
from offsetproof.model.releases import SERVER_SIDE_RESET
from offsetproof.model.shared.group import Group
from offsetproof.model.shared.pulling import RESTARTS


@each_step(
    case(
        "I35",
        HOLDS,
        "reset-restart-in-order",
        only_of=[SERVER_SIDE_RESET],
        where="where nobody else writes or removes the offset",
        why="a shutdown persists the table after the servers have stopped; an answered reset at the broker has its "
        "target in the table, so the loss of the marker changes no answer to a query: what it does change, "
        "I5-restarted-marker says",
    )
)
def restart_in_order_keeps_the_offset(before: Group, after: Group, step: Step) -> bool:
    """After a restart in order a query is given the offset from before it, unless a tool is still resetting."""
    if step.action not in RESTARTS:
        return True
    kept = after.broker.offset_for_query() == before.broker.offset_for_query()
    return some([kept, before.is_resetting()])

"""Frozen cells: since 5.2.0 the repair of an illegal offset freezes the cell until it is removed."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, at_rest, case, negation, some
from offsetproof.model.releases import FREEZES_CELL
from offsetproof.model.shared.group import Group


@at_rest(
    case(
        "I34",
        REFUTED,
        "retention-moves",
        fixes=[FREEZES_CELL],
        where="where the oldest message may be deleted while the group changes",
        why="a rebalance gives the queue up and takes it again while the repair is under way: the repair finds no "
        "ProcessQueue in the table, so it does not come to removeOffset, and the new ProcessQueue has the frozen cell",
        symptom="a consumer goes on consuming, and its offset at the broker stands still until a rebalance or restart",
        no_remedy="no release has one",
    ),
    case(
        "I34-calm",
        HOLDS,
        "retention",
        fixes=[FREEZES_CELL],
        where="for one consumer that keeps the queue, where the offset is not reset",
    ),
)
def no_live_process_queue_has_a_frozen_cell(group: Group) -> bool:
    """At rest no ProcessQueue that is in the table and not dropped has a cell that takes no value."""
    return negation(some(consumer.has_frozen_queue() for consumer in group.consumer))

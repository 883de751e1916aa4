"""Where a consumer begins after a fail-over: behind nothing that nobody has consumed."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, OffsetSet, always, case, every, implies, remedy
from offsetproof.model.releases import COPIES_VERSION, TAKES_SLAVES_TABLE
from offsetproof.model.replicas.pair import Pair
from offsetproof.model.replicas.variants import COPIED

_ACTING = (TAKES_SLAVES_TABLE, COPIES_VERSION)


@always(
    case(
        "I4-fail-over",
        HOLDS,
        *("take-over", "stop", "slave-reads", "return", "two-queues", "hand-over"),
        where="where message 0 is in memory, and resets are left out",
        why="each table has offsets that some consumer had committed, and a row that is missing is answered with 0",
        needs=["W-consumes-again"],
    ),
    case(
        "I4-fail-over-acting",
        HOLDS,
        *("acting-stop", "acting-kill"),
        fixes=_ACTING,
        where="the same, where the slave acts as master (5.0.0)",
        needs=["W-acting"],
    ),
    case(
        "I4-fail-over-cold",
        REFUTED,
        "cold",
        where="where the slave has not copied the group, and message 0 is only on the disk, or deleted",
        why="the slave answers that nothing is stored, and the max offset is asked of the master, which is back by "
        "then",
        symptom="a consumer that was started while the master was away skipped all that its group had not consumed",
        remedies=[remedy("cold", assumptions=[COPIED])],
    ),
    case(
        "I4-fail-over-acting-cold",
        REFUTED,
        "acting-cold",
        fixes=_ACTING,
        where="the same, where the slave acts as master (5.0.0)",
        why="the slave answers that nothing is stored, and is asked for the max offset as well: the route has its "
        "address "
        "under brokerId 0",
        symptom="with slaveActingMaster a new group skipped all that was stored after its master had gone down",
        remedies=[remedy("acting-cold", assumptions=[COPIED])],
    ),
)
def fail_over_skips_nothing(pair: Pair) -> bool:
    """Below a consumer's position there is nothing that the group has not consumed."""
    return every(
        implies(consumer.listed[q], OffsetSet.below(consumer.position[q]) <= pair.ghost_done[q])
        for consumer in pair.consumer
        for q in range(pair.scope.queues)
    )

"""The file keeps the queue: its offset does not vanish."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, Step, case, each_step, every, implies
from offsetproof.model.broadcasting.group import BroadcastGroup
from offsetproof.model.releases import MERGES_INTO_FILE

_SUBSET = "persistAll writes a new file with the queues in the table, and this one is not in it"


@each_step(
    case(
        "I15-broadcast",
        HOLDS,
        *("broadcast-kills", "broadcast-route", "broadcast-retention", "broadcast-reset"),
        needs=["W-later-process-queue-from-file"],
        where="for a client with one queue that does not lose its file",
        why="without any queue in the table persistAll returns at once",
    ),
    case(
        "I15-broadcast-routes",
        REFUTED.unless(MERGES_INTO_FILE),
        "broadcast-routes",
        where="where the queue's broker leaves the route, and another queue stays",
        why=_SUBSET,
        symptom="offsets.json has fewer queues after a broker was away",
        remedies=["I15-broadcast-merged"],
    ),
    case(
        "I15-broadcast-restart",
        REFUTED.unless(MERGES_INTO_FILE),
        "broadcast-two-queues",
        where="while the client has both queues, may be killed, and loses no file",
        why=f"{_SUBSET}: after a restart the other queue was added first",
        symptom="offsets.json has fewer queues after a restart, and nobody took one away",
        remedies=["I15-broadcast-merged"],
    ),
    case(
        "I15-broadcast-repair",
        REFUTED.unless(MERGES_INTO_FILE),
        "broadcast-retention-two-queues",
        where="while the client has both queues, and the offset of this one is repaired",
        why=f"{_SUBSET}: a repair takes it out, and up to 20 s pass before a rebalance adds it again",
        symptom="after an illegal offset a broadcast consumer started at the max offset and skipped messages",
        remedies=["I15-broadcast-merged"],
    ),
    case(
        "I15-broadcast-reset",
        REFUTED.unless(MERGES_INTO_FILE),
        "broadcast-reset-two-queues",
        where="while the client has both queues, and the offset is reset",
        why=f"{_SUBSET}: a reset takes it out, and resume adds it again",
        symptom="after a reset a broadcast consumer started at the max offset",
        remedies=["I15-broadcast-merged"],
    ),
    case(
        "I15-broadcast-merged",
        HOLDS,
        "broadcast-routes",
        "broadcast-two-queues",
        "broadcast-retention-two-queues",
        "broadcast-reset-two-queues",
        fixes=[MERGES_INTO_FILE],
        where="with the fix of 4.9.8 and 5.2.0, where persistAll is one step and no file is lost",
    ),
)
def file_keeps_the_queue(before: BroadcastGroup, after: BroadcastGroup, _step: Step) -> bool:
    """A queue's offset that is in the client's file stays there."""
    pairs = zip(before.consumer, after.consumer, strict=True)
    return every(implies(a.stored is not None, b.stored is not None) for a, b in pairs)

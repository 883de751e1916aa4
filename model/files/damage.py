"""What becomes of messages: which are skipped for good, and which were consumed again.

A broadcast consumer skips what is below the offset from which it consumes, and what it has not consumed. Of a broker's
group it counts what a consumer would skip that asks for the group's offset now, and finds none.
"""

from __future__ import annotations

from offsetproof.lang import Damage, OffsetSet, choose, every, holds
from offsetproof.model.files.offset_file import Row
from offsetproof.model.files.store import Store
from offsetproof.model.files.vocabulary import Beginning, Owner, Phase


def lost_messages(store: Store) -> int:
    """How many messages nobody will consume from here."""
    if store.scope.beginning == Beginning.FIRST_OFFSET:
        return 0
    queues = range(store.scope.queues)
    if store.scope.owner == Owner.BROKER:
        return sum(_unknown(store, p, q) for p in range(store.scope.processes) for q in queues)
    return sum(
        choose(process.listed[q], (OffsetSet.below(process.position[q]) - store.ghost_done[q]).count(), 0)
        for process in store.process
        for q in queues
    )


def _unknown(store: Store, p: int, q: int) -> int:
    """What is left of a queue whose offset a running broker does not know, although the group has consumed of it."""
    process = store.process[p]
    forgotten = every([process.phase == Phase.UP, holds(process.table.row[q], Row.offset, None), store.progress[q] > 0])
    return choose(forgotten, store.scope.messages - store.progress[q], 0)


def repeated_messages(store: Store) -> int:
    """How many messages were consumed more than once."""
    return sum(repeated.count() for repeated in store.ghost_repeated)


OUTSIDE = ("broker_begins_shutdown", "client_begins_shutdown", "client_loses_queue")
"""What starts again: no more of it happens once a claim has failed."""

DAMAGE = Damage(lost=lost_messages, repeated=repeated_messages, outside=OUTSIDE)
"""What the checker needs to say how bad a violation is."""

"""What a broadcast consumer gets from its offset file: nothing is skipped, and what is repeated has a cause."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, OffsetSet, Step, always, case, each_step, every, implies, remedy
from offsetproof.model.files.store import Store
from offsetproof.model.files.variants import (
    KEEPS_WHOLE_BACKUP,
    PERSIST_SYNCHRONIZED,
    START_WRITTEN,
)
from offsetproof.model.releases import (
    MERGES_INTO_FILE,
    OVERWRITES_IN_PLACE,
    STRING2FILE_SYNCHRONIZED,
)

_MERGED_IN_PLACE = (MERGES_INTO_FILE, OVERWRITES_IN_PLACE, STRING2FILE_SYNCHRONIZED)
_ROUTES = ("client-routes", "client-route-kills")
_IN_PLACE = "with string2File of 5.1.0, which writes over the main file"
_COPIES_EMPTY = "a kill leaves an empty main file, and the first persistAll after the start copies it over the backup"


@always(
    case(
        "I4-first",
        HOLDS,
        "client-first",
        needs=["W-begins-again"],
        where="with CONSUME_FROM_FIRST_OFFSET and a file that nobody else has",
        why="what the file does not have starts at 0: messages are repeated instead of skipped",
    ),
    case(
        "I4-idle",
        REFUTED,
        "client-idle",
        where="where the consumer is shut down in order and started again",
        why="a queue has no cell before its first message is consumed or its first poll has ended, 15 to 20 s after "
        "the start: the shutdown writes no row for it, and LAST_OFFSET starts it at the max offset again",
        symptom="a broadcast consumer that was restarted within 20 s of its first start skipped what was sent "
        "while it was down",
        remedies=[remedy("client-idle", fixes=[START_WRITTEN, PERSIST_SYNCHRONIZED])],
    ),
    case(
        "I4-killed",
        REFUTED,
        "client-kills",
        where="where the consumer may be killed before a persistAll has written the queue's first offset",
        why="the first persistAll is 10 s after the start, and the queue has no cell before its first message is "
        "consumed or its first poll has ended; what is not in the file LAST_OFFSET starts at the max offset",
        symptom="a broadcast consumer that was killed soon after its first start skipped messages",
        remedies=[remedy("client-kills", fixes=[START_WRITTEN])],
    ),
    case(
        "I4-routes",
        REFUTED,
        "client-routes",
        fixes=[START_WRITTEN],
        where="where a queue leaves the route for a while, and every start is in the file",
        why="persistAll writes a whole new file with the queues of the process queue table; of one that is out of the "
        "route for a moment no row is left, and LAST_OFFSET starts it at the max offset (apache/rocketmq #4016); 4.9.8 "
        "merges, but a rebalance and the timer write the file at the same time",
        symptom="a broadcast consumer skipped messages of a broker that had been away for a while",
        remedies=["I4-routes-fixed"],
    ),
    case(
        "I4-routes-merged",
        REFUTED,
        "client-route-kills",
        fixes=[MERGES_INTO_FILE, START_WRITTEN],
        where="with the fix of 4.9.8 and 5.2.0",
        why="the rebalance thread persists now, too, beside the timer, and string2File of 4.9.x takes no lock; with "
        "that of 5.1.0, which does, the timer still may have collected its rows before the queue's was written",
        symptom="with 4.9.8: a broadcast consumer skipped messages after a change of the route",
        remedies=["I4-routes-fixed"],
    ),
    case(
        "I4-routes-fixed",
        HOLDS,
        *_ROUTES,
        not_of=[OVERWRITES_IN_PLACE],
        fixes=[MERGES_INTO_FILE, START_WRITTEN, PERSIST_SYNCHRONIZED],
        where="with the fix of 4.9.8 and 5.2.0, a lock around it, and every start in the file, which nobody else has",
    ),
    case(
        "I4-routes-in-place",
        REFUTED,
        "client-route-kills",
        fixes=[*_MERGED_IN_PLACE, START_WRITTEN, PERSIST_SYNCHRONIZED],
        where=f"{_IN_PLACE}, with the fix of 5.2.0, a lock around it, and every start in the file",
        why=f"{_COPIES_EMPTY}; a queue that is added meanwhile finds nothing, and LAST_OFFSET starts it at the max "
        "offset",
        symptom="since 5.2.0: a broadcast consumer that was killed as it wrote its file skipped messages",
        remedies=["I4-routes-in-place-fixed"],
    ),
    case(
        "I4-routes-in-place-fixed",
        HOLDS,
        *_ROUTES,
        fixes=[*_MERGED_IN_PLACE, START_WRITTEN, PERSIST_SYNCHRONIZED, KEEPS_WHOLE_BACKUP],
        where=f"{_IN_PLACE}, if it copies only what is whole, with the fix of 5.2.0, a lock around it, and every start "
        "in the file, which nobody else has",
    ),
)
def broadcast_consumer_skips_nothing(store: Store) -> bool:
    """A broadcast consumer has consumed all that is below the offset from which it consumes a queue."""
    return every(
        implies(process.listed[q], OffsetSet.below(process.position[q]) <= store.ghost_done[q])
        for process in store.process
        for q in range(store.scope.queues)
    )


@each_step(
    case(
        "I15",
        HOLDS,
        "client-kills",
        not_of=[OVERWRITES_IN_PLACE],
        needs=["W-backup-alone"],
        where="while the consumer has one queue, and keeps it, and one thread at a time writes the file",
        why="without any queue in the table persistAll returns at once",
    ),
    case(
        "I15-restart",
        REFUTED.unless(MERGES_INTO_FILE).unless(OVERWRITES_IN_PLACE),
        "client-two-queues",
        where="where a consumer with two queues may be killed",
        why="after a restart a persistAll may come when one of them is in the table, and writes a file without "
        f"the other; 4.9.8 merges; in 5.x {_COPIES_EMPTY}",
        symptom="offsets.json has fewer queues after a broadcast consumer was killed and started again",
        remedies=[remedy("client-two-queues", fixes=[MERGES_INTO_FILE, PERSIST_SYNCHRONIZED])],
    ),
    case(
        "I15-routes",
        REFUTED,
        "client-routes",
        where="where a queue leaves the route",
        why="persistAll writes the queues that it was given, and no others; 4.9.8 merges, but a rebalance and the "
        "timer write the file at the same time",
        symptom="offsets.json has fewer queues after a broker was away",
        remedies=["I15-fixed"],
    ),
    case(
        "I15-merged",
        REFUTED,
        "client-routes",
        fixes=[MERGES_INTO_FILE, STRING2FILE_SYNCHRONIZED],
        where="with the fix of 5.2.0 and the lock of 5.1.0",
        why="the lock is around the writing alone: the timer's persistAll has read the file before the rebalance "
        "thread added a queue that was not in it yet, and writes its text without it",
        symptom="since 5.2.0: a queue whose broker left the route soon after its first messages is not in the file",
        remedies=[remedy("client-routes", fixes=[PERSIST_SYNCHRONIZED])],
    ),
    case(
        "I15-in-place",
        REFUTED,
        "client-kills",
        fixes=[OVERWRITES_IN_PLACE, STRING2FILE_SYNCHRONIZED],
        where=f"{_IN_PLACE}, while the consumer has one queue",
        why=f"{_COPIES_EMPTY}, so that nothing is there until the text is written",
        symptom="since 5.1.0: offsets.json is empty, and so is its backup, after a broadcast consumer was killed",
        remedies=[remedy("client-kills", fixes=[KEEPS_WHOLE_BACKUP])],
    ),
    case(
        "I15-in-place-fixed",
        HOLDS,
        *_ROUTES,
        fixes=[*_MERGED_IN_PLACE, PERSIST_SYNCHRONIZED, KEEPS_WHOLE_BACKUP],
        where=f"{_IN_PLACE}, if it copies only what is whole, with the fix of 5.2.0, a lock around persistAll and "
        "persist, and a file that nobody else has",
    ),
    case(
        "I15-fixed",
        HOLDS,
        *_ROUTES,
        not_of=[OVERWRITES_IN_PLACE],
        fixes=[MERGES_INTO_FILE, PERSIST_SYNCHRONIZED],
        where="with the fix of 4.9.8 and 5.2.0, a lock around persistAll and persist, and a file that nobody else has",
    ),
)
def file_keeps_every_queue(before: Store, after: Store, _step: Step) -> bool:
    """A queue's offset that a reader would have found is found after the next step, too."""
    return every(implies(before.has_row(q), after.has_row(q)) for q in range(before.scope.queues))


@always(
    case(
        "I20",
        REFUTED,
        "client-routes",
        why="a queue that comes back is read from the file, which is up to five seconds older than the cell; 4.9.8 "
        "persists it before, but the timer may be writing the older offset at the same time",
        symptom="a broadcast consumer that was not restarted consumed messages twice after a change of the route",
        remedies=[remedy("client-routes", fixes=[MERGES_INTO_FILE, PERSIST_SYNCHRONIZED])],
    ),
    case(
        "I20-merged",
        REFUTED,
        "client-routes",
        fixes=[MERGES_INTO_FILE, STRING2FILE_SYNCHRONIZED],
        where="with the fix of 5.2.0 and the lock of 5.1.0",
        why="the timer's persistAll has collected the older offset, and writes it over the one that the rebalance "
        "thread has persisted",
        symptom="since 5.2.0: a broadcast consumer that was not restarted consumed messages twice, though rarely",
        remedies=[remedy("client-routes", fixes=[PERSIST_SYNCHRONIZED])],
    ),
)
def nothing_is_consumed_twice(store: Store) -> bool:
    """A broadcast consumer that is not killed consumes no message twice."""
    return every(repeated.count() == 0 for repeated in store.ghost_repeated)

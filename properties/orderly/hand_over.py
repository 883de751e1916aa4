"""Work of a ProcessQueue that the next one is given again, in three degrees: finished, taken by commit(), recorded."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, always, case
from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.model.orderly.variants import BATCHES_SHORT, COMMITS_BEFORE_UNLOCKS, SHUTDOWN_PERSISTS_FIRST
from offsetproof.model.releases import KEEPS_CELL_WHILE_LISTENING
from offsetproof.model.variants import MONOTONE_COMMITS, SHUTDOWN_WAITS

_LOOKS_ONCE_MORE = (
    "between the listener's return and the write of the cell the request looks at `dropped` once more, and a drop "
    "there throws the offset away"
)
_NOT_WAITED_FOR = (
    "the queue is given up without waiting for what comes after the listener; a listener has to be idempotent"
)


@always(
    case(
        "I10",
        REFUTED,
        *("orderly-hand-over", "orderly-come-back"),
        why=f"{_LOOKS_ONCE_MORE} (apache/rocketmq #4086)",
        symptom="the last message before a rebalance is consumed twice, though its listener had succeeded",
        no_remedy=_NOT_WAITED_FOR,
    )
)
def success_before_the_drop_is_not_delivered_again(group: OrderlyGroup) -> bool:
    """A message whose listener returned with success before its ProcessQueue was dropped is not delivered again."""
    return group.ghost_in_time_again.count() == 0


@always(
    case(
        "I10-committed",
        REFUTED,
        *("orderly-hand-over", "orderly-come-back"),
        why=f"commit() only forgets the message: {_LOOKS_ONCE_MORE}",
        no_remedy=_NOT_WAITED_FOR,
    )
)
def commit_before_the_drop_is_not_delivered_again(group: OrderlyGroup) -> bool:
    """A message that commit() took before its ProcessQueue was dropped is not delivered again."""
    return group.ghost_committed_in_time_again.count() == 0


@always(
    case(
        "I10-recorded",
        REFUTED,
        "orderly-hand-over",
        why="the queue is unlocked right after its offset is sent, both one-way and to different threads of the "
        "broker, so the next owner may ask for the offset before it is stored",
        symptom="a message is consumed twice after a rebalance, though its offset was sent",
        remedies=["I10-recorded-in-order"],
        # A queue that is given up is persisted twice there, and the scope has room for one commit on its way.
        not_in={"orderly-hand-over": [KEEPS_CELL_WHILE_LISTENING]},
    ),
    case(
        "I10-recorded-in-order",
        HOLDS,
        "orderly-hand-over",
        assumptions=[COMMITS_BEFORE_UNLOCKS],
        needs=["W-handed-over"],
        where="where no client is killed and no commit lost, and the broker executes a client's commits before its "
        "later unlock, for one message",
    ),
    case(
        "I10-recorded-pull",
        REFUTED,
        "orderly-come-back",
        assumptions=[COMMITS_BEFORE_UNLOCKS],
        where="where the broker executes a client's commits before its later unlock, for two messages",
        why="a pull carries the offset of the moment when it was sent, and may arrive after the last commit",
        symptom="messages are consumed twice after a rebalance, though their offset was stored",
        remedies=["I10-recorded-monotone"],
    ),
    case(
        "I10-recorded-monotone",
        HOLDS,
        "orderly-come-back",
        fixes=[MONOTONE_COMMITS],
        assumptions=[COMMITS_BEFORE_UNLOCKS],
        needs=["W-second-process-queue-listens"],
        where="where no client is killed and no commit lost, and the broker executes a client's commits before its "
        "later unlock, and ignores those below what is stored, for two messages",
    ),
    case(
        "I10-shutdown",
        REFUTED,
        "orderly-shutdown-two",
        assumptions=[SHUTDOWN_WAITS, COMMITS_BEFORE_UNLOCKS, BATCHES_SHORT],
        where="where a consumer is shut down gracefully, and waits for its listeners",
        why="the shutdown unlocks the queue before it sends the cell, so the next owner may start from an older offset",
        symptom="messages are repeated by other consumers after a rolling restart of orderly ones",
        remedies=["I10-shutdown-fixed"],
    ),
    case(
        "I10-shutdown-fixed",
        HOLDS,
        "orderly-shutdown-two",
        fixes=[SHUTDOWN_PERSISTS_FIRST, MONOTONE_COMMITS],
        assumptions=[SHUTDOWN_WAITS, COMMITS_BEFORE_UNLOCKS, BATCHES_SHORT],
        needs=["W-handed-over"],
        where="where a graceful shutdown waits for its listeners, and sends the cell before it unlocks the queue",
    ),
)
def record_before_the_drop_is_not_delivered_again(group: OrderlyGroup) -> bool:
    """A message whose offset was written to the cell before its ProcessQueue was dropped is not delivered again."""
    return group.ghost_recorded_in_time_again.count() == 0

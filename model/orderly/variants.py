"""What varies in the orderly model beside what varies in the concurrent one: listeners, remedies, faults."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from offsetproof.lang import Assumption, Behaviour, Fault, Listener
from offsetproof.model.orderly.vocabulary import Answer

ROLLBACK_HONOURED = Behaviour(
    "rollback-honoured",
    role="client",
    about="ROLLBACK puts the messages back with autoCommit, too",
    source="a remedy for processConsumeResult, which takes ROLLBACK for success there",
)
RESET_WAITS_FOR_LISTENER = Behaviour(
    "reset-waits-for-listener",
    role="client",
    about="a reset goes on after its sleep only when no listener of the queue runs",
    source="apache/rocketmq PR #10175, which waits for the lock that a listener holds",
)
REQUEST_RAISES_CELL = Behaviour(
    "request-raises-cell",
    role="client",
    about="a consume request of an orderly consumer raises the offset, and never sets it back",
    source="a remedy for processConsumeResult, which updates the offset with increaseOnly false",
)
REPAIR_AS_REBALANCE = Behaviour(
    "repair-as-rebalance",
    role="client",
    about="the repair of an illegal offset gives the queue up as a rebalance does, and while none runs: it unlocks the "
    "queue before it takes it out of the table, and leaves it there where a listener is busy",
    source="a remedy for RebalanceImpl.removeProcessQueue, which takes the queue out of the table first",
)
SHUTDOWN_PERSISTS_FIRST = Behaviour(
    "shutdown-persists-first",
    role="client",
    about="a graceful shutdown sends the cell before it unlocks the queue",
    source="a remedy for the order of ConsumeMessageService.shutdown and persistConsumerOffset",
)

BATCHES_SHORT = Assumption(
    "batches-short",
    "from the look at its lock to its listener's return a request takes less than the 30 s by which the broker's lease "
    "outlasts a client's own belief in it",
)
COMMITS_BEFORE_UNLOCKS = Assumption(
    "commits-before-unlocks", "the broker executes a client's one-way commits before an unlock that it sent after them"
)
UNLOCKS_IN_ORDER = Assumption(
    "unlocks-in-order",
    "the broker executes an unlock before the requests for the lock that the same client sends later",
)

CORRECT = Listener("correct", "returns SUCCESS for every batch, after any time")
SUSPENDING = Listener(
    "suspending", "may fail at a batch, and then returns SUSPEND_CURRENT_QUEUE_A_MOMENT or null, or throws"
)
ROLLING_BACK = Listener("rolling-back", "may fail at a batch, and then returns ROLLBACK, with autoCommit")
COMMITTING = Listener("committing", "returns COMMIT for every batch, with autoCommit")
MANUAL = Listener("manual", "sets autoCommit to false; returns SUCCESS or, to commit what it has so far, COMMIT")
MANUAL_ROLLING_BACK = Listener("manual-rolling-back", "as manual, but may fail at a batch, and then returns ROLLBACK")
MANUAL_SUSPENDING = Listener(
    "manual-suspending", "as manual, but may fail at a batch, and then returns SUSPEND_CURRENT_QUEUE_A_MOMENT"
)

WITHOUT_AUTO_COMMIT = (MANUAL, MANUAL_ROLLING_BACK, MANUAL_SUSPENDING)
"""The listeners that call setAutoCommit(false)."""

ANSWERS: Mapping[Listener | None, tuple[Answer, ...]] = MappingProxyType(
    {
        CORRECT: (Answer.SUCCESS,),
        SUSPENDING: (Answer.SUCCESS, Answer.SUSPEND),
        ROLLING_BACK: (Answer.SUCCESS, Answer.ROLLBACK),
        COMMITTING: (Answer.COMMIT,),
        MANUAL: (Answer.SUCCESS, Answer.COMMIT),
        MANUAL_ROLLING_BACK: (Answer.SUCCESS, Answer.COMMIT, Answer.ROLLBACK),
        MANUAL_SUSPENDING: (Answer.SUCCESS, Answer.COMMIT, Answer.SUSPEND),
    }
)
"""What each listener may return."""

RENEWAL = Fault(
    "renewal",
    "a client does not renew its locks for over 30 s",
    source="RebalanceImpl.lockAll: a request that fails, or a thread that stalls, leaves the locks as they are",
)

"""What an orderly consumer does with messages: done before they are passed, rolled back, and what a shutdown leaves."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, always, at_rest, case, implies, negation, remedy
from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.model.orderly.variants import (
    COMMITTING,
    CORRECT,
    MANUAL,
    MANUAL_ROLLING_BACK,
    MANUAL_SUSPENDING,
    ROLLBACK_HONOURED,
    ROLLING_BACK,
    SUSPENDING,
)
from offsetproof.model.releases import ONLY_CODE_22, ZERO_ONLY_IF_STORED
from offsetproof.model.variants import (
    MONOTONE_COMMITS,
    PULL_REQUEST_KEPT,
    SHUTDOWN_WAITS,
    START_STORED,
    UPDATE_CHECKS_DROPPED,
)
from offsetproof.model.vocabulary import StopStep
from offsetproof.properties import at_least_once, consuming

_KEPT = "where nobody resets the offset, and offset 0 stays in the broker's store and memory"
_ASKED_AGAIN = (
    "Where 0 is the answer only if message 0 is stored, a new group on an empty queue is told twice that nothing is "
    "stored: before it adds the queue, and at the first pull under the lock, in 5.3.3 half a second later at the "
    "earliest. The second time the max offset is asked for anew, and passes what has come since"
)
_ACKNOWLEDGED = "with autoCommit, processConsumeResult takes ROLLBACK for success, and warns in the log that it does so"

at_least_once_in_order = always(
    case(
        "I4-orderly",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        *("orderly", "orderly-batch", "orderly-come-back", "orderly-hand-over", "orderly-crash"),
        needs=["W-all-committed"],
        where=_KEPT,
        why="commit() gives the offset after the highest message that was being consumed, and takes the lowest first: "
        f"all below are done. {_ASKED_AGAIN}",
    ),
    case(
        "I4-orderly-broker-restart",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        "orderly-restart-one",
        where=f"where the broker may be killed and reload its file, and forgets its locks, and {_KEPT}",
    ),
    case(
        "I4-orderly-restarted",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        *("orderly-restart-in-order", "orderly-restart-in-order-two"),
        needs=["W-all-committed"],
        where=f"where the broker is restarted in order, which loses its locks alone, and {_KEPT}",
    ),
    case(
        "I4-orderly-retention",
        REFUTED,
        "orderly-retention",
        where="for a new group on a queue whose oldest message may be deleted",
        why="the first pull under the lock asks again where to start, and its answer replaces the first one, which was "
        "0: a broker that has deleted offset 0 since then says that nothing is stored, LAST_OFFSET asks for the max "
        "offset, and what came in between is passed. Neither a restart nor a fault is needed (apache/rocketmq #10955)",
        symptom="a new group of orderly consumers skipped the messages that came in while it waited for its first lock",
        remedies=["I4-orderly-retention-stored"],
    ),
    case(
        "I4-orderly-retention-stored",
        HOLDS,
        "orderly-retention",
        fixes=[START_STORED],
        needs=["W-illegal-offset"],
        where="for a new group of one consumer, whose first start is sent one-way before it pulls, on a queue whose "
        "oldest message may be deleted",
        why="the first pull's query is executed after that commit: nothing is overtaken here. Another consumer, to "
        "whom the queue goes meanwhile, may ask before it",
    ),
    case(
        "I4-orderly-cold",
        REFUTED,
        "orderly-cold",
        where="for a new group on a queue whose offset 0 may leave the broker's memory",
        why="the first pull under the lock asks again where to start. A broker whose offset 0 is on disk by then says "
        "that nothing is stored, LAST_OFFSET asks for the max offset once more, and what came in since the first "
        "question is passed, whatever was answered to that. No restart, deletion or fault is needed "
        "(apache/rocketmq #10955)",
        symptom="a new group of orderly consumers skipped the messages that came in while it waited for its first "
        "lock; nothing was deleted",
        remedies=["I4-orderly-cold-stored"],
    ),
    case(
        "I4-orderly-cold-stored",
        HOLDS,
        "orderly-cold",
        fixes=[START_STORED],
        needs=["W-cold-start"],
        where="for a new group of one consumer, whose first start is sent one-way before it pulls, on a queue whose "
        "offset 0 may leave the broker's memory",
        why="the first pull's query is executed after that commit: nothing is overtaken here. Another consumer, to "
        "whom the queue goes meanwhile, may ask before it",
    ),
    case(
        "I4-orderly-loss",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        "orderly-loss",
        needs=["W-all-committed"],
        where=f"where a one-way request or a pull may be lost, and {_KEPT}",
    ),
    case(
        "I4-orderly-reset",
        REFUTED,
        "orderly-reset",
        where="where the offset is reset meanwhile",
        why="`clear` empties both maps of messages that nobody has finished, a poll that ends without news takes the "
        "empty cache for finished work, and persistAll sends what it has made of the cell",
        symptom="the offset went up at once as a reset began, past messages that nobody had consumed",
        remedies=[remedy("orderly-reset", fixes=[UPDATE_CHECKS_DROPPED])],
    ),
    case(
        "I4-orderly-query-error",
        REFUTED.unless(ONLY_CODE_22).unless(ZERO_ONLY_IF_STORED),
        "orderly-query-error",
        where="where the broker may answer an offset query with an error",
        why="an orderly consumer asks twice, before it adds the queue and at the first pull under the lock, and each "
        "time any error is read as `no offset stored`: LAST_OFFSET then starts it at the max offset",
        symptom="messages were skipped when a broker answered offset queries with errors (restart, slave, overload)",
        remedies=["I4-orderly-query-error-fixed"],
    ),
    case(
        "I4-orderly-query-error-fixed",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        "orderly-query-error",
        fixes=[ONLY_CODE_22],
        where="where an offset query may fail and, as since 5.0.0, only QUERY_NOT_FOUND means that nothing is stored",
    ),
    case(
        "I4-orderly-tags",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        *("orderly-tags", "orderly-tags-around"),
        needs=["W-passed-around-tags"],
        where=f"where a message behind has another tag and is owed to nobody; and {_KEPT}",
    ),
    case(
        "I4-orderly-suspend",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        *("orderly", "orderly-batch"),
        listener=SUSPENDING,
        needs=["W-all-committed"],
        where=f"with a listener that may return SUSPEND_CURRENT_QUEUE_A_MOMENT or null, or throw, and {_KEPT}",
    ),
    case(
        "I4-orderly-dead-letters",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        "dead-letters",
        listener=SUSPENDING,
        needs=["W-dead-letter"],
        where="with such a listener, where what fails twice goes to the dead-letter queue, and counts as done; and "
        f"{_KEPT}",
    ),
    case(
        "I4-orderly-manual-dead-letters",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        "dead-letters",
        listener=MANUAL_SUSPENDING,
        where="without autoCommit, with a listener that may suspend the queue, and with the dead-letter queue; and "
        f"{_KEPT}",
    ),
    case(
        "I4-orderly-rollback",
        REFUTED,
        "orderly",
        listener=ROLLING_BACK,
        where="with a listener that may return ROLLBACK, with autoCommit",
        why=_ACKNOWLEDGED,
        symptom="a message that an orderly listener rolled back was never delivered again",
        remedies=[remedy("orderly", fixes=[ROLLBACK_HONOURED]), "I4-orderly-suspend"],
    ),
    case(
        "I4-orderly-commit",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        *("orderly", "orderly-batch"),
        listener=COMMITTING,
        where="with a listener that returns COMMIT with autoCommit, which is SUCCESS with a warning in the log; and "
        f"{_KEPT}",
    ),
    case(
        "I4-orderly-manual",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        *("orderly", "orderly-batch", "orderly-come-back"),
        listener=MANUAL,
        where="without autoCommit, with a listener that returns SUCCESS, and COMMIT for all that it has so far; what "
        f"COMMIT speaks of counts as done; and {_KEPT}",
    ),
    case(
        "I4-orderly-manual-rollback",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        *("orderly", "orderly-batch"),
        listener=MANUAL_ROLLING_BACK,
        needs=["W-rolled-back"],
        where=f"without autoCommit, with a listener that may return ROLLBACK for all that it has so far, and {_KEPT}",
    ),
    case(
        "I4-orderly-manual-suspend",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        *("orderly", "orderly-batch"),
        listener=MANUAL_SUSPENDING,
        where="without autoCommit, with a listener that may suspend the queue: only the last batch is put back; and "
        f"{_KEPT}",
    ),
)(at_least_once.committed_offset_never_exceeds_min_unacked.function)

delivered_once_in_order = always(
    case("I20-orderly", HOLDS, *("orderly", "orderly-batch"), needs=["W-all-committed"]),
    case("I20-orderly-manual", HOLDS, *("orderly", "orderly-batch"), listener=MANUAL, where="without autoCommit"),
)(consuming.nothing_is_delivered_twice_without_a_cause.function)


@always(
    case(
        "I14",
        REFUTED,
        "orderly",
        listener=ROLLING_BACK,
        where="with a listener that may return ROLLBACK, with autoCommit",
        why=_ACKNOWLEDGED,
        symptom="a message that an orderly listener rolled back was never delivered again",
        remedies=["I14-fixed"],
    ),
    case(
        "I14-fixed",
        HOLDS,
        *("orderly", "orderly-batch"),
        fixes=[ROLLBACK_HONOURED],
        listener=ROLLING_BACK,
        needs=["W-rolled-back-one"],
        where=f"with such a listener, where ROLLBACK puts the messages back with autoCommit, too, and {_KEPT}",
    ),
    case(
        "I14-manual",
        HOLDS,
        *("orderly", "orderly-batch", "orderly-come-back", "orderly-crash"),
        listener=MANUAL_ROLLING_BACK,
        needs=["W-rolled-back"],
        where=f"without autoCommit, and {_KEPT}",
        why="rollback() puts back all that was taken since the last commit, whatever the listener said of it before",
        not_in={"orderly-come-back": [ZERO_ONLY_IF_STORED]},
    ),
    case(
        "I14-manual-come-back",
        HOLDS.unless(ZERO_ONLY_IF_STORED),
        "orderly-come-back",
        listener=MANUAL_ROLLING_BACK,
        needs=["W-rolled-back"],
        where=f"without autoCommit, for a consumer that gives the queue up and takes it back, and {_KEPT}",
        why=_ASKED_AGAIN,
    ),
)
def rolled_back_message_is_delivered_again(group: OrderlyGroup) -> bool:
    """The broker's offset passes no message that a listener rolled back and has not been given again.

    A message that was acknowledged before, and came again all the same, may be passed.
    """
    committed = group.broker.committed
    return committed is None or committed <= group.ghost_rolled_back.lowest(default=group.scope.messages)


@at_rest(
    case(
        "I16-orderly",
        REFUTED,
        "orderly-shutdown",
        needs=["W-shut-down"],
        why="by default nobody waits for running listeners, and what they finish after the persist is not sent",
        symptom="messages are repeated after each rolling restart",
        remedies=["I16-orderly-waits-monotone"],
    ),
    case(
        "I16-orderly-waits",
        REFUTED,
        "orderly-shutdown",
        assumptions=[SHUTDOWN_WAITS],
        where="where the shutdown waits longer than the longest listener",
        why="a pull that was sent before carries an older offset, and may reach the broker after the persist",
        symptom="messages are repeated after a rolling restart, although the shutdown waits for its listeners",
        remedies=["I16-orderly-waits-monotone"],
    ),
    case(
        "I16-orderly-waits-monotone",
        HOLDS,
        "orderly-shutdown",
        fixes=[MONOTONE_COMMITS],
        assumptions=[SHUTDOWN_WAITS],
        needs=["W-shut-down"],
        where="for a consumer that keeps its queue, where the shutdown waits, and the broker ignores a commit below "
        "the stored offset; without a reset, and where the application keeps its topic",
    ),
    case(
        "I16-orderly-manual",
        REFUTED,
        "orderly-shutdown",
        fixes=[MONOTONE_COMMITS],
        assumptions=[SHUTDOWN_WAITS],
        listener=MANUAL,
        needs=["W-shut-down"],
        where="without autoCommit, where the shutdown waits, and the broker ignores a commit below the stored offset",
        why="after setAutoCommit(false) SUCCESS leaves its messages among those that are being consumed, and only "
        "COMMIT commits them: the offset of a listener that always returns SUCCESS never moves",
        symptom="an orderly listener that calls setAutoCommit(false) and returns SUCCESS is given all its messages "
        "again after each restart; the group's offset never moves",
        remedies=[remedy("orderly-shutdown", listener=CORRECT)],
    ),
)
def graceful_shutdown_commits_finished_work(group: OrderlyGroup) -> bool:
    """After a graceful shutdown no message is repeated that a listener returned SUCCESS or COMMIT for.

    Nor is one that went to the dead-letter queue: the message at the broker's offset is neither.
    """
    stopped = group.consumer[0].stop == StopStep.STOPPED
    committed = group.broker.committed
    begins_at = 0 if committed is None else committed
    return implies(stopped, negation((group.ghost_done | group.ghost_succeeded).has(begins_at)))


live_process_queue_has_its_pull_request_in_order = always(
    case(
        "I23-orderly",
        HOLDS,
        "orderly-retention",
        needs=["W-illegal-offset"],
        where="also where the store deletes the oldest message before it is pulled",
        why="every branch of the pull and of its callback hands the PullRequest on, or drops the ProcessQueue",
    ),
    case(
        "I23-orderly-lost",
        REFUTED,
        "orderly-lost-pull-request",
        where="where pullMessage may throw",
        why="as for concurrent consumers PullMessageService swallows the exception, and the PullRequest with it; two "
        "minutes later a rebalance replaces the ProcessQueue, so the violation is transient",
        symptom="a queue is not pulled for two minutes",
        remedies=[remedy("orderly-lost-pull-request", fixes=[PULL_REQUEST_KEPT])],
    ),
)(consuming.live_process_queue_has_its_pull_request.function)

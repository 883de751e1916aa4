"""What an orderly consumer writes to the cell."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, Step, case, each_step, remedy
from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.model.orderly.variants import (
    MANUAL,
    MANUAL_ROLLING_BACK,
    REQUEST_RAISES_CELL,
    ROLLBACK_HONOURED,
    ROLLING_BACK,
    SUSPENDING,
)
from offsetproof.model.releases import SERVER_SIDE_RESET
from offsetproof.model.variants import MONOTONE_COMMITS, UPDATE_CHECKS_DROPPED
from offsetproof.properties import commits

_WRITERS = ("request_updates_cell", "poll_corrects_offset")
"""The actions by which a ProcessQueue (its request and its pull callback) writes the cell."""


@each_step(
    case(
        "I1-orderly",
        HOLDS,
        *("orderly-batch", "orderly-come-back"),
        needs=["W-all-committed"],
        where="where nobody resets the offset",
        why="what is being consumed was taken lowest first, and is forgotten as a whole",
    ),
    case(
        "I1-orderly-query-errors",
        HOLDS,
        "orderly-query-errors",
        where="where two requests about offsets may fail",
    ),
    case(
        "I1-orderly-suspend",
        HOLDS,
        *("orderly-batch", "dead-letters"),
        listener=SUSPENDING,
        where="with a listener that may suspend the queue, also where what fails twice is a dead letter",
    ),
    case(
        "I1-orderly-manual",
        HOLDS,
        "orderly-batch",
        listener=MANUAL,
        where="without autoCommit, of what COMMIT was returned for",
    ),
    case(
        "I1-orderly-manual-rollback",
        HOLDS,
        "orderly-batch",
        listener=MANUAL_ROLLING_BACK,
        needs=["W-rolled-back"],
        where="without autoCommit, with a listener that may return ROLLBACK",
    ),
    case(
        "I1-orderly-rollback",
        REFUTED,
        "orderly",
        listener=ROLLING_BACK,
        where="with a listener that may return ROLLBACK, with autoCommit",
        why="what was rolled back is committed",
        remedies=[remedy("orderly", fixes=[ROLLBACK_HONOURED])],
    ),
    case(
        "I1-orderly-reset",
        REFUTED.unless(SERVER_SIDE_RESET),
        "orderly-reset",
        where="where the offset is reset meanwhile",
        why="`clear` empties both maps of messages that nobody has finished, and a poll that ends without news then "
        "takes the empty cache for finished work",
        remedies=[remedy("orderly-reset", fixes=[UPDATE_CHECKS_DROPPED])],
    ),
)
def request_passes_nothing_unfinished_of_its_own(before: OrderlyGroup, after: OrderlyGroup, step: Step) -> bool:
    """A value that a request or callback writes to the cell is at most its ProcessQueue's lowest unfinished offset."""
    return commits.writes_nothing_unfinished(before, after, step, _WRITERS)


cell_never_falls_in_order = each_step(
    case(
        "I2-orderly",
        HOLDS,
        *("orderly-batch", "orderly-crash"),
        needs=["W-all-committed"],
        where="where all messages have the group's tag, and the broker keeps what it has stored",
        why="the plain write of a request is above the last one, as messages are taken in order; the start that the "
        "first pull asks for again is what the broker had before",
    ),
    case(
        "I2-orderly-tags",
        REFUTED,
        *("orderly-tags", "orderly-tags-around"),
        where="where a message behind has another tag",
        why="commit() forgets its messages before their offset is written. A poll that ends in between finds the queue "
        "empty and raises the cell past the message with the other tag; the request then sets it back, as it writes "
        "with increaseOnly false. The next poll raises it again",
        symptom="the offset of an orderly group went back by a few messages for a moment; other tags are on the queue",
        remedies=["I2-orderly-tags-raised"],
    ),
    case(
        "I2-orderly-tags-raised",
        HOLDS,
        *("orderly-tags", "orderly-tags-around"),
        fixes=[REQUEST_RAISES_CELL],
        needs=["W-passed-around-tags"],
        where="where a message behind has another tag, and a request only raises the offset",
    ),
    case(
        "I2-orderly-query-errors",
        HOLDS,
        "orderly-query-errors",
        where="where two requests about offsets may fail",
    ),
    case(
        "I2-orderly-come-back",
        REFUTED,
        "orderly-come-back",
        where="where the queue is given up and taken back",
        why="the first pull under the lock asks for the start again and writes the answer plainly: a pull of the "
        "ProcessQueue before, which carries an older offset, may have arrived in between; or a request of that "
        "ProcessQueue writes its own plainly",
        symptom="the offset in the client fell when a queue came back, and messages came again",
        remedies=["I2-orderly-come-back-fixed"],
    ),
    case(
        "I2-orderly-come-back-fixed",
        HOLDS,
        "orderly-come-back",
        fixes=[UPDATE_CHECKS_DROPPED, MONOTONE_COMMITS],
        needs=["W-second-process-queue-listens"],
        where="where the queue is given up and taken back, a dropped ProcessQueue writes nothing, and the broker keeps"
        " what it has stored and ignores commits below that",
    ),
)(commits.cell_never_falls_within_a_live_process_queue.function)

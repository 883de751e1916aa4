"""The model put together: everything that can happen to one queue of one group that consumes in BROADCASTING mode."""

from __future__ import annotations

from offsetproof.lang import Behaviour, declared_in
from offsetproof.lang.setting import fixes_in
from offsetproof.model.behaviours.freezes_stored_cell import FREEZES_STORED
from offsetproof.model.behaviours.merges_into_file import MERGES
from offsetproof.model.behaviours.poll_checks_dropped import CHECKS_POLLS
from offsetproof.model.behaviours.server_side_reset_broadcast import RESETS_BROADCAST_BY_MARKER
from offsetproof.model.broadcasting.consuming import BroadcastPulling, ConsumingByPolicy, ConsumingInOneRequest
from offsetproof.model.broadcasting.rebalancing import BroadcastRebalancing, BroadcastRepair
from offsetproof.model.broadcasting.resetting import RESETS_AT_BROKER, ResettingCell
from offsetproof.model.broadcasting.scopes import BROADCAST_BOUNDS, SCOPES
from offsetproof.model.lines import ANCHOR_LINES
from offsetproof.model.local import variants
from offsetproof.model.local.persisting import Persisting
from offsetproof.model.local.reading import Reading
from offsetproof.model.local.stopping import StoppingWithFile
from offsetproof.model.releases import (
    CLIENT_AND_BROKER,
    LOCKED_WHEN_ADDED,
    MERGES_INTO_FILE,
    NO_BROADCAST_LOCKS,
    RELEASES,
    USUAL,
)
from offsetproof.model.shared.administering import Administering
from offsetproof.model.shared.storing import Storing
from offsetproof.model.variants import (
    ACK_AT_FAILURE,
    ACK_BEFORE_FAILURE,
    CORRECT,
    POLL_CHECKS_DROPPED,
    RECONSUME_LATER,
    RESET_DROPS_AGAIN,
    RESET_WRITES_ALWAYS,
    SHUTDOWN_WAITS,
    UPDATE_CHECKS_DROPPED,
)

LEFT_OUT = (
    "the file's own steps and its backup, two threads or processes that write it, a file that cannot be read: they are "
    "in the model `offset-files`",
    "other queues but for one that stays in the table: it decides whether persistAll writes the file without this one",
    "an orderly listener that sets autoCommit to false, or returns ROLLBACK or COMMIT, a limit to its retries, and the "
    "end of its service in several steps (model `orderly`)",
    "clients beside each other but for their locks: each has its own table, cells and file",
    "what has nothing to do with the mode: other tags, lost PullRequests and requests, a topic that is given up, "
    "resets by time, of several brokers and of a group that is offline, threads that stall, suspend and resume by the "
    "user, running infos",
    "several finer steps of one write (updateOffset, persistAll, the test for pause)",
    "a setAckIndex below -1 and other answers that a listener may give; one that never returns, which pins the offset "
    "as in the model `rocketmq`",
    "pull and lite pull consumers; POP; clients in other languages, slaves",
    RESETS_AT_BROKER,
)
"""What is not in the model, by theme; each component's docstring says it in place."""


class Broadcasting(
    BroadcastPulling,
    BroadcastRepair,
    ConsumingByPolicy,
    ConsumingInOneRequest,
    Persisting,
    Reading,
    BroadcastRebalancing,
    Administering,
    ResettingCell,
    StoppingWithFile,
    Storing,
):
    """Apache RocketMQ's push consumer in BROADCASTING mode, on one queue."""

    scopes = SCOPES
    bounds = BROADCAST_BOUNDS
    releases = RELEASES
    usual_release = USUAL
    roles = CLIENT_AND_BROKER
    fixes = fixes_in(
        (
            LOCKED_WHEN_ADDED,
            MERGES_INTO_FILE,
            NO_BROADCAST_LOCKS,
            POLL_CHECKS_DROPPED,
            UPDATE_CHECKS_DROPPED,
            RESET_DROPS_AGAIN,
            RESET_WRITES_ALWAYS,
            *declared_in(variants, Behaviour),
        )
    )
    assumptions = (SHUTDOWN_WAITS,)
    listeners = (CORRECT, RECONSUME_LATER, ACK_AT_FAILURE, ACK_BEFORE_FAILURE)
    left_out = LEFT_OUT
    changed_by = (CHECKS_POLLS, MERGES, FREEZES_STORED, RESETS_BROADCAST_BY_MARKER)
    anchored = True
    anchor_lines = ANCHOR_LINES

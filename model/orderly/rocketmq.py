"""The orderly model put together: everything that can happen to one queue of one group that consumes in order."""

from __future__ import annotations

from offsetproof.lang import Assumption, Behaviour, Change, Listener, declared_in
from offsetproof.lang.setting import fixes_in
from offsetproof.model import variants as concurrent_variants
from offsetproof.model.behaviours.forces_unlock import FORCES, KEEPS_CELL
from offsetproof.model.behaviours.freezes_cell import FREEZES
from offsetproof.model.behaviours.poll_checks_dropped import CHECKS_POLLS
from offsetproof.model.behaviours.pull_needs_start import NEEDS_START
from offsetproof.model.behaviours.repair_as_rebalance import REPAIRS_AS_REBALANCE
from offsetproof.model.behaviours.server_side_reset_orderly import RESETS_ORDERLY_BY_MARKER
from offsetproof.model.clustering.expiring import Expiring
from offsetproof.model.clustering.unsubscribing import Unsubscribing
from offsetproof.model.clustering.waking_late import WakingLate
from offsetproof.model.concurrent.left_out import WOKEN_BEFORE_COMMIT
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.lines import ANCHOR_LINES
from offsetproof.model.orderly import variants
from offsetproof.model.orderly.handing_over import LockedRebalancing, LockedRepairing, LockedResetting
from offsetproof.model.orderly.locking import Locking
from offsetproof.model.orderly.pulling import LockedPulling
from offsetproof.model.orderly.restarting import LockedRestarting
from offsetproof.model.orderly.results import Results
from offsetproof.model.orderly.scopes import ORDERLY_BOUNDS, SCOPES
from offsetproof.model.orderly.stopping import LockedStopping
from offsetproof.model.releases import (
    CLIENT_AND_BROKER,
    COMMITS_BEFORE_HOLDING,
    LOCKED_WHEN_ADDED,
    ONLY_CODE_22,
    RELEASES,
    UNLOCKED_AT_ONCE,
    USUAL,
)
from offsetproof.model.remote.committing import Committing
from offsetproof.model.remote.flushing import Flushing
from offsetproof.model.remote.losing import Losing
from offsetproof.model.remote.piggybacking import Piggybacking
from offsetproof.model.shared.administering import Administering
from offsetproof.model.shared.storing import Storing

_OF_CONCURRENT = ("locks and orderly consumption", "refusals of the reset tool", "shutdownNow's interrupt")
"""What is otherwise, or is not said, of a concurrent consumer."""

LEFT_OUT = (
    *(text for text in RocketMQ.left_out if not text.startswith(_OF_CONCURRENT)),
    "broadcasting, which is in the model `broadcasting`; POP",
    "interrupts, after which takeMessages and commit do nothing",
    "requests for a lock that are lost or late, and are repeated in time; one that is on its way while the queue is "
    "given up; both clients answered OK at the moment at which a lease expires",
    "a client whose clock or thread stands still between the broker's answer to a request for a lock and its own note",
    "several copies of one message in the dead-letter queue, and limits of more than one retry",
    "consumeMessageDirectly, which calls the listener beside all locks",
    "two processes with one client id: the broker's lock is given to an id, so both have it, and both consume (who "
    "gets the queue is in the model `several-queues`)",
    "a listener that never returns: its queue stands still and is given to nobody, because a rebalance does not get "
    "the consume lock and lockAll goes on renewing the broker's, until the client is stopped",
    "what is the same for concurrent consumers, and asked in the model `rocketmq` alone: resets by time, without "
    "force, of several brokers and of a group that is offline, groups that are deleted, other writes of the group's "
    "offset by an administrator, running infos, suspend and resume by the user, commits for another queue that make "
    "the group's row, allocation by members and strategy",
    "several finer steps of one write (persistAll, updateOffset, the test for pause)",
    "topics that are deleted and created again, brokers that lose unflushed messages (the model `rocketmq` has both)",
)
"""What is not in the model, by theme; each component's docstring says it in place."""


class RocketMQOrderly(
    LockedPulling,
    Piggybacking,
    LockedRepairing,
    Results,
    Locking,
    LockedRebalancing,
    Expiring,
    Unsubscribing,
    LockedResetting,
    WakingLate,
    LockedStopping,
    Committing,
    Flushing,
    LockedRestarting,
    Storing,
    Administering,
    Losing,
):
    """Apache RocketMQ's orderly push consumer, on one queue."""

    scopes = SCOPES
    bounds = ORDERLY_BOUNDS
    releases = RELEASES
    usual_release = USUAL
    roles = CLIENT_AND_BROKER
    fixes = fixes_in(
        (
            LOCKED_WHEN_ADDED,
            ONLY_CODE_22,
            UNLOCKED_AT_ONCE,
            *(each for module in (concurrent_variants, variants) for each in declared_in(module, Behaviour)),
        )
    )
    assumptions = tuple(each for module in (concurrent_variants, variants) for each in declared_in(module, Assumption))
    listeners = declared_in(variants, Listener)
    left_out = LEFT_OUT
    changed_by = (
        CHECKS_POLLS,
        REPAIRS_AS_REBALANCE,
        FREEZES,
        NEEDS_START,
        KEEPS_CELL,
        FORCES,
        Change(COMMITS_BEFORE_HOLDING, includes=(WOKEN_BEFORE_COMMIT,)),
        RESETS_ORDERLY_BY_MARKER,
    )
    anchored = True
    anchor_lines = ANCHOR_LINES

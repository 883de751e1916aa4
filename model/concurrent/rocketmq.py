"""The model put together: everything that can happen to one queue of one group."""

from __future__ import annotations

from offsetproof.lang import Assumption, Behaviour, Change, Listener, declared_in
from offsetproof.lang.setting import fixes_in
from offsetproof.model import variants
from offsetproof.model.behaviours.freezes_cell import FREEZES
from offsetproof.model.behaviours.marker_deleted_with_topic import DELETES_MARKER
from offsetproof.model.behaviours.poll_checks_dropped import CHECKS_POLLS
from offsetproof.model.behaviours.resets_numbered import NUMBERS_RESETS
from offsetproof.model.behaviours.server_side_reset_concurrent import RESETS_BY_MARKER
from offsetproof.model.behaviours.skips_absent import SKIPS
from offsetproof.model.clustering.expiring import Expiring
from offsetproof.model.clustering.filtering import Filtering
from offsetproof.model.clustering.throwing import Throwing
from offsetproof.model.clustering.unsubscribing import Unsubscribing
from offsetproof.model.clustering.waking_late import WakingLate
from offsetproof.model.concurrent.bounds import CLUSTERING_BOUNDS
from offsetproof.model.concurrent.failing import Failing
from offsetproof.model.concurrent.fine_consuming import FineConsuming
from offsetproof.model.concurrent.fine_persisting import FinePersisting
from offsetproof.model.concurrent.fine_rebalancing import FineRebalancing
from offsetproof.model.concurrent.hanging import Hanging
from offsetproof.model.concurrent.inspecting import Inspecting
from offsetproof.model.concurrent.left_out import LEFT_OUT, WOKEN_BEFORE_COMMIT
from offsetproof.model.concurrent.members import Members
from offsetproof.model.concurrent.regrouping import Regrouping
from offsetproof.model.concurrent.rewinding import Rewinding
from offsetproof.model.concurrent.rows import Rows
from offsetproof.model.concurrent.scopes import SCOPES
from offsetproof.model.concurrent.sending_back import SendingBack
from offsetproof.model.concurrent.suspending import Suspending
from offsetproof.model.concurrent.tool_commands import ToolCommands
from offsetproof.model.concurrent.writing_rows import WritingRows
from offsetproof.model.lines import ANCHOR_LINES
from offsetproof.model.releases import (
    CLIENT_AND_BROKER,
    CLUSTER_MEANS_CPLUS,
    COMMITS_BEFORE_HOLDING,
    END_WHEN_LATER,
    ERROR_COUNTS_AS_SUCCESS,
    FIRST_OF_EQUAL_TIMES,
    FREEZES_CELL,
    NOW_IS_A_TIME,
    NUMERIC_TIME_WORKS,
    ONLY_CODE_22,
    REFUSES_UNKNOWN,
    RELEASES,
    ROW_DELETED_WITH_TOPIC,
    SKIPS_ABSENT,
    USUAL,
    ZERO_ONLY_IF_STORED,
)
from offsetproof.model.remote.committing import Committing
from offsetproof.model.remote.flushing import Flushing
from offsetproof.model.remote.losing import Losing
from offsetproof.model.remote.piggybacking import Piggybacking
from offsetproof.model.remote.querying import Querying
from offsetproof.model.remote.restarting import Restarting
from offsetproof.model.shared.repairing import Repairing
from offsetproof.model.shared.stopping import Stopping
from offsetproof.model.shared.storing import Storing

RELEASED = (
    ONLY_CODE_22,
    ROW_DELETED_WITH_TOPIC,
    ZERO_ONLY_IF_STORED,
    SKIPS_ABSENT,
    FIRST_OF_EQUAL_TIMES,
    END_WHEN_LATER,
    FREEZES_CELL,
    REFUSES_UNKNOWN,
    NOW_IS_A_TIME,
    NUMERIC_TIME_WORKS,
    CLUSTER_MEANS_CPLUS,
    ERROR_COUNTS_AS_SUCCESS,
)
"""What later releases do otherwise here."""


class RocketMQ(
    Filtering,
    Throwing,
    Piggybacking,
    Repairing,
    FineConsuming,
    SendingBack,
    Failing,
    FinePersisting,
    Committing,
    Rows,
    Flushing,
    Restarting,
    WritingRows,
    Storing,
    Querying,
    FineRebalancing,
    Members,
    Expiring,
    Unsubscribing,
    ToolCommands,
    WakingLate,
    Suspending,
    Stopping,
    Losing,
    Inspecting,
    Rewinding,
    Regrouping,
    Hanging,
):
    """Apache RocketMQ's concurrent push consumer under resets of its offset, on one queue."""

    scopes = SCOPES
    bounds = CLUSTERING_BOUNDS
    releases = RELEASES
    usual_release = USUAL
    roles = CLIENT_AND_BROKER
    fixes = fixes_in((*RELEASED, *declared_in(variants, Behaviour)))
    assumptions = declared_in(variants, Assumption)
    listeners = declared_in(variants, Listener)
    left_out = LEFT_OUT
    changed_by = (
        CHECKS_POLLS,
        FREEZES,
        SKIPS,
        Change(COMMITS_BEFORE_HOLDING, includes=(WOKEN_BEFORE_COMMIT,)),
        RESETS_BY_MARKER,
        DELETES_MARKER,
        NUMBERS_RESETS,
    )
    wholesale = (
        *(variants.RESETS_NUMBERED, variants.RESET_WHILE_DOWN, variants.MARKER_KEPT_UNTIL_PULLED),
        *(variants.RESET_TO_NOW, variants.RESET_BY_OLD_COMMAND, variants.RESET_WITH_CLUSTER),
        variants.RESET_CONCURRENTLY,
    )
    anchored = True
    anchor_lines = ANCHOR_LINES

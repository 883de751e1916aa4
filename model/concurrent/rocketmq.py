"""The model put together: everything that can happen to one queue of one group."""

from __future__ import annotations

from offsetproof.lang import Assumption, Behaviour, Listener, declared_in
from offsetproof.lang.setting import fixes_in
from offsetproof.model import variants
from offsetproof.model.behaviours.freezes_cell import FREEZES
from offsetproof.model.behaviours.poll_checks_dropped import CHECKS_POLLS
from offsetproof.model.behaviours.server_side_reset import RESETS_AT_BROKER
from offsetproof.model.behaviours.skips_absent import SKIPS
from offsetproof.model.clustering.expiring import Expiring
from offsetproof.model.clustering.filtering import Filtering
from offsetproof.model.clustering.throwing import Throwing
from offsetproof.model.clustering.unsubscribing import Unsubscribing
from offsetproof.model.clustering.waking_late import WakingLate
from offsetproof.model.concurrent.failing import Failing
from offsetproof.model.concurrent.fine_consuming import FineConsuming
from offsetproof.model.concurrent.fine_persisting import FinePersisting
from offsetproof.model.concurrent.fine_rebalancing import FineRebalancing
from offsetproof.model.concurrent.hanging import Hanging
from offsetproof.model.concurrent.inspecting import Inspecting
from offsetproof.model.concurrent.members import Members
from offsetproof.model.concurrent.other_resets import OtherResets
from offsetproof.model.concurrent.regrouping import Regrouping
from offsetproof.model.concurrent.rewinding import Rewinding
from offsetproof.model.concurrent.rows import Rows
from offsetproof.model.concurrent.scopes import BOUNDS, SCOPES
from offsetproof.model.concurrent.sending_back import SendingBack
from offsetproof.model.concurrent.suspending import Suspending
from offsetproof.model.concurrent.writing_rows import WritingRows
from offsetproof.model.lines import ANCHOR_LINES
from offsetproof.model.releases import (
    CLIENT_AND_BROKER,
    END_WHEN_LATER,
    FIRST_OF_EQUAL_TIMES,
    FREEZES_CELL,
    ONLY_CODE_22,
    R_5_3_3,
    R_5_3_3_CLIENT_RESET,
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
from offsetproof.model.shared.repairing import Repairing
from offsetproof.model.shared.stopping import Stopping
from offsetproof.model.shared.storing import Storing

WOKEN_BEFORE_COMMIT = "a woken poll that is answered before its own commit is executed"

LEFT_OUT = (
    "other queues but for what one queue can feel of a neighbour: the group's row, persistAll, the reset tool's loop, "
    "the strategies' shares",
    "the offsets of the %RETRY% queue beside those of this one (it is a queue like this one), delay levels; a reset of "
    "a topic leaves the group's retry topic alone, so messages under retry come again whatever it does",
    "clients in other languages (the Go client, the C++ client, the Rust client, those for .NET and Python), which "
    "have code of their own: claims are about the Java client",
    "pull consumers (DefaultMQPullConsumer) and lite pull consumers, which write offsets of their own, as a group's "
    "members or for an application: also MQHelper.resetOffsetByTimestamp; a consumer that resets its own offsets "
    "(resetOffsetByTimeStamp of its implementation), without a broker's command",
    "slaves and their synchronisation (a reset's target may be any, so also one that a slave has computed), a slave "
    "that is made master by a command or a controller",
    "resets at the broker, without a command to clients (server-side, useServerSideResetOffset: default since 5.2.0), "
    "and a reset of one queue (resetOffsetByQueueId), which tools since 5.x send: what a broker of 4.9.4 makes of it "
    "is in the model `several-queues`",
    "how the offset file is written and loaded, and its backup, which are in the model `offset-files`",
    "locks and orderly consumption, which are in the model `orderly`; broadcasting, which is in `broadcasting`; POP "
    "consumers, whose acknowledgements the broker keeps",
    "registration and heartbeats: a broker may hear of a member, or lose it, at any time",
    "refusals of the reset tool, which change nothing: of a group that never committed on some queue, of one of which "
    "no consumer is online (206, CONSUMER_NOT_ONLINE: mqadmin then writes the offset itself, which is in the model; a "
    "dashboard may not)",
    "a pull thread stalled between reading the cell and sending it (as a pull that is long on its way)",
    "a pull thread blocked for over two minutes, whose live queues a rebalance then takes for unpulled; an Error in "
    "it, which ends the thread (an Exception only takes the PullRequest away)",
    "a pull that the broker refuses before it looks at the commit (permission, a group with consumeEnable=false, "
    "subscription not the latest)",
    WOKEN_BEFORE_COMMIT,
    "shutdownNow's interrupt of a listener, after which removeMessage commits nothing",
    "a max offset that falls at a fail-over; a consume queue whose file is missing in the middle (OFFSET_FOUND_NULL), "
    "whose polls go on at the next file",
)
"""What is not in the model, by theme; each component's docstring says it in place."""


RELEASED = (
    ONLY_CODE_22,
    ROW_DELETED_WITH_TOPIC,
    ZERO_ONLY_IF_STORED,
    SKIPS_ABSENT,
    FIRST_OF_EQUAL_TIMES,
    END_WHEN_LATER,
    FREEZES_CELL,
    REFUSES_UNKNOWN,
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
    WritingRows,
    Storing,
    Querying,
    FineRebalancing,
    Members,
    Expiring,
    Unsubscribing,
    OtherResets,
    WakingLate,
    Suspending,
    Stopping,
    Losing,
    Inspecting,
    Rewinding,
    Regrouping,
    Hanging,
):
    """Apache RocketMQ's concurrent push consumer under a client-driven offset reset, on one queue."""

    scopes = SCOPES
    bounds = BOUNDS
    releases = (*RELEASES, R_5_3_3_CLIENT_RESET, R_5_3_3)
    usual_release = USUAL
    roles = CLIENT_AND_BROKER
    fixes = fixes_in((*RELEASED, *declared_in(variants, Behaviour)))
    assumptions = declared_in(variants, Assumption)
    listeners = declared_in(variants, Listener)
    left_out = LEFT_OUT
    changed_by = (CHECKS_POLLS, FREEZES, SKIPS, RESETS_AT_BROKER)
    anchored = True
    anchor_lines = ANCHOR_LINES

"""The model put together: everything that can happen to one queue of one group that consumes in BROADCASTING mode."""

from __future__ import annotations

from offsetproof.lang import Behaviour, declared_in
from offsetproof.model.administering import Administering
from offsetproof.model.broadcasting import variants
from offsetproof.model.broadcasting.consuming import BroadcastPulling, ConsumingByPolicy
from offsetproof.model.broadcasting.persisting import Persisting
from offsetproof.model.broadcasting.rebalancing import BroadcastRebalancing, BroadcastRepair
from offsetproof.model.broadcasting.resetting import ResettingCell
from offsetproof.model.broadcasting.scopes import BROADCAST_BOUNDS, SCOPES
from offsetproof.model.broadcasting.starting import StartingFromFile
from offsetproof.model.broadcasting.stopping import StoppingWithFile
from offsetproof.model.files.variants import MERGES_INTO_FILE
from offsetproof.model.lines import ANCHOR_LINES
from offsetproof.model.rocketmq import RocketMQ
from offsetproof.model.storing import Storing
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

_COMMITS = (
    "broker_receives_pull",
    "broker_answers_query",
    "broker_answers_query_before_commits",
    "broker_answers_query_with_error",
    "broker_publishes_row",
    "neighbour_commits",
    "neighbour_publishes_row",
    "broker_flushes",
    "broker_is_killed",
    "first_message_turns_cold",
    "administrator_updates_offset",
    "administrator_queries_min_offset",
)
"""No offset of a broadcasting group is sent to a broker, or asked of one."""

_MEMBERS = ("membership_changes", "consumer_reads_members")
"""Nothing is allocated to members."""

_RETRIES = (
    "task_sends_message_back",
    "task_fails_to_send_back",
    "task_sends_message_back_twice",
    "retry_copy_is_consumed",
)
"""A failed message is not sent back, and no copy is ever read."""

_FINE = (
    "task_fetches_cell",
    "task_updates_detached_cell",
    "rebalance_passes_pause",
    "rebalance_changes_nothing",
)
"""Steps that are one here. Only with `merges-into-file` is a cell taken out of the table, while a task may hold it."""

_NOT_HERE = (
    "poll_matches_nothing",
    "pull_request_is_lost",
    "rebalance_drops_expired_queue",
    "rebalance_fails_to_find_start",
    "rebalance_truncates_table",
    "rebalance_drops_truncated_queue",
    "application_unsubscribes",
    "administrator_resets_by_time",
    "administrator_resets_next_broker",
    "administrator_fails_at_next_broker",
    "administrator_is_told_offline",
    "administrator_resets_offline",
    "reset_wakes_before_pull_arrives",
    "reset_wakes_before_stalled_task",
    "reset_wakes_before_stalled_callback",
    "reset_wakes_before_stalled_rebalance",
    "user_suspends",
    "user_resumes",
)
"""What is as in the concurrent model, and left out."""

LEFT_OUT = (
    "the file's own steps and its backup, two threads or processes that write it, a file that cannot be read: they are "
    "in the model `offset-files`",
    "other queues but for one that stays in the table: it decides whether persistAll writes the file without this one",
    "an orderly listener's own steps (model `orderly`): here only whether a queue is locked, added and pulled",
    "clients beside each other but for their locks: each has its own table, cells and file",
    "what has nothing to do with the mode: other tags, lost pull requests and requests, a topic that is given up, "
    "resets by time, of several brokers and of a group that is offline, threads that stall, suspend and resume by the "
    "user, running infos",
    "several finer steps of one write (updateOffset, persistAll, the test for pause)",
    "a setAckIndex below -1 and other answers that a listener may give; one that never returns, which pins the offset "
    "as in the model `rocketmq`",
    "pull and lite pull consumers; POP",
)
"""What is not in the model, by theme; each component's docstring says it in place."""


class Broadcasting(
    BroadcastPulling,
    BroadcastRepair,
    ConsumingByPolicy,
    Persisting,
    StartingFromFile,
    BroadcastRebalancing,
    Administering,
    ResettingCell,
    StoppingWithFile,
    Storing,
):
    """Apache RocketMQ's push consumer in BROADCASTING mode, on one queue (4.9.4)."""

    scopes = SCOPES
    bounds = BROADCAST_BOUNDS
    releases = RocketMQ.releases
    roles = RocketMQ.roles
    fixes = tuple(
        behaviour.fix
        for behaviour in (
            POLL_CHECKS_DROPPED,
            UPDATE_CHECKS_DROPPED,
            RESET_DROPS_AGAIN,
            RESET_WRITES_ALWAYS,
            MERGES_INTO_FILE,
            *declared_in(variants, Behaviour),
        )
    )
    assumptions = (SHUTDOWN_WAITS,)
    listeners = (CORRECT, RECONSUME_LATER, ACK_AT_FAILURE, ACK_BEFORE_FAILURE)
    left_out = LEFT_OUT
    without = (*_COMMITS, *_MEMBERS, *_RETRIES, *_FINE, *_NOT_HERE)
    anchored = True
    anchor_lines = ANCHOR_LINES

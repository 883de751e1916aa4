"""The catalogue: every claim about the RocketMQ model, in the order of reports."""

from __future__ import annotations

from offsetproof.lang import Subject
from offsetproof.model.damage import DAMAGE
from offsetproof.model.rocketmq import RocketMQ
from offsetproof.model.timing import TIMING
from offsetproof.properties import commits, ownership, resets, witnesses

PROPERTIES = (
    commits.writer_passes_nothing_unfinished_in_its_life,
    commits.cell_passes_nothing_unfinished_in_the_group,
    resets.backward_reset_is_stable,
    resets.forward_reset_is_stable,
    resets.forward_reset_of_one_consumer_is_stable_without_faults,
    resets.task_never_undoes_a_reset,
    resets.task_never_undoes_a_reset_without_stalled_tasks,
    ownership.at_most_one_consumer_has_a_live_life,
    commits.dropped_queue_never_changes_the_cell,
    ownership.life_outside_the_table_is_over,
    witnesses.backward_reset_lands,
    witnesses.forward_reset_lands,
    witnesses.message_is_done_again,
    witnesses.poll_ends_after_clear,
    witnesses.cell_exists_without_queue,
    witnesses.commit_is_executed_out_of_order,
    witnesses.two_consumers_own_the_queue,
    witnesses.task_commits_below_its_own_offset,
    witnesses.queue_is_dropped_after_check_c,
    witnesses.listener_outlives_its_queue,
    witnesses.task_outlives_the_resets_write,
)
"""Claims first, by id; then witnesses."""

ROCKETMQ = Subject("rocketmq", RocketMQ, PROPERTIES, DAMAGE, TIMING)
"""What `offsetproof check` decides when no subject is named."""

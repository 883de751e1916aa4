"""Witnesses: situations that must be reachable for the claims about them to mean anything."""

from __future__ import annotations

from typing import cast

from offsetproof.lang import HOLDS, OffsetSet, case, every, holds, negation, some, sometimes
from offsetproof.model.releases import SERVER_SIDE_RESET
from offsetproof.model.remote.restarting import Restarting
from offsetproof.model.shared.broker import Broker
from offsetproof.model.shared.consumer import Consumer
from offsetproof.model.shared.group import Group
from offsetproof.model.shared.process_queue import ConsumeTask, ProcessQueue
from offsetproof.model.variants import ACK_BELOW_MINUS_ONE, RECONSUME_LATER
from offsetproof.model.vocabulary import (
    Direction,
    InfoStep,
    PullRequestAt,
    RebalanceStep,
    RepairStep,
    ResetEffect,
    ResetLoop,
    ResetStep,
    StopStep,
    TaskStep,
)


def _tasks(group: Group) -> list[tuple[ProcessQueue, int, ConsumeTask]]:
    """Every task of every ProcessQueue of every consumer, with its queue and its message's offset."""
    process_queues = [pq for consumer in group.consumer for pq in consumer.process_queue]
    return [(pq, offset, task) for pq in process_queues for offset, task in enumerate(pq.task)]


@sometimes(case("W-reset-landed", HOLDS, "calm-reset"))
def backward_reset_lands(group: Group) -> bool:
    """The own write of a backward reset reaches the broker."""
    return every([group.ghost_landed, group.ghost_direction == Direction.BACKWARD])


@sometimes(case("W-forward-reset-landed", HOLDS, "calm-reset"))
def forward_reset_lands(group: Group) -> bool:
    """The own write of a forward reset reaches the broker."""
    return every([group.ghost_landed, group.ghost_direction == Direction.FORWARD])


@sometimes(case("W-restarted-after-landing", HOLDS, "reset-restart-in-order", "offline-restart-in-order"))
def broker_restarts_after_a_reset_has_landed(group: Group) -> bool:
    """The broker is restarted in order after a backward reset's own write has reached it."""
    restarted = cast(Restarting, group).broker_restarts_left < group.scope.broker_restarts
    return every([restarted, group.ghost_landed, group.ghost_direction == Direction.BACKWARD])


@sometimes(case("W-unforced-reset-landed", HOLDS, "unforced-reset"))
def forward_reset_without_force_lands(group: Group) -> bool:
    """The own write of a forward reset without force reaches the broker, and a message was delivered."""
    landed = every([group.ghost_landed, group.ghost_direction == Direction.FORWARD])
    return every([landed, group.ghost_delivered.count() > 0])


@sometimes(case("W-second-reset-landed", HOLDS, "reset-twice"))
def last_of_several_resets_lands(group: Group) -> bool:
    """The own write of the last reset that there may be reaches the broker, after another reset was commanded."""
    return every([group.scope.resets > 1, group.resets_left == 0, group.ghost_landed])


@sometimes(case("W-redone", HOLDS, "calm-reset"))
def message_is_done_again(group: Group) -> bool:
    """After a backward reset a message is delivered again."""
    return group.ghost_redone.count() > 0


@sometimes(case("W-late-poll", HOLDS, "calm-reset", not_of=[SERVER_SIDE_RESET]))
def poll_ends_after_clear(group: Group) -> bool:
    """A poll ends without news on a queue that a reset has dropped and cleared, and is about to correct the cell."""
    return some(
        every([pq.pull_request == PullRequestAt.CORRECTING, pq.ghost_aftermath != ResetEffect.UNTOUCHED])
        for consumer in group.consumer
        for pq in consumer.process_queue
    )


@sometimes(case("W-ghost-cell", HOLDS, "come-back"))
def cell_exists_without_queue(group: Group) -> bool:
    """A cell has come back for a queue that is not in the table, and nothing is being added or removed."""
    return some(
        every(
            [
                consumer.process_queue_table is None,
                consumer.cell is not None,
                negation(consumer.is_rebalancing()),
                consumer.reset_run.at == ResetStep.IDLE,
            ]
        )
        for consumer in group.consumer
    )


@sometimes(case("W-overtaken", HOLDS, "come-back"))
def commit_is_executed_out_of_order(group: Group) -> bool:
    """The broker executes a commit before an older one of the same client."""
    return group.ghost_overtaken


@sometimes(case("W-two-owners", HOLDS, "hand-over", "two-registries"))
def two_consumers_own_the_queue(group: Group) -> bool:
    """Two clients have a live ProcessQueue of the queue at the same time."""
    owners = [consumer.owns_live_queue() for consumer in group.consumer]
    return some(a and b for i, a in enumerate(owners) for b in owners[:i])  # splits: as a formula it has another digest


@sometimes(case("W-removed-out-of-order", HOLDS, "come-back"))
def task_commits_below_its_own_offset(group: Group) -> bool:
    """A task has finished a message while an older one is unfinished: the offset that it commits is the older one's."""
    return some(
        every([task.at == TaskStep.REMOVED, pq.ghost_unfinished.lowest(default=offset) < offset])
        for pq, offset, task in _tasks(group)
    )


@sometimes(case("W-dropped-past-check", HOLDS, "calm-reset"))
def queue_is_dropped_after_check_c(group: Group) -> bool:
    """A task stands between check C and updateOffset while its queue is dropped."""
    return some(every([pq.dropped, task.at == TaskStep.CHECKED]) for pq, _, task in _tasks(group))


@sometimes(case("W-listening-when-dropped", HOLDS, "calm-reset"))
def listener_outlives_its_queue(group: Group) -> bool:
    """A listener runs on while its queue is dropped: its result will be thrown away."""
    return some(every([pq.dropped, task.at == TaskStep.LISTENING]) for pq, _, task in _tasks(group))


@sometimes(case("W-task-outlives-reset", HOLDS, "calm-reset", not_of=[SERVER_SIDE_RESET]))
def task_outlives_the_resets_write(group: Group) -> bool:
    """A task of a queue that a reset dropped has yet to check `dropped`, after the reset has written the cell."""
    return some(
        every([pq.ghost_aftermath == ResetEffect.OVERWRITTEN, task.at == TaskStep.REMOVED])
        for pq, _, task in _tasks(group)
    )


@sometimes(case("W-all-committed", HOLDS, "batch", "lost-pull-request"))
def everything_is_done_and_committed(group: Group) -> bool:
    """Every message that the scope has is done, and the broker's offset is past the last."""
    return every([group.broker.committed == group.scope.messages, group.ghost_done.count() == group.scope.messages])


@sometimes(case("W-sent-back", HOLDS, "batch", listener=RECONSUME_LATER))
def message_is_sent_back(group: Group) -> bool:
    """A failed message has a copy in %RETRY%."""
    return group.retry.count() > 0


@sometimes(case("W-second-of-batch-fails", HOLDS, "batch", listener=RECONSUME_LATER))
def second_message_of_a_batch_is_in_the_listener(group: Group) -> bool:
    """A listener runs with two messages, so that it can fail at the second."""
    return some(every([task.at == TaskStep.LISTENING, task.size == 2]) for _, _, task in _tasks(group))


@sometimes(case("W-rest", HOLDS, "come-back", "hand-over"))
def system_comes_to_rest(group: Group) -> bool:
    """All messages are stored and done, and the system is at rest."""
    return every([group.rest(), group.ghost_done.count() == group.scope.messages])


@sometimes(case("W-rest-moved", HOLDS, "resume-moving"))
def system_comes_to_rest_with_another_process_queue(group: Group) -> bool:
    """All messages are done, the system is at rest, and the queue was lost and regained on the way."""
    return every([system_comes_to_rest.function(group), group.consumer[0].process_queues_made > 1])


@sometimes(case("W-set-back", HOLDS, "come-back", "hand-over", "take-over-two"))
def broker_offset_is_set_back(group: Group) -> bool:
    """The broker's offset is below what it was before."""
    committed = group.broker.committed
    return False if committed is None else committed < group.ghost_highest


@sometimes(case("W-piggyback", HOLDS, "come-back"))
def pull_carries_a_commit(group: Group) -> bool:
    """A pull with a commit in it is on its way, and the broker has stored something else."""
    return some(
        every([pq.pull_request == PullRequestAt.SENT, pq.piggyback != group.broker.committed])
        for consumer in group.consumer
        for pq in consumer.process_queue
    )


@sometimes(case("W-copied-twice", HOLDS, "send-back", listener=RECONSUME_LATER))
def message_has_two_copies(group: Group) -> bool:
    """A message is copied to %RETRY% a second time while its first copy is still there."""
    return group.ghost_copied_twice.count() > 0


@sometimes(case("W-rest-after-reset", HOLDS, "calm-reset"))
def system_comes_to_rest_after_a_reset(group: Group) -> bool:
    """A reset was answered, and the system is at rest again."""
    return every([group.rest(), group.ghost_answered])


@sometimes(case("W-shut-down", HOLDS, "shutdown"))
def consumer_is_shut_down_at_rest(group: Group) -> bool:
    """A consumer was shut down gracefully after a message was finished, and all is at rest."""
    return every([group.rest(), group.consumer[0].stop == StopStep.STOPPED, group.ghost_done.count() > 0])


@sometimes(case("W-both-brokers-answered", HOLDS, "two-brokers"))
def both_brokers_have_answered_at_rest(group: Group) -> bool:
    """Both brokers answered the reset tool, this queue's reset has landed, and all is at rest."""
    return every([group.rest(), group.ghost_landed, group.reset_loop == ResetLoop.BOTH_ANSWERED])


@sometimes(case("W-pull-request-lost", HOLDS, "lost-pull-request"))
def live_process_queue_has_lost_its_pull_request(group: Group) -> bool:
    """A live ProcessQueue in the table has no PullRequest."""
    return some(
        every([consumer.process_queue_table == pq_id, negation(pq.dropped), pq.pull_request == PullRequestAt.NONE])
        for consumer in group.consumer
        for pq_id, pq in enumerate(consumer.process_queue)
    )


@sometimes(case("W-illegal-offset", HOLDS, "retention"))
def illegal_offset_is_repaired(group: Group) -> bool:
    """A repair has persisted the corrected offset and goes on to remove the queue."""
    return some(pq.repair == RepairStep.PERSISTED for consumer in group.consumer for pq in consumer.process_queue)


@sometimes(case("W-end-fell", HOLDS, "recreated", "tail-lost"))
def everything_is_done_after_the_end_fell(group: Group) -> bool:
    """Messages at the queue's end were lost, with the topic or without; all that is stored since is done, committed."""
    return every([group.ghost_end_fell, everything_is_done_and_committed.function(group)])


@sometimes(case("W-beyond-end-repaired", HOLDS, "recreated", "tail-lost"))
def offset_beyond_the_end_is_repaired(group: Group) -> bool:
    """A repair has persisted the end of a queue that was cut short, and the broker's offset is beyond it."""
    repaired = some(pq.repair == RepairStep.PERSISTED for consumer in group.consumer for pq in consumer.process_queue)
    return every([repaired, group.broker.number_of(Broker.committed) > group.broker.max_offset + 1])


@sometimes(case("W-started-after-fall", HOLDS, "recreated-start"))
def new_group_starts_at_the_end_of_a_topic_created_again(group: Group) -> bool:
    """A new group's first ProcessQueue begins at the max offset of a topic that was deleted and created again."""
    listed = negation(holds(group.consumer[0], Consumer.process_queue_table, None))
    return every([group.ghost_end_fell, listed, group.number_of(Group.ghost_owed_from) > 1])


@sometimes(case("W-expanded", HOLDS, "expansion"))
def added_queue_is_consumed_from_its_first_message(group: Group) -> bool:
    """A message came before the first look at the added queue, and everything is done and committed."""
    return every([everything_is_done_and_committed.function(group), group.ghost_owed_from == 0])


@sometimes(case("W-started-again", HOLDS, "new-group"))
def consumer_starts_again_after_a_kill(group: Group) -> bool:
    """A consumer that was killed has a second ProcessQueue of the queue, and everything was done and committed."""
    return every([everything_is_done_and_committed.function(group), group.consumer[0].process_queues_made == 2])


@sometimes(case("W-cold-start", HOLDS, "cold-start"))
def new_group_starts_on_a_cold_queue(group: Group) -> bool:
    """A new group's ProcessQueue is in the table, with messages stored, and the first of them has left the memory."""
    listed = negation(holds(group.consumer[0], Consumer.process_queue_table, None))
    return every([listed, group.broker.cold, group.broker.committed is None])


@sometimes(case("W-pinned", HOLDS, "send-back", listener=ACK_BELOW_MINUS_ONE))
def thrown_message_is_swept(group: Group) -> bool:
    """A task was ended by an exception, and the sweep has sent its message back, so that the offset can pass it."""
    thrown = some(task.at == TaskStep.THROWN for _, _, task in _tasks(group))
    committed = group.broker.committed
    if committed is None:
        return False
    return every([thrown, (group.ghost_retried & OffsetSet.below(committed)).count() > 0])


@sometimes(case("W-inspected", HOLDS, "running-info"))
def running_info_writes_the_cell(group: Group) -> bool:
    """A running info has asked the broker for the offset of a queue in the table, and has its answer."""
    return some(consumer.info.at == InfoStep.ANSWERED for consumer in group.consumer)


@sometimes(case("W-last-backward-reset-landed", HOLDS, "reset-twice"))
def last_of_several_resets_lands_backward(group: Group) -> bool:
    """The last of several resets goes back, and its own write reaches the broker."""
    return every([last_of_several_resets_lands.function(group), group.ghost_direction == Direction.BACKWARD])


@sometimes(case("W-last-forward-reset-landed", HOLDS, "reset-twice"))
def last_of_several_resets_lands_forward(group: Group) -> bool:
    """The last of several resets goes forward, and its own write reaches the broker."""
    return every([last_of_several_resets_lands.function(group), group.ghost_direction == Direction.FORWARD])


@sometimes(case("W-truncated", HOLDS, "unsubscribe"))
def process_queue_is_dropped_without_a_commit(group: Group) -> bool:
    """A ProcessQueue has left the table because its topic was given up, and the cell holds what nobody has sent."""
    return some(
        every([negation(consumer.subscribed), pq.dropped, consumer.cell != group.broker.committed])
        for consumer in group.consumer
        for pq in consumer.process_queue
    )


@sometimes(case("W-row-deleted", HOLDS, "admin"))
def stored_offset_is_gone(group: Group) -> bool:
    """A query for the lowest offset of all groups has removed what the group had committed."""
    return every([group.ghost_has_committed, holds(group.broker, Broker.committed, None)])


@sometimes(case("W-group-made-again", HOLDS, "group-deleted", "group-deleted-restart"))
def group_is_made_again(group: Group) -> bool:
    """The group was deleted; a consumer of its name started since, was given a message again and committed it."""
    again = every([group.group_deletions_left < group.scope.group_deletions, negation(group.ghost_group_deleted)])
    return every([again, everything_is_done_and_committed.function(group), group.ghost_repeated.count() > 0])


@sometimes(case("W-hang-swept", HOLDS, "hang"))
def hung_message_is_swept(group: Group) -> bool:
    """A listener never returned, the sweep sent its message back, and everything is done and committed."""
    hung = some(task.at == TaskStep.THROWN for _, _, task in _tasks(group))
    return every([hung, everything_is_done_and_committed.function(group)])


@sometimes(case("W-hang-restarted", HOLDS, "hang"))
def hung_message_is_delivered_after_a_restart(group: Group) -> bool:
    """A message whose listener never returned is given to one again after a kill, and everything is committed."""
    return every([everything_is_done_and_committed.function(group), group.ghost_repeated.count() > 1])


@sometimes(case("W-passed-by-tag", HOLDS, "tags"))
def message_with_another_tag_is_passed(group: Group) -> bool:
    """The broker's offset has passed stored messages that were never delivered, because of their tag."""
    committed = group.broker.number_of(Broker.committed)
    return every([committed > 1, group.ghost_delivered.count() == 0])


@sometimes(case("W-passed-around-tags", HOLDS, *("tags-middle", "tags-last")))
def all_is_committed_but_other_tags_not_delivered(group: Group) -> bool:
    """The broker's offset has passed all messages, and those with the group's tag were delivered."""
    given = group.ghost_delivered.count() == group.scope.messages - group.scope.unmatched
    return every([given, group.broker.number_of(Broker.committed) == group.scope.messages + 1])


@sometimes(case("W-detached", HOLDS, "fine-steps"))
def task_holds_a_cell_that_is_gone(group: Group) -> bool:
    """A task is about to raise a cell that has left the offset table."""
    return some(task.at == TaskStep.DETACHED for _, _, task in _tasks(group))


@sometimes(case("W-own-id-missing", HOLDS, "allocated"))
def consumer_is_missing_from_the_list(group: Group) -> bool:
    """A consumer gives its queue up because the broker does not list it as a member."""
    gives_up = group.consumer[0].rebalance[0].at == RebalanceStep.DROPPED
    return every([gives_up, some(negation(registry.members.has(0)) for registry in group.registry)])


@sometimes(case("W-offline-landed", HOLDS, "offline-reset", not_of=[SERVER_SIDE_RESET]))
def offline_reset_lands(group: Group) -> bool:
    """The tool has written the offset itself, backward, and everything was done again."""
    landed = every([group.ghost_landed, group.ghost_direction == Direction.BACKWARD])
    return every([group.reset_loop == ResetLoop.BOTH_ANSWERED, landed, group.ghost_redone.count() > 0])


@sometimes(case("W-reset-by-time", HOLDS, "equal-times"))
def reset_by_time_comes_to_rest(group: Group) -> bool:
    """A backward reset to a time has landed, and all is at rest."""
    landed = every([group.ghost_landed, group.ghost_direction == Direction.BACKWARD])
    return every([group.rest(), landed])

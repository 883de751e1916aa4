"""Witnesses: situations that must be reachable for the claims about them to mean anything."""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.lang import HOLDS, every, some, sometimes
from offsetproof.model.group import Group
from offsetproof.model.process_queue import ConsumeTask, ProcessQueue
from offsetproof.model.vocabulary import Aftermath, Direction, RebalanceStep, ResetStep, TaskStep, Token


def _tasks(group: Group) -> Iterator[tuple[ProcessQueue, int, ConsumeTask]]:
    """Every task of every life of every consumer, with its queue and its message's offset."""
    for consumer in group.consumer:
        for pq in consumer.process_queue:
            for offset, task in enumerate(pq.task):
                yield pq, offset, task


@sometimes(id="W-reset-landed", expected={"4.9.4": HOLDS}, scopes=["calm-reset"])
def backward_reset_lands(group: Group) -> bool:
    """The own write of a backward reset reaches the broker."""
    return group.ghost_landed & (group.ghost_direction == Direction.BACKWARD)


@sometimes(id="W-forward-reset-landed", expected={"4.9.4": HOLDS}, scopes=["calm-reset"])
def forward_reset_lands(group: Group) -> bool:
    """The own write of a forward reset reaches the broker."""
    return group.ghost_landed & (group.ghost_direction == Direction.FORWARD)


@sometimes(id="W-redone", expected={"4.9.4": HOLDS}, scopes=["calm-reset"])
def message_is_done_again(group: Group) -> bool:
    """After a backward reset a message is delivered again."""
    return group.ghost_redone.count() > 0


@sometimes(id="W-late-poll", expected={"4.9.4": HOLDS}, scopes=["calm-reset"])
def poll_ends_after_clear(group: Group) -> bool:
    """A poll ends without news on a queue that a reset has dropped and cleared, and is about to correct the cell."""
    return some(
        every([pq.token == Token.CORRECTING, pq.ghost_aftermath != Aftermath.UNTOUCHED])
        for consumer in group.consumer
        for pq in consumer.process_queue
    )


@sometimes(id="W-ghost-cell", expected={"4.9.4": HOLDS}, scopes=["come-back"])
def cell_exists_without_queue(group: Group) -> bool:
    """A cell has come back for a queue that is not in the table, and nothing is being added or removed."""
    return some(
        every(
            [
                consumer.process_queue_table is None,
                consumer.cell is not None,
                consumer.rebalance.at == RebalanceStep.IDLE,
                consumer.reset_run.at == ResetStep.IDLE,
            ]
        )
        for consumer in group.consumer
    )


@sometimes(id="W-overtaken", expected={"4.9.4": HOLDS}, scopes=["come-back"])
def commit_is_executed_out_of_order(group: Group) -> bool:
    """The broker executes a commit before an older one of the same client."""
    return group.ghost_overtaken


@sometimes(id="W-two-owners", expected={"4.9.4": HOLDS}, scopes=["hand-over"])
def two_consumers_own_the_queue(group: Group) -> bool:
    """Two clients have a live life of the queue at the same time."""
    owners = [consumer.owns_live_queue() for consumer in group.consumer]
    return some(a and b for i, a in enumerate(owners) for b in owners[:i])


@sometimes(id="W-removed-out-of-order", expected={"4.9.4": HOLDS}, scopes=["come-back"])
def task_commits_below_its_own_offset(group: Group) -> bool:
    """A task has finished a message while an older one is unfinished: the offset that it commits is the older one's."""
    return some(
        every([task.at == TaskStep.REMOVED, pq.ghost_unfinished.lowest(default=offset) < offset])
        for pq, offset, task in _tasks(group)
    )


@sometimes(id="W-dropped-past-check", expected={"4.9.4": HOLDS}, scopes=["calm-reset"])
def queue_is_dropped_after_check_c(group: Group) -> bool:
    """A task stands between check C and updateOffset while its queue is dropped."""
    return some(every([pq.dropped, task.at == TaskStep.CHECKED]) for pq, _, task in _tasks(group))


@sometimes(id="W-listening-when-dropped", expected={"4.9.4": HOLDS}, scopes=["calm-reset"])
def listener_outlives_its_queue(group: Group) -> bool:
    """A listener runs on while its queue is dropped: its result will be thrown away."""
    return some(every([pq.dropped, task.at == TaskStep.LISTENING]) for pq, _, task in _tasks(group))


@sometimes(id="W-task-outlives-reset", expected={"4.9.4": HOLDS}, scopes=["calm-reset"])
def task_outlives_the_resets_write(group: Group) -> bool:
    """A task of a queue that a reset dropped has yet to check `dropped`, after the reset has written the cell."""
    return some(
        every([pq.ghost_aftermath == Aftermath.OVERWRITTEN, task.at == TaskStep.REMOVED])
        for pq, _, task in _tasks(group)
    )

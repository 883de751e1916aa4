"""The offset of one queue, written by the administrator while clients run or after they have stopped."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, OffsetSet, always, case, every, implies
from offsetproof.model.queues.broker import StoredQueue
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.variants import GROUP_STOPPED
from offsetproof.model.releases import ONE_QUEUE_RESET
from offsetproof.model.vocabulary import Direction

_RUNNING = "while the client that has the queue runs"
_NOT_TOLD = (
    "no client hears of the write (updateConsumeOffset). Each persist sends the cells of all queues in the table, "
    "changed or not, every five seconds, and the last writer wins"
)
_STOPPED = "where the group is stopped while the offset of one queue is written, once, and nothing else resets it"
_STOPPED_5X = f"{_STOPPED}, by a tool of 5.x, which then asks for a reset of it"


@always(
    case(
        "I29",
        REFUTED,
        "one-queue",
        where=_RUNNING,
        why=_NOT_TOLD,
        symptom="the offset of one queue was set back by its queue id (updateConsumeOffset, resetOffsetByQueueId), or "
        "that of each by cloneGroupOffset, and a few seconds later it is where it was, and nothing is delivered again",
        remedies=["I29-stopped"],
    ),
    case(
        "I29-stopped",
        HOLDS,
        "one-queue",
        assumptions=[GROUP_STOPPED],
        needs=["W-written-and-done"],
        where=_STOPPED,
        why="who starts afterwards asks the broker",
    ),
    case(
        "I29-stopped-5x",
        HOLDS,
        "one-queue-5x",
        fixes=[ONE_QUEUE_RESET],
        assumptions=[GROUP_STOPPED],
        needs=["W-written-and-done"],
        where=_STOPPED_5X,
        why="the tool of 5.x is told that the consumer is not online, but has written the offset before it asks",
    ),
)
def queue_written_back_stays(group: QueueGroup) -> bool:
    """From the write that sets one queue back to the target, its offset v has everything from there to v done again."""
    end = group.scope.messages
    stays = []
    for queue in group.queue:
        missing = OffsetSet.below(end) - OffsetSet.below(queue.ghost_target) - queue.ghost_redone
        is_back = queue.offset_for_query() <= missing.lowest(default=end)
        stays.append(implies(_is_written(queue, Direction.BACKWARD), is_back))
    return every(stays)


@always(
    case(
        "I29-forward",
        REFUTED,
        "one-queue",
        where=_RUNNING,
        why=_NOT_TOLD,
        symptom="the offset of one queue was set forward by its queue id (updateConsumeOffset, resetOffsetByQueueId), "
        "or that of each by cloneGroupOffset, and the messages that it was to skip are delivered all the same",
        remedies=["I29-forward-stopped"],
    ),
    case(
        "I29-forward-stopped",
        HOLDS,
        "one-queue",
        assumptions=[GROUP_STOPPED],
        needs=["W-written-forward"],
        where=_STOPPED,
    ),
    case(
        "I29-forward-stopped-5x",
        HOLDS,
        "one-queue-5x",
        fixes=[ONE_QUEUE_RESET],
        assumptions=[GROUP_STOPPED],
        needs=["W-written-forward"],
        where=_STOPPED_5X,
    ),
)
def queue_written_forward_stays(group: QueueGroup) -> bool:
    """From the write that sets one queue forward to the target, its offset is never below that."""
    forward = [implies(_is_written(q, Direction.FORWARD), q.offset_for_query() >= q.ghost_target) for q in group.queue]
    return every(forward)


def _is_written(queue: StoredQueue, direction: Direction) -> bool:
    return every([queue.has_landed(), queue.ghost_direction == direction])

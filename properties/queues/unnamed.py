"""What a reset, or a write of one queue, does to queues that it does not name: whether they fall, repeat, or pause."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, Step, always, case, each_step, every, implies
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.variants import GROUP_STOPPED
from offsetproof.model.releases import ONE_QUEUE_RESET, SERVER_SIDE_RESET

_UNNAMED = ("two-brokers", "ends-half-way", "held-polls")
_READS_NO_QUEUE = (
    "the tool asks for a reset by time 0 of that queue, and a broker of 4.9.4, or one whose resets are at the client, "
    "reads no queue in it"
)
_BY_TOOL = "where a tool of 5.x writes the offset of one queue, and asks its broker for a reset of that"
KEPT = "every client keeps its queues, and nobody writes the offset of a single queue"
"""What most claims about resets leave out."""


@always(
    case(
        "I3",
        HOLDS,
        *_UNNAMED,
        needs=["W-consumes-while-paused"],
        where=f"where {KEPT}",
        why="the command of one broker, or the marker of one queue, drops none of another's queues: what they have "
        "cached is consumed and committed",
    ),
    case(
        "I3-one-queue",
        HOLDS,
        "one-queue",
        needs=["W-written-and-done"],
        where="where the administrator writes the offset of one queue, and no queue moves between clients that run",
        why="the write is about that queue alone",
    ),
    case(
        "I3-one-queue-5x",
        REFUTED.unless(SERVER_SIDE_RESET),
        "one-queue-5x",
        fixes=[ONE_QUEUE_RESET],
        needs=["W-written-and-done"],
        where=_BY_TOOL,
        why=f"{_READS_NO_QUEUE}, so the offset of every queue of the topic there goes back to its min offset",
        symptom="resetOffsetByQueueId of a 5.x tool or dashboard was called for one queue of an older broker, and all "
        "queues of the topic on that broker are back at their first message",
        remedies=["I3-one-queue-5x-stopped"],
    ),
    case(
        "I3-one-queue-5x-stopped",
        HOLDS,
        "one-queue-5x",
        fixes=[ONE_QUEUE_RESET],
        assumptions=[GROUP_STOPPED],
        needs=["W-written-and-done"],
        where=f"{_BY_TOOL}, and the group is stopped while it does",
    ),
)
def queue_that_no_reset_names_never_falls(group: QueueGroup) -> bool:
    """The broker's offset of a queue that no reset has named yet is as high as it ever was."""
    return every(implies(q.was_never_reset(), q.offset_for_query() == q.ghost_highest) for q in group.queue)


@always(
    case(
        "I20",
        HOLDS,
        *_UNNAMED,
        needs=["W-consumes-while-paused"],
        where=f"where {KEPT}",
        why="its ProcessQueue stays in the table through the other broker's reset and the rebalance of resume, or the "
        "other queue's repair",
    ),
    case(
        "I20-one-queue",
        HOLDS,
        "one-queue",
        needs=["W-written-and-done"],
        where="where the administrator writes the offset of one queue, and no queue moves between clients that run",
    ),
    case(
        "I20-one-queue-5x",
        REFUTED.unless(SERVER_SIDE_RESET),
        "one-queue-5x",
        fixes=[ONE_QUEUE_RESET],
        needs=["W-written-and-done"],
        where=_BY_TOOL,
        why=f"{_READS_NO_QUEUE}: the client drops every queue there, and begins again at the first message",
        symptom="resetOffsetByQueueId of a 5.x tool or dashboard was called for one queue of an older broker, and the "
        "messages of the other queues are delivered again",
        remedies=["I20-one-queue-5x-stopped"],
    ),
    case(
        "I20-one-queue-5x-stopped",
        HOLDS,
        "one-queue-5x",
        fixes=[ONE_QUEUE_RESET],
        assumptions=[GROUP_STOPPED],
        needs=["W-written-and-done"],
        where=f"{_BY_TOOL}, and the group is stopped while it does",
    ),
)
def queue_that_no_reset_names_repeats_nothing(group: QueueGroup) -> bool:
    """No message of a queue that no reset has named yet is delivered twice."""
    return every(implies(q.was_never_reset(), q.ghost_repeated.count() == 0) for q in group.queue)


@each_step(
    case(
        "I24",
        REFUTED,
        "two-brokers",
        not_of=[SERVER_SIDE_RESET],
        why="every broker sends a command of its own, and resetOffset is synchronized: each sleeps 10 s, and suspends "
        "the consumer as a whole while it does",
        symptom="after a reset of a topic on N brokers the group pulls nothing, of any topic, for N times ten seconds",
        no_remedy="N brokers take N sleeps; what would help is a reset that does not suspend the consumer",
    ),
    case(
        "I24-one-broker",
        HOLDS,
        "one-broker",
        not_of=[SERVER_SIDE_RESET],
        needs=["W-both-landed"],
        where="for two queues of one broker",
    ),
    case(
        "I24-one-broker-twice",
        HOLDS,
        *("twice", "twice-one-cpu"),
        not_of=[SERVER_SIDE_RESET],
        needs=["W-second-landed"],
        where="for two queues of one broker, and the last of two runs",
    ),
)
def reset_pauses_a_consumer_once(before: QueueGroup, _after: QueueGroup, step: Step) -> bool:
    """The last run of the reset tool pauses a consumer for one sleep of ten seconds."""
    if step.action != "reset_suspends":
        return True
    is_of_last_run = before.run_of(step.args["k"]) == before.resets_begun
    return implies(is_of_last_run, before.client[step.args["c"]].ghost_pauses == 0)


@always(
    case(
        "I25",
        REFUTED,
        "two-brokers",
        not_of=[SERVER_SIDE_RESET],
        why="suspend() is for the consumer as a whole, and what is sent by one broker names its own queues only",
        symptom="queues and topics that a reset does not name are not pulled for ten seconds and more",
        no_remedy="it is what suspend() does; what is cached of the other queues is consumed and committed meanwhile",
    ),
)
def reset_pauses_only_queues_that_it_names(group: QueueGroup) -> bool:
    """While a consumer is paused, the command under way names every queue in its table."""
    return every(
        implies(client.paused, client.process_queue_table <= group.named_by_command(client)) for client in group.client
    )

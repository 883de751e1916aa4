"""What is written to the cell, the client's in-memory committed offset."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, OffsetSet, Step, always, case, each_step, every, implies, negation, remedy
from offsetproof.model.releases import SERVER_SIDE_RESET
from offsetproof.model.shared.group import Group
from offsetproof.model.variants import INFO_READS_ONLY, REBALANCE_SYNCHRONIZED, UPDATE_CHECKS_DROPPED

_WRITERS = ("task_updates_cell", "task_fetches_cell", "poll_corrects_offset")
"""The actions by which a ProcessQueue (its tasks and its pull callback) writes the cell."""

_UPDATE_CHECKS_DROPPED = remedy("calm-reset", fixes=[UPDATE_CHECKS_DROPPED])


@each_step(
    case(
        "I1",
        HOLDS,
        *("come-back", "fine-steps"),
        needs=["W-removed-out-of-order"],
        where="where the offset is not reset",
        why="removeMessage gives the lowest cached offset, or the highest ever put + 1 when none is left, and a poll "
        "corrects only where the cache is empty; other ProcessQueues share the cell: see I1-group",
    ),
    case(
        "I1-reset",
        REFUTED.unless(SERVER_SIDE_RESET),
        "calm-reset",
        where="where the offset is reset meanwhile",
        why="`clear` empties the cache of messages that nobody has finished, and a poll that ends without news then "
        "takes the empty cache for finished work",
        remedies=[_UPDATE_CHECKS_DROPPED],
    ),
)
def writer_passes_nothing_unfinished_of_its_own(before: Group, after: Group, step: Step) -> bool:
    """A value that a task or callback writes to the cell is at most its ProcessQueue's lowest unfinished offset."""
    return writes_nothing_unfinished(before, after, step, _WRITERS)


def writes_nothing_unfinished(before: Group, after: Group, step: Step, writers: tuple[str, ...]) -> bool:
    """Is what a step of these wrote to the cell at most the lowest offset unfinished in its own ProcessQueue?"""
    if step.action not in writers:
        return True
    pq = after.consumer[step.args["c"]].process_queue[step.args["pq_id"]]
    held, written = before.consumer[step.args["c"]].cell, after.consumer[step.args["c"]].cell
    if written is None:
        return True
    allowed = written <= pq.ghost_unfinished.lowest(default=after.scope.messages)
    return allowed if held is None else implies(written != held, allowed)


@each_step(
    case(
        "I2",
        HOLDS,
        *("come-back", "crash", "fine-steps"),
        needs=["W-removed-out-of-order"],
        why="tasks and polls only raise it, and plain writes come before a ProcessQueue or after its drop",
    ),
    case(
        "I2-tags",
        HOLDS,
        *("tags-middle", "tags-last"),
        needs=["W-passed-around-tags"],
        where="where a message behind has another tag",
        why="a task raises the cell only, so one that ends after the poll that passed the other tag writes nothing",
    ),
    case(
        "I2-resume",
        REFUTED,
        "resume",
        where="where resume rebalances in its own thread",
        why="doRebalance is not synchronized, so a run that asked the broker before the other one added the queue "
        "writes its old answer into the cell of the queue that is consumed by then",
        symptom="the offset in the client fell after a suspend and resume, and messages came again",
        remedies=[remedy("resume", fixes=[REBALANCE_SYNCHRONIZED])],
    ),
    case(
        "I2-running-info",
        REFUTED,
        "running-info",
        needs=["W-inspected"],
        where="where an operator asks for the consumer's running info",
        why="consumerRunningInfo finds no cell, asks the broker, and writes the answer plainly, after the ProcessQueue"
        " that came meanwhile has raised the cell",
        symptom="the offset in the client fell when somebody looked at its page in a dashboard; messages came again",
        remedies=[remedy("running-info", fixes=[INFO_READS_ONLY])],
    ),
)
def cell_never_falls_within_a_live_process_queue(before: Group, after: Group, step: Step) -> bool:  # noqa: ARG001 - any step
    """The cell, while present, never decreases while one ProcessQueue stays live (no reset, no illegal offset)."""
    kept = []
    for was, now in zip(before.consumer, after.consumer, strict=True):
        old, new = was.cell, now.cell
        if old is None or new is None:
            continue
        for pq_id, pq in enumerate(was.process_queue):
            same = every([was.process_queue_table == pq_id, now.process_queue_table == pq_id])
            live = every([same, negation(pq.dropped), negation(now.process_queue[pq_id].dropped)])
            kept.append(implies(live, new >= old))
    return every(kept)


@always(
    case(
        "I1-group",
        REFUTED,
        "calm-reset",
        needs=["W-reset-landed"],
        why="a reset clears the cache, so a poll that was held all the time finds it empty and raises the cell past "
        "messages that nobody has finished",
        symptom="messages were skipped around an offset reset: nobody ever finished them",
        remedies=[_UPDATE_CHECKS_DROPPED],
    )
)
def cell_passes_nothing_unfinished_in_the_group(group: Group) -> bool:
    """The cell is at most the lowest owed offset that is not done yet, over all ProcessQueues of the queue.

    Owed are the stored offsets that no administrator skipped.
    """
    stored = OffsetSet.below(group.broker.max_offset)
    missing = stored - group.ghost_done - group.ghost_skipped
    limit = missing.lowest(default=group.broker.max_offset)
    return every(cell is None or cell <= limit for cell in [consumer.cell for consumer in group.consumer])


@each_step(
    case(
        "I17",
        REFUTED,
        "calm-reset",
        why="correctTagsOffset never looks at `dropped`, and a task may stand between check C and updateOffset",
        remedies=[_UPDATE_CHECKS_DROPPED],
    )
)
def dropped_queue_never_changes_the_cell(before: Group, after: Group, step: Step) -> bool:
    """A task or callback of a dropped ProcessQueue leaves the cell alone."""
    if step.action not in _WRITERS:
        return True
    consumer = before.consumer[step.args["c"]]
    changed = after.consumer[step.args["c"]].cell != consumer.cell
    return implies(consumer.process_queue[step.args["pq_id"]].dropped, negation(changed))

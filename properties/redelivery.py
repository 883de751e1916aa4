"""What comes again: messages that were finished, and what the broker had stored of that."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, OffsetSet, Step, case, each_step, implies, some
from offsetproof.model.shared.group import Group
from offsetproof.model.variants import LAST_REQUESTS_ARRIVED, MONOTONE_COMMITS
from offsetproof.model.vocabulary import Direction


@each_step(
    case(
        "I29",
        REFUTED,
        "crash",
        needs=["W-all-committed"],
        why="a finished message only raises the cell in the consumer's memory: persistAll sends that every five "
        "seconds, and what was finished since is forgotten with the process",
        symptom="messages that were finished come again after a kill or a restart right after consuming: those of the "
        "last five seconds, and all behind one that was still being consumed; a restart a while later repeats none",
        no_remedy="that is what at-least-once means; persistConsumerOffsetInterval is the five seconds, and a graceful "
        "shutdown that waits sends the cell first (I16-waits-monotone)",
    ),
    case(
        "I29-unforced",
        REFUTED,
        "unforced-reset-two",
        needs=["W-unforced-reset-landed"],
        where="around a forward reset without force",
        why="the broker sends the command all the same, with the committed offset as target: each broker's command "
        "pauses the consumer for ten seconds, its queues are dropped and cleared, and start again from that offset",
        symptom="a forward reset without force (force=false) answers success and moves no offset: consumption stops "
        "for ten seconds, and messages that were consumed and not yet committed come again",
        no_remedy="a forward reset needs the force flag; how stable it is then, I5-forward says",
    ),
)
def finished_message_is_not_delivered_again(before: Group, after: Group, step: Step) -> bool:  # noqa: ARG001 - it begins in before
    """A finished message is not given to a listener again; where the offset is reset, this is about forward resets."""
    is_asked = some([before.scope.resets == 0, before.ghost_direction == Direction.FORWARD])
    return implies(is_asked, (_given_in(before, step) & before.ghost_done).count() == 0)


@each_step(
    case(
        "I30",
        REFUTED,
        "crash",
        needs=["W-finished-again-after-kill"],
        why="a pull carries the offset of the moment when it was sent, and may reach the broker after a newer commit, "
        "which it sets back; or a new process asks for the offset before the last pull of the old one has arrived",
        symptom="messages below the offset that was committed come again after a kill: it had gone back",
        remedies=["I30-monotone"],
    ),
    case(
        "I30-monotone",
        HOLDS,
        "crash",
        fixes=[MONOTONE_COMMITS],
        assumptions=[LAST_REQUESTS_ARRIVED],
        needs=["W-finished-again-after-kill"],
        where="with a broker that ignores a commit below the stored offset, where one consumer has the queue all the "
        "time, and everything that it sent has arrived before it is started again; the broker is not killed, no "
        "administrator changes the offset and no topic is deleted",
        why="a new process starts from the stored offset, which is the lowest message that was unfinished when the "
        "last commit was made. So at most this comes again: that message, and what was delivered behind it or since",
    ),
)
def committed_message_is_not_delivered_again(before: Group, after: Group, step: Step) -> bool:  # noqa: ARG001 - it begins in before
    """No message below an offset that the broker has ever stored for the group is given to a listener again."""
    return (_given_in(before, step) & OffsetSet.below(before.ghost_highest)).count() == 0


def _given_in(before: Group, step: Step) -> OffsetSet:
    """The messages that a listener is given in this step."""
    if step.action != "task_starts":
        return OffsetSet()
    pq = before.consumer[step.args["c"]].process_queue[step.args["pq_id"]]
    first = step.args["m"]
    if pq.dropped:
        return OffsetSet()
    return OffsetSet.below(first + pq.task[first].size) - OffsetSet.below(first)

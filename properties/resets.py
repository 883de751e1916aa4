"""Offset resets: they stay, in both directions; tasks of dropped queues do not undo them; and they land."""

from __future__ import annotations

from offsetproof.lang import (
    HOLDS,
    REFUTED,
    OffsetSet,
    Step,
    always,
    at_rest,
    case,
    each_step,
    every,
    implies,
    negation,
    remedy,
)
from offsetproof.model.group import Group
from offsetproof.model.variants import (
    COMMITS_IN_ORDER,
    COMMITS_TIMELY,
    EVERY_BROKER_ANSWERS,
    FIRST_OF_EQUAL_TIMES,
    GROUP_STAYS_DOWN,
    LAST_PULLS_TIMELY,
    MONOTONE_COMMITS,
    NO_STALLED_CALLBACK,
    NO_STALLED_REBALANCE,
    NO_STALLED_TASK,
    NOTHING_LOST,
    ONLY_CODE_22,
    PERSIST_IN_ONE,
    POLL_CHECKS_DROPPED,
    PULLS_TIMELY,
    QUERIES_IN_ORDER,
    RESET_DROPS_AGAIN,
    RESET_WRITES_ALWAYS,
    UPDATE_CHECKS_DROPPED,
)
from offsetproof.model.vocabulary import Aftermath, Direction, ResetLoop

_NOTHING_LATE = (
    COMMITS_IN_ORDER,
    QUERIES_IN_ORDER,
    PULLS_TIMELY,
    NO_STALLED_TASK,
    NO_STALLED_CALLBACK,
    NO_STALLED_REBALANCE,
    COMMITS_TIMELY,
)
"""No thread stalls for longer than a reset sleeps, and nothing on its way is overtaken."""


@always(
    case(
        "I5",
        REFUTED,
        *(
            "calm-reset",
            "reset",
            "reset-two",
            "moving-reset",
            "fine-reset",
            "one-cpu",
            "offline-reset",
            "inspected-reset",
        ),
        needs=["W-reset-landed", "W-redone"],
        why="more than one cause: see docs/resets.md. With one thread for resets and pull callbacks the poll that was "
        "held all the time ends after the reset and corrects the cell then; the tool's own write to the offset of a "
        "group that is offline is undone by a consumer that starts meanwhile, or by what one that went down has sent",
        symptom="the reset did not stick: the offset is back where it was, and messages are not delivered again",
        remedies=[remedy("reset", fixes=[POLL_CHECKS_DROPPED], assumptions=_NOTHING_LATE)],
    ),
    case(
        "I5-persist-in-two",
        REFUTED,
        "fine-reset",
        fixes=[POLL_CHECKS_DROPPED],
        where="with the fix of PR #10087, without any fault, where persistAll reads a cell and sends it in two steps",
        why="within milliseconds, the timer reads the old value, the reset writes and sends its target, and the "
        "timer's value arrives after it: a dropped queue stays in the table while the reset sleeps, and the timer "
        "goes on with it",
        symptom="the reset did not stick, although the client ignores late pull responses (PR #10087)",
        remedies=["I5-persist-in-one"],
    ),
    case(
        "I5-persist-in-one",
        HOLDS,
        "fine-reset",
        fixes=[POLL_CHECKS_DROPPED],
        assumptions=[PERSIST_IN_ONE],
        needs=["W-reset-landed", "W-redone"],
        where="with the fix of PR #10087, where nothing comes between the timer's read and its sending",
    ),
    case(
        "I5-query-error",
        REFUTED,
        "reset-query-error",
        fixes=[POLL_CHECKS_DROPPED],
        where="with the fix of PR #10087, where the broker may answer an offset query with an error",
        why="the reset takes its queue out of the table, and the rebalance that adds it again asks for the offset: any "
        "error is read as `no offset stored`, and LAST_OFFSET starts at the max offset, so nothing comes again",
        symptom="the reset did not stick, and a broker answered offset queries with errors right after it",
        remedies=[remedy("reset-query-error", fixes=[ONLY_CODE_22])],
    ),
    case(
        "I5-broker-kill",
        REFUTED,
        "reset-broker-restart",
        fixes=[POLL_CHECKS_DROPPED],
        where="with the fix of PR #10087, where the broker may be killed",
        why="the broker writes its table to the offset file every five seconds; killed before that, it comes back with "
        "the offset from before the reset",
        symptom="the reset did not stick: the broker crashed within seconds of it",
        no_remedy="the file is written every five seconds; reset again after a crash",
    ),
    case(
        "I5-offline-last-pull",
        REFUTED,
        "offline-reset",
        fixes=[POLL_CHECKS_DROPPED, RESET_DROPS_AGAIN],
        assumptions=[COMMITS_TIMELY, GROUP_STAYS_DOWN],
        where="for a group that is down and stays down while the tool writes the offset, all its commits executed",
        why="a pull that was on its way when the consumer was killed carries an offset, and may arrive after the "
        "tool's write",
        symptom="the offset of a group that was down was reset, and is back where it was",
        remedies=["I5-offline-quiet"],
    ),
    case(
        "I5-running-info",
        REFUTED,
        "inspected-reset",
        fixes=[POLL_CHECKS_DROPPED, RESET_DROPS_AGAIN],
        assumptions=[COMMITS_IN_ORDER],
        where="with two fixes, where an operator asks for the consumer's running info around the reset",
        why="the running info finds the queue after the reset has removed its cell, and asks the broker: the answer is "
        "older than the reset's own write where the query is executed before it, and the cell brings it back",
        symptom="the reset did not stick, while somebody looked at the client's page in a dashboard",
        remedies=["I5-running-info-in-order"],
    ),
    case(
        "I5-running-info-in-order",
        HOLDS,
        "inspected-reset",
        fixes=[POLL_CHECKS_DROPPED, RESET_DROPS_AGAIN],
        assumptions=[COMMITS_IN_ORDER, QUERIES_IN_ORDER],
        needs=["W-reset-landed", "W-redone"],
        where="with two fixes, where an operator asks for the running info around the reset and nothing is overtaken",
    ),
    case(
        "I5-offline-quiet",
        HOLDS,
        "offline-reset",
        fixes=[POLL_CHECKS_DROPPED, RESET_DROPS_AGAIN],
        assumptions=[COMMITS_TIMELY, LAST_PULLS_TIMELY, GROUP_STAYS_DOWN],
        needs=["W-offline-landed"],
        where="for a group that is down and stays down while the tool writes the offset, all its commits executed and "
        "its last pulls arrived, and nobody else writes it",
        why="the two fixes are for the resets that come while a consumer is running, which this scope has as well",
    ),
    case(
        "I5-recreated",
        REFUTED,
        "recreated-reset",
        fixes=[UPDATE_CHECKS_DROPPED],
        where="where the topic was created again before the reset, and each write of a cell looks at `dropped`",
        why="a poll that was held beyond the new end is answered OFFSET_ILLEGAL on the queue that the reset dropped; "
        "ten seconds later its repair writes the corrected offset over the target",
        symptom="a topic was created again and its offset was reset, and seconds later it was back at the end",
        no_remedy="a reset that is repeated after the repair",
    ),
    case(
        "I5-recreated-poll-checks",
        REFUTED,
        "recreated-reset",
        fixes=[POLL_CHECKS_DROPPED],
        where="where the topic was created again before the reset, with the fix of PR #10087",
        why="the callback looks at `dropped` just before the reset drops the queue, and the repair comes as the reset "
        "wakes: it begins between the write of the target and its sending",
        symptom="a topic was created again and its offset was reset, and did not stay although the client ignores late "
        "pull responses (PR #10087)",
        no_remedy="a reset that is repeated after the repair",
    ),
    case(
        "I5-twice",
        HOLDS,
        "reset-twice",
        fixes=[POLL_CHECKS_DROPPED],
        needs=["W-last-backward-reset-landed", "W-redone"],
        where="with the fix of PR #10087, where the administrator resets twice; of each reset, until the next",
        why="resetOffset is synchronized, with the rebalance of resume in it, so the second reset finds the queue in "
        "the table. Nothing is late, overtaken or stalled here",
    ),
)
def backward_reset_stays(group: Group) -> bool:
    """From a backward reset's landing, the broker's offset v has everything from the target X to v done again.

    Done again means by deliveries of a life that started from an offset which the broker gave after the landing: from
    X, or from a later offset that was itself reached that way. Landing is the execution of the reset's own write,
    told by its origin and not by its value. What has another tag, or has been deleted, is nobody's to do again; what
    was sent back is not done again by that.
    """
    committed = group.broker.committed
    if committed is None:
        return True
    after_target = OffsetSet.below(group.scope.messages) - OffsetSet.below(group.ghost_target)
    missing = after_target - _owed_to_nobody(group) - group.ghost_redone
    landed = every([group.ghost_landed, group.ghost_direction == Direction.BACKWARD])
    return implies(landed, committed <= missing.lowest(default=group.scope.messages))


def _owed_to_nobody(group: Group) -> OffsetSet:
    """The offsets of messages that were deleted, or have a tag to which nobody subscribed."""
    return OffsetSet.below(group.broker.min_offset) | OffsetSet.below(group.scope.unmatched)


@always(
    case(
        "I5-forward",
        REFUTED,
        *("reset", "reset-two"),
        needs=["W-forward-reset-landed"],
        why="with one consumer by a commit that an older one overtakes; with two without any fault, by the commit of "
        "an owner that the command has not reached yet",
        symptom="a forward reset did not stick: messages that were to be skipped are delivered",
        remedies=[remedy("reset", fixes=[MONOTONE_COMMITS])],
    ),
    case(
        "I5-forward-calm",
        HOLDS,
        "calm-reset",
        needs=["W-forward-reset-landed"],
        where="for one consumer that keeps the queue, where nothing is late, overtaken or stalled and nobody else "
        "writes the offset",
    ),
    case(
        "I5-forward-twice",
        HOLDS,
        "reset-twice",
        needs=["W-last-forward-reset-landed"],
        where="where the administrator resets twice and nobody else writes the offset; of each reset, until the next",
        why="nothing is late, overtaken or stalled here",
    ),
    case(
        "I5-forward-in-two",
        REFUTED,
        "fine-reset",
        where="without any fault, where persistAll reads a cell and sends it in two steps",
        symptom="a forward reset did not stick, without any stall or loss",
        remedies=[remedy("fine-reset", fixes=[MONOTONE_COMMITS])],
    ),
    case(
        "I5-forward-by-time",
        REFUTED,
        "equal-times",
        where="where the administrator resets to a time",
        why="the broker's search for a time after the last message's ends at the last message, and not behind it",
        symptom="a reset to `now`, which should skip all there is, delivered the last message of each queue",
        no_remedy="the time -1 stands for the max offset, and is not searched for",
    ),
)
def forward_reset_stays(group: Group) -> bool:
    """From a forward reset's landing, the broker's offset is never below the target."""
    committed = group.broker.committed
    if committed is None:
        return True
    landed = every([group.ghost_landed, group.ghost_direction == Direction.FORWARD])
    return implies(landed, committed >= group.ghost_target)


@at_rest(
    case(
        "I6",
        REFUTED,
        "moving-reset",
        needs=["W-reset-landed"],
        why="the client writes the target only for queues that are in its table when it wakes, and nobody else does",
        symptom="the tool said that the reset succeeded, and nothing changed: the queue had moved to another consumer",
        remedies=[remedy("moving-reset", fixes=[RESET_WRITES_ALWAYS], assumptions=[NO_STALLED_REBALANCE])],
    ),
    case(
        "I6-kept",
        HOLDS,
        "calm-reset",
        needs=["W-rest-after-reset"],
        where="for one consumer that keeps the queue",
    ),
    case(
        "I6-lost-command",
        REFUTED,
        "lost-reset",
        where="for one consumer that keeps the queue, where a one-way request may be lost",
        why="the broker swallows the exception of the one-way request, and answers with success",
        symptom="the tool said that the reset succeeded, and nothing changed: the command never arrived",
        remedies=["I6-nothing-lost"],
    ),
    case(
        "I6-expired",
        REFUTED,
        "fine-reset",
        where="for one consumer that keeps the queue, where a run of rebalance asks for the group's members after it "
        "has found the consumer not paused",
        why="the members come two minutes later: the run takes the queue that the reset has dropped for unpulled, and "
        "removes it before the reset's thread, which stands as long, writes the target",
        symptom="the tool said that the reset succeeded, and nothing changed: the client stood for two minutes and "
        "logged `because pull is pause`",
        remedies=[remedy("fine-reset", fixes=[RESET_WRITES_ALWAYS], assumptions=[PERSIST_IN_ONE])],
    ),
    case(
        "I6-nothing-lost",
        HOLDS,
        "lost-reset",
        assumptions=[NOTHING_LOST],
        needs=["W-rest-after-reset"],
        where="for one consumer that keeps the queue, given that every one-way request arrives",
    ),
    case(
        "I6-twice",
        HOLDS,
        "reset-twice",
        needs=["W-second-reset-landed", "W-rest-after-reset"],
        where="for one consumer that keeps the queue, of each of two resets, the last one at rest",
    ),
)
def answered_reset_has_landed(group: Group) -> bool:
    """At rest, a reset that was answered with success has been written to the broker."""
    return implies(group.ghost_answered, group.ghost_landed)


@at_rest(
    case(
        "I6-time",
        REFUTED,
        "equal-times",
        why="where several messages were stored at the same time the search stops at any of them",
        symptom="a reset to a time left out messages that were stored at that very time",
        remedies=["I6-time-stable"],
    ),
    case(
        "I6-time-fixed",
        REFUTED,
        "equal-times",
        fixes=[FIRST_OF_EQUAL_TIMES],
        where="with the search of 5.1.1",
        why="what makes any reset unstable is still there: see I5",
        remedies=["I6-time-stable"],
    ),
    case(
        "I6-time-stable",
        HOLDS,
        "equal-times",
        fixes=[FIRST_OF_EQUAL_TIMES, POLL_CHECKS_DROPPED],
        needs=["W-reset-by-time"],
        where="with the search of 5.1.1 and the fix of PR #10087, for a consumer that goes on running with its topic",
        why="nothing is late, overtaken or stalled here",
    ),
)
def reset_to_a_time_delivers_everything_since(group: Group) -> bool:
    """At rest, a backward reset to a time has had every message delivered again that was stored then or later."""
    stored = OffsetSet.below(group.broker.max_offset)
    since = stored - OffsetSet.below(group.ghost_target) - _owed_to_nobody(group)
    landed = every([group.ghost_landed, group.ghost_direction == Direction.BACKWARD])
    return implies(landed, (since - group.ghost_redone).count() == 0)


@each_step(
    case(
        "I7",
        REFUTED,
        "reset",
        why="a thread may stall between check C and updateOffset for longer than the reset sleeps",
        symptom="the reset did not stick: a long pause of a consumer (GC, a stopped VM) ended after it",
        remedies=[remedy("reset", fixes=[UPDATE_CHECKS_DROPPED])],
    ),
    case(
        "I7-no-stalled-task",
        HOLDS,
        "reset",
        assumptions=[NO_STALLED_TASK],
        needs=["W-dropped-past-check", "W-task-outlives-reset", "W-reset-landed"],
        where="where no consume thread stalls for longer than a reset's sleep",
        why="what is left then is a task that has yet to pass check C, and its queue is dropped",
    ),
)
def task_never_undoes_a_reset(before: Group, after: Group, step: Step) -> bool:
    """A task on a queue dropped by a reset never changes a cell that the reset or a re-adding rebalance wrote since."""
    if step.action != "task_updates_cell":
        return True
    consumer = before.consumer[step.args["c"]]
    overwritten = consumer.process_queue[step.args["life"]].ghost_aftermath == Aftermath.OVERWRITTEN
    changed = after.consumer[step.args["c"]].cell != consumer.cell
    return implies(overwritten, negation(changed))


@at_rest(
    case(
        "I21",
        REFUTED,
        "two-brokers",
        needs=["W-both-brokers-answered"],
        why="the tool asks one broker after the other, and the first failure ends its loop",
        symptom="a reset of a topic on several brokers changed only some of them",
        remedies=["I21-answered"],
    ),
    case(
        "I21-answered",
        HOLDS,
        "two-brokers",
        assumptions=[EVERY_BROKER_ANSWERS],
        needs=["W-both-brokers-answered"],
        where="given that every broker answered",
    ),
)
def reset_of_two_brokers_is_all_or_nothing(group: Group) -> bool:
    """At rest, a reset of a topic on two brokers has landed on both or on none."""
    return implies(group.ghost_landed, group.reset_loop == ResetLoop.BOTH_ANSWERED)

"""Backward resets that have landed: they stay, and tasks of dropped queues do not undo them."""

from __future__ import annotations

from offsetproof.lang import (
    HOLDS,
    REFUTED,
    OffsetSet,
    Step,
    always,
    case,
    each_step,
    every,
    implies,
    negation,
    remedy,
    some,
)
from offsetproof.model.releases import FREEZES_CELL, ONLY_CODE_22, SERVER_SIDE_RESET
from offsetproof.model.shared.group import Group
from offsetproof.model.variants import (
    COMMITS_IN_ORDER,
    COMMITS_TIMELY,
    GROUP_STAYS_DOWN,
    LAST_PULLS_TIMELY,
    MARKER_KEPT_UNTIL_PULLED,
    NO_STALLED_CALLBACK,
    NO_STALLED_REBALANCE,
    NO_STALLED_TASK,
    PERSIST_IN_ONE,
    POLL_CHECKS_DROPPED,
    PULLS_TIMELY,
    QUERIES_IN_ORDER,
    RESET_DROPS_AGAIN,
    RESET_WHILE_DOWN,
    RESET_WRITTEN_THROUGH,
    RESETS_NUMBERED,
    UPDATE_CHECKS_DROPPED,
)
from offsetproof.model.vocabulary import Direction, ResetEffect

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

KNOWS_NUMBERS = (SERVER_SIDE_RESET, FREEZES_CELL)
"""A broker and a client that a patch with numbers would be for: of others a case with numbers says nothing."""

NUMBERED = (
    "calm-reset",
    "reset",
    "moving-reset",
    "fine-reset",
    "offline-reset",
    "inspected-reset",
    "reset-twice",
)
"""Where resets with numbers are asked for; with a second consumer no search has come to its end."""


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
        why="more than one cause: see docs/studies/resets.md. With one thread for resets and pull callbacks the poll "
        "that was held all the time ends after the reset and corrects the cell then; the tool's own write to the "
        "offset of a group that is offline is undone by a consumer that starts meanwhile, or by what one that went "
        "down has sent",
        symptom="the reset did not stick: the offset is back where it was, and messages are not delivered again",
        remedies=[
            remedy("reset", fixes=[POLL_CHECKS_DROPPED], assumptions=_NOTHING_LATE),
            *("I5-while-down", "I5-numbered"),
        ],
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
        HOLDS.unless(SERVER_SIDE_RESET),
        "fine-reset",
        fixes=[POLL_CHECKS_DROPPED],
        assumptions=[PERSIST_IN_ONE],
        needs=["W-reset-landed", "W-redone"],
        where="with the fix of PR #10087, where nothing comes between the timer's read and its sending",
    ),
    case(
        "I5-query-error",
        REFUTED.unless(ONLY_CODE_22).unless(SERVER_SIDE_RESET),
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
        "I5-restarted",
        HOLDS.unless(SERVER_SIDE_RESET),
        "reset-restart-in-order",
        fixes=[POLL_CHECKS_DROPPED],
        needs=["W-reset-landed", "W-redone", "W-restarted-after-landing"],
        where="with the fix of PR #10087, where the broker is restarted in order",
        why="the target is in the table, which the shutdown persists. Since 5.2.0 it is undone as in I5; and see "
        "I5-restarted-marker",
    ),
    case(
        "I5-restarted-marker",
        REFUTED,
        "reset-restart-in-order",
        only_of=[SERVER_SIDE_RESET],
        fixes=[MARKER_KEPT_UNTIL_PULLED],
        where="where the marker stays until a pull starts from the target, and the broker is restarted in order",
        why="the marker is in memory alone: after the restart the table has the target, and no pull is told of it. The "
        "ProcessQueue goes on, and its next pull or commit writes the old offset over the target, for good",
        symptom="the reset did not stick: the broker was restarted in order, as a routine, before the group's "
        "consumers had heard of the reset",
        remedies=[remedy("reset-restart-in-order", fixes=[RESETS_NUMBERED])],
    ),
    case(
        "I5-offline-last-pull",
        REFUTED,
        "offline-reset",
        not_of=[SERVER_SIDE_RESET],
        fixes=[POLL_CHECKS_DROPPED, RESET_DROPS_AGAIN],
        assumptions=[COMMITS_TIMELY, GROUP_STAYS_DOWN],
        where="for a group that is down and stays down while the tool writes the offset, all its commits executed",
        why="a pull that was on its way when the consumer was killed carries an offset, and may arrive after the "
        "tool's write. The broker refuses it while it knows no member of the group; it executes the commit once a "
        "consumer has started again",
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
        HOLDS.unless(SERVER_SIDE_RESET),
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
        not_of=[SERVER_SIDE_RESET],
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
        HOLDS.unless(SERVER_SIDE_RESET),
        "reset-twice",
        fixes=[POLL_CHECKS_DROPPED],
        needs=["W-last-backward-reset-landed", "W-redone"],
        where="with the fix of PR #10087, where the administrator resets twice; of each reset, until the next",
        why="resetOffset is synchronized, with the rebalance of resume in it, so the second reset finds the queue in "
        "the table. Nothing is late, overtaken or stalled here",
    ),
    case(
        "I5-numbered",
        HOLDS,
        *NUMBERED,
        only_of=KNOWS_NUMBERS,
        fixes=[RESETS_NUMBERED],
        needs=["W-reset-landed", "W-redone"],
        where="where resets have numbers, for one consumer, and nobody else writes the offset",
        why="what was made before a reset is told from what was made after it, wherever it is: in a task, a cell, a "
        "commit or a pull",
    ),
    case(
        "I5-numbered-kill",
        HOLDS,
        "reset-broker-restart",
        only_of=KNOWS_NUMBERS,
        fixes=[RESETS_NUMBERED, RESET_WRITTEN_THROUGH],
        needs=["W-reset-landed", "W-redone"],
        where="where resets have numbers and are in the file when they are answered, and the broker may be killed",
        why="the number survives the broker, as the target does",
    ),
    case(
        "I5-numbered-restarted",
        HOLDS,
        "reset-restart-in-order",
        only_of=KNOWS_NUMBERS,
        fixes=[RESETS_NUMBERED],
        needs=["W-reset-landed", "W-redone", "W-restarted-after-landing"],
        where="where resets have numbers, and the broker is restarted in order",
        why="the number is in the file with the offset",
    ),
    case(
        "I5-while-down-restarted",
        HOLDS,
        "offline-restart-in-order",
        only_of=[SERVER_SIDE_RESET],
        assumptions=[RESET_WHILE_DOWN, GROUP_STAYS_DOWN],
        needs=["W-reset-landed", "W-redone", "W-restarted-after-landing"],
        where="as in I5-while-down, where the broker is restarted in order besides",
        why="the marker is lost, and nobody needs it: who starts asks for the offset, and the table has the target",
    ),
    case(
        "I5-while-down",
        HOLDS,
        "offline-reset",
        only_of=[SERVER_SIDE_RESET],
        assumptions=[RESET_WHILE_DOWN, GROUP_STAYS_DOWN],
        needs=["W-reset-landed", "W-redone"],
        where="where the group is down when the reset comes, all that its clients had sent has ended, and none starts "
        "before the tool has its answer",
        why="the first pull after that starts from the target, and takes the marker",
    ),
)
def backward_reset_stays(group: Group) -> bool:
    """From a backward reset's landing, the broker's offset v has everything from the target X to v done again.

    Done again means by deliveries of a ProcessQueue that started from an offset which the broker gave after the
    landing: from X, or from a later offset that was itself reached that way. Landing is the execution of the reset's
    own write, told by its origin and not by its value. What has another tag, or has been deleted, is nobody's to do
    again; what was sent back is not done again by that.
    """
    committed = group.broker.offset_for_query()
    if committed is None:
        return True
    after_target = OffsetSet.below(group.scope.messages) - OffsetSet.below(group.ghost_target)
    missing = after_target - group.owed_to_nobody() - group.ghost_redone
    landed = every([group.ghost_landed, group.ghost_direction == Direction.BACKWARD])
    return implies(landed, committed <= missing.lowest(default=group.scope.messages))


@each_step(
    case(
        "I7",
        REFUTED,
        "reset",
        not_of=[SERVER_SIDE_RESET],
        why="a thread may stall between check C and updateOffset for longer than the reset sleeps",
        symptom="the reset did not stick: a long pause of a consumer (GC, a stopped VM) ended after it",
        remedies=[remedy("reset", fixes=[UPDATE_CHECKS_DROPPED])],
    ),
    case(
        "I7-no-stalled-task",
        HOLDS,
        "reset",
        not_of=[SERVER_SIDE_RESET],
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
    overwritten = consumer.process_queue[step.args["pq_id"]].ghost_aftermath == ResetEffect.OVERWRITTEN
    changed = after.consumer[step.args["c"]].cell != consumer.cell
    return some([negation(overwritten), negation(changed)])


@each_step(
    case(
        "I7-at-broker",
        REFUTED,
        "reset",
        only_of=[SERVER_SIDE_RESET],
        where="where the reset is at the broker",
        why="a thread may stand between check C and updateOffset while its client hears of the reset, repairs the "
        "queue and adds it again: nothing sleeps in between, and the new cell is not frozen",
        symptom="the reset did not stick: a consume thread was held up for a moment (GC) as its client heard of it",
        remedies=["I7-at-broker-checked"],
    ),
    case(
        "I7-at-broker-checked",
        HOLDS,
        "reset",
        only_of=[SERVER_SIDE_RESET],
        fixes=[UPDATE_CHECKS_DROPPED],
        needs=["W-reset-landed"],
        where="where the reset is at the broker, and each write of a cell looks at `dropped`",
    ),
)
def task_of_a_former_queue_writes_no_cell(before: Group, after: Group, step: Step) -> bool:
    """A task on a dropped queue never changes a cell once another ProcessQueue has the queue."""
    if step.action != "task_updates_cell":
        return True
    consumer = before.consumer[step.args["c"]]
    former = every([consumer.process_queue[step.args["pq_id"]].dropped, consumer.owns_live_queue()])
    changed = after.consumer[step.args["c"]].cell != consumer.cell
    return some([negation(former), negation(changed)])

"""Claims about an offset reset: that it stays, in both directions, and that tasks of dropped queues do not undo it."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, OffsetSet, Step, always, each_step, implies
from offsetproof.model.group import Group
from offsetproof.model.variants import (
    COMMITS_TIMELY,
    GROUP_STAYS_DOWN,
    NO_STALLED_TASK,
    PERSIST_IN_ONE,
    POLL_CHECKS_DROPPED_FIX,
    RESET_DROPS_AGAIN_FIX,
)
from offsetproof.model.vocabulary import Aftermath, Direction


@always(
    id="I5",
    expected={"4.9.4": REFUTED},
    scopes=["calm-reset", "reset", "reset-two", "moving-reset", "fine-reset", "one-cpu", "offline-reset"],
    needs=["W-reset-landed", "W-redone"],
)
def backward_reset_is_stable(group: Group) -> bool:
    """From a backward reset's landing, the broker's offset v has everything from the target X to v done again.

    Done again means by deliveries of a life that started from an offset which the broker gave after the landing: from
    X, or from a later offset that was itself reached that way. Landing is the execution of the reset's own write,
    told by its origin and not by its value. Refuted, by more than one cause: see docs/resets.md. With one thread for
    resets and pull callbacks the poll that was held all the time ends after the reset and corrects the cell then. The
    tool's own write to the offset of a group that is offline is undone by a consumer that starts meanwhile.
    """
    committed = group.broker.committed
    if committed is None:
        return True
    after_target = OffsetSet.below(group.scope.messages) - OffsetSet.below(group.ghost_target)
    missing = after_target - group.ghost_redone
    landed = group.ghost_landed & (group.ghost_direction == Direction.BACKWARD)
    return implies(landed, committed <= missing.lowest(default=group.scope.messages))


@always(id="I5-forward", expected={"4.9.4": REFUTED}, scopes=["reset", "reset-two"], needs=["W-forward-reset-landed"])
def forward_reset_is_stable(group: Group) -> bool:
    """From a forward reset's landing, the broker's offset is never below the target.

    Refuted: with one consumer by a commit that an older one overtakes; with two without any fault, by the commit of
    an owner that the command has not reached yet.
    """
    return _stays_forward(group)


@always(id="I5-forward-calm", expected={"4.9.4": HOLDS}, scopes=["calm-reset"], needs=["W-forward-reset-landed"])
def forward_reset_of_one_consumer_is_stable_without_faults(group: Group) -> bool:
    """The same for one consumer that keeps the queue, where nothing is late, overtaken or stalled."""
    return _stays_forward(group)


def _stays_forward(group: Group) -> bool:
    committed = group.broker.committed
    if committed is None:
        return True
    landed = group.ghost_landed & (group.ghost_direction == Direction.FORWARD)
    return implies(landed, committed >= group.ghost_target)


@always(id="I5-persist-in-two", expected={"4.9.4": REFUTED}, scopes=["fine-reset"], fixes=[POLL_CHECKS_DROPPED_FIX])
def backward_reset_is_stable_although_persist_is_two_steps(group: Group) -> bool:
    """The same with the fix of PR #10087, without any fault, where persistAll reads a cell and sends it in two steps.

    Refuted within milliseconds: the timer reads the old value, the reset writes and sends its target, and the timer's
    value arrives after it. A dropped queue stays in the table while the reset sleeps, so the timer goes on with it.
    """
    return backward_reset_is_stable.function(group)


@always(
    id="I5-persist-in-one",
    expected={"4.9.4": HOLDS},
    scopes=["fine-reset"],
    needs=["W-reset-landed", "W-redone"],
    fixes=[POLL_CHECKS_DROPPED_FIX],
    assumptions=[PERSIST_IN_ONE],
)
def backward_reset_is_stable_when_persist_is_one_step(group: Group) -> bool:
    """The same where nothing comes between the timer's read and its sending."""
    return backward_reset_is_stable.function(group)


@always(
    id="I5-offline-quiet",
    expected={"4.9.4": HOLDS},
    scopes=["offline-reset"],
    needs=["W-offline-landed"],
    fixes=[POLL_CHECKS_DROPPED_FIX, RESET_DROPS_AGAIN_FIX],
    assumptions=[COMMITS_TIMELY, GROUP_STAYS_DOWN],
)
def backward_reset_of_a_group_that_stays_down_is_stable(group: Group) -> bool:
    """The same for a group that is down and stays down while the tool writes the offset, all its commits executed.

    The two fixes are for the resets that come while a consumer is running, which this scope has as well.
    """
    return backward_reset_is_stable.function(group)


@always(id="I5-forward-in-two", expected={"4.9.4": REFUTED}, scopes=["fine-reset"])
def forward_reset_is_stable_although_persist_is_two_steps(group: Group) -> bool:
    """I5-forward without any fault, where persistAll reads a cell and sends it in two steps."""
    return _stays_forward(group)


def _task_overwrites(before: Group, after: Group, step: Step) -> bool:
    if step.action != "task_updates_cell":
        return True
    consumer = before.consumer[step.args["c"]]
    overwritten = consumer.process_queue[step.args["life"]].ghost_aftermath == Aftermath.OVERWRITTEN
    changed = after.consumer[step.args["c"]].cell != consumer.cell
    return implies(overwritten, changed == False)  # noqa: E712 - an expression


@each_step(id="I7", expected={"4.9.4": REFUTED}, scopes=["reset"])
def task_never_undoes_a_reset(before: Group, after: Group, step: Step) -> bool:
    """A task on a queue dropped by a reset never changes a cell that the reset or a re-adding rebalance wrote since.

    Refuted by a thread that stalls between check C and updateOffset for longer than the reset sleeps.
    """
    return _task_overwrites(before, after, step)


@each_step(
    id="I7-no-stalled-task",
    expected={"4.9.4": HOLDS},
    scopes=["reset", "moving-reset"],
    needs=["W-dropped-past-check", "W-task-outlives-reset", "W-reset-landed"],
    assumptions=[NO_STALLED_TASK],
)
def task_never_undoes_a_reset_without_stalled_tasks(before: Group, after: Group, step: Step) -> bool:
    """The same, where no consume thread stalls for longer than a reset's sleep.

    Believed because what is left then is a task that has yet to pass check C, and its queue is dropped.
    """
    return _task_overwrites(before, after, step)

"""processConsumeResult: what becomes of a batch, for each answer with autoCommit and without."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from systems.stepped import QUEUE, World, offsets

from offsetproof.lang import Listener, OffsetSet
from offsetproof.model.orderly.variants import (
    COMMITTING,
    CORRECT,
    MANUAL,
    MANUAL_ROLLING_BACK,
    MANUAL_SUSPENDING,
    ROLLBACK_HONOURED,
    ROLLING_BACK,
    SUSPENDING,
)
from offsetproof.model.orderly.vocabulary import Answer, RequestStep

EARLIER, BATCH, LATER = offsets(0), offsets(1), offsets(2)
"""Of three messages: one that was left uncommitted before (without autoCommit), the batch, one that is cached."""


class Row(NamedTuple):
    """A cell of the table: who answers what, which step follows, and what is cached and being consumed after it."""

    listener: Listener
    answer: Answer
    action: str
    at: RequestStep
    tree: OffsetSet
    consuming: OffsetSet
    result: int | None = None


NOTHING = offsets()
TABLE = [
    Row(CORRECT, Answer.SUCCESS, "request_commits", RequestStep.COMMITTED, LATER, NOTHING, 2),
    Row(COMMITTING, Answer.COMMIT, "request_commits", RequestStep.COMMITTED, LATER, NOTHING, 2),
    Row(ROLLING_BACK, Answer.ROLLBACK, "request_commits", RequestStep.COMMITTED, LATER, NOTHING, 2),
    Row(SUSPENDING, Answer.SUSPEND, "request_suspends", RequestStep.SUBMITTED, BATCH | LATER, NOTHING),
    Row(MANUAL, Answer.SUCCESS, "request_goes_on_uncommitted", RequestStep.RUNNING, LATER, EARLIER | BATCH),
    Row(MANUAL, Answer.COMMIT, "request_commits", RequestStep.COMMITTED, LATER, NOTHING, 2),
    Row(
        MANUAL_ROLLING_BACK,
        Answer.ROLLBACK,
        "request_rolls_back",
        RequestStep.SUBMITTED,
        EARLIER | BATCH | LATER,
        NOTHING,
    ),
    Row(MANUAL_SUSPENDING, Answer.SUSPEND, "request_suspends", RequestStep.SUBMITTED, BATCH | LATER, EARLIER),
]
RESULTS = ("request_commits", "request_goes_on_uncommitted", "request_rolls_back", "request_suspends")


def answered(row: Row, world: World) -> dict[str, object]:
    """A ProcessQueue when the listener has answered; earlier batches are still there without autoCommit only."""
    kept = EARLIER if row.listener in (MANUAL, MANUAL_ROLLING_BACK, MANUAL_SUSPENDING) else NOTHING
    state = world.with_queue(
        **{
            "msg_tree_map": LATER,
            "consuming_msg_orderly_tree_map": kept | BATCH,
            "msg_count": kept | BATCH | LATER,
            "request.at": RequestStep.LISTENING,
            "request.taken": BATCH,
        }
    )
    returned = world.take(state, "listener_returns", c=0, pq_id=0, answer=row.answer.name)
    (possible,) = [name for name in RESULTS if world.can_take(returned, name, c=0, pq_id=0)]
    assert possible == row.action
    return dict(world.show(world.take(returned, possible, c=0, pq_id=0)))


def _id(row: Row) -> str:
    return f"{row.listener.name}-{row.answer.name}"


@pytest.mark.parametrize("row", TABLE, ids=_id)
def test_answer_has_its_result(row: Row) -> None:
    after = answered(row, World(listener=row.listener))
    assert after[f"{QUEUE}.request.at"] is row.at
    assert after[f"{QUEUE}.msg_tree_map"] == row.tree
    assert after[f"{QUEUE}.consuming_msg_orderly_tree_map"] == row.consuming
    assert after[f"{QUEUE}.request.result"] == row.result


def test_table_has_every_answer_with_auto_commit_and_without() -> None:
    told = {(row.listener in (MANUAL, MANUAL_ROLLING_BACK, MANUAL_SUSPENDING), row.answer) for row in TABLE}
    assert told == {(manual, answer) for manual in (False, True) for answer in Answer}


def test_rollback_that_is_honoured_puts_the_batch_back_with_auto_commit() -> None:
    row = Row(ROLLING_BACK, Answer.ROLLBACK, "request_rolls_back", RequestStep.SUBMITTED, BATCH | LATER, NOTHING)
    after = answered(row, World(listener=ROLLING_BACK, fixes=[ROLLBACK_HONOURED]))
    assert after[f"{QUEUE}.msg_tree_map"] == row.tree
    assert after["ghost_rolled_back"] == BATCH


@pytest.mark.parametrize(("row", "done", "rolled_back"), [
    (TABLE[0], BATCH, NOTHING),
    (TABLE[2], NOTHING, BATCH),
    (TABLE[3], NOTHING, NOTHING),
    (TABLE[4], NOTHING, NOTHING),
    (TABLE[5], EARLIER | BATCH, NOTHING),
    (TABLE[6], NOTHING, EARLIER | BATCH),
])  # fmt: skip
def test_history_says_what_the_listener_means(row: Row, done: OffsetSet, rolled_back: OffsetSet) -> None:
    after = answered(row, World(listener=row.listener))
    assert (after["ghost_done"], after["ghost_rolled_back"]) == (done, rolled_back)


def test_what_counts_is_gone_after_a_commit_and_stays_after_a_suspend() -> None:
    assert answered(TABLE[0], World(listener=CORRECT))[f"{QUEUE}.msg_count"] == LATER
    assert answered(TABLE[3], World(listener=SUSPENDING))[f"{QUEUE}.msg_count"] == BATCH | LATER


@pytest.mark.parametrize(("tried", "at", "tree", "done"), [
    (offsets(), RequestStep.SUBMITTED, offsets(0, 1), offsets()),
    (offsets(0), RequestStep.SUBMITTED, offsets(0, 1), offsets(0)),
    (offsets(0, 1), RequestStep.COMMITTED, offsets(), offsets(0, 1)),
])  # fmt: skip
def test_batch_goes_to_the_dead_letter_queue_only_as_a_whole(
    tried: OffsetSet, at: RequestStep, tree: OffsetSet, done: OffsetSet
) -> None:
    world = World(bounds={"batch": 2, "messages": 2, "reconsumes": 1}, listener=SUSPENDING)
    taken = offsets(0, 1)
    state = world.with_queue(
        **{
            "consuming_msg_orderly_tree_map": taken,
            "request.at": RequestStep.ANSWERED,
            "request.taken": taken,
            "request.answer": Answer.SUSPEND,
            "tried": tried,
        }
    )
    after = world.show(world.take(state, "request_suspends", c=0, pq_id=0))
    assert after[f"{QUEUE}.request.at"] is at
    assert after[f"{QUEUE}.msg_tree_map"] == tree
    assert after["ghost_done"] == done


def test_commit_after_clear_ends_the_request_without_a_word() -> None:
    world = World()
    state = world.with_queue(**{"dropped": True, "request.at": RequestStep.ANSWERED, "request.taken": BATCH})
    after = world.show(world.take(state, "request_commits", c=0, pq_id=0))
    assert after[f"{QUEUE}.request.at"] is RequestStep.NONE
    assert after[f"{QUEUE}.dropped"] is True


def test_suspended_batch_of_a_cleared_queue_comes_back_uncounted() -> None:
    world = World(listener=SUSPENDING)
    values = {"request.at": RequestStep.ANSWERED, "request.taken": BATCH, "request.answer": Answer.SUSPEND}
    after = world.show(world.take(world.with_queue(dropped=True, **values), "request_suspends", c=0, pq_id=0))
    assert after[f"{QUEUE}.msg_tree_map"] == BATCH
    assert after[f"{QUEUE}.msg_count"] == NOTHING


def test_offset_of_a_dropped_queue_is_not_recorded() -> None:
    world = World()
    state = world.with_queue(**{"dropped": True, "request.at": RequestStep.COMMITTED, "request.result": 2})
    after = world.show(world.take(state, "request_checks_dropped", c=0, pq_id=0))
    assert after[f"{QUEUE}.request.at"] is RequestStep.RUNNING
    assert after["consumer[0].cell"] is None


def test_cell_is_written_plainly_whether_it_is_higher_or_the_queue_dropped_since() -> None:
    world = World()
    state = world.with_queue(**{"dropped": True, "request.at": RequestStep.CHECKED, "request.result": 1})
    after = world.show(world.take(world.changed(state, {"consumer[0].cell": 3}), "request_updates_cell", c=0, pq_id=0))
    assert after["consumer[0].cell"] == 1
    assert after[f"{QUEUE}.request.at"] is RequestStep.RUNNING


@pytest.mark.parametrize(("listener", "answer", "done", "succeeded"), [
    (CORRECT, Answer.SUCCESS, BATCH, BATCH),
    (MANUAL, Answer.SUCCESS, NOTHING, BATCH),
    (MANUAL, Answer.COMMIT, EARLIER | BATCH, EARLIER | BATCH),
    (SUSPENDING, Answer.SUSPEND, NOTHING, NOTHING),
])  # fmt: skip
def test_success_without_auto_commit_succeeds_and_is_not_done(
    listener: Listener, answer: Answer, done: OffsetSet, succeeded: OffsetSet
) -> None:
    world = World(listener=listener)
    consuming = BATCH if listener in (CORRECT, SUSPENDING) else EARLIER | BATCH
    listens = {"request.at": RequestStep.LISTENING, "request.taken": BATCH}
    state = world.with_queue(**{**listens, "consuming_msg_orderly_tree_map": consuming})
    after = world.show(world.take(state, "listener_returns", c=0, pq_id=0, answer=answer.name))
    assert (after["ghost_done"], after["ghost_succeeded"]) == (done, succeeded)
    assert after["ghost_in_time"] == succeeded


def test_rolled_back_success_is_one_no_more() -> None:
    world = World(listener=MANUAL_ROLLING_BACK)
    listens = {"request.at": RequestStep.LISTENING, "request.taken": BATCH}
    state = world.with_queue(**{**listens, "consuming_msg_orderly_tree_map": EARLIER | BATCH})
    state = world.changed(state, {"ghost_succeeded": EARLIER})
    after = world.show(world.take(state, "listener_returns", c=0, pq_id=0, answer="ROLLBACK"))
    assert after["ghost_succeeded"] == NOTHING

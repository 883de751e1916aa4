"""The loop of an orderly consume request: what it takes, what it looks at first, and how it ends."""

from __future__ import annotations

import pytest
from systems.stepped import QUEUE, World, offsets

from offsetproof.lang import OffsetSet
from offsetproof.model.orderly.process_queue import HOLDING
from offsetproof.model.orderly.vocabulary import Answer, RequestStep

SECOND = "consumer[0].process_queue[1]"


@pytest.mark.parametrize(("batch", "taken"), [(1, offsets(0)), (2, offsets(0, 1)), (3, offsets(0, 1))])
def test_request_takes_the_lowest_messages_and_moves_them(batch: int, taken: OffsetSet) -> None:
    world = World(bounds={"batch": batch})
    state = world.with_queue(
        **{"msg_tree_map": offsets(0, 1), "msg_count": offsets(0, 1), "request.at": RequestStep.SUBMITTED}
    )
    after = world.show(world.take(state, "request_takes_messages", c=0, pq_id=0))
    assert after[f"{QUEUE}.request.taken"] == after[f"{QUEUE}.consuming_msg_orderly_tree_map"] == taken
    assert after[f"{QUEUE}.msg_tree_map"] == offsets(0, 1) - taken
    assert after[f"{QUEUE}.msg_count"] == offsets(0, 1)
    assert after[f"{QUEUE}.request.at"] is RequestStep.TAKEN


@pytest.mark.parametrize(("fields", "at"), [
    ({"dropped": True}, RequestStep.NONE),
    ({"locked": False}, RequestStep.LOCKING),
    ({"lock_expired": True}, RequestStep.LOCKING),
    ({"dropped": True, "locked": False}, RequestStep.NONE),
    ({"msg_tree_map": offsets()}, RequestStep.NONE),
])  # fmt: skip
@pytest.mark.parametrize("before", [RequestStep.SUBMITTED, RequestStep.RUNNING])
def test_request_without_a_lock_or_a_queue_or_messages_takes_nothing(
    before: RequestStep, fields: dict[str, object], at: RequestStep
) -> None:
    world = World()
    cached = {"msg_tree_map": offsets(0), "request.at": before}
    after = world.show(world.take(world.with_queue(**{**cached, **fields}), "request_takes_messages", c=0, pq_id=0))
    assert after[f"{QUEUE}.request.at"] is at
    assert after[f"{QUEUE}.consuming_msg_orderly_tree_map"] == offsets()


@pytest.mark.parametrize("other", RequestStep)
def test_request_waits_for_the_client_s_lock_of_the_queue(other: RequestStep) -> None:
    world = World()
    state = world.changed(world.with_queue(**{"request.at": RequestStep.SUBMITTED}), {f"{SECOND}.request.at": other})
    assert world.can_take(state, "request_takes_messages", c=0, pq_id=0) == (other not in HOLDING)
    running = world.changed(state, {f"{QUEUE}.request.at": RequestStep.RUNNING})
    assert world.can_take(running, "request_takes_messages", c=0, pq_id=0)


def test_listener_of_a_dropped_queue_does_not_start_and_its_batch_stays() -> None:
    world = World()
    batch = {"request.taken": offsets(0), "consuming_msg_orderly_tree_map": offsets(0), "request.at": RequestStep.TAKEN}
    after = world.show(world.take(world.with_queue(dropped=True, **batch), "request_starts_listener", c=0, pq_id=0))
    assert after[f"{QUEUE}.request.at"] is RequestStep.NONE
    assert after[f"{QUEUE}.consuming_msg_orderly_tree_map"] == offsets(0)
    assert after["ghost_delivered"] == offsets()
    started = world.show(world.take(world.with_queue(**batch), "request_starts_listener", c=0, pq_id=0))
    assert started["ghost_delivered"] == offsets(0)


def test_listener_returns_what_it_may_return_only() -> None:
    state = World().with_queue(**{"request.at": RequestStep.LISTENING, "request.taken": offsets(0)})
    possible = [
        answer for answer in Answer if World().can_take(state, "listener_returns", c=0, pq_id=0, answer=answer.name)
    ]
    assert possible == [Answer.SUCCESS]


def test_messages_that_are_found_submit_one_request() -> None:
    world = World()
    values = {"next_offset": 1, "pull_request": _held(world), "msg_tree_map": offsets(0), "msg_count": offsets(0)}
    idle = world.show(world.take(world.with_queue(**values), "poll_finds_messages", c=0, pq_id=0, n=0))
    assert idle[f"{QUEUE}.request.at"] is RequestStep.SUBMITTED
    assert idle[f"{QUEUE}.msg_tree_map"] == idle[f"{QUEUE}.msg_count"] == offsets(0, 1)
    busy = world.with_queue(**values, **{"request.at": RequestStep.LISTENING})
    assert world.show(world.take(busy, "poll_finds_messages", c=0, pq_id=0, n=0))[f"{QUEUE}.request.at"] is (
        RequestStep.LISTENING
    )


def test_poll_without_news_corrects_nothing_while_a_batch_is_being_consumed() -> None:
    world = World()
    held = {"pull_request": _held(world), "consuming_msg_orderly_tree_map": offsets(2), "msg_count": offsets(2)}
    after = world.show(world.take(world.with_queue(**held), "poll_ends_without_news", c=0, pq_id=0))
    assert after[f"{QUEUE}.pull_request"].name == "RUN_QUEUE"
    idle = world.show(world.take(world.with_queue(pull_request=_held(world)), "poll_ends_without_news", c=0, pq_id=0))
    assert idle[f"{QUEUE}.pull_request"].name == "CORRECTING"


def _held(world: World) -> object:
    """The PullRequest of a poll that the broker holds."""
    kind = type(world.show(world.reference.first())[f"{QUEUE}.pull_request"])
    return kind["HELD"]


def test_reset_clears_both_maps() -> None:
    world = World(bounds={"resets": 1})
    state = world.with_queue(
        msg_tree_map=offsets(1), consuming_msg_orderly_tree_map=offsets(0), msg_count=offsets(0, 1)
    )
    dropped = world.changed(
        state, {"consumer[0].reset_run.at": _step(world, "DROPPED"), "consumer[0].reset_run.pq_id": 0}
    )
    after = world.show(world.take(dropped, "reset_clears_queue", c=0))
    kept = [after[f"{QUEUE}.{name}"] for name in ("msg_tree_map", "consuming_msg_orderly_tree_map", "msg_count")]
    assert kept == [offsets()] * 3


def _step(world: World, name: str) -> object:
    """A step of resetOffset."""
    return type(world.show(world.reference.first())["consumer[0].reset_run.at"])[name]

"""The first pull under a lock asks where to start once more, and what it is told becomes the next offset."""

from __future__ import annotations

import pytest
from systems.stepped import QUEUE, World, offsets

from offsetproof.ir.system import State
from offsetproof.lang import Behaviour, OffsetSet
from offsetproof.model.orderly.variants import REQUEST_RAISES_CELL
from offsetproof.model.orderly.vocabulary import RequestStep
from offsetproof.model.releases import ONLY_CODE_22
from offsetproof.model.variants import BROKER_ERROR
from offsetproof.model.vocabulary import PullRequestAt, RebalanceStep, RepairStep


def asked(world: World, **fields: object) -> State:
    """The pull thread has asked, for a ProcessQueue that was added with start 1."""
    state = world.with_queue(previously_locked=False, pull_request=PullRequestAt.RUN_QUEUE, next_offset=1, **fields)
    return world.take(world.changed(state, {"consumer[0].cell": 1}), "pull_asks_for_start", c=0, pq_id=0)


@pytest.mark.parametrize("committed", [0, 2])
def test_stored_offset_becomes_next_offset_and_cell(committed: int) -> None:
    world = World()
    state = world.changed(asked(world), {"broker.committed": committed})
    sent = world.show(world.take(world.take(state, "broker_answers_pull", c=0), "pull_is_sent_with_new_start", c=0))
    assert sent[f"{QUEUE}.next_offset"] == sent["consumer[0].cell"] == committed
    assert sent[f"{QUEUE}.previously_locked"] is True
    assert sent[f"{QUEUE}.piggyback"] == (committed or None)
    assert sent[f"{QUEUE}.pull_request"] is (PullRequestAt.SENT if committed else PullRequestAt.HELD)
    assert sent["consumer[0].pull_start.at"] is RebalanceStep.IDLE


def test_pull_is_sent_even_if_the_queue_was_dropped_while_it_asked() -> None:
    world = World()
    state = world.changed(asked(world), {"broker.committed": 2, f"{QUEUE}.dropped": True})
    assert not world.can_take(state, "consumer_pulls", c=0, pq_id=0)
    sent = world.show(world.take(world.take(state, "broker_answers_pull", c=0), "pull_is_sent_with_new_start", c=0))
    assert sent[f"{QUEUE}.pull_request"] is PullRequestAt.SENT


def test_what_is_only_computed_does_not_become_the_cell() -> None:
    world = World(bounds={"cold": 1})
    state = world.changed(asked(world), {"broker.cold": True})
    answered = world.take(state, "broker_answers_pull", c=0)
    found = world.take(answered, "pull_finds_start", c=0)
    sent = world.show(world.take(found, "pull_is_sent_with_new_start", c=0))
    assert (sent[f"{QUEUE}.next_offset"], sent["consumer[0].cell"]) == (3, 1)


@pytest.mark.parametrize(("fixes", "at"), [([], RebalanceStep.NOT_FOUND), ([ONLY_CODE_22], RebalanceStep.IDLE)])
def test_error_is_read_as_no_offset_unless_the_code_is_looked_at(fixes: list[object], at: RebalanceStep) -> None:
    world = World(fixes=fixes, faults={BROKER_ERROR: 1})  # type: ignore[arg-type]  # behaviours, as a parameter
    failed = world.show(world.take(asked(world), "broker_answers_pull_with_error", c=0))
    assert failed["consumer[0].pull_start.at"] is at
    assert failed[f"{QUEUE}.previously_locked"] is False


def test_pull_without_an_answer_ends_in_a_repair_with_the_lowest_offset() -> None:
    world = World(faults={BROKER_ERROR: 1}, bounds={"retention": 1})
    state = world.changed(asked(world), {"broker.min_offset": 1})
    after = world.show(world.take(state, "pull_goes_on_without_start", c=0))
    assert (after[f"{QUEUE}.dropped"], after[f"{QUEUE}.next_offset"]) == (True, 1)
    assert after[f"{QUEUE}.repair"] is RepairStep.WAITING
    assert after[f"{QUEUE}.pull_request"] is PullRequestAt.NONE


def test_process_queue_pulls_only_under_a_lock_whose_expiry_it_does_not_look_at() -> None:
    world = World()
    pulls = {"pull_request": PullRequestAt.RUN_QUEUE}
    assert not world.can_take(world.with_queue(**pulls, locked=False), "consumer_pulls", c=0, pq_id=0)
    assert world.can_take(world.with_queue(**pulls, lock_expired=True), "consumer_pulls", c=0, pq_id=0)
    gone = world.show(world.take(world.with_queue(**pulls, locked=False, dropped=True), "consumer_pulls", c=0, pq_id=0))
    assert gone[f"{QUEUE}.pull_request"] is PullRequestAt.NONE


@pytest.mark.parametrize(("unmatched_from", "from_offset", "cached", "goes_on_at"), [
    (0, 0, offsets(1), 2),
    (1, 0, offsets(0), 1),
    (1, 1, offsets(2), 3),
    (2, 0, offsets(0), 1),
])  # fmt: skip
def test_poll_passes_the_message_with_another_tag_wherever_it_is(
    unmatched_from: int, from_offset: int, cached: OffsetSet, goes_on_at: int
) -> None:
    world = World(bounds={"unmatched": 1, "unmatched_from": unmatched_from})
    state = world.with_queue(pull_request=PullRequestAt.HELD, next_offset=from_offset)
    after = world.show(world.take(state, "poll_finds_messages", c=0, pq_id=0, n=0))
    assert (after[f"{QUEUE}.msg_tree_map"], after[f"{QUEUE}.next_offset"]) == (cached, goes_on_at)


@pytest.mark.parametrize(("unmatched_from", "from_offset", "stored", "matches_nothing"), [
    (0, 0, 1, True),
    (0, 0, 2, False),
    (1, 0, 2, False),
    (1, 1, 2, True),
    (1, 1, 3, False),
    (2, 2, 3, True),
])  # fmt: skip
def test_poll_matches_nothing_where_all_that_follows_has_another_tag(
    unmatched_from: int, from_offset: int, stored: int, matches_nothing: bool
) -> None:
    world = World(bounds={"unmatched": 1, "unmatched_from": unmatched_from})
    state = world.changed(
        world.with_queue(pull_request=PullRequestAt.HELD, next_offset=from_offset), {"broker.max_offset": stored}
    )
    assert world.can_take(state, "poll_matches_nothing", c=0, pq_id=0) is matches_nothing
    if matches_nothing:
        after = world.show(world.take(state, "poll_matches_nothing", c=0, pq_id=0))
        assert after[f"{QUEUE}.next_offset"] == stored


@pytest.mark.parametrize(("fixes", "cell"), [([], 1), ([REQUEST_RAISES_CELL], 2)])
def test_request_sets_the_cell_back_that_a_poll_has_raised(fixes: list[Behaviour], cell: int) -> None:
    world = World(bounds={"unmatched": 1, "unmatched_from": 1, "messages": 2}, fixes=fixes)
    request = {"request.at": RequestStep.CHECKED, "request.result": 1}
    state = world.with_queue(pull_request=PullRequestAt.HELD, next_offset=1, **request)
    for action in ("poll_matches_nothing", "poll_corrects_offset"):
        state = world.take(state, action, c=0, pq_id=0)
    assert world.show(state)["consumer[0].cell"] == 2
    assert world.show(world.take(state, "request_updates_cell", c=0, pq_id=0))["consumer[0].cell"] == cell
